import type { Reach } from '../sharing/reach.ts'
import { type Ground, shownSource } from './ground.ts'
import type { SandboxView } from './knowledge.ts'
import { type NamedEntity, namesOf, parseRecord, resolveThings } from './read-records.ts'
import { wireRecord } from './wire-record.ts'

const BATCH_ROWS = 500

/** Every record in scope, then every entity that they declare, one object a line with its `kind`. */
export async function* exportLines(view: SandboxView, ground: Ground, reach: Reach): AsyncGenerator<object> {
  const entities = new Map<string, NamedEntity>()
  for await (const batch of view.store.scanRecords(view.head, { batchRows: BATCH_ROWS })) {
    const records = batch
      .filter((row) => view.graph.hasRecord(row.id, ground.scope))
      .map((row) => resolveThings(view, parseRecord(row)))
    for (const [id, named] of namesOf(records)) entities.set(id, join(entities.get(id), named))
    for (const record of records) {
      const sourceId = shownSource(reach, ground, record.sourceId)
      yield { kind: 'record', ...wireRecord({ ...record, sourceId }, reach.sandboxId) }
    }
  }
  for (const { canonicalId, type, name, aliases } of entities.values()) {
    yield { kind: 'entity', canonical_id: canonicalId, type, name, aliases }
  }
}

function join(known: NamedEntity | undefined, named: NamedEntity): NamedEntity {
  if (!known) return named
  const aliases = [...known.aliases, named.name, ...named.aliases].filter((alias) => alias !== known.name)
  return { ...known, aliases: [...new Set(aliases)] }
}
