/** Question analysis: topic, times, people and conversation context. */

export { analyseQuestion, fieldsAsked, type Question, wordsAsked } from './analyse-question.ts'
export type { Broad } from './broad.ts'
export { emptyTimeAmong } from './empty-time.ts'
export type { QuestionTimes } from './find-times.ts'
export type { QuestionEvent } from './kinds-asked.ts'
export { countRecordsWith } from './known-words.ts'
export { ownTerms } from './question.ts'
export { isForeign } from './question-terms.ts'
export { findPassages, type QueryStems, selectPassages } from './select-passages.ts'
export { type TimeSpan, UTC } from './time-span.ts'
export { type DatedEvent, describeIntent, type Intent, understand, withEvent } from './understand.ts'
export { questionText } from './wording.ts'
