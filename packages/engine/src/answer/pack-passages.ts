import type { StoredContent } from '../resolve/record-content.ts'
import { foldText } from '../text/words.ts'
import type { TermWeights } from '../understand/analyse-question.ts'
import { type QueryStems, selectPassages } from '../understand/select-passages.ts'
import { tokensOf } from './fit.ts'
import {
  bestRun,
  type Run,
  type ScoredSentence,
  scoreSentence,
  scoreSentences,
  sumOf,
  textOf,
} from './score-sentences.ts'

/** A record with its relevance, in (0, 1]. */
export interface PackedRecord {
  readonly id: string
  readonly score: number
  readonly content: StoredContent
}

/** Adjacent whole sentences of a record. */
export interface PackedPassage {
  readonly recordId: string
  readonly text: string
  /** The record's score, multiplied by the passage's coverage of the question relative to the record's best passage. */
  readonly score: number
}

/** Maximum length of a run in characters, about a hundred words. The sentences of a run are selected together. */
const RUN_CHARS_MAX = 600
/** Number of bytes read per byte of output. The most relevant records are read first. */
const READ_PER_BYTE = 4
const BYTES_PER_TOKEN = 4
/** Maximum number of fields per record, and maximum length of a value in characters. Longer values are not words. */
const FIELDS_MAX = 20
const FIELD_CHARS_MAX = 100

interface PassageCandidate {
  readonly record: number
  readonly run: Run
  readonly score: number
}

/**
 * Packs the passages that cover most of the question into a token budget (UTF-8 bytes / 4), together with the titles of
 * their records. Returns them best first. Sentences are not cut or repeated. A record without query terms, which other
 * signals found, is represented by its beginning. The function is pure.
 */
export function packPassages(
  records: readonly PackedRecord[],
  asked: { readonly stems: QueryStems; readonly weights: TermWeights },
  tokensMax: number,
): PackedPassage[] {
  const texts: ScoredSentence[][] = []
  let bytesLeft = tokensMax * BYTES_PER_TOKEN * READ_PER_BYTE
  for (const { content } of records) {
    if (bytesLeft <= 0) break
    const text = content.text ? selectPassages(content.text, asked.stems, tokensMax * BYTES_PER_TOKEN) : ''
    bytesLeft -= text.length
    texts.push(sentencesOf(content, text, asked.weights))
  }
  const candidates = texts.flatMap((sentences, record) => candidatesOf(sentences, record, records[record]!.score))
  candidates.sort((one, other) => other.score - one.score || one.record - other.record || one.run.from - other.run.from)
  const chosen = choose(candidates, texts, records, tokensMax)
  return texts
    .flatMap((sentences, record) => joinRuns(sentences, chosen[record]!, records[record]!))
    .sort((one, other) => other.score - one.score)
}

/** Returns the sentences of the text, then one line with the fields. */
function sentencesOf(content: StoredContent, text: string, weights: TermWeights): ScoredSentence[] {
  const sentences = scoreSentences(text, weights)
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
    sentences.push(scoreSentence({ text: fields.join('; '), block }, weights))
  }
  return sentences
}

/** Splits a record's sentences into scored runs. If some runs have query terms, the runs without any are dropped. */
function candidatesOf(sentences: readonly ScoredSentence[], record: number, score: number): PassageCandidate[] {
  const runs: Run[] = []
  let from = 0
  let chars = 0
  for (const [at, { text }] of sentences.entries()) {
    if (at > from && chars + text.length > RUN_CHARS_MAX) {
      runs.push({ from, to: at })
      from = at
      chars = 0
    }
    chars += text.length + 1
  }
  if (sentences.length > from) runs.push({ from, to: sentences.length })
  const coverages = runs.map((run) => coverageOf(sentences, run))
  const most = Math.max(...coverages)
  if (!(most > 0)) return runs.slice(0, 1).map((run) => ({ record, run, score }))
  return runs.flatMap((run, at) => (coverages[at]! > 0 ? { record, run, score: (score * coverages[at]!) / most } : []))
}

function coverageOf(sentences: readonly ScoredSentence[], { from, to }: Run): number {
  const held = new Map(sentences.slice(from, to).flatMap(({ held }) => held.map((each) => [each.position, each])))
  return sumOf({ held: [...held.values()] })
}

/** Selects sentences greedily while they fit. Returns, for each record, the score by sentence index. */
function choose(
  candidates: readonly PassageCandidate[],
  texts: readonly ScoredSentence[][],
  records: readonly PackedRecord[],
  tokensMax: number,
): Map<number, number>[] {
  const chosen = texts.map(() => new Map<number, number>())
  const selected = new Set<string>()
  let tokensLeft = tokensMax
  for (const { record, run, score } of candidates) {
    const title = tokensOf(records[record]!.content.title ?? '')
    // Sentences that are already selected split the run.
    for (const fresh of freshRuns(texts[record]!, run, selected)) {
      const unselected = texts[record]!.slice(fresh.from, fresh.to)
      const left = tokensLeft - title
      const taken =
        sizeOf(unselected) <= left
          ? { from: 0, to: unselected.length }
          : bestRun(unselected, left - JOINT_TOKENS, tokensOf)
      if (!taken) continue
      for (let at = taken.from; at < taken.to; at += 1) {
        chosen[record]!.set(fresh.from + at, score)
        selected.add(keyOf(unselected[at]!))
      }
      tokensLeft = left - sizeOf(unselected.slice(taken.from, taken.to))
    }
  }
  return chosen
}

/** Number of tokens of a separator, which is one byte: a space or a line break. */
const JOINT_TOKENS = 1 / BYTES_PER_TOKEN

function sizeOf(sentences: readonly ScoredSentence[]): number {
  return sentences.reduce((sum, { text }) => sum + tokensOf(text) + JOINT_TOKENS, 0)
}

function keyOf({ text }: ScoredSentence): string {
  return foldText(text).toLowerCase()
}

/** Returns the parts of a run that were not selected before. */
function freshRuns(sentences: readonly ScoredSentence[], { from, to }: Run, selected: ReadonlySet<string>): Run[] {
  const seen = new Set(selected)
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

function joinRuns(
  sentences: readonly ScoredSentence[],
  chosen: ReadonlyMap<number, number>,
  { id }: PackedRecord,
): PackedPassage[] {
  return runsWhere(0, sentences.length, (at) => chosen.has(at)).map((run) => {
    const scores = sentences.slice(run.from, run.to).map((_, at) => chosen.get(run.from + at)!)
    return { recordId: id, text: textOf(sentences, run), score: Math.max(...scores) }
  })
}
