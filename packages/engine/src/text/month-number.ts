import { ICU_LANGUAGES, MONTH_NUMBERS } from '../lexicon/languages.ts'
import { foldText } from './words.ts'

const MONTHS = 12
/** Arbitrary year; only the month of the date is used. */
const YEAR = 2026

const IN_LEXICON: ReadonlyMap<string, number> = new Map(MONTH_NUMBERS.map(([name, number]) => [keyOf(name), number]))

/**
 * Returns the number of a month, from 1, by its name or abbreviation in any supported language and case. Returns
 * undefined for other words and for a name with different meanings: "listopada" is October in Croatian and November in
 * Polish.
 */
export function monthNumber(word: string): number | undefined {
  const key = keyOf(word)
  return IN_LEXICON.get(key) ?? namesOfIcu().get(key)
}

function keyOf(name: string): string {
  return foldText(name).toLowerCase().replace(/\.$/, '')
}

let icu: ReadonlyMap<string, number> | undefined

function namesOfIcu(): ReadonlyMap<string, number> {
  if (icu) return icu
  const numbers = new Map<string, number>()
  const ambiguous = new Set<string>()
  for (const [name, number] of ICU_LANGUAGES.flatMap(monthsOf)) {
    if ((numbers.get(name) ?? number) !== number) ambiguous.add(name)
    numbers.set(name, number)
  }
  for (const name of ambiguous) numbers.delete(name)
  icu = numbers
  return icu
}

/** Returns the names and abbreviations of a language's months, in the form that dates use. */
function monthsOf(language: string): (readonly [string, number])[] {
  return (['long', 'short'] as const).flatMap((length) => {
    const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: length, timeZone: 'UTC' })
    return Array.from({ length: MONTHS }, (_, at) => {
      const parts = format.formatToParts(Date.UTC(YEAR, at, 1))
      return [keyOf(parts.find(({ type }) => type === 'month')?.value ?? ''), at + 1] as const
    })
  })
}
