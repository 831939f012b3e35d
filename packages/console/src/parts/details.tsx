import type { ReactNode } from 'react'
import classes from './details.module.css'
import { formatValue, labelOf } from './words.ts'

/** Shows a list of names and values. Empty values are omitted. */
export function Details({ of }: { of: readonly (readonly [string, ReactNode])[] }): ReactNode {
  const entries = of.filter(([, value]) => value !== undefined && value !== null && value !== '')
  return (
    <dl className={classes.details}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Returns user-defined properties as pairs of a readable name and value. */
export function detailsOf(properties: Readonly<Record<string, unknown>>): [string, ReactNode][] {
  return Object.entries(properties).map(([name, value]) => [labelOf(name), <bdi key={name}>{formatValue(value)}</bdi>])
}
