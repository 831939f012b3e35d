import type { ReactNode } from 'react'
import classes from './details.module.css'
import { labelOf, valueTold } from './words.ts'

/** Names with what they stand for; those that stand for nothing are left out. */
export function Details({ of }: { of: readonly (readonly [string, ReactNode])[] }): ReactNode {
  const told = of.filter(([, value]) => value !== undefined && value !== null && value !== '')
  return (
    <dl className={classes.details}>
      {told.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Fields of a stranger's choosing as details: each name and value as it can be read by people. */
export function detailsOf(properties: Readonly<Record<string, unknown>>): [string, ReactNode][] {
  return Object.entries(properties).map(([name, value]) => [labelOf(name), <bdi key={name}>{valueTold(value)}</bdi>])
}
