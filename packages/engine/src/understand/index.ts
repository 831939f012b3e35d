/** Questions: what one asks about, of which times, of whom, and in which talk. */
export { analyseQuestion, type Question } from './analyse-question.ts'
export { type EventAsked, eventAsked } from './events-asked.ts'
export { overviewTerms } from './form-words.ts'
export { recordsHolding, respell } from './respell.ts'
export { historyTexts, readTalk, type Talk } from './talk.ts'
export { type Sought, soughtIn, tellingText } from './telling-text.ts'
export { hasParts, type TimesAsked, timesAsked } from './times-asked.ts'
