/** Questions: what one asks about, of which times, of whom, and in which talk. */
export { analyseQuestion, type Question } from './analyse-question.ts'
export type { EventAsked } from './events-asked.ts'
export { recordsHolding } from './respell.ts'
export { showIntent } from './show-intent.ts'
export { type Sought, tellingText } from './telling-text.ts'
export type { AskedTimes, TimeSpan } from './times-asked.ts'
export { type EventFound, type Intent, understand, withEvent } from './understand.ts'
export { wordsAsked } from './words-asked.ts'
