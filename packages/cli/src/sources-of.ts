import { type KnowledgeRecord, operations, type SearchAnswer, type Source } from '@cairn/contract'
import { call } from './call.ts'
import { toInputs } from './inputs.ts'
import type { Settings } from './settings.ts'

/** A record that an answer rests on. */
export interface Origin {
  record_id: string
  type: string
  title: string | null
  occurred_at: string | null
  url: string | null
  /** Where it came from where it has no address: its source, and its file in it. */
  place: string | null
}

const SHOWN_MAX = 8
const { getRecord, listSources } = operations

/** The records that the statements of an answer rest on, in the order in which they are told. */
export async function originsOf(
  { statements = [] }: SearchAnswer,
  sandboxId: string,
  settings: Settings,
): Promise<Origin[]> {
  const ids = [...new Set(statements.flatMap(({ record_ids }) => record_ids))].slice(0, SHOWN_MAX)
  if (ids.length === 0) return []
  const records = await Promise.all(
    ids.map((id) => call(getRecord, toInputs(getRecord, [sandboxId, id], {}), settings) as Promise<KnowledgeRecord>),
  )
  const isAnywhere = records.every(({ url }) => url)
  const names = isAnywhere ? new Map<string, string>() : await sourceNames(sandboxId, settings)
  return records.map((record) => ({
    record_id: record.record_id,
    type: record.type,
    title: record.title ?? null,
    occurred_at: record.occurred_at ?? null,
    url: record.url ?? null,
    place: placeOf(record, names.get(record.source_id ?? '')),
  }))
}

async function sourceNames(sandboxId: string, settings: Settings): Promise<Map<string, string>> {
  const reply = await call(listSources, toInputs(listSources, [sandboxId], {}), settings)
  const { sources } = reply as { sources: Source[] }
  return new Map(sources.map(({ data_source_id: id, name }) => [id, name]))
}

function placeOf({ properties }: KnowledgeRecord, source: string | undefined): string | null {
  const path = properties?.path
  if (typeof path !== 'string') return source ?? null
  return source === undefined ? path : `${source}/${path}`
}
