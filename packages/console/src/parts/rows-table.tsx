import { Button } from '@mantine/core'
import { createColumnHelper, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { Download } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { ColumnHead } from './column-head.tsx'
import { type CsvCell, csvOf, fileNameOf, saveFile } from './csv.ts'
import { plainLine } from './plain.ts'
import classes from './rows-table.module.css'
import { nextOrder, sortRows, type TableOrder } from './sort-rows.ts'

/** A column of a table: its name, how its cells are sorted, saved and shown, and its width. */
export interface Column<Row> {
  name: string
  /** Returns the value of a cell for sorting and saving. A column without it can be neither sorted nor saved. */
  value?: (row: Row) => CsvCell
  /** Returns the content of a cell. If omitted, its value is shown. */
  shown?: (row: Row) => ReactNode
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
  /** True if the service has more rows. */
  hasMore?: boolean
}

const ROW_PX = 42
/** Maximum number of rows that are loaded for sorting or saving a list. */
const LOADED_MAX = 10_000
/** Number of rows rendered above and below the visible ones. */
const OVERSCAN = 12
const features = tableFeatures({})

/**
 * Shows a long list. Renders only the visible rows, and loads more before the end is reached. Sorting and saving load
 * the whole list first.
 */
export function RowsTable<Row extends RowData>(given: RowsTableProps<Row>): ReactNode {
  const { label, columns, keyOf, onMore } = given
  const { rows, order, setOrder, save, isSaving, isLoading } = useSortedRows(given)
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [])
  const defined = useMemo(() => definedColumns(columns), [columns])
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
    <div className={classes.frame}>
      {columns.some(({ value }) => value) && (
        <div className={classes.tools}>
          <span role="status">{isLoading ? t('Loading all rows …') : ''}</span>
          <Button variant="subtle" size="compact-sm" leftSection={<Download />} loading={isSaving} onClick={save}>
            {t('CSV')}
          </Button>
        </div>
      )}
      <table className={classes.table} aria-label={label} aria-rowcount={all.length}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, isLess, width, value }, at) => (
              <ColumnHead
                key={name}
                name={name}
                at={at}
                order={order}
                onSort={value && (() => setOrder(nextOrder(order, at)))}
                isNumber={isNumber}
                isLess={isLess}
                style={width === undefined ? undefined : { width: `${width}rem` }}
              />
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
    </div>
  )
}

/** Returns the rows in the chosen order, with functions that change the order and save the list. */
function useSortedRows<Row>({ label, columns, rows: loaded, onMore, hasMore = false }: RowsTableProps<Row>) {
  const [order, setOrder] = useState<TableOrder>()
  const [isSaving, setSaving] = useState(false)
  const isWhole = !hasMore || loaded.length >= LOADED_MAX
  const isLoading = (order !== undefined || isSaving) && !isWhole
  const rows = useMemo(() => {
    const value = order && columns[order.column]?.value
    return value ? sortRows(loaded, value, order.isDescending) : loaded
  }, [loaded, columns, order])
  useEffect(() => {
    if (isLoading) onMore?.()
  }, [isLoading, onMore])
  useEffect(() => {
    if (!isSaving || !isWhole) return
    setSaving(false)
    saveFile(fileNameOf(label, 'csv'), 'text/csv', csvOfRows(columns, rows))
  }, [isSaving, isWhole, label, columns, rows])
  return { rows, order, setOrder, save: () => setSaving(true), isSaving, isLoading }
}

function definedColumns<Row extends RowData>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, Row>()
  return helper.columns(
    columns.map(({ name, shown, value }) =>
      helper.display({
        id: name,
        header: name,
        cell: ({ row }) => (shown ? shown(row.original) : plainLine(String(value?.(row.original) ?? '–'))),
      }),
    ),
  )
}

function csvOfRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const saved = columns.flatMap(({ name, value }) => (value ? [{ name, value }] : []))
  return csvOf([saved.map(({ name }) => name), ...rows.map((row) => saved.map(({ value }) => value(row)))])
}

/** Fills the height of rows that are not rendered. */
function Space({ px }: { px: number }): ReactNode {
  return (
    <tr>
      <td style={{ height: px, padding: 0 }} />
    </tr>
  )
}
