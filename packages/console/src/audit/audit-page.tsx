import type { AuditPage as Listed } from '@cairnstore/client'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useCairn } from '../app/session.ts'
import { useCaller, useProjects, useSources } from '../app/shared-queries.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { moment } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { eventLabel } from '../parts/words.ts'

type AuditRow = Listed['events'][number]

const AT_ONCE = 100

interface AuditNames {
  sources: ReadonlyMap<string, string>
  projects: ReadonlyMap<string, string>
  self: string | undefined
}

function columnsWith({ sources, projects, self }: AuditNames): readonly Column<AuditRow>[] {
  return [
    { name: t('Event'), value: ({ event }) => eventLabel(event) },
    {
      name: t('Subject'),
      value: ({ subject_id: id }) => id && (sources.get(id) ?? projects.get(id) ?? id),
      shown: ({ subject_id: id }) => <Subject id={id} sources={sources} projects={projects} />,
      isLess: true,
    },
    {
      name: t('By'),
      value: ({ actor_user_id: id }) => (id === self ? t('you') : (id ?? t('the operator'))),
      shown: ({ actor_user_id: id }) =>
        id === self ? t('you') : id ? <code title={id}>{plainLine(id)}</code> : t('the operator'),
      isLess: true,
    },
    { name: t('When'), value: ({ at }) => at, shown: ({ at }) => moment(at) },
  ]
}

/** Shows the subject of an event: its name if known, and a link if it has a page. */
function Subject({ id, sources, projects }: { id: string | null } & Omit<AuditNames, 'self'>): ReactNode {
  if (!id) return '–'
  const source = sources.get(id)
  if (source !== undefined) {
    return (
      <Link to="/sources/$sourceId" params={{ sourceId: id }}>
        <bdi>{plainLine(source)}</bdi>
      </Link>
    )
  }
  const project = projects.get(id)
  return project === undefined ? <code title={id}>{plainLine(id)}</code> : <bdi>{plainLine(project)}</bdi>
}

const rowsOf = ({ events }: Listed) => events

/** Shows all changes in the sandbox, and who made them. */
export function AuditPage(): ReactNode {
  const cairn = useCairn()
  const sources = useSources().data?.sources
  const projects = useProjects().data?.projects
  const self = useCaller().data?.user_id
  const columns = useMemo(
    () =>
      columnsWith({
        sources: new Map(sources?.map(({ data_source_id: id, name }) => [id, name])),
        projects: new Map(projects?.map(({ project_id: id, name }) => [id, name])),
        self,
      }),
    [sources, projects, self],
  )
  const listed = useRows(['audit'], (cursor) => cairn.listAudit({ limit: AT_ONCE, ...(cursor && { cursor }) }), rowsOf)
  return (
    <Page title={t('Audit')} about={t('Every change, and who made it. A chain of hashes reveals any removed event.')}>
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={t('No changes yet')} />
          ) : (
            <RowsTable
              label={t('Events')}
              columns={columns}
              rows={rows}
              keyOf={(row) => String(row.seq)}
              onMore={listed.onMore}
              hasMore={listed.hasMore}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
