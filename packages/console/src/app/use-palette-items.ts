import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { askFirst } from '../ask/conversation.ts'
import { useRecentAnswers } from '../ask/recent-answers.tsx'
import { useDefaultOptions } from '../ask/starters.tsx'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { recordTitle } from '../parts/record-title.ts'
import { typeName } from '../parts/words.ts'
import { firstPage } from './first-page.ts'
import { PAGES } from './page-list.tsx'
import { useCairn, useSession } from './session.ts'
import { useSources } from './shared-queries.ts'

/** An item that the search dialog can open. */
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

/** Returns the pages, records, entities, sources and answers that match a text, and an item that asks it. */
export function usePaletteItems(q: string): { groups: PaletteGroup[]; isLoading: boolean } {
  const found = useFoundContent(q)
  const navigate = useNavigate()
  const isMatch = (text: string) => text.toLowerCase().includes(q.toLowerCase())
  const pages = PAGES.filter(([, label]) => isMatch(label)).map(([to, label]) => ({
    key: label.replaceAll(/\W+/g, '-'),
    label,
    open: () => void navigate({ to }),
  }))
  const sources = useSources().data?.sources ?? []
  const named = sources
    .filter(({ name }) => q !== '' && isMatch(name))
    .map(({ data_source_id: sourceId, name, provider }) => ({
      key: sourceId,
      label: name,
      about: typeName(provider),
      open: () => void navigate({ to: '/sources/$sourceId', params: { sourceId } }),
    }))
  const answers = useRecentAnswers(ANSWERS_SEARCHED).data?.answers ?? []
  const given = answers
    .filter(({ query }) => isMatch(query))
    .map(({ answer_id: answerId, query, created_at: at }) => ({
      key: answerId,
      label: query,
      about: day(at),
      open: () => void navigate({ to: '/answers/$answerId', params: { answerId }, search: {} }),
    }))
  const question = useQuestionItem(q)
  const groups: PaletteGroup[] = [
    { name: t('Pages'), items: q === '' ? pages : pages.slice(0, FOUND_MAX) },
    { name: t('Sources'), items: named.slice(0, FOUND_MAX) },
    { name: t('Entities'), items: found.entities },
    { name: t('Records'), items: found.records },
    { name: t('Your answers'), items: given.slice(0, FOUND_MAX) },
    { name: t('Ask'), items: q === '' ? [] : [question] },
  ]
  return { groups: groups.filter(({ items }) => items.length > 0), isLoading: found.isLoading }
}

/** Returns the records and entities that the service finds. */
function useFoundContent(q: string) {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const enabled = q !== '' && sandboxId !== undefined
  const records = useQuery({
    queryKey: [sandboxId, 'palette', 'records', q],
    queryFn: () => firstPage(cairn.listRecords({ q, limit: FOUND_MAX })),
    enabled,
  })
  const entities = useQuery({
    queryKey: [sandboxId, 'palette', 'entities', q],
    queryFn: () => cairn.searchEntities({ q, limit: FOUND_MAX, min_similarity: SIMILARITY_MIN }),
    enabled,
  })
  return {
    isLoading: enabled && (records.isPending || entities.isPending),
    entities: (entities.data?.results ?? []).map(({ canonical_id: entityId, name, record_type: type }) => ({
      key: entityId,
      label: name,
      about: typeName(type),
      open: () => void navigate({ to: '/entities/$entityId', params: { entityId } }),
    })),
    records: (records.data?.records ?? []).map((record) => ({
      key: record.record_id,
      label: recordTitle(record),
      about: [record.type && typeName(record.type), record.occurred_at && day(record.occurred_at)]
        .filter(Boolean)
        .join(' · '),
      open: () => void navigate({ to: '/records/$recordId', params: { recordId: record.record_id }, search: {} }),
    })),
  }
}

function useQuestionItem(q: string): PaletteItem {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const navigate = useNavigate()
  const usual = useDefaultOptions()
  const open = () => {
    askFirst(cairn, sandboxId, q, usual)
    void navigate({ to: '/' })
  }
  return { key: 'ask', label: q, open }
}
