import type { Entity } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { askFirst } from '../ask/conversation.ts'
import { useDefaultOptions } from '../ask/starters.tsx'
import { t } from '../language/language.ts'
import { Columns } from '../parts/columns.tsx'
import { Details } from '../parts/details.tsx'
import { day, recordsOf } from '../parts/format.ts'
import { Page, Sheet } from '../parts/page.tsx'
import { plain, plainLine } from '../parts/plain.ts'
import { recordTitle } from '../parts/record-title.ts'
import { Loading, QueryView } from '../parts/states.tsx'
import { formatValue, labelOf, typeName } from '../parts/words.ts'
import classes from './entity-page.module.css'
import { MergeHistory } from './merge-history.tsx'
import { NamesAndSplit } from './names-and-split.tsx'
import { RecordLinks } from './record-links.tsx'
import { Timeline } from './timeline.tsx'

const RECORDS_SHOWN = 12
/** Number of profile lines that are shown. The first ones describe the entity; the others repeat the sections below. */
const LINES_SHOWN = 6
const Neighbourhood = lazy(async () => ({ default: (await import('./neighbourhood.tsx')).Neighbourhood }))

/** Shows one entity: its names, current and former relations, and neighborhood. */
export function EntityPage(): ReactNode {
  const { entityId } = useParams({ from: '/entities/$entityId' })
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const entity = useQuery({
    queryKey: [sandboxId, 'entity', entityId],
    queryFn: () => cairn.getEntity({ canonical_id: entityId }),
    enabled: sandboxId !== undefined,
  })
  return <QueryView of={entity}>{(it) => <EntityView key={it.canonical_id} entity={it} />}</QueryView>
}

function EntityView({ entity }: { entity: Entity }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const { canonical_id: id } = entity
  const profile = useQuery({
    queryKey: [sandboxId, 'profile', id],
    queryFn: () => cairn.getEntityProfile({ canonical_id: id }),
  })
  return (
    <Page
      title={plainLine(entity.name)}
      about={`${typeName(entity.type)} · ${recordsOf(entity.record_count)}`}
      beside={<AskAbout name={entity.name} />}
    >
      {profile.data?.text && (
        <p className={classes.profile} dir="auto" lang="en">
          {plain(profile.data.text).split('\n').slice(0, LINES_SHOWN).join('\n')}
        </p>
      )}
      <Columns
        beside={
          <>
            <NamesAndSplit entity={entity} />
            <Properties entity={entity} />
            <LatestRecords entity={entity} />
            <MergeHistory entity={entity} />
          </>
        }
      >
        <Sheet title={t('Current and former relations')}>
          <Timeline name={entity.name} relations={entity.relations} />
        </Sheet>
        <Sheet title={t('Connected entities')}>
          <Suspense fallback={<Loading />}>
            <Neighbourhood entityId={id} />
          </Suspense>
        </Sheet>
      </Columns>
    </Page>
  )
}
/** Shows a link that asks a question about the entity on the first page. */
function AskAbout({ name }: { name: string }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const manner = useDefaultOptions()
  const put = () => {
    askFirst(cairn, sandboxId, t('What is known about {name}?', { name: plainLine(name) }), manner)
    void navigate({ to: '/' })
  }
  return (
    <Button variant="default" onClick={put}>
      {t('Ask about it')}
    </Button>
  )
}

function LatestRecords({ entity: { records } }: { entity: Entity }): ReactNode {
  if (records.length === 0) return null
  const latest = [...records].sort((one, other) => (other.occurred_at ?? '').localeCompare(one.occurred_at ?? ''))
  return (
    <Sheet title={t('Latest records')}>
      <ul className={classes.records}>
        {latest.slice(0, RECORDS_SHOWN).map((record) => (
          <li key={record.record_id}>
            <Link to="/records/$recordId" params={{ recordId: record.record_id }} search={{}}>
              <bdi>{recordTitle(record)}</bdi>
            </Link>{' '}
            <span className={classes.when}>{day(record.occurred_at)}</span>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}

function Properties({ entity: { properties, evidence } }: { entity: Entity }): ReactNode {
  const all = Object.entries(properties as Record<string, unknown>)
  if (all.length === 0) return null
  const lines = all.map(([name, value]) => {
    const shown = evidence.find(({ kind, key }) => kind === 'property' && key === name)
    return [
      labelOf(name),
      <span key={name}>
        <bdi>{formatValue(value)}</bdi> <RecordLinks ids={shown?.record_ids.slice(-1) ?? []} />
      </span>,
    ] as const
  })
  return (
    <Sheet title={t('Properties')}>
      <Details of={lines} />
    </Sheet>
  )
}
