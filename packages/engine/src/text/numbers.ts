import { anyOf } from '../lexicon/entries.ts'
import { MONTH_NUMBERS } from '../lexicon/languages.ts'
import { DATE_PREPOSITIONS, ORDINAL_ENDINGS } from '../lexicon/writing.ts'
import { foldText } from './fold.ts'
import type { Word } from './words.ts'

/** A number or date in a text, as one that is written in another way would be. */
export interface FoundNumber {
  /** Where it ends in the folded text. */
  readonly to: number
  /** A number in digits alone, a date as year, month and day. */
  readonly plain: string
}

const SIZES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tsd: 1e3,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
  millions: 1e6,
  millionen: 1e6,
  millones: 1e6,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
  billions: 1e9,
  milliarden: 1e9,
  milliards: 1e9,
}
const SIZE = Object.keys(SIZES).join('|')
/** Thousands parted by one sign, the apostrophe in Switzerland, or any number; then what it counts. */
const AMOUNT = new RegExp(
  `(?:(\\d{1,3}(?:([., '])\\d{3})(?:\\2\\d{3}){0,3})|(\\d{1,9}(?:[.,]\\d{1,3})?))(?: ?(${SIZE}))?` +
    '(?![\\p{L}\\p{N}]|[.,:/-]\\d)',
  'iuy',
)
const GROUPING = /[., ']/g

/** The amount that begins with a word, when it is written in another way than in digits alone. */
export function amountAt(folded: string, from: number): FoundNumber | undefined {
  AMOUNT.lastIndex = from
  const [text, grouped, , plain = '', size] = AMOUNT.exec(folded) ?? []
  if (text === undefined || (grouped === undefined && size === undefined)) return undefined
  const times = SIZES[size?.toLowerCase() ?? ''] ?? 1
  const amount = Math.round(Number(grouped?.replace(GROUPING, '') ?? plain.replace(',', '.')) * times)
  return { to: from + text.length, plain: String(amount) }
}

const MONTHS: ReadonlyMap<string, number> = new Map(
  MONTH_NUMBERS.map(([name, number]) => [foldText(name).toLowerCase(), number]),
)
const YEAR_CHARS = 4
const YEAR = /^(?:19|20)\d\d$/
const DAY = new RegExp(`^(\\d{1,2})${anyOf(ORDINAL_ENDINGS)}?$`)
const DAYS_MAX = 31

/** The date that ends with a year, with the word with which it begins; the month is written as a word. */
export function dateEndingAt(words: readonly Word[], at: number): { first: Word; plain: string } | undefined {
  const year = words[at]!.text
  if (year.length !== YEAR_CHARS || !YEAR.test(year)) return undefined
  const before: Word[] = []
  for (let back = at - 1; back >= 0 && before.length < 2; back -= 1) {
    if (!DATE_PREPOSITIONS.has(words[back]!.text)) before.push(words[back]!)
    else if (at - back > 3) break
  }
  const [last, first] = before
  if (first === undefined || last === undefined) return undefined
  const month = MONTHS.get(last.text) ?? MONTHS.get(first.text)
  const day = Number(DAY.exec(MONTHS.has(last.text) ? first.text : last.text)?.[1])
  if (month === undefined || !(day >= 1 && day <= DAYS_MAX)) return undefined
  return { first, plain: `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}` }
}

const NUMERIC_DATE = /^(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d\d)$/
const MONTHS_MAX = 12

/** The date that digits and signs tell: with points the day comes first, else only where it cannot be the month. */
export function dateOf(form: string): string | undefined {
  const [, one = '', sign, two = '', year = ''] = NUMERIC_DATE.exec(form) ?? []
  if (sign === undefined) return undefined
  const isMonthFirst = sign !== '.' && Number(two) > MONTHS_MAX
  if (sign !== '.' && !isMonthFirst && Number(one) <= MONTHS_MAX) return undefined
  const [day, month] = isMonthFirst ? [two, one] : [one, two]
  if (Number(month) > MONTHS_MAX || Number(day) > DAYS_MAX) return undefined
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
