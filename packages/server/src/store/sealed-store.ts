import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import type { EntityRow, LinkRow, RecordRow, RecordText, SandboxStore, Stored, VectorRow } from './port.ts'
import type { RecordCache } from './record-cache.ts'

type StoredRow = { readonly id: string; readonly content: Uint8Array }

/** Records that were read lately, as they are stored: sealed. */
interface SealedRows {
  readonly cache: RecordCache<RecordText>
  /** What the cache knows a row by. */
  key(row: number): string
  /** Where a record stands. */
  rowOf(recordId: string): number | undefined
}

/**
 * A sandbox's store whose rows are sealed on their way in and opened on their way out: their content, each for its own
 * row, the names of their types and predicates, the order of records of equal score, and vectors. What the graph is
 * built from passes as it is stored: ids, times, hashes under the caller's key, and signs of vectors that it turned.
 */
export function sealedStore(store: SandboxStore, seal: ContentSeal, rows: SealedRows): SandboxStore {
  const record = <R extends RecordText>(row: R): R => openRecord(seal, row)
  const entity = <R extends StoredRow & { type: string }>(row: R): R => openEntity(seal, row)
  const link = <R extends StoredRow & { predicate: string }>(row: R): R => openLink(seal, row)
  return {
    ...store,
    commit: (head, changes) =>
      store.commit(head, {
        records: changes.records.map((row) => sealRecord(seal, row)),
        entities: changes.entities.map((row) => sealEntity(seal, row)),
        links: changes.links.map((row) => sealLink(seal, row)),
        vectors: changes.vectors?.map((row) => ({ ...row, vector: sealVector(seal, row) })) ?? [],
      }),
    vectorsAt: async (head, rowsOf) => {
      const found = await store.vectorsAt(head, rowsOf)
      return new Map([...found].map(([id, vector]) => [id, openVector(seal, id, vector)]))
    },
    vectorsOf: async (head, versions) =>
      (await store.vectorsOf(head, versions)).map((row) => ({ ...row, vector: openVector(seal, row.id, row.vector) })),
    recordsAt: async (head, numbers) => mapValues(await recordsAt(store, rows, head, numbers), record),
    recordsById: async (head, ids) => mapValues(await store.recordsById(head, ids), record),
    entitiesAt: async (head, numbers) => mapValues(await store.entitiesAt(head, numbers), entity),
    entitiesById: async (head, ids) => mapValues(await store.entitiesById(head, ids), entity),
    linksOf: async (head, ids) => (await store.linksOf(head, ids)).map(link),
    linksOfRecords: async (head, ids) => (await store.linksOfRecords(head, ids)).map(link),
    scanRecords: (head, options) => mapBatches(store.scanRecords(head, options), record),
    scanEntities: (head, options) => mapBatches(store.scanEntities(head, options), entity),
    scanLinks: (head, options) => mapBatches(store.scanLinks(head, options), link),
  }
}

/** A record's row as it is stored under the key. */
export function sealRecord(seal: ContentSeal, row: RecordRow): RecordRow {
  const tie = seal.sealTie(row.id, row.tie)
  return { ...row, tie, type: seal.hide(row.type), content: sealed(seal, 'records', row) }
}

/** The row of a record as it was given; its tie stays hidden, since whoever reads a record does not order it. */
export function openRecord<R extends RecordText>(seal: ContentSeal, row: R): R {
  return { ...row, type: seal.show(row.type), content: opened(seal, 'records', row) }
}

/** An entity's row as it is stored under the key. */
export function sealEntity(seal: ContentSeal, row: EntityRow): EntityRow {
  return { ...row, type: seal.hide(row.type), content: sealed(seal, 'entities', row) }
}

/** The row of an entity as it was given. */
export function openEntity<R extends StoredRow & { type: string }>(seal: ContentSeal, row: R): R {
  return { ...row, type: seal.show(row.type), content: opened(seal, 'entities', row) }
}

/** A link's row as it is stored under the key. */
export function sealLink(seal: ContentSeal, row: LinkRow): LinkRow {
  return { ...row, predicate: seal.hide(row.predicate), content: sealed(seal, 'links', row) }
}

/** The row of a link as it was given. */
export function openLink<R extends StoredRow & { predicate: string }>(seal: ContentSeal, row: R): R {
  return { ...row, predicate: seal.show(row.predicate), content: opened(seal, 'links', row) }
}

function sealVector(seal: ContentSeal, { id, vector }: VectorRow): Uint8Array {
  return sealed(seal, 'vectors', { id, content: vector })
}

function openVector(seal: ContentSeal, id: string, vector: Uint8Array): Uint8Array {
  return opened(seal, 'vectors', { id, content: vector })
}

function sealed(seal: ContentSeal, kind: string, { id, content }: StoredRow): Uint8Array {
  return content.length === 0 ? content : seal.seal(placeOf(kind, id), content)
}

function opened(seal: ContentSeal, kind: string, { id, content }: StoredRow): Uint8Array {
  return content.length === 0 ? content : seal.open(placeOf(kind, id), content)
}

function placeOf(kind: string, id: string): string {
  return `${kind}/${id}`
}

/** Reads the rows that are not in the cache. */
async function recordsAt(
  store: SandboxStore,
  { cache, key, rowOf }: SealedRows,
  head: Head,
  numbers: readonly number[],
): Promise<Map<string, RecordText>> {
  const found = new Map<string, RecordText>()
  const missing = new Set<number>()
  for (const number of numbers) {
    const held = cache.get(key(number))
    if (held) found.set(held.id, held)
    else missing.add(number)
  }
  if (missing.size === 0) return found
  for (const row of (await store.recordsAt(head, [...missing])).values()) {
    found.set(row.id, row)
    const number = rowOf(row.id)
    // A copy, since what was read is a view into a whole batch.
    if (number !== undefined && missing.has(number))
      cache.put(key(number), { ...row, content: row.content.slice() }, row.content.length)
  }
  return found
}

function mapValues<R, S>(rows: Map<string, R>, of: (row: R) => S): Map<string, S> {
  return new Map([...rows].map(([id, row]) => [id, of(row)]))
}

async function* mapBatches<R extends Stored<StoredRow>>(
  batches: AsyncGenerator<R[]>,
  of: (row: R) => R,
): AsyncGenerator<R[]> {
  for await (const batch of batches) yield batch.map(of)
}
