import { plainLine } from '../text/clean-text.ts'
import type { AnswerReading } from './answer-reading.ts'
import type { BriefInput, Meant } from './brief.ts'
import { type Candidate, gatherMaterial, type Material } from './candidates.ts'
import { answerWorth, scoreCandidates } from './select.ts'

/** Statements that are compared: what says most of a question by its meaning is hardly ever behind the eighth. */
const COMPARED_MAX = 8

/** A question and the statements that a model should compare with it. */
export interface ToCompare {
  question: string
  texts: string[]
}

/** What a model should compare before the records are told of: the statements that answer best by their words. */
export function toCompare(input: BriefInput): ToCompare {
  const { whole } = input.asked
  const material = gatherMaterial(input, false)
  const best = scoreCandidates(whole, material)
    .map((each) => ({ each, worth: answerWorth(each) }))
    .sort((one, other) => other.worth - one.worth)
    .slice(0, COMPARED_MAX)
  return { question: whole.whole, texts: [...new Set(best.map(({ each }) => comparedText(each, material)))] }
}

/**
 * How much of what a question is about one statement says at most, 0..1: the mean over the question's words of how much
 * of each it says, by how rare the word is in scope.
 */
export function mostMeant({ material, weights: rarity }: AnswerReading, { words, said }: Meant): number {
  const weights = words.map((word) => Math.max(0, ...material.termsOf(word).map((term) => rarity.get(term) ?? 0)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return 0
  const shareOf = (own: ArrayLike<number>) =>
    weights.reduce((sum, weight, at) => sum + weight * (own[at] ?? 0), 0) / total
  return Math.max(0, ...material.candidates.map((each) => shareOf(said.get(comparedText(each, material)) ?? [])))
}

/** How much of each term of a question the statement says that says most of it. */
export function termsMeant({ words, said }: Meant, termsOf: Material['termsOf']): ReadonlyMap<string, number> {
  const most = words.map((_, at) => Math.max(0, ...[...said.values()].map((own) => own[at] ?? 0)))
  return new Map(words.flatMap((word, at) => termsOf(word).map((term) => [term, most[at]!] as const)))
}

/** A statement as it is compared: it is understood by the title of its record. */
function comparedText({ record, text }: Candidate, { records }: Material): string {
  const title = plainLine(records[record]!.title ?? '')
  return title === '' ? text : `${title}: ${text}`
}
