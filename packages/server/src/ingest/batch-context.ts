import {
  type Decision,
  declarationKeys,
  decodeEntity,
  type Entity,
  idAtSite,
  keysAcrossSites,
  NAMESAKES_MAX,
  recordKey,
} from '@cairnstore/engine/resolve'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { storedMentioned, storedThings } from './batch.ts'
import type { BatchContext, IncomingRecord, StoredRecord } from './batch-shape.ts'

/** Inputs of a batch that are not part of the sandbox's data. */
type BatchInputs = Pick<BatchContext, 'quota' | 'links' | 'marks'> & { decisions: readonly Decision[] }

/** Loads everything that building a batch needs, so that building needs no further I/O. */
export async function batchContext(
  view: SandboxView,
  incoming: IncomingRecord[],
  { decisions, ...given }: BatchInputs,
  clock: Clock,
): Promise<BatchContext> {
  const { graph, hash, head, store } = view
  const recordKeys = new Set(
    incoming.flatMap(({ content, origin }) => [
      recordKey(origin.sourceId, content.external_id),
      ...(content.site ? [recordKey(origin.sourceId, idAtSite(content))] : []),
    ]),
  )
  const storedIds = new Map<string, string>()
  for (const key of recordKeys) {
    const id = view.recordWithKey(hash(key))
    if (id) storedIds.set(key, id)
  }
  const stored = await store.recordsAt(
    head,
    [...storedIds.values()].flatMap((id) => view.rowOf(id) ?? []),
  )
  const keys = decisions.flatMap(({ one, other }) => [...one, ...other])
  const entities = await loadEntities(view, incoming, [...stored.values()], keys)
  return {
    hash,
    known: {
      withKey: (key) => graph.entitiesWithKey(key).map(view.canonical),
      get: (id) => entities.get(id),
    },
    stored: (key) => stored.get(storedIds.get(key) ?? ''),
    supporters: (key) => graph.countDeclaring(key, null),
    newRecordId: () => newId('record', clock),
    newEntityId: () => newId('entity', clock),
    ...given,
  }
}

/** Loads every entity that has an identity key of the batch, of its decisions or of the replaced records. */
async function loadEntities(
  { graph, hash, head, store, canonical, entityRowsOf }: SandboxView,
  incoming: IncomingRecord[],
  replaced: StoredRecord[],
  decided: readonly string[],
): Promise<Map<string, Entity>> {
  const keys = new Set(decided)
  for (const thing of [...incoming.flatMap((each) => each.mentioned), ...replaced.flatMap(storedMentioned)]) {
    for (const { key } of thing.names) keys.add(key)
  }
  for (const thing of [...incoming.flatMap(({ things }) => things), ...replaced.flatMap(storedThings)]) {
    for (const key of [...declarationKeys(thing), ...keysAcrossSites(thing)]) keys.add(key)
  }
  const ids = new Set<string>()
  for (const key of keys) {
    const owners = graph.entitiesWithKey(hash(key))
    if (owners.length <= NAMESAKES_MAX) for (const id of owners) ids.add(canonical(id))
  }
  const rows = await store.entitiesAt(head, entityRowsOf(ids))
  return new Map([...rows.values()].map((row) => [row.id, decodeEntity(row)]))
}
