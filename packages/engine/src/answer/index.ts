/** Answers questions with passages of records, and describes entities. */

export { type Answer, abstain, answerQuestion, asClosest } from './answer.ts'
export { ANSWER_FEATURES, SEMANTIC_FEATURES } from './answer-features.ts'
export { answerThreshold, readAnswerFeatures } from './answerable.ts'
export {
  type Brief,
  type BriefInput,
  type BriefRecord,
  type Citation,
  type Corpus,
  type SemanticScores,
  USER_SUBJECT,
} from './brief.ts'
export { citeEntities } from './cite.ts'
export { expand } from './expand.ts'
export { FIXED_WORDS, unfaithfulWords } from './faithful.ts'
export { shorten, tokensOf } from './fit.ts'
export { locate, locatorOf, locatorsIn } from './locate.ts'
export { nameWords } from './names.ts'
export { packPassages } from './pack-passages.ts'
export { render } from './render.ts'
export { renderContents, type ScopeContents } from './render-contents.ts'
export { type KnownEntity, type KnownField, type KnownRelation, renderEntities } from './render-entities.ts'
export { renderPhase } from './render-phase.ts'
export { select } from './select.ts'
export { comparisonInput, scoredStatements } from './semantic-similarity.ts'
export { shortlist } from './shortlist.ts'
export type { RenderedPassage } from './show.ts'
export { MENTION, segment } from './statement.ts'
export { type SummaryQuestion, summarizeRecord } from './summarise.ts'
