import { ArrowDown, ArrowUp } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import classes from './column-head.module.css'
import type { TableOrder } from './sort-rows.ts'

interface ColumnHeadProps {
  name: string
  at: number
  order: TableOrder | undefined
  /** Called to sort by the column; undefined if it cannot be sorted. */
  onSort?: (() => void) | undefined
  style?: CSSProperties | undefined
  isNumber?: boolean | undefined
  isLess?: boolean | undefined
}

/** Shows the name of a column, as a button that sorts by it. */
export function ColumnHead({ name, at, order, onSort, style, isNumber, isLess }: ColumnHeadProps): ReactNode {
  const sorted = order?.column === at ? order : undefined
  const Arrow = sorted?.isDescending ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      data-is-number={isNumber}
      data-is-less={isLess}
      style={style}
      aria-sort={sorted && (sorted.isDescending ? 'descending' : 'ascending')}
    >
      {onSort ? (
        <button type="button" className={classes.sort} onClick={onSort}>
          {name}
          {sorted && <Arrow />}
        </button>
      ) : (
        name
      )}
    </th>
  )
}
