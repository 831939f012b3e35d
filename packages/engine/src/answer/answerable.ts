import type { QuestionParts } from '../understand/parts.ts'
import type { Question } from '../understand/question.ts'
import { type AnswerContext, createAnswerContext } from './answer-context.ts'
import { type AnswerFeatures, answerFeatures } from './answer-features.ts'
import byWords from './answer-weights.json' with { type: 'json' }
import type { BriefInput, Corpus, SemanticScores } from './brief.ts'
import { gatherMaterial, type Material } from './candidates.ts'
import byMeaning from './meant-weights.json' with { type: 'json' }
import { isAnsweredByPhase } from './open-items.ts'

/** A logistic model: feature weights, and the minimum log-odds of an answered question. */
interface Estimate {
  weights: Partial<AnswerFeatures> & { base: number }
  least: number
}

const BY_WORDS: Estimate = byWords
const BY_MEANING: Estimate = byMeaning

/**
 * Returns the minimum probability at which the records are assumed to answer a question. The probability is the one for
 * the whole question and not the score of a statement.
 */
export function answerThreshold(meant?: SemanticScores): number {
  const { least } = meant ? BY_MEANING : BY_WORDS
  return 1 / (1 + Math.exp(-least))
}

/** Returns true if the records answer the question or one of its parts. */
export function areAnswered(
  { whole, parts }: QuestionParts,
  material: Material,
  corpus: Corpus,
  meant?: SemanticScores,
): boolean {
  return [whole, ...parts].some((part) => isAnswered(part, material, corpus, meant))
}

/**
 * Returns true if the records answer the question, by a logistic model over `ANSWER_FEATURES`, or over
 * `SEMANTIC_FEATURES` with semantic similarity. `answer-weights.json` and `meant-weights.json` have the weights and
 * their evaluation. The model is not used if the question has no topic terms, or if a sentence of the first record
 * contains all of them: then the result is true.
 */
function isAnswered(
  question: Question,
  material: Material,
  corpus: Corpus,
  meant: SemanticScores | undefined,
): boolean {
  const context = createAnswerContext(question, material, corpus, meant)
  if (context === undefined || isAnsweredByPhase(question, material)) return true
  const features = answerFeatures(context)
  if (firstRecordCovers(context, features)) return true
  const { weights, least } = meant ? BY_MEANING : BY_WORDS
  const names = Object.keys(features) as (keyof AnswerFeatures)[]
  return names.reduce((sum, name) => sum + (weights[name] ?? 0) * features[name], weights.base) >= least
}

/** Returns true if one sentence of the first record, with its title, contains all topic terms of the question. */
function firstRecordCovers(
  { weights, heads, candidatesByRecord }: AnswerContext,
  { unwritten }: AnswerFeatures,
): boolean {
  const topicTerms = [...weights.keys()]
  return (
    unwritten === 0 &&
    candidatesByRecord[0]!.some(({ terms }) => topicTerms.every((term) => terms.has(term) || heads[0]!.has(term)))
  )
}

/** Returns the features that the logistic model is fitted on, or undefined if the question has no topic terms. */
export function readAnswerFeatures(input: BriefInput): AnswerFeatures | undefined {
  const context =
    input.corpus && createAnswerContext(input.asked.whole, gatherMaterial(input, false), input.corpus, input.meant)
  return context && answerFeatures(context)
}
