import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { askFirst } from '../ask/conversation.ts'
import { useRecentAnswers } from '../ask/recent-answers.tsx'
import { useDefaultOptions } from '../ask/starters.tsx'
import { day } from '../parts/format.ts'
import { recordTitle } from '../parts/record-title.ts'
import { typeName } from '../parts/words.ts'
import { firstPage } from './first-page.ts'
import { PAGES } from './page-list.tsx'
import { useCairn, useSession } from './session.ts'
import { useSources } from './shared-queries.ts'

/** Something that can be opened. */
export interface PaletteItem {
  key: string
  label: string
  about?: string
  open: () => void
}

/** Items of one kind. */
interface PaletteGroup {
  name: string
  items: PaletteItem[]
}

/** Maximum number of items of one kind. */
const FOUND_MAX = 6
/** Number of recent answers that are searched. */
const ANSWERS_SEARCHED = 100
const SIMILARITY_MIN = 0.5

/** Returns the pages, records, entities, sources and answers that match a text, and the question itself. */
export function usePaletteItems(q: string): { groups: PaletteGroup[]; isLoading: boolean } {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const usual = useDefaultOptions()
  const isSearched = q !== '' && sandboxId !== undefined
  const records = useQuery({
    queryKey: [sandboxId, 'palette', 'records', q],
    queryFn: () => firstPage(cairn.listRecords({ q, limit: FOUND_MAX })),
    enabled: isSearched,
  })
  const entities = useQuery({
    queryKey: [sandboxId, 'palette', 'entities', q],
    queryFn: () => cairn.searchEntities({ q, limit: FOUND_MAX, min_similarity: SIMILARITY_MIN }),
    enabled: isSearched,
  })
  const answers = useRecentAnswers(ANSWERS_SEARCHED).data?.answers ?? []
  const sources = useSources().data?.sources ?? []
  const isMatch = (text: string) => text.toLowerCase().includes(q.toLowerCase())
  const question = {
    key: 'ask',
    label: q,
    open: () => {
      askFirst(cairn, sandboxId, q, usual)
      void navigate({ to: '/' })
    },
  }
  const groups: PaletteGroup[] = [
    {
      name: 'Pages',
      items: PAGES.filter(([, label]) => isMatch(label)).map(([to, label]) => ({
        key: label.replaceAll(/\W+/g, '-'),
        label,
        open: () => void navigate({ to }),
      })),
    },
    {
      name: 'Sources',
      items: sources
        .filter(({ name }) => q !== '' && isMatch(name))
        .map(({ data_source_id: sourceId, name, provider }) => ({
          key: sourceId,
          label: name,
          about: typeName(provider),
          open: () => void navigate({ to: '/sources/$sourceId', params: { sourceId } }),
        })),
    },
    {
      name: 'Entities',
      items: (isSearched ? (entities.data?.results ?? []) : []).map(
        ({ canonical_id: entityId, name, record_type }) => ({
          key: entityId,
          label: name,
          about: typeName(record_type),
          open: () => void navigate({ to: '/entities/$entityId', params: { entityId } }),
        }),
      ),
    },
    {
      name: 'Records',
      items: (isSearched ? (records.data?.records ?? []) : []).map((record) => ({
        key: record.record_id,
        label: recordTitle(record),
        about: [record.type && typeName(record.type), record.occurred_at && day(record.occurred_at)]
          .filter(Boolean)
          .join(' · '),
        open: () => void navigate({ to: '/records/$recordId', params: { recordId: record.record_id }, search: {} }),
      })),
    },
    {
      name: 'Your answers',
      items: answers
        .filter(({ query }) => isMatch(query))
        .map(({ answer_id: answerId, query, created_at: at }) => ({
          key: answerId,
          label: query,
          about: day(at),
          open: () => void navigate({ to: '/answers/$answerId', params: { answerId }, search: {} }),
        })),
    },
    { name: 'Ask', items: q === '' ? [] : [question] },
  ]
  const limited = groups.map(({ name, items }) => ({
    name,
    items: name === 'Pages' && q === '' ? items : items.slice(0, FOUND_MAX),
  }))
  return {
    groups: limited.filter(({ items }) => items.length > 0),
    isLoading: isSearched && (records.isPending || entities.isPending),
  }
}
