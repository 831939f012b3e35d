import type { Entity } from '@cairnstore/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { Page, Sheet } from '../parts/page.tsx'
import { plain, plainLine } from '../parts/plain.ts'
import { Shown, Waiting } from '../parts/states.tsx'
import { day, recordsOf } from '../parts/when.ts'
import classes from './entity-page.module.css'
import { MergeHistory } from './merge-history.tsx'
import { NamesAndSplit } from './names-and-split.tsx'
import { Timeline } from './timeline.tsx'

const CHARS = 160
const RECORDS_SHOWN = 12
/** The first lines of a profile tell what it is; what follows stands in the parts below. */
const LINES_SHOWN = 6
const Neighbourhood = lazy(async () => ({ default: (await import('./neighbourhood.tsx')).Neighbourhood }))

/** One entity: what it is called, what is and was said of it, and what is around it. */
export function EntityPage(): ReactNode {
  const { entityId } = useParams({ from: '/entities/$entityId' })
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const entity = useQuery({
    queryKey: [sandboxId, 'entity', entityId],
    queryFn: () => cairn.getEntity({ canonical_id: entityId }),
    enabled: sandboxId !== undefined,
  })
  return <Shown of={entity}>{(it) => <EntityShown key={it.canonical_id} entity={it} />}</Shown>
}

function EntityShown({ entity }: { entity: Entity }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const { canonical_id: id } = entity
  const profile = useQuery({
    queryKey: [sandboxId, 'profile', id],
    queryFn: () => cairn.getEntityProfile({ canonical_id: id }),
  })
  return (
    <Page title={<bdi>{plainLine(entity.name, CHARS)}</bdi>}>
      <p className={classes.about}>
        {plainLine(entity.type, CHARS)} · {recordsOf(entity.record_count)}
      </p>
      {profile.data?.text && (
        <p className={classes.profile} dir="auto">
          {plain(profile.data.text).split('\n').slice(0, LINES_SHOWN).join('\n')}
        </p>
      )}
      <div className={classes.columns}>
        <div className={classes.column}>
          <Sheet title="What holds, and what held">
            <Timeline relations={entity.relations} />
          </Sheet>
          <Sheet title="Around it">
            <Suspense fallback={<Waiting />}>
              <Neighbourhood entityId={id} />
            </Suspense>
          </Sheet>
        </div>
        <div className={classes.column}>
          <NamesAndSplit entity={entity} />
          <Properties entity={entity} />
          <Sheet title="Latest records">
            <ul className={classes.records}>
              {entity.records
                .slice(0, RECORDS_SHOWN)
                .map(({ record_id: recordId, title, type, external_id: external, occurred_at: at }) => (
                  <li key={recordId}>
                    <Link to="/records/$recordId" params={{ recordId }} search={{}}>
                      <bdi>{plainLine(title || `${type} ${external ?? ''}`, CHARS)}</bdi>
                    </Link>{' '}
                    <span className={classes.about}>{day(at)}</span>
                  </li>
                ))}
            </ul>
          </Sheet>
          <MergeHistory entity={entity} />
        </div>
      </div>
    </Page>
  )
}

function Properties({ entity: { properties } }: { entity: Entity }): ReactNode {
  const all = Object.entries(properties as Record<string, unknown>)
  if (all.length === 0) return null
  return (
    <Sheet title="Properties">
      <dl className={classes.properties}>
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{plainLine(name, CHARS)}</dt>
            <dd>{plainLine(typeof value === 'string' ? value : JSON.stringify(value), CHARS)}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  )
}
