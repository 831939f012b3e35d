import type { Head } from '../db/head.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import type { EntityRow, LinkRow, RecordRow, RecordText, SandboxStore, Stored, VectorRow } from './port.ts'
import type { RecordCache } from './record-cache.ts'

type StoredRow = { readonly id: string; readonly content: Uint8Array }

/** Cache of recently read records, in their encrypted form. */
interface RecordLookup {
  readonly cache: RecordCache<RecordText>
  /** Returns the cache key of a row. */
  key(row: number): string
  rowOf(recordId: string): number | undefined
}

/**
 * Wraps a store so that rows are encrypted on write and decrypted on read. This covers content, vectors, names of types
 * and predicates, and tie-breakers. A row's kind and id are the associated data of its content. The data for the graph
 * is not encrypted: ids, times, keyed hashes, and binary codes of rotated vectors.
 */
export function encryptedStore(store: SandboxStore, cipher: ContentCipher, rows: RecordLookup): SandboxStore {
  const record = <R extends RecordText>(row: R): R => decryptRecord(cipher, row)
  const entity = <R extends StoredRow & { type: string }>(row: R): R => decryptEntity(cipher, row)
  const link = <R extends StoredRow & { predicate: string }>(row: R): R => decryptLink(cipher, row)
  return {
    ...store,
    commit: (head, changes) =>
      store.commit(head, {
        records: changes.records.map((row) => encryptRecord(cipher, row)),
        entities: changes.entities.map((row) => encryptEntity(cipher, row)),
        links: changes.links.map((row) => encryptLink(cipher, row)),
        vectors: changes.vectors?.map((row) => ({ ...row, vector: encryptVector(cipher, row) })) ?? [],
      }),
    vectorsAt: async (head, rowsOf) => {
      const found = await store.vectorsAt(head, rowsOf)
      return new Map([...found].map(([id, vector]) => [id, decryptVector(cipher, id, vector)]))
    },
    vectorsOf: async (head, versions) =>
      (await store.vectorsOf(head, versions)).map((row) => ({
        ...row,
        vector: decryptVector(cipher, row.id, row.vector),
      })),
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

export function encryptRecord(cipher: ContentCipher, row: RecordRow): RecordRow {
  const tie = cipher.encryptTieBreaker(row.id, row.tie)
  return { ...row, tie, type: cipher.encryptText(row.type), content: encryptContent(cipher, 'records', row) }
}

/** Decrypts a record's row, except its tie-breaker, which only rankings need. */
export function decryptRecord<R extends RecordText>(cipher: ContentCipher, row: R): R {
  return { ...row, type: cipher.decryptText(row.type), content: decryptContent(cipher, 'records', row) }
}

export function encryptEntity(cipher: ContentCipher, row: EntityRow): EntityRow {
  return { ...row, type: cipher.encryptText(row.type), content: encryptContent(cipher, 'entities', row) }
}

export function decryptEntity<R extends StoredRow & { type: string }>(cipher: ContentCipher, row: R): R {
  return { ...row, type: cipher.decryptText(row.type), content: decryptContent(cipher, 'entities', row) }
}

export function encryptLink(cipher: ContentCipher, row: LinkRow): LinkRow {
  return { ...row, predicate: cipher.encryptText(row.predicate), content: encryptContent(cipher, 'links', row) }
}

export function decryptLink<R extends StoredRow & { predicate: string }>(cipher: ContentCipher, row: R): R {
  return { ...row, predicate: cipher.decryptText(row.predicate), content: decryptContent(cipher, 'links', row) }
}

function encryptVector(cipher: ContentCipher, { id, vector }: VectorRow): Uint8Array {
  return encryptContent(cipher, 'vectors', { id, content: vector })
}

function decryptVector(cipher: ContentCipher, id: string, vector: Uint8Array): Uint8Array {
  return decryptContent(cipher, 'vectors', { id, content: vector })
}

function encryptContent(cipher: ContentCipher, kind: string, { id, content }: StoredRow): Uint8Array {
  return content.length === 0 ? content : cipher.encrypt(associatedDataOf(kind, id), content)
}

function decryptContent(cipher: ContentCipher, kind: string, { id, content }: StoredRow): Uint8Array {
  return content.length === 0 ? content : cipher.decrypt(associatedDataOf(kind, id), content)
}

function associatedDataOf(kind: string, id: string): string {
  return `${kind}/${id}`
}

/** Returns the rows with these numbers, from the cache or the store. */
async function recordsAt(
  store: SandboxStore,
  { cache, key, rowOf }: RecordLookup,
  head: Head,
  numbers: readonly number[],
): Promise<Map<string, RecordText>> {
  const found = new Map<string, RecordText>()
  const missing = new Set<number>()
  for (const number of numbers) {
    const cached = cache.get(key(number))
    if (cached) found.set(cached.id, cached)
    else missing.add(number)
  }
  if (missing.size === 0) return found
  for (const row of (await store.recordsAt(head, [...missing])).values()) {
    found.set(row.id, row)
    const number = rowOf(row.id)
    // Copied, because the content is a view that would keep its whole batch in memory.
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
