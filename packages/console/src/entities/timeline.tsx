import type { Entity } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import { typeName } from '../parts/words.ts'
import { type MergedRelation, mergeRelations } from './merge-relations.ts'
import { RecordLinks } from './record-links.tsx'
import classes from './timeline.module.css'

const SHOWN_FIRST = 10

/** Shows the relations of an entity, latest first: current ones, and former ones with their end. */
export function Timeline({ name, relations }: { name: string; relations: Entity['relations'] }): ReactNode {
  const [isWhole, setWhole] = useState(false)
  if (relations.length === 0)
    return <p className={classes.none}>{t('No record states a relation of this entity yet.')}</p>
  const merged = mergeRelations(relations)
  const shown = isWhole ? merged : merged.slice(0, SHOWN_FIRST)
  return (
    <>
      <ol className={classes.timeline}>
        {shown.map((each) => (
          <Line key={each.key} name={name} merged={each} />
        ))}
      </ol>
      {shown.length < merged.length && (
        <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
          {t('Show all {all}', { all: merged.length })}
        </Button>
      )}
    </>
  )
}

function Line({ name, merged }: { name: string; merged: MergedRelation }): ReactNode {
  const { relation, since, recordIds } = merged
  const { predicate, direction, canonical_id: entityId, is_current: isCurrent, valid_to: until } = relation
  const itself = <bdi>{plainLine(name)}</bdi>
  const called = <bdi>{plainLine(relation.name)}</bdi>
  const other = entityId ? (
    <Link to="/entities/$entityId" params={{ entityId }}>
      {called}
    </Link>
  ) : (
    called
  )
  const [subject, object] = direction === 'out' ? [itself, other] : [other, itself]
  return (
    <li data-is-current={isCurrent}>
      <span className={classes.when}>
        {day(since || null)}
        {until && ` – ${day(until)}`}
        {!isCurrent && !until && ` · ${t('no longer')}`}
      </span>
      <span>
        {subject} {plainLine(typeName(predicate))} {object} <RecordLinks ids={recordIds} />
      </span>
    </li>
  )
}
