import type { QuestionKind } from '../lexicon/asked.ts'
import { anyOf } from '../lexicon/entries.ts'
import { anyIn, type Idea, MONTH, NUMBERS, WEEKDAYS } from '../lexicon/languages.ts'
import { pattern } from '../text/words.ts'
import type { Aspect, Question } from '../understand/question.ts'

const DATE = pattern(
  'i',
  `\\b(?:\\d{1,2}\\.? ${MONTH}\\b|${MONTH}\\.? \\d{1,4}\\b|\\d{4}-\\d{2}-\\d{2}|`,
  '1[0-9]\\d{2}s?\\b|20\\d{2}\\b|\\d{1,2}[./]\\d{1,2}[./]\\d{2,4})|\\d{4}年',
)
const WEAK_DATE = pattern('i', `\\b(?:${anyIn('weakDates')}|${anyOf(WEEKDAYS)}|\\d{1,2}:\\d{2})\\b`)
const HOUR = pattern('iu', `(?<![\\p{L}\\p{N}])${anyIn('hourLeads')} \\d{1,2}(?![\\p{L}\\p{N}.,%]*[\\p{N}%])`)
/** Matches a month without a day: "in November". Case matters, because "may" is a verb. */
const MONTH_ALONE = new RegExp(`\\b${MONTH}\\b`)
const SHORT_WEEKDAY_CHARS = 3
/** Matches a short weekday: "Tue and Fri". Case matters, because "sat" and "sun" are words. */
const SHORT_WEEKDAY = new RegExp(`\\b(?:${WEEKDAYS.map((day) => day.slice(0, SHORT_WEEKDAY_CHARS)).join('|')})\\b`)
const NUMBER = new RegExp(`(?<![\\p{L}-])\\d|\\b(?:${anyOf(NUMBERS.slice(1))}|${anyIn('quantities')})\\b`, 'iu')
const DURATION = pattern(
  'i',
  `\\d+\\s?${anyIn('shortDurations', 'durations')}\\b|`,
  `\\b(?:${anyIn('durations', 'durationBounds')}|\\d{4}\\s?[–-]\\s?\\d{2,4})\\b`,
)
const AMOUNT = pattern(
  'i',
  `[$€£¥]\\s?\\d|\\d[\\d.,]*\\s?(?:%|k\\b|m\\b|bn\\b|${anyIn('magnitudes', 'percents', 'currencies')})`,
)
const PLACE = new RegExp(`\\b${anyIn('beforePlaces')} (?:the )?\\p{Lu}\\p{L}+`, 'u')
const REASON = cue('reasons')
/** Matches words for a change. */
export const CHANGE_CUE = cue('changeCues')
const DONE = pattern(
  'i',
  `\\b(?<!\\b${anyIn('beforeDoneDefined')} )(?!${anyIn('doneDefined')}\\b)${anyIn('doneCues')}\\b`,
)
/** Matches words for unfinished work. */
export const UNDERWAY = cue('underwayCues')
/** Matches words for something that is still to be done or decided. */
export const OPEN_CUE = cue('openCues')
/** Matches words for a decision. */
export const DECISION_CUE = cue('decisionCues')

/** Returns a pattern for any of the words of a lexicon list. */
function cue(idea: Idea): RegExp {
  return new RegExp(`\\b${anyIn(idea)}\\b`, 'i')
}

export function isQuestion(text: string): boolean {
  return /[?？؟]["'”’)]*$/.test(text)
}

function isWeakDate(text: string): boolean {
  return WEAK_DATE.test(text) || HOUR.test(text) || MONTH_ALONE.test(text) || SHORT_WEEKDAY.test(text)
}

/** Returns true if a text states a date, a weekday or a time of day. */
export function statesTime(text: string): boolean {
  return DATE.test(text) || isWeakDate(text)
}

const KIND_FORMS: Record<QuestionKind, (text: string, hasPerson: boolean) => number> = {
  who: (text, hasPerson) => (hasPerson ? 1 : /\p{Lu}\p{L}+ \p{Lu}/u.test(text.slice(1)) ? 0.6 : 0),
  when: (text) => (DATE.test(text) ? 1 : isWeakDate(text) ? 0.6 : 0),
  where: (text) => (PLACE.test(text) ? 1 : 0),
  howMany: (text) => (NUMBER.test(text) ? 1 : 0),
  howLong: (text) => (DURATION.test(text) ? 1 : NUMBER.test(text) ? 0.4 : 0),
  howMuch: (text) => (AMOUNT.test(text) ? 1 : NUMBER.test(text) ? 0.6 : 0),
  why: (text) => (REASON.test(text) ? 1 : 0),
  change: (text) => (CHANGE_CUE.test(text) ? 1 : DONE.test(text) ? 0.5 : 0),
  status: (text) => (DONE.test(text) || UNDERWAY.test(text) ? 1 : CHANGE_CUE.test(text) ? 0.5 : 0),
  open: (text) => (OPEN_CUE.test(text) ? 1 : isQuestion(text) ? 0.7 : 0),
  yesNo: () => 0,
  fact: () => 0,
  overview: (text) => (DECISION_CUE.test(text) ? 0.7 : DONE.test(text) ? 0.4 : 0),
}

const NUMERIC: readonly QuestionKind[] = ['when', 'howMany', 'howLong', 'howMuch']

/**
 * Returns true if the question asks for a time or a number that the text does not state. Such a question opens with
 * "when", "how many", "how long" or "how much". For "when something happened", the date of the record counts as stated.
 */
export function lacksForm({ ways }: Question, text: string, isDated: boolean): boolean {
  const kind = ways.opening
  if (kind === undefined || !NUMERIC.includes(kind)) return false
  if (kind === 'when' && isDated && ways.isPast) return false
  return KIND_FORMS[kind](text, false) === 0 && !statesTime(text)
}

/** Returns how well a sentence has the form of an answer, from 0 to 1, for the kind of question and its aspects. */
export function answerPrior(question: Question, aspects: readonly Aspect[], text: string, hasPerson: boolean): number {
  const form = Math.max(...question.kinds.map((kind) => KIND_FORMS[kind](text, hasPerson)))
  if (aspects.length === 0) return form
  const answered = Math.min(
    1,
    aspects.filter((aspect) => aspect.answers.test(text)).length / Math.min(aspects.length, 2),
  )
  return 0.3 * form + 0.4 * answered + 0.3 * form * answered
}

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]/g
const SPACED = /[^\s\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]+/g

/** Counts words. In scripts without spaces, two characters count as one word. */
export function countWords(text: string): number {
  const [spaced, dense] = [text.match(SPACED)?.length ?? 0, text.match(UNSPACED)?.length ?? 0]
  return spaced + Math.ceil(dense / 2)
}
