import type { RecordPage as Listed } from '@cairnstore/client'
import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useCairn } from '../app/session.ts'
import { useOverview, useSources } from '../app/shared-queries.ts'
import { useRows } from '../app/use-rows.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { count, day } from '../parts/format.ts'
import { Fields, Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { recordTitle } from '../parts/record-title.ts'
import { type Column, RowsTable } from '../parts/rows-table.tsx'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'
import { ExportButton } from './export-button.tsx'

type RecordRow = Listed['records'][number]

const SETTLED_MS = 250
const AT_ONCE = 100
const MS_PER_DAY = 86_400_000

const columnsWith = (sourceNames: ReadonlyMap<string, string>): readonly Column<RecordRow>[] => [
  {
    name: t('Record'),
    value: recordTitle,
    shown: (record) => (
      <Link to="/records/$recordId" params={{ recordId: record.record_id }} search={{}}>
        <bdi>{recordTitle(record)}</bdi>
      </Link>
    ),
  },
  {
    name: t('Source'),
    value: ({ source_id: id }) => id && sourceNames.get(id),
    shown: ({ source_id: id }) => <bdi>{plainLine((id && sourceNames.get(id)) || '–')}</bdi>,
    isLess: true,
    width: 10,
  },
  {
    name: t('Author'),
    value: ({ author }) => author,
    shown: ({ author }) => <bdi>{plainLine(author ?? '–')}</bdi>,
    isLess: true,
    width: 9,
  },
  { name: t('Type'), value: ({ type }) => typeName(type ?? '–'), isLess: true, width: 8 },
  { name: t('Date'), value: ({ occurred_at: at }) => at, shown: ({ occurred_at: at }) => day(at), width: 7.5 },
]

const rowsOf = ({ records }: Listed) => records

/** Filters of the list. An empty field matches all records. */
interface Filter {
  q: string
  type: string
  source_id: string
  since: string
  until: string
}

const ALL: Filter = { q: '', type: '', source_id: '', since: '', until: '' }

/** Lists all records, latest first, filtered by words, type, source and time. */
export function RecordsPage(): ReactNode {
  const cairn = useCairn()
  const [typed, setTyped] = useState(ALL)
  const [settled] = useDebouncedValue(typed, SETTLED_MS)
  const filter = parametersOf(settled)
  const sources = useSources().data?.sources
  const columns = useMemo(
    () => columnsWith(new Map(sources?.map(({ data_source_id: id, name }) => [id, name]))),
    [sources],
  )
  const listed = useRows(
    ['records', filter],
    (cursor) => cairn.listRecords({ ...filter, limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  return (
    <Page title={t('Records')} about={t('All records, latest first.')} beside={<ExportButton />}>
      <Filters typed={typed} onType={(changed) => setTyped({ ...typed, ...changed })} />
      <QueryView of={listed}>
        {(rows) =>
          rows.length === 0 ? (
            <NoRecords isFiltered={Object.keys(filter).length > 0} />
          ) : (
            <RowsTable
              key={JSON.stringify(filter)}
              label={t('Records')}
              columns={columns}
              rows={rows}
              keyOf={(row) => row.record_id}
              onMore={listed.onMore}
              hasMore={listed.hasMore}
            />
          )
        }
      </QueryView>
    </Page>
  )
}

/** Converts the filters to API parameters. The last day is included in the range. */
function parametersOf({ until, q, ...rest }: Filter): Partial<Filter> {
  const end = Date.parse(until)
  const all = { ...rest, q: q.trim(), until: Number.isNaN(end) ? '' : new Date(end + MS_PER_DAY).toISOString() }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

function Filters({ typed, onType }: { typed: Filter; onType: (changed: Partial<Filter>) => void }): ReactNode {
  const { types = [], sources = [] } = useOverview().data ?? {}
  return (
    <Fields>
      <TextInput
        label={t('Words')}
        type="search"
        value={typed.q}
        onChange={({ currentTarget }) => onType({ q: currentTarget.value })}
      />
      <NativeSelect
        label={t('Type')}
        value={typed.type}
        onChange={({ currentTarget }) => onType({ type: currentTarget.value })}
        data={[
          { value: '', label: t('All types') },
          ...types.map(({ type, record_count: many }) => ({
            value: type,
            label: `${typeName(type)} (${count(many)})`,
          })),
        ]}
      />
      <NativeSelect
        label={t('Source')}
        value={typed.source_id}
        onChange={({ currentTarget }) => onType({ source_id: currentTarget.value })}
        data={[
          { value: '', label: t('All sources') },
          ...sources.flatMap(({ source_id: value, name }) =>
            value ? [{ value, label: plainLine(name ?? value) }] : [],
          ),
        ]}
      />
      <TextInput
        label={t('From')}
        type="date"
        value={typed.since}
        onChange={({ currentTarget }) => onType({ since: currentTarget.value })}
      />
      <TextInput
        label={t('Until')}
        type="date"
        value={typed.until}
        onChange={({ currentTarget }) => onType({ until: currentTarget.value })}
      />
    </Fields>
  )
}

function NoRecords({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered) {
    return (
      <EmptyState title={t('No record matches')}>
        <p>{t('Try fewer words, or another type, source or time.')}</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title={t('There are no records yet')}>
      <p>
        {rich('{add}, or {connect}.', {
          add: <Link to="/add">{t('Add files')}</Link>,
          connect: <Link to="/sources">{t('connect a source')}</Link>,
        })}
      </p>
    </EmptyState>
  )
}
