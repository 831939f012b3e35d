import type { StoredContent } from '../resolve/record-content.ts'
import { foldText } from '../text/words.ts'
import type { TermWeights } from '../understand/analyse-question.ts'
import { type Sought, tellingText } from '../understand/telling-text.ts'
import { tokensOf } from './fit.ts'
import {
  bestRun,
  type Run,
  type SoughtSentence,
  soughtSentence,
  soughtSentences,
  sumOf,
  textOf,
} from './sought-sentences.ts'

/** A record that may be told from, and how relevant it is: in (0, 1]. */
export interface PackedRecord {
  readonly id: string
  readonly score: number
  readonly content: StoredContent
}

/** Whole sentences of a record that stand beside each other. */
export interface PackedPassage {
  readonly recordId: string
  readonly text: string
  /** The record's score, times what the passage holds of the question as a share of the record's best one. */
  readonly score: number
}

/** Sentences that are taken or left together: some hundred words. */
const RUN_CHARS = 600
/** So much is read for each byte that there is room for, the most relevant records first. */
const READ_PER_BYTE = 4
const BYTES_PER_TOKEN = 4
/** Fields of a record that are told, and the longest of them: more is data, not words. */
const FIELDS_MAX = 20
const FIELD_CHARS_MAX = 100

interface PassageCandidate {
  readonly record: number
  readonly run: Run
  readonly score: number
}

/**
 * The passages of these records that hold most of the question, best first, whose texts take no more than the tokens
 * (UTF-8 bytes / 4) together with the titles of their records. No sentence is told twice, and none is cut; a record
 * that holds nothing of the question, as it was found in other ways, is told from its beginning. Pure.
 */
export function packPassages(
  records: readonly PackedRecord[],
  asked: { readonly sought: Sought; readonly weights: TermWeights },
  tokensMax: number,
): PackedPassage[] {
  const texts: SoughtSentence[][] = []
  let unread = tokensMax * BYTES_PER_TOKEN * READ_PER_BYTE
  for (const { content } of records) {
    if (unread <= 0) break
    const text = content.text ? tellingText(content.text, asked.sought, tokensMax * BYTES_PER_TOKEN) : ''
    unread -= text.length
    texts.push(sentencesOf(content, text, asked.weights))
  }
  const candidates = texts.flatMap((sentences, record) => candidatesOf(sentences, record, records[record]!.score))
  candidates.sort((one, other) => other.score - one.score || one.record - other.record || one.run.from - other.run.from)
  const chosen = choose(candidates, texts, records, tokensMax)
  return texts
    .flatMap((sentences, record) => stretches(sentences, chosen[record]!, records[record]!))
    .sort((one, other) => other.score - one.score)
}

/** The sentences of the text, then the fields as a line of their own. */
function sentencesOf(content: StoredContent, text: string, weights: TermWeights): SoughtSentence[] {
  const sentences = soughtSentences(text, weights)
  const fields = Object.entries(content.properties ?? {})
    .flatMap(([name, value]) => {
      const said = [value]
        .flat()
        .filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
        .join(', ')
      return said === '' || said.length > FIELD_CHARS_MAX ? [] : `${name.replaceAll('_', ' ')}: ${said}`
    })
    .slice(0, FIELDS_MAX)
  if (fields.length > 0) {
    const block = (sentences.at(-1)?.block ?? -1) + 1
    sentences.push(soughtSentence({ text: fields.join('; '), block }, weights))
  }
  return sentences
}

/** The text of a record in runs, each with its score; those that hold nothing beside one that does are left out. */
function candidatesOf(sentences: readonly SoughtSentence[], record: number, score: number): PassageCandidate[] {
  const runs: Run[] = []
  let from = 0
  let chars = 0
  for (const [at, { text }] of sentences.entries()) {
    if (at > from && chars + text.length > RUN_CHARS) {
      runs.push({ from, to: at })
      from = at
      chars = 0
    }
    chars += text.length + 1
  }
  if (sentences.length > from) runs.push({ from, to: sentences.length })
  const held = runs.map((run) => heldBy(sentences, run))
  const most = Math.max(...held)
  if (!(most > 0)) return runs.slice(0, 1).map((run) => ({ record, run, score }))
  return runs.flatMap((run, at) => (held[at]! > 0 ? { record, run, score: (score * held[at]!) / most } : []))
}

function heldBy(sentences: readonly SoughtSentence[], { from, to }: Run): number {
  const held = new Map(sentences.slice(from, to).flatMap(({ held }) => held.map((each) => [each.position, each])))
  return sumOf({ held: [...held.values()] })
}

/** By record and sentence the score with which it is told: the best first, while there is room. */
function choose(
  candidates: readonly PassageCandidate[],
  texts: readonly SoughtSentence[][],
  records: readonly PackedRecord[],
  tokensMax: number,
): Map<number, number>[] {
  const chosen = texts.map(() => new Map<number, number>())
  const told = new Set<string>()
  let room = tokensMax
  for (const { record, run, score } of candidates) {
    const title = tokensOf(records[record]!.content.title ?? '')
    // What was told before parts what stands on either side of it.
    for (const fresh of freshRuns(texts[record]!, run, told)) {
      const beside = texts[record]!.slice(fresh.from, fresh.to)
      const left = room - title
      const taken =
        sizeOf(beside) <= left ? { from: 0, to: beside.length } : bestRun(beside, left - JOINT_TOKENS, tokensOf)
      if (!taken) continue
      for (let at = taken.from; at < taken.to; at += 1) {
        chosen[record]!.set(fresh.from + at, score)
        told.add(keyOf(beside[at]!))
      }
      room = left - sizeOf(beside.slice(taken.from, taken.to))
    }
  }
  return chosen
}

/** A space or the end of a line, a byte of four in a token. */
const JOINT_TOKENS = 1 / BYTES_PER_TOKEN

function sizeOf(sentences: readonly SoughtSentence[]): number {
  return sentences.reduce((sum, { text }) => sum + tokensOf(text) + JOINT_TOKENS, 0)
}

function keyOf({ text }: SoughtSentence): string {
  return foldText(text).toLowerCase()
}

/** The stretches of a run that were not told before. */
function freshRuns(sentences: readonly SoughtSentence[], { from, to }: Run, told: ReadonlySet<string>): Run[] {
  const seen = new Set(told)
  return runsWhere(from, to, (at) => {
    const key = keyOf(sentences[at]!)
    const isFresh = !seen.has(key)
    seen.add(key)
    return isFresh
  })
}

function runsWhere(from: number, to: number, holds: (at: number) => boolean): Run[] {
  const runs: Run[] = []
  for (let at = from; at < to; at += 1) {
    if (!holds(at)) continue
    const last = runs.at(-1)
    if (last?.to === at) runs[runs.length - 1] = { from: last.from, to: at + 1 }
    else runs.push({ from: at, to: at + 1 })
  }
  return runs
}

function stretches(
  sentences: readonly SoughtSentence[],
  chosen: ReadonlyMap<number, number>,
  { id }: PackedRecord,
): PackedPassage[] {
  return runsWhere(0, sentences.length, (at) => chosen.has(at)).map((run) => {
    const scores = sentences.slice(run.from, run.to).map((_, at) => chosen.get(run.from + at)!)
    return { recordId: id, text: textOf(sentences, run), score: Math.max(...scores) }
  })
}
