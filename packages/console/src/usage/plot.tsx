import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import classes from './usage-page.module.css'

/** What was used on one day. */
export interface UsedOnDay {
  date: string
  queries: number
  records: number
}

const HEIGHT_PX = 220
const MS = 1000

/** Questions and records over days; the same numbers stand in the table that a screen reader is given. */
export function Plot({ days }: { days: readonly UsedOnDay[] }): ReactNode {
  const { ref, width } = useElementSize()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!place.current || width === 0) return
    const style = getComputedStyle(document.documentElement)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 } }
    const drawn = new UPlot(
      {
        width,
        height: HEIGHT_PX,
        legend: { live: false },
        axes: [axis, { ...axis, size: 56 }, { ...axis, side: 1, scale: 'records', size: 56, grid: { show: false } }],
        scales: { x: { time: true }, records: {} },
        series: [
          {},
          { label: 'Questions', stroke: colour('--accent'), width: 2 },
          { label: 'Records', stroke: colour('--soft'), width: 2, dash: [5, 4], scale: 'records' },
        ],
      },
      [
        days.map(({ date }) => Date.parse(date) / MS),
        days.map(({ queries }) => queries),
        days.map(({ records }) => records),
      ],
      place.current,
    )
    return () => drawn.destroy()
  }, [days, width])
  return (
    <div ref={ref} className={classes.plot}>
      <div ref={place} aria-hidden="true" />
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Questions</th>
              <th scope="col">Records</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, queries, records }) => (
              <tr key={date}>
                <th scope="row">{date}</th>
                <td>{queries}</td>
                <td>{records}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  )
}
