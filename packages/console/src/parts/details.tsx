import type { ReactNode } from 'react'
import classes from './details.module.css'
import { plainLine } from './plain.ts'
import { typeName } from './record-title.ts'
import { day } from './when.ts'

const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/

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

/** A field's name as a label: `due_date` is Due date. */
export function labelOf(name: string): string {
  const words = plainLine(typeName(name))
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A field's value as it can be read by people. */
export function valueTold(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return plainLine(value.map(valueTold).join(', '))
  if (typeof value === 'string') return DATE.test(value) ? day(value) : plainLine(value)
  return plainLine(JSON.stringify(value) ?? '')
}
