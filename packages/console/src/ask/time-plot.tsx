import type { ReactNode } from 'react'
import { count } from '../parts/when.ts'
import classes from './time-plot.module.css'

/** A number at a time. */
export interface Point {
  name: string
  ms: number
  value: number
}

type Cell = string | number | boolean | null

const POINTS_MIN = 3
const TIME = /^\d{4}(?:-\d\d(?:-\d\d)?)?(?:T.*)?$/
const [WIDTH, HEIGHT, EDGE] = [640, 160, 6]

/** The rows as numbers in the order of time: where there are several, each of a day, month or year and one number. */
export function pointsOf(rows: readonly (readonly Cell[])[]): Point[] | undefined {
  const points = rows.flatMap(([name, value, ...rest]) => {
    const ms = typeof name === 'string' && TIME.test(name) ? Date.parse(name) : Number.NaN
    return typeof value === 'number' && rest.length === 0 && !Number.isNaN(ms)
      ? [{ name: String(name), ms, value }]
      : []
  })
  if (points.length < POINTS_MIN || points.length < rows.length) return undefined
  return points.sort((one, other) => one.ms - other.ms)
}

/** A line over time. The same numbers stand in the table below it, so that it is hidden from who cannot see it. */
export function TimePlot({ points }: { points: readonly Point[] }): ReactNode {
  const [first, last] = [points[0]!, points[points.length - 1]!]
  const [least, most] = [
    Math.min(0, ...points.map(({ value }) => value)),
    Math.max(...points.map(({ value }) => value)),
  ]
  const x = ({ ms }: Point) => EDGE + ((ms - first.ms) / (last.ms - first.ms || 1)) * (WIDTH - 2 * EDGE)
  const y = ({ value }: Point) => HEIGHT - EDGE - ((value - least) / (most - least || 1)) * (HEIGHT - 2 * EDGE)
  const line = points.map((each) => `${x(each).toFixed(1)},${y(each).toFixed(1)}`).join(' ')
  return (
    <figure className={classes.plot} aria-hidden="true">
      <span className={classes.most}>{count(most)}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <title>{`From ${first.name} to ${last.name}`}</title>
        <polyline points={line} />
        {points.map((each) => (
          <circle key={each.name} cx={x(each)} cy={y(each)} r={3}>
            <title>{`${each.name}: ${count(each.value)}`}</title>
          </circle>
        ))}
      </svg>
      <figcaption>
        <span>{first.name}</span>
        <span>{last.name}</span>
      </figcaption>
    </figure>
  )
}
