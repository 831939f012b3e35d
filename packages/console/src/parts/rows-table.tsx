import { createColumnHelper, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import classes from './rows-table.module.css'

/** One column: its name, what it shows of a row, and whether it stays where there is little room. */
export interface Column<Row> {
  name: string
  shown: (row: Row) => ReactNode
  isNumber?: boolean
  isLess?: boolean
  /** How wide it is, in rem; the first column has what is left. */
  width?: number
}

interface RowsTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  /** Asks for more rows; undefined when there are none, or some are being asked for. */
  onMore?: (() => void) | undefined
}

const ROW_PX = 42
/** Rows drawn above and below what is seen. */
const OVERSCAN = 12
const features = tableFeatures({})

/** A long list: only what is seen of it is drawn, and more is asked for before its end is reached. */
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

/** Rows that are not drawn: as high as they would be. */
function Space({ px }: { px: number }): ReactNode {
  return (
    <tr>
      <td style={{ height: px, padding: 0 }} />
    </tr>
  )
}
