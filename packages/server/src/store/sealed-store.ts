import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import type { EntityRow, LinkRow, RecordRow, RecordText, SandboxStore, Stored, VectorRow } from './port.ts'
import type { RecordCache } from './record-cache.ts'

type StoredRow = { readonly id: string; readonly content: Uint8Array }

/** Cache of recently read records, in their encrypted form. */
interface SealedRows {
  readonly cache: RecordCache<RecordText>
  /** Returns the cache key of a row. */
  key(row: number): string
  /** Returns the row number of a record. */
  rowOf(recordId: string): number | undefined
}

/**
 * Wraps the store of a sandbox with a customer-managed key. Rows are encrypted on write and decrypted on read: content
 * and vectors, names of types and predicates, and tie-breakers. Each content is bound to its row. The data for the
 * graph is not decrypted: ids, times, keyed hashes, and binary codes of rotated vectors.
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

/** Encrypts a record's row under the key. */
export function sealRecord(seal: ContentSeal, row: RecordRow): RecordRow {
  const tie = seal.sealTie(row.id, row.tie)
  return { ...row, tie, type: seal.hide(row.type), content: sealed(seal, 'records', row) }
}

/** Decrypts a record's row. The tie-breaker stays encrypted, since readers of a record do not rank it. */
export function openRecord<R extends RecordText>(seal: ContentSeal, row: R): R {
  return { ...row, type: seal.show(row.type), content: opened(seal, 'records', row) }
}

/** Encrypts an entity's row under the key. */
export function sealEntity(seal: ContentSeal, row: EntityRow): EntityRow {
  return { ...row, type: seal.hide(row.type), content: sealed(seal, 'entities', row) }
}

/** Decrypts an entity's row. */
export function openEntity<R extends StoredRow & { type: string }>(seal: ContentSeal, row: R): R {
  return { ...row, type: seal.show(row.type), content: opened(seal, 'entities', row) }
}

/** Encrypts a link's row under the key. */
export function sealLink(seal: ContentSeal, row: LinkRow): LinkRow {
  return { ...row, predicate: seal.hide(row.predicate), content: sealed(seal, 'links', row) }
}

/** Decrypts a link's row. */
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

/** Returns the rows with these numbers, from the cache or the store. */
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
    // Copied, because the row read is a view into a whole batch.
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
