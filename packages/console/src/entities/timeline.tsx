import type { Entity } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { plainLine } from '../parts/plain.ts'
import { day } from '../parts/when.ts'
import classes from './timeline.module.css'

type Relation = Entity['relations'][number]

const CHARS = 120
const SHOWN_FIRST = 12

/** What is said of an entity, the latest first: what holds now, and what held until when. */
export function Timeline({ relations }: { relations: readonly Relation[] }): ReactNode {
  const [isWhole, setWhole] = useState(false)
  if (relations.length === 0) return <p>Nothing is stated of it yet.</p>
  const sorted = [...relations].sort((one, other) => sinceOf(other).localeCompare(sinceOf(one)))
  const shown = isWhole ? sorted : sorted.slice(0, SHOWN_FIRST)
  return (
    <>
      <ol className={classes.timeline}>
        {shown.map((relation) => (
          <Told key={JSON.stringify(relation)} relation={relation} />
        ))}
      </ol>
      {shown.length < sorted.length && (
        <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
          Show all {sorted.length}
        </Button>
      )}
    </>
  )
}

function Told({ relation }: { relation: Relation }): ReactNode {
  const { predicate, direction, name, canonical_id: entityId, record_id: recordId, is_current: isCurrent } = relation
  const other = <bdi>{plainLine(name, CHARS)}</bdi>
  const linked = entityId ? (
    <Link to="/entities/$entityId" params={{ entityId }}>
      {other}
    </Link>
  ) : (
    other
  )
  const words = plainLine(predicate.replaceAll('_', ' '), CHARS)
  return (
    <li data-is-current={isCurrent}>
      <span className={classes.when}>
        {day(sinceOf(relation) || null)}
        {relation.valid_to && ` – ${day(relation.valid_to)}`}
      </span>
      <span>
        {direction === 'out' ? (
          <>
            {words} {linked}
          </>
        ) : (
          <>
            {linked} {words} it
          </>
        )}
        {!isCurrent && <em> (was)</em>}
        {recordId && (
          <>
            {' '}
            <Link className={classes.source} to="/records/$recordId" params={{ recordId }} search={{}}>
              record
            </Link>
          </>
        )}
      </span>
    </li>
  )
}

function sinceOf({ valid_from: from, stated_at: stated }: Relation): string {
  return from ?? stated ?? ''
}
