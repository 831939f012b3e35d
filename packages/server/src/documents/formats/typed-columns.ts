import type { Value } from '../document.ts'

/** Reads the cells of one column of a file that has texts alone. */
type ReadCell = (text: string) => Value

/** Rows by which the type of a column is told. */
const SAMPLE_ROWS = 1_000
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i
const BEFORE = '^[-+]?(?:[$€£¥]\\s?)?-?'
const BEHIND = '\\s?(?:%|[€$£¥])?$'
const POINT_NUMBER = new RegExp(`${BEFORE}(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?${BEHIND}`)
const COMMA_NUMBER = new RegExp(`${BEFORE}(?:\\d{1,3}(?:[.\\s\u00a0']\\d{3})+|\\d+)(?:,\\d+)?${BEHIND}`)
const LEADING_ZERO = /^[-+]?0\d/
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
const NUMERIC_DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/
const TRUTH = new Map([
  ['true', true],
  ['false', false],
])
/** Digits that a number keeps exactly; a longer one is a name. */
const DIGITS_MAX = 15

/**
 * How each column's cells are read: as numbers, days, times or truths where all of its filled cells are such, else as
 * the texts that they are. A number with leading zeros is a name, and a day whose month could be its day is a text.
 */
export function readersOf(rows: readonly (readonly string[])[]): ReadCell[] {
  const width = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: width }, (_, column) => {
    const cells = rows.slice(0, SAMPLE_ROWS).flatMap((row) => row[column]?.trim() || [])
    return cells.length === 0 ? plain : readerOf(cells)
  })
}

function plain(text: string): Value {
  return text.trim()
}

function readerOf(cells: readonly string[]): ReadCell {
  const all = (pattern: RegExp) => cells.every((cell) => pattern.test(cell))
  const isNamed = cells.some((cell) => LEADING_ZERO.test(cell) || cell.replace(/\D/g, '').length > DIGITS_MAX)
  if (!isNamed) {
    if (all(PLAIN_NUMBER)) return numberBy(PLAIN_NUMBER, (text) => text)
    if (all(POINT_NUMBER)) return numberBy(POINT_NUMBER, (text) => text.replaceAll(',', ''))
    if (all(COMMA_NUMBER)) return numberBy(COMMA_NUMBER, (text) => text.replace(/[.'\s\u00a0]/g, '').replace(',', '.'))
  }
  if (cells.every((cell) => TRUTH.has(cell.toLowerCase())))
    return (text) => TRUTH.get(text.trim().toLowerCase()) ?? plain(text)
  if (all(MOMENT)) return (text) => momentOf(text.trim())
  return all(NUMERIC_DAY) ? dayReader(cells) : plain
}

function numberBy(pattern: RegExp, tidy: (text: string) => string): ReadCell {
  return (text) => {
    const said = text.trim()
    const number = pattern.test(said) ? Number(tidy(said).replace(/[$€£¥%+\s]/g, '')) : Number.NaN
    return Number.isFinite(number) ? number : said
  }
}

function momentOf(text: string): string {
  if (DAY.test(text)) return text
  const told = MOMENT.test(text) ? text.replace(' ', 'T') : text
  const at = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(told) ? told : `${told}Z`)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}

/** Which of two numbers is the day is told by one that can be no month. */
function dayReader(cells: readonly string[]): ReadCell {
  const parts = cells.map((cell) => NUMERIC_DAY.exec(cell)!)
  const isDayFirst = parts.some(([, one]) => Number(one) > MONTHS)
  const isMonthFirst = parts.some(([, , two]) => Number(two) > MONTHS)
  if (isDayFirst === isMonthFirst) return plain
  return (text) => {
    const [, one = '', two = '', year] = NUMERIC_DAY.exec(text.trim()) ?? []
    if (!year) return plain(text)
    const [day, month] = isDayFirst ? [one, two] : [two, one]
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  }
}

const MONTHS = 12
