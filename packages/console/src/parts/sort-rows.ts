import { locale } from '../language/language.ts'
import type { CsvCell } from './csv.ts'

/** The order of a table: a column, and the direction. */
export interface TableOrder {
  column: number
  isDescending: boolean
}

const COLLATOR = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' })

/** Returns the rows in the order of a column's values. Rows without a value come last. Equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], cellOf: (row: Row) => CsvCell, isDescending: boolean): Row[] {
  return [...rows].sort((one, other) => {
    const [left, right] = [cellOf(one), cellOf(other)]
    if (isEmpty(left) || isEmpty(right)) return Number(isEmpty(left)) - Number(isEmpty(right))
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : COLLATOR.compare(String(left), String(right))
    return isDescending ? -order : order
  })
}

function isEmpty(value: CsvCell): boolean {
  return value === null || value === undefined || value === ''
}

/** Returns the next order after a click on a column: ascending, descending, then the original order. */
export function nextOrder(order: TableOrder | undefined, column: number): TableOrder | undefined {
  if (order?.column !== column) return { column, isDescending: false }
  return order.isDescending ? undefined : { column, isDescending: true }
}
