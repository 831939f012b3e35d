import type { Wording } from '../understand/wording.ts'
import type { AnswerReading } from './answer-reading.ts'
import type { BriefInput, Meant } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import { type Scored, scoreCandidates } from './select.ts'
import { comparedText, shareSaid, wordWeights } from './statement-worth.ts'

/** Statements that are compared: what says most of a question by its meaning is hardly ever behind the sixteenth. */
const COMPARED_MAX = 16

/** A question and the statements that a model should compare with it. */
export interface ToCompare {
  question: Wording
  texts: string[]
}

/** What a model should compare before the records are told of: the statements that answer best by their words. */
export function toCompare(input: BriefInput): ToCompare {
  const material = gatherMaterial(input, false)
  const texts = bestByWords(input, material).map((each) => comparedText(each, material))
  return { question: input.asked.whole.wordingInTalk, texts: [...new Set(texts)] }
}

/** What may be told, with the ids of the records: what is worth most first. */
export function readStatements(input: BriefInput): (Scored & { recordId: string })[] {
  const material = gatherMaterial(input, false)
  return scoreCandidates(input.asked.whole, material)
    .filter(({ worth }) => worth > 0)
    .sort((one, other) => other.worth - one.worth)
    .map((each) => ({ ...each, recordId: material.records[each.record]!.id }))
}

function bestByWords(input: BriefInput, { meant: _, ...material }: Material): Scored[] {
  return scoreCandidates(input.asked.whole, material)
    .sort((one, other) => other.worth - one.worth)
    .slice(0, COMPARED_MAX)
}

/** What a model's comparison says on whether statements answer, each from 0 to 1. */
export interface MeantAnswer {
  /**
   * How much the statement that says most of the question says of the word that it says least of, among the question's
   * rarest.
   */
  weakest: number
  /** The greatest cosine of a statement and the question. */
  alike: number
}

/** A word that is at least so rare beside the rarest is one of them. */
const RARE_SHARE = 0.5

/** Reads from the comparison how far the question is answered. */
export function meantAnswer({ material, weights: rarity }: AnswerReading, { words, texts }: Meant): MeantAnswer {
  const weights = wordWeights(words, material.termsOf, rarity)
  const least = RARE_SHARE * Math.max(...weights)
  const answer: MeantAnswer = { weakest: 0, alike: 0 }
  let most = 0
  for (const { alike, said } of texts.values()) {
    const share = shareSaid(weights, said)
    if (share === undefined) return answer
    answer.alike = Math.max(answer.alike, alike)
    if (share <= most) continue
    most = share
    answer.weakest = Math.max(0, Math.min(...weights.map((weight, at) => (weight >= least ? (said[at] ?? 0) : 1))))
  }
  return answer
}

/** How much of each term of a question the statement says that says most of it. */
export function termsMeant({ words, texts }: Meant, termsOf: Material['termsOf']): ReadonlyMap<string, number> {
  const most = words.map((_, at) => Math.max(0, ...[...texts.values()].map(({ said }) => said[at] ?? 0)))
  return new Map(words.flatMap((word, at) => termsOf(word).map((term) => [term, most[at]!] as const)))
}
