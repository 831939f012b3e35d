import { dateFromSerial, format, getFormatDateInfo, getFormatInfo } from 'numfmt'
import { isCurrency } from '../formats/quantity.ts'
import type { SheetCell } from '../formats/sheet.ts'

/** Converts a number to a cell, by a number format. */
export type ReadNumber = (number: number) => SheetCell

/** Built-in number formats by id (ECMA-376, 18.8.30). */
const BUILT_IN: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0_);("$"#,##0)',
  6: '"$"#,##0_);[Red]("$"#,##0)',
  7: '"$"#,##0.00_);("$"#,##0.00)',
  8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0_);(#,##0)',
  38: '#,##0_);[Red](#,##0)',
  39: '#,##0.00_);(#,##0.00)',
  40: '#,##0.00_);[Red](#,##0.00)',
  41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  49: '@',
  // Date formats of East Asian language versions.
  ...Object.fromEntries([27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd'])),
  32: 'h:mm',
  33: 'h:mm:ss',
  55: 'h:mm',
  56: 'h:mm:ss',
}
/** Days between the epochs of the 1900 and 1904 date systems. */
const DAYS_TO_1904 = 1_462
/** Maximum length of a format code in characters. Longer ones are ignored. */
const FORMAT_CHARS_MAX = 255
const HOURS_PER_DAY = 24
const MINUTES_PER_DAY = 1_440
const SECONDS_PER_DAY = 86_400
/** Number of decimal digits that a double stores exactly. */
const DIGITS = 15

/** Returns a reader for numbers in a format. The format is given by its code or by the id of a built-in one. */
export function numberReader(code: string | undefined, id: number, isFrom1904: boolean): ReadNumber {
  const pattern = code ?? BUILT_IN[id] ?? 'General'
  if (pattern.length > FORMAT_CHARS_MAX) return plainNumber
  try {
    const { type, isDate, scale } = getFormatInfo(pattern)
    if (isDate) return timeReader(pattern, isFrom1904)
    return type === 'general' || type === 'text' ? plainNumber : quantityReader(pattern, scale)
  } catch {
    // The library cannot parse the format, so the number is read without a format.
    return plainNumber
  }
}

/** Returns the cell for a number without a format. */
export function plainNumber(number: number): SheetCell {
  return { value: roundDigits(number) }
}

function roundDigits(number: number): number {
  return Number(number.toPrecision(DIGITS))
}

function formatWith(pattern: string, number: number): string {
  return format(pattern, number, { throws: false }).replace(/\s+/g, ' ').trim()
}

/** Returns a reader for dates, times of day and durations. */
function timeReader(pattern: string, isFrom1904: boolean): ReadNumber {
  const { year, month, day } = getFormatDateInfo(pattern)
  const elapsed = /\[([hms])+\]/i.exec(pattern)?.[1]?.toLowerCase()
  return (number) => {
    if (elapsed) return durationOf(number, elapsed, formatWith(pattern, number))
    if (!(year || month || day)) return { value: formatWith(pattern, number) }
    const serial = number + (isFrom1904 ? DAYS_TO_1904 : 0)
    if (!(serial >= 0 && serial < DAYS_MAX)) return plainNumber(number)
    // Day 0 is a time without a date, which a date format can display, for example in an empty form field.
    if (serial < 1) return { value: formatWith('hh:mm', serial) }
    const parts = Array.from(dateFromSerial(serial), padded)
    const date = parts.slice(0, DAY_PARTS).join('-')
    return { value: serial % 1 === 0 ? date : `${date}T${parts.slice(DAY_PARTS).join(':')}.000Z` }
  }
}

/** Number of days up to the end of the year 9999, where Excel's dates end. */
const DAYS_MAX = 2_958_466

/** Number of date components: year, month and day. */
const DAY_PARTS = 3

function padded(part: number): string {
  return String(part).padStart(2, '0')
}

function durationOf(days: number, unit: string, shown: string): SheetCell {
  const times = unit === 'h' ? HOURS_PER_DAY : unit === 'm' ? MINUTES_PER_DAY : SECONDS_PER_DAY
  return { value: roundDigits(days * times), shown, unit: unit === 'm' ? 'min' : unit }
}

/** Matches a number as displayed in a format: prefix, digits, suffix. */
const SHOWN = /^([^\d]*?)(\d[\d.,'’ \u00a0]*(?:E[+-]?\d+| \d+\/\d+|\/\d+)?)([^\d]*)$/
const UNIT_CHARS_MAX = 16

/** Returns a reader for numbers with the unit that their format displays. */
function quantityReader(pattern: string, scale: number): ReadNumber {
  return (number) => quantityCell(number, formatWith(pattern, number), scale)
}

const PERCENT = 100

/**
 * Returns the cell for a number and its displayed text. A percentage is converted to percent. A number with adjacent
 * letters or digits, or with leading zeros, is an identifier.
 * @param scale factor by which the format multiplies the number
 */
export function quantityCell(number: number, shown: string, scale: number): SheetCell {
  const [, before = '', digits = '', after = ''] = SHOWN.exec(shown) ?? []
  if (digits === '') return /\d/.test(shown) ? { value: shown } : plainNumber(number)
  const unit = [before, after].map((text) => text.replace(/[()+\-−_]/g, '').trim())
  const isInside = unit[0] !== '' && !isCurrency(unit[0]!)
  if (/^0\d/.test(digits) || (isInside && !/\s$/.test(before))) return { value: shown }
  const units = unit.filter((text, at) => text !== '' && text.length <= UNIT_CHARS_MAX && !(isInside && at === 0))
  const isPercent = scale === PERCENT && units.includes('%')
  if (scale !== 1 && !isPercent) return { value: roundDigits(number), shown }
  const value = roundDigits(isPercent ? number * PERCENT : number)
  return { value, ...(shown !== String(value) && { shown }), ...(units.length === 1 && { unit: units[0]! }) }
}
