import { isUnit } from './quantity.ts'
import type { SheetCell } from './sheet.ts'
import { AVERAGE_LABELS, TOTAL_LABELS } from './total-words.ts'

const LABELS: ReadonlySet<string> = new Set([...Object.values(TOTAL_LABELS).flat(), ...AVERAGE_LABELS])
const LABEL_CHARS_MAX = 60
/** Minimum number of rows in a sum. With fewer rows, an equal sum may be a coincidence. */
const SUMMED_ROWS_MIN = 2
/** Tolerance for rounding errors of a sum, relative to it. The next constant is the absolute tolerance. */
const SUM_TOLERANCE_SHARE = 1e-6
const SUM_TOLERANCE = 0.011

/** Returns true if a text is the label of a total: "Total:", "Summe EUR", "Subtotal 2026". */
export function isTotalLabel(text: string): boolean {
  return LABELS.has(bareLabel(text))
}

/** Returns a label in lower case without punctuation, text in brackets, and a unit or year at its end. */
function bareLabel(text: string): string {
  if (text.length > LABEL_CHARS_MAX) return ''
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\([^)]*\)|\[[^\]]*\]/g, ' ')
  const words = plain
    .replace(/[\s:=*.]+/g, ' ')
    .trim()
    .split(' ')
  const last = words.at(-1)!
  if (words.length > 1 && (isUnit(last) || isUnit(last.toUpperCase()) || /^(?:19|20)\d\d$/.test(last))) words.pop()
  return words.join(' ')
}

/** Returns true if a text begins or ends with the label of a total: "Total March", "North Total". */
function hasTotalLabel(text: string): boolean {
  const words = bareLabel(text).split(' ')
  return words.length > 1 && (LABELS.has(words[0]!) || LABELS.has(words.at(-1)!))
}

interface Sum {
  /** Sum of all rows so far. The next field is the sum of the rows since the last total. */
  all: number
  since: number
  rows: number
  rowsSince: number
}

/** Detects the total rows of one table, whose rows are passed in order. */
export class TotalRows {
  readonly #sums = new Map<number, Sum>()
  readonly #keyColumn: number
  #isKeyFilled = true

  /** @param keyColumn the first column of the table */
  constructor(keyColumn: number) {
    this.#keyColumn = keyColumn
  }

  /** Returns true if the next row is a total. Any other row is added to the sums. */
  take(cells: ReadonlyMap<number, SheetCell>, isLast: boolean): boolean {
    const isTotal = this.#isTotal(cells, isLast)
    for (const [column, { value }] of cells) if (typeof value === 'number') this.#add(column, value, isTotal)
    if (!isTotal) this.#isKeyFilled &&= cells.has(this.#keyColumn)
    return isTotal
  }

  #isTotal(cells: ReadonlyMap<number, SheetCell>, isLast: boolean): boolean {
    const all = [...cells.values()]
    if (all.some(({ isSum }) => isSum)) return true
    const texts = all.flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
    // A word such as "Media" or "Ensemble" may also be a category. Except in the last row, the sum must confirm it.
    if (isLast && texts.some(isTotalLabel)) return true
    const isUnnamed = isLast && texts.length === 0 && this.#isKeyFilled && !cells.has(this.#keyColumn)
    const isLabelled = texts.some((text) => isTotalLabel(text) || hasTotalLabel(text))
    return (isUnnamed || isLabelled) && this.#addsUp(cells)
  }

  /** Returns true if a number in the row is the sum of its column. */
  #addsUp(cells: ReadonlyMap<number, SheetCell>): boolean {
    return [...cells].some(([column, { value }]) => {
      const sum = this.#sums.get(column)
      if (typeof value !== 'number' || value === 0 || !sum) return false
      const isNear = (other: number) =>
        Math.abs(other - value) <= Math.max(SUM_TOLERANCE, Math.abs(value) * SUM_TOLERANCE_SHARE)
      return (sum.rows >= SUMMED_ROWS_MIN && isNear(sum.all)) || (sum.rowsSince >= SUMMED_ROWS_MIN && isNear(sum.since))
    })
  }

  #add(column: number, value: number, isTotal: boolean): void {
    const { all, since, rows, rowsSince } = this.#sums.get(column) ?? { all: 0, since: 0, rows: 0, rowsSince: 0 }
    const next = isTotal
      ? { all, since: 0, rows, rowsSince: 0 }
      : { all: all + value, since: since + value, rows: rows + 1, rowsSince: rowsSince + 1 }
    this.#sums.set(column, next)
  }
}
