import type { JobPage as Listed } from '@cairnstore/client'
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { count, moment } from '../parts/when.ts'

type Row = Listed['jobs'][number]

const CHARS = 200
const AT_ONCE = 50
const LOOK_MS = 4_000
const COLOURS: Record<Row['status'], string> = {
  queued: 'gray',
  processing: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
}

/** What a job brought, or why it did not. */
export function outcomeOf({ result, error_message: error }: Row): string {
  if (error) return plainLine(error, CHARS)
  const { written = 0, unchanged = 0, removed = 0, failed = 0 } = result ?? {}
  const told = [
    [written, 'taken'],
    [unchanged, 'unchanged'],
    [removed, 'removed'],
    [failed, 'left out'],
  ] as const
  return told
    .filter(([many]) => many > 0)
    .map(([many, what]) => `${count(many)} ${what}`)
    .join(', ')
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Outcome', shown: (job) => outcomeOf(job) || '–' },
  { name: 'Work', shown: ({ job_type: type }) => plainLine(type, CHARS), isLess: true },
  { name: 'Accepted', shown: ({ created_at: at }) => moment(at), isLess: true },
  {
    name: 'State',
    shown: ({ status }) => (
      <Badge variant="light" color={COLOURS[status]}>
        {status}
      </Badge>
    ),
  },
]

const rowsOf = ({ jobs }: Listed) => jobs

/** Work that was accepted, and whether the service is well. */
export function JobsPage(): ReactNode {
  const cairn = useCairn()
  const health = useQuery({ queryKey: ['readiness'], queryFn: () => cairn.getReadiness(), refetchInterval: LOOK_MS })
  const listed = useRows(['jobs'], (cursor) => cairn.listJobs({ limit: AT_ONCE, ...(cursor && { cursor }) }), rowsOf, {
    everyMs: LOOK_MS,
  })
  const isWell = health.data?.status === 'ok'
  return (
    <Page
      title="Jobs & health"
      beside={
        <Badge color={isWell ? 'teal' : 'red'} variant={isWell ? 'light' : 'filled'}>
          {health.isPending ? 'Asking …' : isWell ? 'The service takes requests' : 'The service cannot take requests'}
        </Badge>
      }
    >
      <Shown of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing was brought in yet">
              <p>Each import, delivery and pull is a job, and stands here with what it brought and what it left out.</p>
            </Empty>
          ) : (
            <RowsTable label="Jobs" columns={COLUMNS} rows={rows} keyOf={(row) => row.job_id} onMore={listed.onMore} />
          )
        }
      </Shown>
    </Page>
  )
}
