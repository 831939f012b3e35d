import type { AuditPage as Listed } from '@cairnstore/client'
import type { ReactNode } from 'react'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { moment } from '../parts/when.ts'

type Row = Listed['events'][number]

const CHARS = 80
const AT_ONCE = 100

const COLUMNS: readonly Column<Row>[] = [
  { name: 'What was done', shown: ({ event }) => plainLine(event, CHARS) },
  { name: 'To', shown: ({ subject_id: subject }) => <code>{plainLine(subject ?? '–', CHARS)}</code>, isLess: true },
  {
    name: 'By',
    shown: ({ actor_user_id: actor }) => <code>{plainLine(actor ?? 'operator', CHARS)}</code>,
    isLess: true,
  },
  { name: 'When', shown: ({ at }) => moment(at) },
]

const rowsOf = ({ events }: Listed) => events

/** What was done in the sandbox, and by whom. */
export function AuditPage(): ReactNode {
  const cairn = useCairn()
  const listed = useRows(['audit'], (cursor) => cairn.listAudit({ limit: AT_ONCE, ...(cursor && { cursor }) }), rowsOf)
  return (
    <Page title="Audit">
      <p>
        Every change, with who made it. Each event carries the hash of the one before, so that none can be taken out.
      </p>
      <Shown of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing was changed yet" />
          ) : (
            <RowsTable
              label="Events"
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => String(row.seq)}
              onMore={listed.onMore}
            />
          )
        }
      </Shown>
    </Page>
  )
}
