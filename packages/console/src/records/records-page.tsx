import type { RecordPage as Listed } from '@cairnstore/client'
import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useCairn, useSession } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { Fields, Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { count, day } from '../parts/when.ts'

type Row = Listed['records'][number]

const SETTLED_MS = 250
const AT_ONCE = 100
const CHARS = 160

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Record',
    shown: ({ record_id: recordId, title, external_id: external }) => (
      <Link to="/records/$recordId" params={{ recordId }} search={{}}>
        <bdi>{plainLine(title || external || recordId, CHARS)}</bdi>
      </Link>
    ),
  },
  { name: 'Type', shown: ({ type }) => plainLine(type ?? '–', CHARS), isLess: true },
  { name: 'Date', shown: ({ occurred_at: at }) => day(at) },
]

const rowsOf = ({ records }: Listed) => records

/** All records: by words, type and source, the latest first. */
export function RecordsPage(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), SETTLED_MS)
  const [type, setType] = useState('')
  const [source, setSource] = useState('')
  const overview = useQuery({ queryKey: [sandboxId, 'overview'], queryFn: () => cairn.getOverview() })
  const filter = { ...(q && { q }), ...(type && { type }), ...(source && { source_id: source }) }
  const listed = useRows(
    ['records', filter],
    (cursor) => cairn.listRecords({ ...filter, limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  const { types = [], sources = [] } = overview.data ?? {}
  return (
    <Page title="Records">
      <Fields>
        <TextInput
          label="Words"
          type="search"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <NativeSelect
          label="Type"
          value={type}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
          data={[
            { value: '', label: 'All types' },
            ...types.map((each) => ({ value: each.type, label: `${each.type} (${count(each.record_count)})` })),
          ]}
        />
        <NativeSelect
          label="Source"
          value={source}
          onChange={({ currentTarget }) => setSource(currentTarget.value)}
          data={[
            { value: '', label: 'All sources' },
            ...sources.flatMap(({ source_id: value, name }) =>
              value ? [{ value, label: plainLine(name ?? value, CHARS) }] : [],
            ),
          ]}
        />
      </Fields>
      <Shown of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <NoRecords isFiltered={Object.keys(filter).length > 0} />
          ) : (
            <RowsTable
              label="Records"
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => row.record_id}
              onMore={listed.onMore}
            />
          )
        }
      </Shown>
    </Page>
  )
}

function NoRecords({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No record fits">Try fewer words, or another type or source.</Empty>
  return (
    <Empty title="There are no records yet">
      <p>
        <Link to="/add">Add files</Link>, or <Link to="/sources">connect a source</Link>.
      </p>
    </Empty>
  )
}
