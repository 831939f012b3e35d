import { anyOf } from '../lexicon/entries.ts'
import { anyIn, MONTH_NUMBERS, STOP_WORDS, WEEKDAYS } from '../lexicon/languages.ts'
import { foldText } from '../text/words.ts'

/**
 * Matches a word with an identifying number: "Room 302", "KB-771", "version 3.2". It begins only at the beginning of a
 * word; otherwise a long text without spaces would take quadratic time.
 */
const NUMBERED = /(?<!\p{L})(\p{L}+)[\s#-]{0,2}(\d+(?:\.\d+)*)(?![\d%]|[.,:]\d)/gu

/** Matches a year before the noun that it identifies: "the 2024 audit". */
const OF_YEAR = /(?<![\d.,])((?:19|20)\d\d)\s(\p{L}+)/gu

const DAY_NAMES = WEEKDAYS.map((name) => name.toLowerCase())
const DAY = anyOf(DAY_NAMES)
/** Matches a recurring weekday: "Mondays", "every Monday". */
const REPEATED_DAY = new RegExp(`\\b(?:${anyIn('repeatedly')} (${DAY})|(${DAY})s)\\b`, 'g')
/** Matches a weekday or a range of weekdays: "Monday to Friday". */
const DAYS_NAMED = new RegExp(`\\b(${DAY})s?(?: ?(?:${anyIn('dayRanges')}|[-–]) ?(${DAY})s?)?\\b`, 'g')
/** Key of recurring weekdays. It contains a space, so no word is equal to it. */
const WEEKDAY = ' weekday'

const MONTHS = new Set(MONTH_NUMBERS.map(([name]) => foldText(name).toLowerCase()))

/** Numbers by the preceding word in lower case: "Room 302" is `room` → `302`. */
export type NumberedEntities = ReadonlyMap<string, ReadonlySet<string>>

export function numberedEntities(text: string): NumberedEntities {
  const found = new Map<string, Set<string>>()
  const folded = foldText(text)
  const add = (word: string, number: string) => {
    const key = word.toLowerCase()
    if (!STOP_WORDS.has(key) && !MONTHS.has(key)) found.set(key, (found.get(key) ?? new Set()).add(number))
  }
  for (const [, word = '', number = ''] of folded.matchAll(NUMBERED)) add(word, number)
  for (const [, every, plural = every] of folded.toLowerCase().matchAll(REPEATED_DAY)) add(WEEKDAY, plural!)
  for (const [, year = '', word = ''] of folded.matchAll(OF_YEAR)) add(word, year)
  return found
}

/**
 * Returns a predicate for texts about another entity of the same kind. Such a text has the question's word only with
 * other numbers. A text about Room 301 does not answer a question about Room 302.
 */
export function mentionsOtherNumber(asked: NumberedEntities): (text: string) => boolean {
  if (asked.size === 0) return () => false
  return (text) => {
    const found = new Map([...numberedEntities(text), ...weekdaysIn(text)])
    return [...asked].some(([word, numbers]) => {
      const own = found.get(word)
      return own !== undefined && ![...numbers].some((number) => own.has(number))
    })
  }
}

/** Returns the weekdays that a text names, with those inside a range; empty if it names none. */
function weekdaysIn(text: string): NumberedEntities {
  const days = new Set<string>()
  for (const [, first = '', last = first] of foldText(text).toLowerCase().matchAll(DAYS_NAMED)) {
    const [from, to] = [DAY_NAMES.indexOf(first), DAY_NAMES.indexOf(last)]
    const count = ((to - from + DAY_NAMES.length) % DAY_NAMES.length) + 1
    for (let step = 0; step < count; step += 1) days.add(DAY_NAMES[(from + step) % DAY_NAMES.length]!)
  }
  return days.size > 0 ? new Map([[WEEKDAY, days]]) : new Map()
}
