import type { EntityPage as Listed } from '@cairnstore/client'
import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useCairn } from '../app/session.ts'
import { useOverview } from '../app/shared-queries.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { count } from '../parts/format.ts'
import { Fields, Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'

type EntityRow = Listed['entities'][number]

const SETTLED_MS = 250
const AT_ONCE = 100

const COLUMNS: readonly Column<EntityRow>[] = [
  {
    name: t('Name'),
    value: ({ name }) => name,
    shown: ({ canonical_id: entityId, name }) => (
      <Link to="/entities/$entityId" params={{ entityId }}>
        <bdi>{plainLine(name) || entityId}</bdi>
      </Link>
    ),
  },
  { name: t('Type'), value: ({ type }) => typeName(type), isLess: true },
  {
    name: t('Records'),
    value: ({ record_count: records }) => records,
    shown: ({ record_count: records }) => count(records),
    isNumber: true,
  },
]

const rowsOf = ({ entities }: Listed) => entities
type Order = 'records' | 'newest' | 'name'

/** Lists all entities: people, projects, issues and others. */
export function EntitiesPage(): ReactNode {
  const cairn = useCairn()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), SETTLED_MS)
  const [type, setType] = useState('')
  const [sort, setSort] = useState<Order>('records')
  const overview = useOverview()
  const filter = { sort, ...(q && { q }), ...(type && { type }) }
  const listed = useRows(
    ['entities', filter],
    (cursor) => cairn.listEntities({ ...filter, limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  return (
    <Page title={t('Entities')} about={t('People, projects, issues and other things that records are about.')}>
      <Fields>
        <TextInput
          label={t('Name')}
          type="search"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <NativeSelect
          label={t('Type')}
          value={type}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
          data={[
            { value: '', label: t('All types') },
            ...(overview.data?.entities ?? []).map(({ type: value }) => ({ value, label: typeName(value) })),
          ]}
        />
        <NativeSelect
          label={t('Order')}
          value={sort}
          onChange={({ currentTarget }) => setSort(currentTarget.value as Order)}
          data={[
            { value: 'records', label: t('Most records first') },
            { value: 'newest', label: t('Newest first') },
            { value: 'name', label: t('By name') },
          ]}
        />
      </Fields>
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={q || type ? t('No entity matches') : t('There are no entities yet')}>
              <p>
                {t('Entities come from records: their authors, the names they mention, and the entities they declare.')}
              </p>
            </EmptyState>
          ) : (
            <RowsTable
              key={JSON.stringify(filter)}
              label={t('Entities')}
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => row.canonical_id}
              onMore={listed.onMore}
              hasMore={listed.hasMore}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
