import { MONTH_NUMBERS, STOP_WORDS } from '../lexicon/languages.ts'
import { foldText } from '../text/words.ts'

/** A word with an identifying number: "Room 302", "KB-771", "version 3.2". */
const NUMBERED = /(\p{L}+)[\s#-]{0,2}(\d+(?:\.\d+)*)(?![\d%]|[.,:]\d)/gu

const MONTHS = new Set(MONTH_NUMBERS.map(([name]) => foldText(name).toLowerCase()))

/** Numbers by the preceding word in lower case: "Room 302" is `room` → `302`. */
export type NumberedThings = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the numbered things in a text. */
export function numberedThings(text: string): NumberedThings {
  const found = new Map<string, Set<string>>()
  for (const [, word = '', number = ''] of foldText(text).matchAll(NUMBERED)) {
    const key = word.toLowerCase()
    if (STOP_WORDS.has(key) || MONTHS.has(key)) continue
    found.set(key, (found.get(key) ?? new Set()).add(number))
  }
  return found
}

/**
 * Returns a predicate for texts about another entity of the same kind: they have the question's word only with other
 * numbers. A text about Room 301 does not answer a question about Room 302.
 */
export function openOtherThings(asked: NumberedThings): (text: string) => boolean {
  if (asked.size === 0) return () => false
  return (text) => {
    const told = numberedThings(text)
    return [...asked].some(([word, numbers]) => {
      const own = told.get(word)
      return own !== undefined && ![...numbers].some((number) => own.has(number))
    })
  }
}
