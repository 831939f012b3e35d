import type { SearchAnswer } from '@cairnstore/client'
import { Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { t } from '../language/language.ts'
import { ColumnHead } from '../parts/column-head.tsx'
import { csvOf, fileNameOf, saveFile } from '../parts/csv.ts'
import { plainLine } from '../parts/plain.ts'
import { nextOrder, sortRows, type TableOrder } from '../parts/sort-rows.ts'
import classes from './computed-table.module.css'
import type { QuestionTurn, ShownAnswer } from './conversation.ts'
import { pointsOf } from './points-of.ts'
import { type ReadableColumn, readableTable, type TableCell } from './readable-table.ts'
import { TimePlot } from './time-plot.tsx'
import { useExplanation } from './use-explanation.ts'

const BARS_MAX = 30
/** Minimum number of rows for showing a filter. */
const FILTERED_MIN = 8

type ComputedRows = Pick<SearchAnswer, 'columns' | 'rows' | 'total_rows'>

/**
 * Shows the rows from which an answer was computed. A stored answer does not contain them, so they are computed again.
 */
export function ComputedTable({ turn, answer }: { turn: QuestionTurn; answer: ShownAnswer }): ReactNode {
  const isStored = answer.intent === undefined && answer.statements === undefined && answer.outcome !== 'nothing'
  const again = useExplanation(turn, isStored).data
  const table = isStored ? again : answer
  if (!table?.rows || table.rows.length === 0) return null
  return (
    <>
      {isStored && <p className={classes.more}>{t('Computed again now, from the current records.')}</p>}
      <RowsOf question={turn.question} of={table} />
    </>
  )
}

function RowsOf({ question, of }: { question: string; of: ComputedRows }): ReactNode {
  const { columns: names = [], rows = [], total_rows: total = rows.length } = of
  const [order, setOrder] = useState<TableOrder>()
  const [wanted, setWanted] = useState('')
  const { columns, recordIdOf } = useMemo(() => readableTable(names, rows), [names, rows])
  const points = pointsOf(rows)
  const lengths = points ? undefined : barsOf(rows)
  const words = wanted.trim().toLowerCase()
  const isShown = (row: readonly TableCell[]) =>
    words === '' ||
    columns.some(({ at, format }) =>
      format(row[at] ?? null)
        .toLowerCase()
        .includes(words),
    )
  const filtered = rows.filter(isShown)
  const sorted = order ? sortRows(filtered, (row) => row[order.column], order.isDescending) : filtered
  const save = () => {
    const cells = sorted.map((row) => columns.map(({ at }) => row[at]))
    saveFile(fileNameOf(question, 'csv'), 'text/csv', csvOf([columns.map(({ label }) => label), ...cells]))
  }
  return (
    <div className={classes.frame}>
      {points && <TimePlot points={points} />}
      <div className={classes.tools}>
        {rows.length >= FILTERED_MIN && (
          <TextInput
            size="xs"
            type="search"
            aria-label={t('Filter rows')}
            placeholder={t('Filter rows')}
            value={wanted}
            onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          />
        )}
        <Button variant="subtle" size="compact-sm" leftSection={<Download />} onClick={save}>
          {t('CSV')}
        </Button>
      </div>
      <table>
        <thead>
          <tr>
            {columns.map(({ label, at, isNumber }) => (
              <ColumnHead
                key={at}
                name={label}
                at={at}
                order={order}
                isNumber={isNumber}
                onSort={() => setOrder(nextOrder(order, at))}
              />
            ))}
            {lengths && <th scope="col" aria-label={t('Shown as bars')} className={classes.bars} />}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => {
            const at = rows.indexOf(row)
            return (
              <tr key={at}>
                <CellsOf row={row} columns={columns} recordId={recordIdOf(row)} />
                {lengths && (
                  <td className={classes.bars} aria-hidden="true">
                    <span className={classes.bar} style={{ width: `${lengths[at]}%` }} />
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
      {(total > rows.length || sorted.length < rows.length) && (
        <p className={classes.more}>{t('{shown} of {total} rows.', { shown: sorted.length, total })}</p>
      )}
    </div>
  )
}

interface CellsProps {
  row: readonly TableCell[]
  columns: readonly ReadableColumn[]
  recordId: string | undefined
}

/** Shows the cells of a row. The first cell links to the row's record. */
function CellsOf({ row, columns, recordId }: CellsProps): ReactNode {
  return columns.map(({ at, label, format, isNumber, isTime }, position) => {
    const text = <bdi>{plainLine(format(row[at] ?? null))}</bdi>
    return (
      <td key={at} data-label={label} data-is-number={isNumber} data-is-short={isTime}>
        {position === 0 && recordId ? (
          <Link to="/records/$recordId" params={{ recordId }} search={{}}>
            {text}
          </Link>
        ) : (
          text
        )}
      </td>
    )
  })
}

/**
 * Returns the length of each row's bar in percent of the longest one. Undefined unless each row is a group and one
 * number.
 */
function barsOf(rows: NonNullable<SearchAnswer['rows']>): number[] | undefined {
  if (rows.length < 2 || rows.length > BARS_MAX) return undefined
  const numbers = rows.map((row) => (row.length === 2 && typeof row[1] === 'number' && row[1] >= 0 ? row[1] : -1))
  const most = Math.max(...numbers)
  if (numbers.includes(-1) || most === 0) return undefined
  return numbers.map((each) => (100 * each) / most)
}
