import type { JobPage as Listed } from '@cairnstore/client'
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useCairn } from '../app/session.ts'
import { useSources } from '../app/shared-queries.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { moment } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'
import { formatCounts, JobState } from './outcome.tsx'

type JobRow = Listed['jobs'][number]

const AT_ONCE = 50
const POLL_MS = 4_000

/** Returns a summary of what a job added, and why it skipped items. */
function outcomeOf({ result, error_message: error }: JobRow): string {
  if (error) return plainLine(error)
  const [first] = result?.errors ?? []
  const why = first && `: ${first.file ? `${first.file}, ` : ''}${first.detail}`
  return plainLine(`${formatCounts(result ?? {}) || '–'}${why ?? ''}`)
}

function columnsWith(sourceNames: ReadonlyMap<string, string>): readonly Column<JobRow>[] {
  return [
    { name: t('Outcome'), value: outcomeOf },
    {
      name: t('Source'),
      value: ({ source_id: sourceId }) => sourceId && (sourceNames.get(sourceId) ?? sourceId),
      shown: ({ source_id: sourceId }) =>
        sourceId ? (
          <Link to="/sources/$sourceId" params={{ sourceId }}>
            <bdi>{plainLine(sourceNames.get(sourceId) ?? sourceId)}</bdi>
          </Link>
        ) : (
          '–'
        ),
      isLess: true,
    },
    { name: t('Kind'), value: ({ job_type: type }) => typeName(type), isLess: true },
    {
      name: t('Accepted'),
      value: ({ created_at: at }) => at,
      shown: ({ created_at: at }) => moment(at),
      isLess: true,
    },
    { name: t('State'), value: ({ status }) => t(status), shown: ({ status }) => <JobState of={status} /> },
  ]
}

const rowsOf = ({ jobs }: Listed) => jobs

/** Lists the jobs and shows the health of the service. */
export function JobsPage(): ReactNode {
  const cairn = useCairn()
  const sources = useSources().data?.sources
  const columns = useMemo(
    () => columnsWith(new Map(sources?.map(({ data_source_id: id, name }) => [id, name]))),
    [sources],
  )
  const listed = useRows(['jobs'], (cursor) => cairn.listJobs({ limit: AT_ONCE, ...(cursor && { cursor }) }), rowsOf, {
    everyMs: POLL_MS,
  })
  return (
    <Page
      title={t('Jobs & health')}
      about={t('Each import, delivery and pull is a job. Its outcome says what was added and what was left out.')}
      beside={<Health />}
    >
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={t('No jobs yet')}>
              <p>
                {rich('{add}, or {connect}.', {
                  add: <Link to="/add">{t('Add files')}</Link>,
                  connect: <Link to="/sources">{t('connect a source')}</Link>,
                })}
              </p>
            </EmptyState>
          ) : (
            <RowsTable
              label={t('Jobs')}
              columns={columns}
              rows={rows}
              keyOf={(row) => row.job_id}
              onMore={listed.onMore}
              hasMore={listed.hasMore}
            />
          )
        }
      </QueryView>
    </Page>
  )
}

/** Shows whether the service is ready. */
function Health(): ReactNode {
  const cairn = useCairn()
  const health = useQuery({ queryKey: ['readiness'], queryFn: () => cairn.getReadiness(), refetchInterval: POLL_MS })
  if (health.isPending) return null
  const isWell = health.data?.status === 'ok' && !health.error
  return (
    <Badge color={isWell ? 'teal' : 'red'} variant={isWell ? 'light' : 'filled'} size="lg">
      {isWell ? t('The service is ready') : t('The service is not ready')}
    </Badge>
  )
}
