import type { AskedParts } from '../understand/parts.ts'
import type { Question } from '../understand/question.ts'
import { ANSWER_FEATURES, type AnswerFeatures, answerFeatures } from './answer-features.ts'
import { type AnswerReading, readAnswering } from './answer-reading.ts'
import weighed from './answer-weights.json' with { type: 'json' }
import type { BriefInput, Corpus } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import { isAnsweredByPhase } from './open-ends.ts'

const WEIGHTS: Readonly<AnswerFeatures & { base: number }> = weighed.weights
const NAMES = Object.keys(ANSWER_FEATURES) as (keyof AnswerFeatures)[]

/** Whether the records answer a question, or a part of one that asks for several things. */
export function areAnswered({ whole, parts }: AskedParts, material: Material, corpus: Corpus): boolean {
  return [whole, ...parts].some((part) => isAnswered(part, material, corpus))
}

/**
 * Whether the records answer, by one logistic estimate over `ANSWER_FEATURES`, whose weights and figures stand in
 * `answer-weights.json`. A question that is about nothing is answered by whatever there is, and so is one whose own
 * words a sentence of the first record holds.
 */
function isAnswered(question: Question, material: Material, corpus: Corpus): boolean {
  const reading = readAnswering(question, material, corpus)
  if (reading === undefined || isAnsweredByPhase(question, material)) return true
  const features = answerFeatures(reading)
  if (holdsOwnWords(reading, features)) return true
  const score = NAMES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], WEIGHTS.base)
  return score >= weighed.least
}

/** Whether a sentence of the first record, with its title, says all that the question is about. */
function holdsOwnWords(
  { weights, heads, said }: AnswerReading,
  { unwritten, inflectedShort }: AnswerFeatures,
): boolean {
  const asked = [...weights.keys()]
  const isWhole = said[0]!.some(({ terms }) => asked.every((term) => terms.has(term) || heads[0]!.has(term)))
  return isWhole && unwritten === 0 && inflectedShort === 0
}

/** What the estimate is fitted on: the features of a question with its records; undefined when it is about nothing. */
export function readAnswerFeatures(input: BriefInput): AnswerFeatures | undefined {
  const reading = input.corpus && readAnswering(input.asked.whole, gatherMaterial(input, false), input.corpus)
  return reading && answerFeatures(reading)
}
