/** Briefs: records told in sentences that rest on them. */
export { ANSWER_FEATURES, MEANT_FEATURES } from './answer-features.ts'
export { readAnswerFeatures } from './answerable.ts'
export {
  type Brief,
  type BriefInput,
  type BriefRecord,
  type Citation,
  type Corpus,
  type Meant,
  READER,
} from './brief.ts'
export { boundedText } from './candidates.ts'
export { citeEntities } from './cite.ts'
export { composeBrief, refuse } from './compose-brief.ts'
export { FIXED_WORDS, recordWords, unfaithfulWords } from './faithful.ts'
export { shorten, tokensOf } from './fit.ts'
export { type Located, locate, placeOf, type TextSpan } from './locate.ts'
export { readStatements, type ToCompare, toCompare } from './meant.ts'
export { nameWords } from './names.ts'
export { type PackedPassage, type PackedRecord, packPassages } from './pack-passages.ts'
export { type SummaryQuestion, showRecord } from './summarise.ts'
export { type Holdings, tellHoldings } from './tell-holdings.ts'
export { tellPhase } from './tell-phase.ts'
export { type KnownField, type KnownRelation, type KnownThing, tellThings } from './tell-thing.ts'
