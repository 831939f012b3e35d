/** Answers questions with passages of records, and describes entities. */

export { type Answer, answerQuestion, asClosest, refuse } from './answer.ts'
export { ANSWER_FEATURES, MEANT_FEATURES } from './answer-features.ts'
export { answerThreshold, readAnswerFeatures } from './answerable.ts'
export {
  type Brief,
  type BriefInput,
  type BriefRecord,
  type Citation,
  type Corpus,
  type Meant,
  READER,
} from './brief.ts'
export { citeEntities } from './cite.ts'
export { expand, type Passage } from './expand.ts'
export { FIXED_WORDS, unfaithfulWords } from './faithful.ts'
export { shorten, tokensOf } from './fit.ts'
export { type Located, locate, locatorsIn, placeOf, type TextSpan } from './locate.ts'
export { readStatements, type ToCompare, toCompare } from './meant.ts'
export { nameWords } from './names.ts'
export { type PackedPassage, type PackedRecord, packPassages } from './pack-passages.ts'
export { render } from './render.ts'
export { type SelectedPassage, type SelectLimits, select } from './select.ts'
export { SHORTLIST_MAX, type ShortlistQuestion, shortlist } from './shortlist.ts'
export type { Shown } from './show.ts'
export { MENTION, type SegmentedRecord, type Statement, segment } from './statement.ts'
export { type SummaryQuestion, showRecord } from './summarise.ts'
export { type Holdings, tellHoldings } from './tell-holdings.ts'
export { tellPhase } from './tell-phase.ts'
export { type KnownField, type KnownRelation, type KnownThing, tellThings } from './tell-thing.ts'
