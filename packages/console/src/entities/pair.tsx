import type { EntitySummary, MergeSuggestion } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { fromApi, t } from '../language/language.ts'
import { recordsOf } from '../parts/format.ts'
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
    <section className={classes.pair} aria-label={t('The pair')}>
      <p>
        <strong>{t('Why they may be the same:')}</strong> {reasonOf(pair.reason)}
      </p>
      <div className={classes.sides}>
        {pair.entities.map((entity) => (
          <Side key={entity.canonical_id} entity={entity} />
        ))}
      </div>
      <EvidenceList evidence={pair.evidence} />
      <div className={classes.verbs}>
        {onAccept && <Button onClick={onAccept}>{t('Merge')}</Button>}
        {onDismiss && (
          <Button variant="default" onClick={onDismiss}>
            {t('Keep apart')}
          </Button>
        )}
        {onUndo && (
          <Button variant="default" onClick={onUndo}>
            {t('Undo the merge')}
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
      <h2>
        <Link to="/entities/$entityId" params={{ entityId }}>
          <bdi>{plainLine(entity.name)}</bdi>
        </Link>
      </h2>
      <p className={classes.soft}>
        {typeName(entity.type)} · {recordsOf(entity.record_count)}
      </p>
      <QueryView of={whole}>
        {({ names, identifiers, records }) => (
          <>
            <TitledList title={t('Names')} lines={names} />
            <TitledList
              title={t('Identifiers')}
              lines={Object.entries(identifiers).flatMap(([kind, values]) =>
                values.map((value) => `${fromApi(kind)}: ${value}`),
              )}
            />
            <TitledList title={t('Latest records')} lines={records.map((record) => recordTitle(record))} />
          </>
        )}
      </QueryView>
    </div>
  )
}

/** Returns the reason of a suggestion in the user's language: lists of fields after "similar in", and other phrases. */
function reasonOf(reason: string): string {
  const phrases = plain(reason)
    .split('; ')
    .map((phrase) => {
      const [, relation, fields] = /^((?:less )?similar in) (.+)$/.exec(phrase) ?? []
      return relation && fields ? `${fromApi(relation)} ${fields.split(', ').map(fromApi).join(', ')}` : fromApi(phrase)
    })
  return phrases.join('; ')
}

function TitledList({ title, lines }: { title: string; lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null
  const rest = lines.length - SHOWN_MAX
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.slice(0, SHOWN_MAX).map((line) => (
          <li key={line}>
            <bdi>{plainLine(line)}</bdi>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className={classes.soft}>{t('and {more} more', { more: rest })}</p>}
    </>
  )
}

function EvidenceList({ evidence }: { evidence: MergeSuggestion['evidence'] }): ReactNode {
  const entries = Object.entries(evidence).filter(([, value]) => value !== null && JSON.stringify(value) !== '[]')
  if (entries.length === 0) return null
  return (
    <details className={classes.grounds}>
      <summary>{t('What was compared')}</summary>
      <dl>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{plainLine(fromApi(name))}</dt>
            <dd>{plainLine(typeof value === 'string' ? value : JSON.stringify(value), EVIDENCE_CHARS)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
