import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import { count } from '../parts/format.ts'
import type { Point } from './points-of.ts'
import classes from './time-plot.module.css'

const [WIDTH, HEIGHT, EDGE] = [640, 160, 6]

/** Shows a line plot over time. It is hidden from screen readers, because the table below has the same numbers. */
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
        <title>{t('From {first} to {last}', { first: first.name, last: last.name })}</title>
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
