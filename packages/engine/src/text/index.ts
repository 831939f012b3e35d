/** Text analysis: blocks, words, terms, names, identifiers, numbers, dates, passages, sentences and markup. */

export { numberOf } from '../lexicon/languages.ts'
export { analyseRecord, rankedPassagesOf, TEXT_LENGTH_MAX } from './analyse-record.ts'
export { blocksOf } from './block.ts'
export { dayOf, isDay, MS_PER_DAY, writeDay } from './civil-date.ts'
export { cleanText, plainLine } from './clean-text.ts'
export { identifiersOf } from './identifiers.ts'
export { changingEnd, predicateWords } from './kinds.ts'
export { monthNumber } from './month-number.ts'
export {
  identifierKey,
  isTimeName,
  type KeyHash,
  mentionsOf,
  nameKey,
  namePartKeys,
  normaliseName,
  plainKeyHash,
} from './names.ts'
export { type AnalysisStep, ENCODER_SIZES, type PassageSizes, passagesOf } from './passages.ts'
export { isForwarding, type QuotedMail, splitMail } from './quoted-mail.ts'
export { splitSentences } from './sentences.ts'
export { tasksIn } from './tasks.ts'
export { terms } from './terms.ts'
export { civilDayIn, isTimeZone } from './time-zone.ts'
export { foldText, wordsOfFolded } from './words.ts'
