import type { EntitySummary, MergeSuggestion } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { count, recordsOf } from '../parts/format.ts'
import { plain, plainLine } from '../parts/plain.ts'
import { recordTitle } from '../parts/record-title.ts'
import { QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'
import classes from './pair.module.css'

const EVIDENCE_CHARS = 480
const SHOWN_MAX = 6

interface PairProps {
  pair: MergeSuggestion
  onAccept: (() => void) | undefined
  onDismiss: (() => void) | undefined
  onUndo: (() => void) | undefined
}

/** Shows two entities that may be the same next to each other, with the evidence for and against a merge. */
export function PairView({ pair, onAccept, onDismiss, onUndo }: PairProps): ReactNode {
  return (
    <section className={classes.pair} aria-label="The pair">
      <p>
        <strong>Why they may be the same:</strong> {plain(pair.reason)}
      </p>
      <div className={classes.sides}>
        {pair.entities.map((entity) => (
          <Side key={entity.canonical_id} entity={entity} />
        ))}
      </div>
      <EvidenceList evidence={pair.evidence} />
      <div className={classes.verbs}>
        {onAccept && <Button onClick={onAccept}>Merge</Button>}
        {onDismiss && (
          <Button variant="default" onClick={onDismiss}>
            Keep apart
          </Button>
        )}
        {onUndo && (
          <Button variant="default" onClick={onUndo}>
            Undo the merge
          </Button>
        )}
      </div>
    </section>
  )
}

function Side({ entity }: { entity: EntitySummary }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const { canonical_id: entityId } = entity
  const whole = useQuery({
    queryKey: [sandboxId, 'entity', entityId],
    queryFn: () => cairn.getEntity({ canonical_id: entityId }),
  })
  return (
    <div className={classes.side}>
      <h3>
        <Link to="/entities/$entityId" params={{ entityId }}>
          <bdi>{plainLine(entity.name)}</bdi>
        </Link>
      </h3>
      <p className={classes.soft}>
        {typeName(entity.type)} · {recordsOf(entity.record_count)}
      </p>
      <QueryView of={whole}>
        {({ names, identifiers, records }) => (
          <>
            <TitledList title="Names" lines={names} />
            <TitledList
              title="Identifiers"
              lines={Object.entries(identifiers).flatMap(([kind, values]) =>
                values.map((value) => `${kind}: ${value}`),
              )}
            />
            <TitledList title="Latest records" lines={records.map((record) => recordTitle(record))} />
          </>
        )}
      </QueryView>
    </div>
  )
}

function TitledList({ title, lines }: { title: string; lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null
  const rest = lines.length - SHOWN_MAX
  return (
    <>
      <h4>{title}</h4>
      <ul>
        {lines.slice(0, SHOWN_MAX).map((line) => (
          <li key={line}>
            <bdi>{plainLine(line)}</bdi>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className={classes.soft}>and {count(rest)} more</p>}
    </>
  )
}

function EvidenceList({ evidence }: { evidence: MergeSuggestion['evidence'] }): ReactNode {
  const entries = Object.entries(evidence).filter(([, value]) => value !== null && JSON.stringify(value) !== '[]')
  if (entries.length === 0) return null
  return (
    <details className={classes.grounds}>
      <summary>What was compared</summary>
      <dl>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{plainLine(name)}</dt>
            <dd>{plainLine(typeof value === 'string' ? value : JSON.stringify(value), EVIDENCE_CHARS)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
