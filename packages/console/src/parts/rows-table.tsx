import { createColumnHelper, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import classes from './rows-table.module.css'

/** A column: its name, cell content, and whether it remains on narrow screens. */
export interface Column<Row> {
  name: string
  shown: (row: Row) => ReactNode
  isNumber?: boolean
  isLess?: boolean
  /** Width in rem; the first column takes the remaining space. */
  width?: number
}

interface RowsTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  /** Loads more rows; undefined at the end, or while rows are loading. */
  onMore?: (() => void) | undefined
}

const ROW_PX = 42
/** Number of rows rendered above and below the visible ones. */
const OVERSCAN = 12
const features = tableFeatures({})

/** Shows a long list. It renders only the visible rows, and loads more before its end is reached. */
export function RowsTable<Row extends RowData>({
  label,
  columns,
  rows,
  keyOf,
  onMore,
}: RowsTableProps<Row>): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [])
  const defined = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>()
    return helper.columns(
      columns.map(({ name, shown }) =>
        helper.display({ id: name, header: name, cell: ({ row }) => shown(row.original) }),
      ),
    )
  }, [columns])
  const table = useTable({ features, columns: defined, data: rows })
  const all = table.getRowModel().rows
  const seen = useWindowVirtualizer({
    count: all.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
  })
  const items = seen.getVirtualItems()
  const [first, last] = [items[0], items[items.length - 1]]
  const isNearEnd = last !== undefined && last.index >= all.length - OVERSCAN
  useEffect(() => {
    if (isNearEnd) onMore?.()
  }, [isNearEnd, onMore])
  const before = first ? first.start - top : 0
  const after = last ? seen.getTotalSize() - (last.end - top) : 0
  return (
    <table className={classes.table} aria-label={label} aria-rowcount={all.length}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber, isLess, width }) => (
            <th
              key={name}
              scope="col"
              data-is-number={isNumber}
              data-is-less={isLess}
              style={width === undefined ? undefined : { width: `${width}rem` }}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {before > 0 && <Space px={before} />}
        {items.map(({ index }) => {
          const row = all[index]
          if (!row) return null
          return (
            <tr key={keyOf(row.original)} aria-rowindex={index + 1}>
              {row.getAllCells().map((cell, at) => (
                <td key={cell.id} data-is-number={columns[at]?.isNumber} data-is-less={columns[at]?.isLess}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          )
        })}
        {after > 0 && <Space px={after} />}
      </tbody>
    </table>
  )
}

/** Takes the height of the rows that are not rendered. */
function Space({ px }: { px: number }): ReactNode {
  return (
    <tr>
      <td style={{ height: px, padding: 0 }} />
    </tr>
  )
}
