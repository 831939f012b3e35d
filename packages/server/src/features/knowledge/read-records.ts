import { displayName } from './entity-content.ts'
import type { SandboxView } from './knowledge.ts'
import type { RecordText } from './lance/rows.ts'
import { decodeContent, type StoredContent } from './record-content.ts'
import { declaredThings, type Thing } from './things.ts'

/** An entity as some records call it. */
export interface NamedEntity {
  canonicalId: string
  name: string
  type: string
  aliases: string[]
}

/** A record with the things that it declares, each with its canonical entity. */
export interface ReadRecord {
  row: RecordText
  content: StoredContent
  things: { thing: Thing; entityId: string | undefined }[]
}

/** Reads records and finds the entities of what they declare. Ids that are not there are left out. */
export async function readRecords(view: SandboxView, ids: readonly string[]): Promise<Map<string, ReadRecord>> {
  const rows = await view.store.recordsAt(view.head, view.rowsOf(ids))
  return new Map([...rows].map(([id, row]) => [id, toReadRecord(view, row)]))
}

export function toReadRecord(view: SandboxView, row: RecordText): ReadRecord {
  const content = decodeContent<StoredContent>(row.content)
  const origin = { sourceId: row.sourceId ?? null, provider: content.provider }
  const things = declaredThings(content, origin).map((thing) => ({ thing, entityId: entityOf(view, thing) }))
  return { row, content, things }
}

function entityOf({ graph, hash, canonical }: SandboxView, thing: Thing): string | undefined {
  for (const key of [...thing.identifiers, ...thing.names.map((name) => name.key)]) {
    const [id] = graph.entitiesWithKey(hash(key))
    if (id) return canonical(id)
  }
  return undefined
}

/**
 * What the records call each entity that they declare. Names come from these records alone, so that a scope shows no
 * name that was learnt outside it.
 */
export function namesOf(records: Iterable<ReadRecord>): Map<string, NamedEntity> {
  const found = new Map<string, { type: string; names: Thing['names'] }>()
  for (const { things } of records) {
    for (const { thing, entityId } of things) {
      if (!entityId) continue
      const entity = found.get(entityId) ?? { type: thing.type, names: [] }
      found.set(entityId, { ...entity, names: [...entity.names, ...thing.names] })
    }
  }
  return new Map(
    [...found].map(([canonicalId, { type, names }]) => {
      const name = displayName({ type, names })
      const aliases = [...new Set(names.map((other) => other.text))].filter((other) => other !== name)
      return [canonicalId, { canonicalId, name, type, aliases }]
    }),
  )
}
