import type { Question } from '../understand/question.ts'
import { ANSWER_FEATURES, type AnswerFeatures, answerFeatures, salientTerms } from './answer-features.ts'
import weighed from './answer-weights.json' with { type: 'json' }
import type { BriefInput, Corpus } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'

const WEIGHTS: Readonly<AnswerFeatures & { base: number }> = weighed.weights
const NAMES = Object.keys(ANSWER_FEATURES) as (keyof AnswerFeatures)[]

/**
 * Whether the records answer the question, by one logistic estimate over `ANSWER_FEATURES`, whose weights and figures
 * stand in `answer-weights.json`. A question that is about nothing is answered by whatever there is, and so is one
 * whose own words a sentence of the first record holds.
 */
export function isAnswered(question: Question, material: Material, corpus: Corpus): boolean {
  const features = answerFeatures(question, material, corpus)
  if (features === undefined || holdsOwnWords(question, material, corpus, features)) return true
  const score = NAMES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], WEIGHTS.base)
  return score >= weighed.least
}

/** Whether a sentence of the first record, with its title, says all that the question is about. */
function holdsOwnWords(question: Question, material: Material, corpus: Corpus, { unwritten }: AnswerFeatures): boolean {
  const { candidates, records, termsOf } = material
  const asked = [...salientTerms(question, corpus, termsOf).keys()]
  const head = new Set(termsOf(`${records[0]!.title ?? ''}\n${records[0]!.author?.name ?? ''}`))
  const isWhole = candidates.some(
    ({ record, terms }) => record === 0 && asked.every((term) => terms.has(term) || head.has(term)),
  )
  return isWhole && unwritten === 0
}

/** What the estimate is fitted on: the features of a question with its records; undefined when it is about nothing. */
export function readAnswerFeatures(input: BriefInput): AnswerFeatures | undefined {
  return input.corpus && answerFeatures(input.asked.whole, gatherMaterial(input, false), input.corpus)
}
