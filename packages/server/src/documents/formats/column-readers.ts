import {
  type DecimalMark,
  decimalsOf,
  isCurrency,
  isFormulaError,
  isPlaceholder,
  parseQuantity,
  type Quantity,
} from './quantity.ts'
import type { SheetCell } from './sheet.ts'
import { isTotalLabel } from './total-rows.ts'

/** Reads a cell of one column in a text-only file; undefined for a cell without a value. */
export type ReadCell = (text: string) => SheetCell | undefined

/** Number of rows from which column types are inferred. */
const TYPED_ROWS = 1_000
const DECIMAL_MARKS = ['.', ','] as const
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
const NUMERIC_DAY = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)$/
const YEAR_FIRST = /^(\d{4})([./])(\d{1,2})\2(\d{1,2})$/
const DURATION = /^(-?\d{1,5}):([0-5]\d)(?::([0-5]\d))?$/
const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
])
const HOURS_PER_DAY = 24
const MINUTES_PER_HOUR = 60
const SECONDS_PER_HOUR = 3_600
const MONTHS = 12
/** Number of digits between two thousands separators. */
const GROUP_DIGITS = 3

/**
 * Returns a reader for each column. If all filled cells of a column match, they are read as numbers with a unit, days,
 * times, durations or booleans; otherwise as text. A number with leading zeros is an identifier. A date with an
 * ambiguous order of day and month is text. Total rows are not considered.
 */
export function columnReaders(rows: readonly (readonly string[])[], delimiter: string): ReadCell[] {
  const typed = rows.slice(0, TYPED_ROWS).filter((row) => !row.some((cell) => isTotalLabel(cell.trim())))
  const width = Math.max(0, ...rows.map((row) => row.length))
  const columns = Array.from({ length: width }, (_, column) =>
    typed.flatMap((row) => {
      const cell = row[column]?.trim() ?? ''
      return cell === '' || isFormulaError(cell) ? [] : [cell]
    }),
  )
  const file = decimalMarkOf(columns.flat(), delimiter)
  return columns.map((cells) => readerOf(cells, file))
}

export function plainCell(text: string): SheetCell | undefined {
  const trimmed = text.trim()
  return trimmed === '' || isFormulaError(trimmed) ? undefined : { value: trimmed }
}

/** The decimal mark of a file. It is known from the file's numbers or guessed. */
interface FileMark {
  readonly mark: DecimalMark
  readonly isCertain: boolean
}

/** Returns the decimal mark of most unambiguous numbers. If both are equally frequent, the delimiter decides. */
function decimalMarkOf(cells: readonly string[], delimiter: string): FileMark {
  const counts = { '.': 0, ',': 0 }
  for (const cell of cells) {
    const readable = DECIMAL_MARKS.filter((mark) => parseQuantity(cell, mark))
    if (readable.length === 1) counts[readable[0]!] += 1
  }
  if (counts['.'] !== counts[',']) return { mark: counts['.'] > counts[','] ? '.' : ',', isCertain: true }
  return { mark: delimiter === ';' ? ',' : '.', isCertain: false }
}

function readerOf(cells: readonly string[], file: FileMark): ReadCell {
  const valued = cells.filter((cell) => !isPlaceholder(cell))
  if (valued.length === 0) return plainCell
  const all = (pattern: RegExp) => cells.every((cell) => pattern.test(cell))
  if (cells.every((cell) => BOOLEANS.has(cell.toLowerCase()))) return booleanCell
  if (all(MOMENT)) return momentCell
  if (all(DURATION)) return cells.some((cell) => hoursOf(cell) >= HOURS_PER_DAY) ? durationCell : plainCell
  if (all(YEAR_FIRST)) return yearFirstCell
  if (all(NUMERIC_DAY)) return dayReader(cells, file)
  return numberReader(valued, file) ?? plainCell
}

/** Returns a reader for numbers that have at most one unit. Undefined if any cell does not match. */
function numberReader(cells: readonly string[], file: FileMark): ReadCell | undefined {
  const marks = DECIMAL_MARKS.filter((mark) => cells.every((cell) => parseQuantity(cell, mark)))
  const currency = currencyOf(cells)
  const usual = marks.includes(file.mark) ? file.mark : marks[0]
  const mark = currency === undefined ? usual : (moneyMark(cells, marks, currency) ?? usual)
  if (mark === undefined) return undefined
  const units = new Set(cells.flatMap((cell) => parseQuantity(cell, mark)?.unit ?? []))
  if (units.size > 1) return undefined
  return (text) => {
    const trimmed = text.trim()
    if (trimmed === '' || isFormulaError(trimmed) || isPlaceholder(trimmed)) return undefined
    const quantity = parseQuantity(trimmed, mark)
    return quantity ? numberCell(trimmed, quantity) : { value: trimmed }
  }
}

/** Returns the currency of the first amount of money among cells. */
function currencyOf(cells: readonly string[]): string | undefined {
  const units = cells.flatMap((cell) => DECIMAL_MARKS.map((mark) => parseQuantity(cell, mark)?.unit ?? ''))
  return units.find(isCurrency)
}

/**
 * Returns the decimal mark that fits all amounts of money. Three digits after a mark are decimals if the currency has
 * three decimals, like KWD. Otherwise the mark separates thousands.
 */
function moneyMark(cells: readonly string[], marks: readonly DecimalMark[], currency: string): DecimalMark | undefined {
  const hasThree = decimalsOf(currency) === GROUP_DIGITS
  const endsInThree = (cell: string, mark: DecimalMark) => new RegExp(`\\${mark}\\d{3}(?!\\d)`).test(cell)
  return marks.find((mark) => cells.every((cell) => endsInThree(cell, mark) === hasThree))
}

function numberCell(shownText: string, { number, unit }: Quantity): SheetCell {
  return {
    value: number,
    ...(shownText !== String(number) && { shown: shownText }),
    ...(unit !== undefined && { unit }),
  }
}

function booleanCell(text: string): SheetCell | undefined {
  const value = BOOLEANS.get(text.trim().toLowerCase())
  return value === undefined ? plainCell(text) : { value }
}

function momentCell(text: string): SheetCell | undefined {
  const trimmed = text.trim()
  if (DAY.test(trimmed) || !MOMENT.test(trimmed)) return plainCell(text)
  const iso = trimmed.replace(' ', 'T')
  const at = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`)
  return Number.isNaN(at.getTime()) ? plainCell(text) : { value: at.toISOString() }
}

function hoursOf(text: string): number {
  const [, hours = '', minutes = '', seconds = '0'] = DURATION.exec(text) ?? []
  const part = Number(minutes) / MINUTES_PER_HOUR + Number(seconds) / SECONDS_PER_HOUR
  return hours.startsWith('-') ? Number(hours) - part : Number(hours) + part
}

function durationCell(text: string): SheetCell | undefined {
  const trimmed = text.trim()
  return DURATION.test(trimmed) ? { value: hoursOf(trimmed), shown: trimmed, unit: 'h' } : plainCell(text)
}

function yearFirstCell(text: string): SheetCell | undefined {
  const [, year, , month = '', day = ''] = YEAR_FIRST.exec(text.trim()) ?? []
  return year ? { value: dayOf(year, month, day) } : plainCell(text)
}

function dayOf(year: string, month: string, day: string): string {
  return `${year.padStart('YYYY'.length, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/**
 * Returns a reader for numeric dates. A number above 12 must be the day. If there is none, the day comes first if dots
 * separate the numbers or the file uses decimal commas.
 */
function dayReader(cells: readonly string[], file: FileMark): ReadCell {
  const parts = cells.map((cell) => NUMERIC_DAY.exec(cell)!)
  const isMonthFirst = parts.some(([, , , two]) => Number(two) > MONTHS)
  const isLocal = parts.every(([, , sign]) => sign === '.') || (file.mark === ',' && file.isCertain)
  const isDayFirst = parts.some(([, one]) => Number(one) > MONTHS) || (isLocal && !isMonthFirst)
  // A two-digit year could be a day, unless dots or decimal commas show that the day comes first.
  const isShort = parts.some(([, , , , year]) => year!.length < 'YYYY'.length)
  if (isDayFirst === isMonthFirst || (isShort && !isLocal)) return plainCell
  return (text) => {
    const [, one = '', , two = '', year] = NUMERIC_DAY.exec(text.trim()) ?? []
    if (!year) return plainCell(text)
    const [day, month] = isDayFirst ? [one, two] : [two, one]
    return { value: dayOf(year, month, day) }
  }
}

/** Returns true if a cell is a number with either decimal mark, or a numeric date. */
export function looksNumeric(text: string): boolean {
  const trimmed = text.trim()
  return NUMERIC_DAY.test(trimmed) || DECIMAL_MARKS.some((mark) => parseQuantity(trimmed, mark) !== undefined)
}
