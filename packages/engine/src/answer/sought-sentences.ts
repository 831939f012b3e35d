import { readSentences } from '../text/sentences.ts'
import { terms } from '../text/terms.ts'
import type { TermWeight, TermWeights } from '../understand/analyse-question.ts'

/** A sentence of a record, and what of a question it holds. */
export interface SoughtSentence {
  readonly text: string
  /** Number of the paragraph or item that it stands in. */
  readonly block: number
  /** Its terms, each once. */
  readonly terms: ReadonlySet<string>
  /** Those of the question, other forms of one term once. */
  readonly held: readonly TermWeight[]
}

/** A run of sentences that stand beside each other, from the first to before `to`. */
export interface Run {
  readonly from: number
  readonly to: number
}

/** Sentences looked at; what matters in a longer text is usually said early. */
const SENTENCES_MAX = 200
const ELLIPSIS = '…'
/** Between two sentences of a run: a space, or the end of a line. */
const JOINT = ' '

/** The sentences of a text in order, with what of the question each holds. */
export function soughtSentences(text: string, weights: TermWeights): SoughtSentence[] {
  return readSentences(text)
    .slice(0, SENTENCES_MAX)
    .map((sentence) => soughtSentence(sentence, weights))
}

/** A sentence, with what of the question it holds. */
export function soughtSentence(
  { text, block }: Pick<SoughtSentence, 'text' | 'block'>,
  weights: TermWeights,
): SoughtSentence {
  const said = new Set(terms(text))
  return { text, block, terms: said, held: heldOf(said, weights) }
}

function heldOf(said: ReadonlySet<string>, weights: TermWeights): TermWeight[] {
  const held = new Map<number, TermWeight>()
  for (const term of said) {
    const weight = weights.get(term)
    if (weight) held.set(weight.position, weight)
  }
  return [...held.values()]
}

/**
 * Of the runs that take no more than `room`, as `sizeOf` measures their sentences, the one that holds most of the
 * question, by the sum of its terms' weights, each counted once; of several that of the fewest sentences, then the
 * first. Then what follows it in its last paragraph, and what leads to it in its first one, as far as there is room.
 * Undefined when no sentence fits.
 */
export function bestRun(
  sentences: readonly SoughtSentence[],
  room: number,
  sizeOf: (text: string) => number,
): (Run & { readonly held: number }) | undefined {
  const sizes = sentences.map(({ text }) => sizeOf(text) + sizeOf(JOINT))
  let best: (Run & { held: number }) | undefined
  for (let from = 0; from < sentences.length; from += 1) {
    const seen = new Set<number>()
    let held = 0
    let size = -sizeOf(JOINT)
    for (let to = from + 1; to <= sentences.length; to += 1) {
      size += sizes[to - 1]!
      if (size > room) break
      for (const { position, idf } of sentences[to - 1]!.held) {
        if (!seen.has(position)) held += idf
        seen.add(position)
      }
      const isShorter = held === best?.held && to - from < best.to - best.from
      if (!best || held > best.held || isShorter) best = { from, to, held }
    }
  }
  if (!best) return undefined
  const left = sizes.slice(best.from, best.to).reduce((rest, size) => rest - size, room + sizeOf(JOINT))
  return { ...widened(sentences, sizes, best, left), held: best.held }
}

/** How much of the question a sentence holds. */
export function sumOf({ held }: Pick<SoughtSentence, 'held'>): number {
  return held.reduce((sum, { idf }) => sum + idf, 0)
}

function widened(sentences: readonly SoughtSentence[], sizes: readonly number[], run: Run, room: number): Run {
  let { from, to } = run
  let left = room
  const goesOn = (at: number, beside: number) =>
    sentences[at] !== undefined && sentences[at].block === sentences[beside]!.block && sizes[at]! <= left
  for (; goesOn(to, to - 1); to += 1) left -= sizes[to]!
  for (; goesOn(from - 1, from); from -= 1) left -= sizes[from - 1]!
  return { from, to }
}

/** The run as text: sentences of one paragraph side by side, each paragraph on a line of its own. */
export function textOf(sentences: readonly SoughtSentence[], { from, to }: Run): string {
  let text = ''
  for (let at = from; at < to; at += 1) {
    const { text: sentence, block } = sentences[at]!
    if (at > from) text += block === sentences[at - 1]!.block ? JOINT : '\n'
    text += sentence
  }
  return text
}

/** A sentence cut to a length, from the word at which what fits holds most of the question. */
export function cutSentence({ text }: SoughtSentence, weights: TermWeights, charsMax: number): string {
  if (text.length <= charsMax) return text
  const room = charsMax - 2 * ELLIPSIS.length
  const words = [...text.matchAll(/\S+/gu)].map(({ index, 0: word }) => ({
    from: index,
    to: index + word.length,
    held: heldOf(new Set(terms(word)), weights),
  }))
  let best = { from: 0, held: 0 }
  for (const [at, { from }] of words.entries()) {
    const idfs = new Map<number, number>()
    for (let on = at; on < words.length && words[on]!.to - from <= room; on += 1)
      for (const { position, idf } of words[on]!.held) idfs.set(position, idf)
    const held = [...idfs.values()].reduce((sum, idf) => sum + idf, 0)
    if (held > best.held) best = { from, held }
  }
  // Half of a surrogate pair is no character.
  const cut = text.slice(best.from, best.from + room).replace(/[\ud800-\udbff]$/, '')
  const isEnd = best.from + cut.length >= text.length
  const space = isEnd ? -1 : cut.lastIndexOf(' ')
  const told = space > room / 2 ? cut.slice(0, space) : cut
  return `${best.from > 0 ? ELLIPSIS : ''}${told}${isEnd ? '' : ELLIPSIS}`
}
