import { fencesOf } from '../text/block.ts'
import { renderDates } from '../text/civil-date.ts'
import type { Brief, Citation, Draft } from './brief.ts'

/** A draft with its dates written out and its paragraph. */
export interface PlacedDraft {
  draft: Draft
  text: string
  paragraph: 1 | 2
}

const BYTES_PER_TOKEN = 4
const ELLIPSIS = '…'
// Minimum number of words for a second paragraph. With fewer words it would be a single line.
const TWO_PARAGRAPHS_WORDS_MIN = 70
const CLAUSE_SHARE_MIN = 0.35
const LABEL = /(?<![^\s(])(\p{L}[^\s“”]{0,38}[#-]\d+) “[^“”]{1,300}”/gu
const ORDER = ['answer', 'story', 'open'] as const
const encoder = new TextEncoder()

/** Returns the number of tokens of a text: UTF-8 bytes / 4. */
export function tokensOf(text: string): number {
  return encoder.encode(text).length / BYTES_PER_TOKEN
}

/** Orders the drafts, writes their dates, and drops the least important ones until the rest fits. */
export function fitDrafts(drafts: readonly Draft[], tokensMax: number): { brief: string; placed: PlacedDraft[] } {
  let remaining = [...drafts].sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role))
  for (;;) {
    const placed = assignParagraphs(remaining)
    const brief = join(placed)
    if (tokensOf(brief) <= tokensMax) return { brief, placed }
    if (remaining.length <= 1) return shortened(placed, tokensMax)
    const least = remaining.reduce((low, draft) => (draft.weight <= low.weight ? draft : low))
    remaining = remaining.filter((draft) => draft !== least)
  }
}

/** Builds an answered brief from drafts. Each statement keeps its draft's records and computation. */
export function renderDrafts(
  drafts: readonly Draft[],
  tokensMax: number,
  citationsOf: (brief: string) => Citation[],
): Brief {
  const { brief, placed } = fitDrafts(drafts, tokensMax)
  const statements = placed.map(({ draft: { recordIds, computed }, text }) => ({
    text,
    recordIds,
    ...(computed && { computed }),
  }))
  return { answered: true, brief, citations: citationsOf(brief), statements }
}

function assignParagraphs(drafts: readonly Draft[]): PlacedDraft[] {
  const texts = shortLabels(renderDates(drafts.map((draft) => draft.text)))
  const words = texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0)
  const second = (draft: Draft): boolean =>
    words >= TWO_PARAGRAPHS_WORDS_MIN && draft.role !== 'answer' && draft.role !== 'story'
  const placed = drafts.map((draft, at): PlacedDraft => ({ draft, text: texts[at]!, paragraph: second(draft) ? 2 : 1 }))
  return placed.some(({ paragraph }) => paragraph === 1) ? placed : placed.map((each) => ({ ...each, paragraph: 1 }))
}

/** Shortens repeated mentions of a record to its key: NOR-142 instead of NOR-142 “Retry storms”. */
function shortLabels(texts: readonly string[]): string[] {
  const seen = new Set<string>()
  return texts.map((text) =>
    text.replace(LABEL, (label, key: string) => {
      if (seen.has(label)) return key
      seen.add(label)
      return label
    }),
  )
}

function join(placed: readonly PlacedDraft[]): string {
  const of = (paragraph: 1 | 2): string =>
    placed
      .filter((each) => each.paragraph === paragraph)
      .map(({ text }) => text)
      .join(' ')
  return [of(1), of(2)].filter((text) => text !== '').join('\n\n')
}

/** Shortens the only remaining statement at a clause, a word or, if necessary, a character. */
function shortened(placed: readonly PlacedDraft[], tokensMax: number): { brief: string; placed: PlacedDraft[] } {
  const only = placed[0]
  if (!only) return { brief: '', placed: [] }
  const text = shorten(only.text, tokensMax)
  return text === '' ? { brief: '', placed: [] } : { brief: text, placed: [{ ...only, text }] }
}

/** Returns the longest beginning of a text that fits with an ellipsis, with closed code fences, or ''. */
export function shorten(text: string, tokensMax: number): string {
  if (tokensOf(text) <= tokensMax) return text
  const fences = fencesOf(text)
  const closing = Math.max(0, ...fences.map(({ mark }) => `\n${mark}\n`.length))
  const end = lengthWithin(
    text,
    Math.floor(tokensMax * BYTES_PER_TOKEN) - encoder.encode(`${ELLIPSIS}”`).length - closing,
  )
  const cutFence = fences.find(({ from, to }) => from < end && end < to)
  const line = text.lastIndexOf('\n', end - 1)
  if (cutFence && text.indexOf('\n', cutFence.from) < line) {
    return `${text.slice(0, line)}\n${cutFence.mark}\n${ELLIPSIS}`
  }
  const head = text.slice(0, cutFence?.from ?? end)
  return cutProse(head, Math.max(0, ...fences.map(({ to }) => (to <= head.length ? to : 0))))
}

/** Returns how many UTF-16 code units of a text fit in a number of UTF-8 bytes, without splitting a character. */
function lengthWithin(text: string, bytesMax: number): number {
  let end = 0
  let bytes = 0
  for (const char of text) {
    bytes += encoder.encode(char).length
    if (bytes > bytesMax) break
    end += char.length
  }
  return end
}

/** Cuts a text at its last clause or word and appends an ellipsis, but not inside code before `afterCode`. */
function cutProse(head: string, afterCode: number): string {
  if (head.trim() === '') return ''
  const clause = Math.max(...[...head.matchAll(/[,;:–—、，](?=\s|\P{ASCII})/gu)].map((found) => found.index), -1)
  const word = /\s\S*$/.exec(head)?.index ?? -1
  const last = clause >= head.length * CLAUSE_SHARE_MIN ? clause : word > 0 ? word : head.length
  const at = Math.max(last, afterCode)
  const cut = head.slice(0, at).replace(/[\s,;:–—(“]+$/u, '')
  if (cut === '') return ''
  const open = (cut.match(/“/g)?.length ?? 0) > (cut.match(/”/g)?.length ?? 0)
  return `${cut}${at === afterCode ? '\n' : ''}${ELLIPSIS}${open ? '”' : ''}`
}
