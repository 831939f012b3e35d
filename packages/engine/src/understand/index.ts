/** Question analysis: topic, times, people and conversation context. */

export {
  analyseQuestion,
  fieldsAsked,
  type Question,
  type TermWeight,
  type TermWeights,
  wordsAsked,
} from './analyse-question.ts'
export type { Broad } from './broad.ts'
export { emptyTimeAmong } from './empty-time.ts'
export type { EventAsked, FactsAsked } from './kinds-asked.ts'
export { recordsHolding } from './known-words.ts'
export { ownTerms } from './question.ts'
export { isForeign } from './question-terms.ts'
export { passagesAbout, type Sought, tellingText } from './telling-text.ts'
export { inZone, type TimeSpan, UTC } from './time-span.ts'
export { type AskedTimes, timesAsked } from './times-asked.ts'
export { type EventFound, type Intent, showIntent, understand, withEvent } from './understand.ts'
export { questionText, type Wording } from './wording.ts'
