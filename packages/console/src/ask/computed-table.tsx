import type { SearchAnswer } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { count } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import classes from './computed-table.module.css'
import { pointsOf } from './points-of.ts'
import { TimePlot } from './time-plot.tsx'

const BARS_MAX = 30

/** Shows the rows that an answer was computed from. Numbers by group have bars, numbers over time a line plot. */
export function ComputedTable({ answer }: { answer: SearchAnswer }): ReactNode {
  const { columns = [], rows = [], total_rows: total = rows.length } = answer
  const points = pointsOf(rows)
  const bars = points ? undefined : barsOf(rows)
  return (
    <div className={classes.frame}>
      {points && <TimePlot points={points} />}
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {plainLine(name)}
              </th>
            ))}
            {bars && <th scope="col" aria-label="Shown as bars" className={classes.bars} />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id and keep their order
            <tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have the order of the columns
                <td key={column} data-is-number={typeof cell === 'number'}>
                  <bdi>{cell === null ? '–' : plainLine(String(cell))}</bdi>
                </td>
              ))}
              {bars && (
                <td className={classes.bars} aria-hidden="true">
                  <span className={classes.bar} style={{ width: `${bars[at]}%` }} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {total > rows.length && (
        <p className={classes.more}>
          {count(rows.length)} of {count(total)} rows.
        </p>
      )}
    </div>
  )
}

/**
 * Returns the bar length of each row in percent of the longest. Undefined unless each row is a group and one number.
 */
function barsOf(rows: NonNullable<SearchAnswer['rows']>): number[] | undefined {
  if (rows.length < 2 || rows.length > BARS_MAX) return undefined
  const numbers = rows.map((row) => (row.length === 2 && typeof row[1] === 'number' && row[1] >= 0 ? row[1] : -1))
  const most = Math.max(...numbers)
  if (numbers.includes(-1) || most === 0) return undefined
  return numbers.map((each) => (100 * each) / most)
}
