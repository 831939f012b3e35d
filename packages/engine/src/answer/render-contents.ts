import { dayOf, rangeToken } from '../text/civil-date.ts'
import type { Brief, BriefEntity, Draft } from './brief.ts'
import { renderDrafts } from './fit.ts'
import { entityLabel, joinAnd } from './states.ts'

/** Contents of a scope, from its overview. */
export interface ScopeContents {
  records: number
  sources: readonly { name: string; records: number }[]
  /** The earliest and the latest record, if records have times. */
  oldest?: { id: string; atMs: number }
  newest?: { id: string; atMs: number; title?: string }
  /** Entities by type. Those with most records come first. */
  entities: readonly (readonly BriefEntity[])[]
  /** Recurring names that no entity owns. */
  topics: readonly string[]
}

const SOURCES_MAX = 4
const TYPES_MAX = 4
const OF_TYPE_MAX = 2
const TOPICS_MAX = 5

/** Describes the contents of a scope: number of records, topics, sources and time span. Shorter for a greeting. */
export function renderContents(contents: ScopeContents, isGreeted: boolean, maxTokens: number): Brief {
  const { records, sources, oldest, newest, topics } = contents
  const things = contents.entities.slice(0, TYPES_MAX).flatMap((each) => each.slice(0, OF_TYPE_MAX))
  const names = things.length > 0 ? things.map(entityLabel) : topics.slice(0, TOPICS_MAX)
  const about = names.length > 0 ? `, most about ${joinAnd(names)}` : ''
  const count = `${records} ${records === 1 ? 'record' : 'records'}`
  const from = joinAnd(sources.slice(0, SOURCES_MAX).map((source) => `${source.name} (${source.records})`))
  const span = oldest && newest ? ` of ${rangeToken(dayOf(oldest.atMs), dayOf(newest.atMs), 'to')}` : ''
  const texts = isGreeted
    ? [`Ask a question and it is answered from ${count}${about}.`]
    : [
        `There ${records === 1 ? 'is' : 'are'} ${count} here${about}.`,
        ...(from === '' ? [] : [`They come from ${from}${span}.`]),
        ...(things.length > 0 && topics.length > 0
          ? [`Names that recur: ${topics.slice(0, TOPICS_MAX).join(', ')}.`]
          : []),
        ...(newest?.title ? [`The latest is “${newest.title}”.`] : []),
      ]
  const ends = [...new Set([newest?.id, oldest?.id].flatMap((id) => id ?? []))]
  const drafts = texts.map(
    (text, at): Draft => ({ role: 'story', weight: 1 / (at + 1), text, recordIds: ends, computed: text }),
  )
  return renderDrafts(drafts, maxTokens, () =>
    things.map(({ canonicalId, name }) => ({ canonical_id: canonicalId, name, relevance: 1 })),
  )
}
