import type { AskedParts } from '../understand/parts.ts'
import type { Question } from '../understand/question.ts'
import { type AnswerFeatures, answerFeatures } from './answer-features.ts'
import { type AnswerReading, readAnswering } from './answer-reading.ts'
import byWords from './answer-weights.json' with { type: 'json' }
import type { BriefInput, Corpus, Meant } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import byMeaning from './meant-weights.json' with { type: 'json' }
import { isAnsweredByPhase } from './open-ends.ts'

/** A logistic estimate: the weights of its features, and the least score of what is answered. */
interface Estimate {
  weights: Partial<AnswerFeatures> & { base: number }
  least: number
}

const BY_WORDS: Estimate = byWords
const BY_MEANING: Estimate = byMeaning

/**
 * Returns the probability from which on the records are taken to answer a question. It belongs to the estimate for the
 * whole question, and not to the score of one statement.
 */
export function answerThreshold(meant?: Meant): number {
  const { least } = meant ? BY_MEANING : BY_WORDS
  return 1 / (1 + Math.exp(-least))
}

/** Whether the records answer a question, or a part of one that asks for several things. */
export function areAnswered({ whole, parts }: AskedParts, material: Material, corpus: Corpus, meant?: Meant): boolean {
  return [whole, ...parts].some((part) => isAnswered(part, material, corpus, meant))
}

/**
 * Whether the records answer, by a logistic estimate over `ANSWER_FEATURES`, or over `MEANT_FEATURES` where a model
 * compared meanings; weights and figures stand in `answer-weights.json` and `meant-weights.json`. A question that is
 * about nothing is answered by whatever there is, and so is one whose own words a sentence of the first record holds.
 */
function isAnswered(question: Question, material: Material, corpus: Corpus, meant: Meant | undefined): boolean {
  const reading = readAnswering(question, material, corpus, meant)
  if (reading === undefined || isAnsweredByPhase(question, material)) return true
  const features = answerFeatures(reading)
  if (holdsOwnWords(reading, features)) return true
  const { weights, least } = meant ? BY_MEANING : BY_WORDS
  const names = Object.keys(features) as (keyof AnswerFeatures)[]
  return names.reduce((sum, name) => sum + (weights[name] ?? 0) * features[name], weights.base) >= least
}

/** Whether a sentence of the first record, with its title, says all that the question is about. */
function holdsOwnWords({ weights, heads, said }: AnswerReading, { unwritten }: AnswerFeatures): boolean {
  const asked = [...weights.keys()]
  return unwritten === 0 && said[0]!.some(({ terms }) => asked.every((term) => terms.has(term) || heads[0]!.has(term)))
}

/** What the estimate is fitted on: the features of a question with its records; undefined when it is about nothing. */
export function readAnswerFeatures(input: BriefInput): AnswerFeatures | undefined {
  const reading =
    input.corpus && readAnswering(input.asked.whole, gatherMaterial(input, false), input.corpus, input.meant)
  return reading && answerFeatures(reading)
}
