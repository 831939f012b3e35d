import { quantised, type RecordGraph, type Scope } from '@cairnstore/engine/rank'
import type { ParsedRecord } from '@cairnstore/engine/resolve'
import { type KeyHash, plainKeyHash } from '@cairnstore/engine/text'
import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import type { OpenedSandbox } from './opened-sandbox.ts'
import type { RecordText, SandboxStore } from './port.ts'
import { type RankingPort, rankingOf } from './ranking/rank-threads.ts'
import type { RecordCache } from './record-cache.ts'
import { entityIdsOf, rowOf } from './row-table.ts'
import { sealedStore } from './sealed-store.ts'
import { noTies, openTies } from './sealed-ties.ts'

/** What a request sees of a sandbox. Whatever is computed from it without waiting sees one head. */
export interface SandboxView {
  /** The head that the graph shows; it moves when the graph catches up, as the row numbers do. */
  readonly head: Head
  readonly graph: RecordGraph
  /** Ranks by the graph; a large one is ranked on another thread. */
  readonly ranking: RankingPort
  readonly store: SandboxStore
  readonly hash: KeyHash
  /** The caller's key, for a sandbox whose content is under one. */
  readonly seal: ContentSeal | undefined
  /** Records that were read lately, by `cacheKey`. */
  readonly cache: RecordCache<ParsedRecord>
  cacheKey(row: number): string
  /** What a merged entity's id stands for today; any other id is itself. */
  canonical(id: string): string
  /** The record under a hashed `recordKey`. */
  recordWithKey(key: number): string | undefined
  /** Where `store.recordsAt` finds a record; undefined when it is not there. */
  rowOf(recordId: string): number | undefined
  /** Where `store.entitiesAt` finds the entities. */
  entityRowsOf(entityIds: Iterable<string>): number[]
  /** Ids of the live entities of a type, or of all, newest first. */
  entityIds(type: string | undefined): string[]
  /** The id and every id that was merged into it. */
  formerIds(id: string): string[]
}

type View = Pick<SandboxView, 'hash' | 'seal' | 'cache' | 'store' | 'graph' | 'ranking'>

/** The sandbox as anybody may read it who reaches it. */
export function plainView(opened: OpenedSandbox, cache: RecordCache<ParsedRecord>): SandboxView {
  const { graph, place } = opened
  const ranking = rankingOf(graph, () => opened.threaded)
  return toView(opened, { graph, ranking, store: place.store, hash: plainKeyHash, seal: undefined, cache })
}

/** Nothing that was opened outlives the request that opened it. */
const NO_CACHE: RecordCache<ParsedRecord> = { get: () => undefined, put: () => undefined, forget: () => undefined }

/** The sandbox as who holds its key reads it; records that were read lately are kept sealed. */
export function sealedView(opened: OpenedSandbox, seal: ContentSeal, cache: RecordCache<RecordText>): SandboxView {
  if (opened.ties.epoch !== seal.epoch) opened.ties = noTies(seal.epoch)
  const rows = { cache, key: (row: number) => cacheKey(opened, row), rowOf: (id: string) => rowOf(opened.records, id) }
  const graph = opened.graph.ordered(openTies(seal, opened.ties))
  // Ties are shown by the key, which goes to no thread.
  const ranking = rankingOf(graph, () => undefined)
  return toView(opened, {
    graph,
    ranking: { ...ranking, nearest: (vector, ...how) => ranking.nearest(quantised(seal.turn(vector)), ...how) },
    store: sealedStore(opened.place.store, seal, rows),
    hash: seal.hash,
    seal,
    cache: NO_CACHE,
  })
}

function cacheKey({ name }: OpenedSandbox, row: number): string {
  return `${name}/${row}`
}

function toView(opened: OpenedSandbox, view: View): SandboxView {
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
      const kept = type && view.seal ? view.seal.hide(type) : type
      return entityIdsOf(entities, kept || undefined)
        .sort()
        .reverse()
    },
    formerIds: (id) => [id, ...[...mergedInto.keys()].filter((from) => canonical(from) === id)],
  }
}

/** Whether an entity is known and every record about it is in scope: then whatever it rests on may be shown there. */
export function isWhollyIn({ graph }: SandboxView, scope: Scope | null, entityId: string): boolean {
  if (!graph.knows(entityId, scope)) return false
  return scope === null || graph.countRecordsOf(entityId, scope) === graph.countRecordsOf(entityId, null)
}
