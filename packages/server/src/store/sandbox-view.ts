import { quantized, type RecordGraph, type Scope } from '@cairnstore/engine/rank'
import type { ParsedRecord } from '@cairnstore/engine/resolve'
import { type KeyHash, plainKeyHash } from '@cairnstore/engine/text'
import type { Head } from '../db/head.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import { encryptedStore } from './encrypted-store.ts'
import { decryptTieBreakers, emptyTieBreakers } from './encrypted-tie-breakers.ts'
import type { OpenedSandbox } from './opened-sandbox.ts'
import type { RecordText, SandboxStore } from './port.ts'
import { type RankingPort, rankingOf } from './ranking/rank-threads.ts'
import type { RecordCache } from './record-cache.ts'
import { entityIdsOf, rowOf } from './row-table.ts'

/** A request's view of a sandbox. Synchronous computations on it see one head. */
export interface SandboxView {
  /** The head of the graph. A catch-up of the graph changes the head and the row numbers. */
  readonly head: Head
  readonly graph: RecordGraph
  /** Ranks records in the graph. Large graphs are ranked on another thread. */
  readonly ranking: RankingPort
  readonly store: SandboxStore
  readonly hash: KeyHash
  /** The customer-managed key, if the content is encrypted. */
  readonly seal: ContentCipher | undefined
  /** Recently read records, by `cacheKey`. */
  readonly cache: RecordCache<ParsedRecord>
  cacheKey(row: number): string
  /** Returns the current id of a merged entity. Any other id is returned as it is. */
  canonical(id: string): string
  /** Returns the record with this hashed `recordKey`. */
  recordWithKey(key: number): string | undefined
  /** Returns the row number of a record for `store.recordsAt`. Undefined if the record does not exist. */
  rowOf(recordId: string): number | undefined
  /** Returns the row numbers of entities for `store.entitiesAt`. */
  entityRowsOf(entityIds: Iterable<string>): number[]
  /** Returns the ids of the live entities, of one type or all, newest first. */
  entityIds(type: string | undefined): string[]
  /** Returns the id and all ids that were merged into it. */
  formerIds(id: string): string[]
}

type View = Pick<SandboxView, 'hash' | 'seal' | 'cache' | 'store' | 'graph' | 'ranking'>

/** Creates the view of a sandbox without a customer-managed key. */
export function createPlainView(opened: OpenedSandbox, cache: RecordCache<ParsedRecord>): SandboxView {
  const { graph, place } = opened
  const ranking = rankingOf(graph, () => opened.threaded)
  return createView(opened, { graph, ranking, store: place.store, hash: plainKeyHash, seal: undefined, cache })
}

/** A cache that stores nothing. Decrypted records must not outlive the request. */
const NO_CACHE: RecordCache<ParsedRecord> = { get: () => undefined, put: () => undefined, dropPrefix: () => undefined }

/** Creates the view of a sandbox for the holder of its customer-managed key. Cached records stay encrypted. */
export function createDecryptingView(
  opened: OpenedSandbox,
  cipher: ContentCipher,
  cache: RecordCache<RecordText>,
): SandboxView {
  if (opened.tieBreakers.epoch !== cipher.epoch) opened.tieBreakers = emptyTieBreakers(cipher.epoch)
  const rows = { cache, key: (row: number) => cacheKey(opened, row), rowOf: (id: string) => rowOf(opened.records, id) }
  const graph = opened.graph.withTieBreakers(decryptTieBreakers(cipher, opened.tieBreakers))
  // Ranks on the main thread, because the key that decrypts tie-breakers is not sent to threads.
  const ranking = rankingOf(graph, () => undefined)
  return createView(opened, {
    graph,
    ranking: { ...ranking, nearest: (vector, ...how) => ranking.nearest(quantized(cipher.rotate(vector)), ...how) },
    store: encryptedStore(opened.place.store, cipher, rows),
    hash: cipher.hash,
    seal: cipher,
    cache: NO_CACHE,
  })
}

function cacheKey({ name }: OpenedSandbox, row: number): string {
  return `${name}/${row}`
}

function createView(opened: OpenedSandbox, view: View): SandboxView {
  const { mergedInto, records, entities, graph } = opened
  const canonical = (id: string): string => {
    let at = id
    for (let next = mergedInto.get(at); next; next = mergedInto.get(at)) at = next
    return at
  }
  return {
    get head() {
      return opened.head
    },
    ...view,
    cacheKey: (row) => cacheKey(opened, row),
    canonical,
    recordWithKey: graph.recordWithKey,
    rowOf: (recordId) => rowOf(records, recordId),
    entityRowsOf: (entityIds) => [...entityIds].flatMap((id) => rowOf(entities, id) ?? []),
    entityIds: (type) => {
      const storedType = type && view.seal ? view.seal.encryptText(type) : type
      return entityIdsOf(entities, storedType || undefined)
        .sort()
        .reverse()
    },
    formerIds: (id) => [id, ...[...mergedInto.keys()].filter((from) => canonical(from) === id)],
  }
}

/** Returns true if an entity is known and all records about it are in scope. Its evidence may then be shown. */
export function isEntirelyInScope({ graph }: SandboxView, scope: Scope | null, entityId: string): boolean {
  if (!graph.containsEntity(entityId, scope)) return false
  return scope === null || graph.countRecordsOf(entityId, scope) === graph.countRecordsOf(entityId, null)
}
