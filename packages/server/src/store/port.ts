import { Fault } from '../base/fault.ts'
import type { Head } from '../db/head.ts'

/** One version of a record in a commit. A row with `live` false removes the record. */
export interface RecordRow {
  readonly id: string
  readonly live: boolean
  readonly sourceId: string | null
  readonly projectId: string | null
  readonly type: string
  readonly occurredAtMs: number | null
  /** 52-bit hash of source and external id. */
  readonly externalKey: number
  /** 52-bit hash that orders records with equal scores. */
  readonly tie: number
  /** JSON of the record, or its ciphertext. */
  readonly content: Uint8Array
  readonly analysis: Uint8Array
}

/** One version of an entity in a commit. A row with `live` false removes the entity. */
export interface EntityRow {
  readonly id: string
  readonly live: boolean
  readonly type: string
  readonly mergedInto: string | null
  readonly keys: readonly number[]
  readonly content: Uint8Array
}

/** One version of a link. All versions have the same record. A row with `live` false removes the link. */
export interface LinkRow {
  readonly id: string
  readonly live: boolean
  readonly recordId: string
  readonly subjectId: string
  readonly objectId: string | null
  readonly predicate: string
  readonly validFromMs: number | null
  readonly validToMs: number | null
  readonly content: Uint8Array
}

/** The vectors of one version of a record. Replacing or removing the record also removes them. */
export interface VectorRow {
  readonly id: string
  readonly live: true
  /** Seq of the record's version. */
  readonly recordSeq: number
  /** 52-bit hash of the model and its input format. */
  readonly space: number
  /** Binary codes: the sign bits of `vector`, padded to whole 32-bit words for each passage. */
  readonly code: Uint8Array
  /** One signed byte per dimension, one passage after the other. Empty if the model could not embed anything. */
  readonly vector: Uint8Array
}

/** Rows that a commit appends. All get the next seq. */
export interface Changes {
  readonly records: readonly RecordRow[]
  readonly entities: readonly EntityRow[]
  readonly links: readonly LinkRow[]
  readonly vectors?: readonly VectorRow[]
}

export type Stored<Row> = Row & { readonly seq: number }

/** A stored record without its analysis, as needed for answers. */
export type RecordText = Omit<Stored<RecordRow>, 'analysis'>

/** A batch of records in columns for the graph, without the content. */
export interface RecordColumns {
  readonly kind: 'records'
  readonly count: number
  /** Row numbers for `recordsAt`. Valid until a later read yields the row with a new number. */
  readonly rows: Float64Array
  readonly ids: readonly string[]
  readonly seqs: Float64Array
  /** 1 if compaction gave the row another number and nothing else changed. */
  readonly moved: Uint8Array
  readonly live: Uint8Array
  readonly sourceIds: readonly (string | null)[]
  readonly projectIds: readonly (string | null)[]
  readonly types: readonly string[]
  /** NaN if the time is unknown. */
  readonly occurredAtMs: Float64Array
  readonly externalKeys: Float64Array
  readonly tieBreakers: Float64Array
  readonly analyses: readonly Uint8Array[]
}

/** A batch of entities in columns for the graph, without the content. */
export interface EntityColumns {
  readonly kind: 'entities'
  readonly count: number
  readonly rows: Float64Array
  readonly ids: readonly string[]
  readonly seqs: Float64Array
  readonly moved: Uint8Array
  readonly live: Uint8Array
  readonly types: readonly string[]
  readonly mergedInto: readonly (string | null)[]
  readonly keys: readonly Float64Array[]
}

/** A batch of vectors in columns for the graph: the binary codes without the vectors. */
export interface VectorColumns {
  readonly kind: 'vectors'
  readonly count: number
  readonly rows: Float64Array
  readonly ids: readonly string[]
  readonly moved: Uint8Array
  readonly recordSeqs: Float64Array
  readonly spaces: Float64Array
  readonly codes: readonly Uint8Array[]
}

/** Rows whose only change is a new row number from a large compaction. */
export interface MovedColumns {
  readonly kind: 'moved'
  readonly of: 'records' | 'entities'
  readonly count: number
  readonly rows: Float64Array
  readonly ids: readonly string[]
}

/** A batch of rows of any dataset from which the graph is built. */
export type GraphColumns = RecordColumns | EntityColumns | VectorColumns | MovedColumns

/** The datasets of a sandbox. Most have no vectors. */
export const KINDS = ['records', 'entities', 'links', 'vectors'] as const
export type Kind = (typeof KINDS)[number]

export interface CompactionOptions {
  /** Age in milliseconds up to which old versions stay readable. Must exceed the longest request. */
  readonly retainMs?: number
  /** Versions up to this many milliseconds older than the head's version are not deleted either. */
  readonly clockSlackMs?: number
  /** Number of last commits whose tombstones are kept. An index that far behind catches up without a rebuild. */
  readonly keepTombstonesOfCommits?: number
  /** Prunes even if that frees little space, for removed data that must not stay in old versions. */
  readonly isPruneForced?: boolean
  /**
   * Extra work for an idle sandbox, done only if it pays off. `begun`: no commits at the moment, so datasets may
   * be rewritten and indexed. `lasting`: old versions have no readers left, so they may be pruned too.
   */
  readonly idle?: 'begun' | 'lasting'
  /** The datasets to compact. Defaults to all. */
  readonly kinds?: readonly Kind[]
  /** Called between steps, to yield to other work. */
  readonly yieldIfDue?: () => Promise<void> | undefined
}

/** Functions that re-encrypt rows. They must not change ids. */
export interface ReencryptedRows {
  records(row: RecordRow): RecordRow
  entities(row: EntityRow): EntityRow
  links(row: LinkRow): LinkRow
}

/** Numbers of live records, entities and links. */
export interface KnowledgeCounts {
  records: number
  entities: number
  links: number
}

/** Kinds of segments: parts of index snapshots, which can be rebuilt, and durable parts of uploads and originals. */
export type SegmentKind = 'graph' | 'imports' | 'originals'

/**
 * The stored data of one sandbox. Every call takes the head that it reads or extends. The caller stores the head in SQL
 * and moves it under the sandbox's lease. Reads throw HeadGone if the head is no longer stored.
 */
export interface SandboxStore {
  /** Appends the changes to the head, durably. Returns the head to move to. Throws Fenced. */
  commit(head: Head, changes: Changes): Promise<Head>
  /** Yields the newest row of each id after commit `seq`, in columns. Omits tombstones if `seq` is 0. */
  readSince(head: Head, seq: number, options?: { vectors: boolean }): AsyncGenerator<GraphColumns>
  /** Returns the records with these row numbers of `readSince`, by id. Faster than `recordsById`. */
  recordsAt(head: Head, rows: readonly number[]): Promise<Map<string, RecordText>>
  /** Returns the newest live version of each record. Scans the ids: with row numbers, use `recordsAt`. */
  recordsById(head: Head, ids: readonly string[]): Promise<Map<string, RecordText>>
  /** Returns the bytes of the records' vectors by record id. `rows` maps record ids to row numbers of `readSince`. */
  vectorsAt(head: Head, rows: ReadonlyMap<string, number>): Promise<Map<string, Uint8Array>>
  /** Returns the vectors of these record versions, of any vector space. Scans the ids. */
  vectorsOf(head: Head, records: readonly Pick<RecordText, 'id' | 'seq'>[]): Promise<VectorRow[]>
  /** Returns the entities with these row numbers of `readSince`, by id. */
  entitiesAt(head: Head, rows: readonly number[]): Promise<Map<string, Stored<EntityRow>>>
  /** Returns the newest live version of each entity. */
  entitiesById(head: Head, ids: readonly string[]): Promise<Map<string, Stored<EntityRow>>>
  /** Returns the newest live links whose subject or object is one of the entities. */
  linksOf(head: Head, entityIds: readonly string[]): Promise<Stored<LinkRow>[]>
  /** Returns the newest live links of the records. */
  linksOfRecords(head: Head, recordIds: readonly string[]): Promise<Stored<LinkRow>[]>
  /** Yields all newest live rows of a kind, in batches of at most `batchRows`. */
  scanRecords(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<RecordRow>[]>
  scanEntities(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<EntityRow>[]>
  scanLinks(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<LinkRow>[]>
  /** Compacts the datasets, about every hundred commits. Runs under the lease. Returns the next head. Throws Fenced. */
  compact(head: Head, options?: CompactionOptions): Promise<Head>
  /**
   * Copies the current rows at the head to new datasets, for an erasure. Runs under the lease. The caller moves the
   * head to the returned one. After that, `sweep` deletes the old datasets with all removed data.
   */
  purge(head: Head, reencrypted?: ReencryptedRows): Promise<Head>
  /** Deletes datasets of generations before the head's, without the lease. Returns the number of deleted files. */
  sweep(head: Head): Promise<number>
  /** Stores a segment under a name of letters, digits, _ and -. */
  writeSegment(kind: SegmentKind, name: string, bytes: Uint8Array): Promise<void>
  /** Returns the segment with this name. Undefined if there is none. */
  readSegment(kind: SegmentKind, name: string): Promise<Uint8Array | undefined>
  /** Deletes the segments whose names `isUseless` accepts. */
  removeSegments(kind: SegmentKind, isUseless: (name: string) => boolean): Promise<void>
  /** Returns the numbers of rows in the datasets at the head, including superseded ones. Reads no row. */
  countRows(head: Head): Promise<Pick<KnowledgeCounts, 'records' | 'entities'>>
  /** Counts the live data at the head. Reads no content. */
  count(head: Head): Promise<KnowledgeCounts>
  /** Finds the newest complete stored state, for a head that may be out of date. Reads everything. */
  findNewest(head: Head, isContent: IsContent): Promise<NewestStored>
  /** Returns the ids of a source's live records that were committed up to `seq`. */
  recordIdsOf(head: Head, sourceId: string, seq: number): Promise<string[]>
}

/** Root of a storage: a local folder, or `s3://bucket/prefix` with the store's options. */
export interface StorageRoot {
  readonly uri: string
  readonly options?: Readonly<Record<string, string>>
  /** HTTP client for object store calls that the backend lacks. Defaults to the global fetch. */
  readonly fetch?: typeof globalThis.fetch
}

/** A sandbox's folder on the local disk, by its path segments. */
export interface SandboxLocation {
  /** The account's path segment: its id, or a hash if the id has other characters than letters, digits, _ and -. */
  account: string
  sandboxId: string
}

/** The storage backend for all sandboxes. The caller stores the heads in SQL. */
export interface Stores {
  /** Returns the store of a sandbox, in the platform's storage or a customer's own. It holds no resources. */
  open(userId: string, sandboxId: string, root?: StorageRoot): SandboxStore
  /** Drops open resources of the sandbox, so that the next call reconnects. */
  reopen(userId: string, sandboxId: string, root?: StorageRoot): void
  /** Deletes everything that the sandbox ever stored. Returns the number of deleted files or objects. */
  erase(userId: string, sandboxId: string, root?: StorageRoot): Promise<number>
  /** Stores or replaces a small note in the platform's storage. The name has letters, digits, _ and -. */
  writeNote(name: string, bytes: Uint8Array): Promise<void>
  /** Yields the content of all notes. */
  readNotes(): AsyncGenerator<Uint8Array>
  /** Deletes the note with this name, if any. */
  removeNote(name: string): Promise<void>
  /** Lists the sandboxes with a folder on the local disk, including unknown ones. */
  listLocal(): Promise<SandboxLocation[]>
  /** Returns true if a folder belongs to the account. */
  isOfAccount(place: SandboxLocation, userId: string): boolean
  /** Deletes a folder that belongs to no sandbox. No file in it may be open. Returns the number of deleted files. */
  eraseLocal(place: SandboxLocation): Promise<number>
  /** Returns circuit breaker counts of object stores, by kind of bucket because there may be very many tenants. */
  breakers(): BreakerCounts[]
  /** Fails all current and future calls to object stores with `storage_unavailable`. */
  abort(): void
  /** Closes everything. Stores opened here must not be used afterwards. */
  close(): void
}

/** Thrown if the head of a read is no longer stored. Retry at the current head. Clients get `storage_unavailable`. */
export class HeadGone extends Fault {
  override readonly name = 'HeadGone'

  constructor(message: string, { cause }: { cause?: unknown } = {}) {
    super('storage_unavailable', { note: message, cause })
  }
}

/** Thrown if another writer keeps changing the dataset. This process must have lost the sandbox's lease. */
export class Fenced extends Error {
  override name = 'Fenced'
}

/** Returns true if content has the right form: ciphertext with a customer-managed key, or plaintext without one. */
export type IsContent = (content: Uint8Array) => boolean

/** The stored data of a sandbox, independent of its head. */
export interface NewestStored {
  /** The newest complete state. This is the head itself if it names that state. Undefined if no state is complete. */
  readonly head: Head | undefined
  /** True if there is no dataset. */
  readonly isEmpty: boolean
  /** Number of live records. */
  readonly records: number
  /** Commit of the newest row, if the state differs from the head's. */
  readonly storedSeq?: number
  /** Descriptions of unreadable or omitted data. */
  readonly notes: readonly string[]
  /** Restores the names of broken manifests. Their datasets can no longer be opened after that. */
  restoreNames(): Promise<void>
}

/** Owners of the bucket that stores a sandbox: the platform, or the customer. */
export const BUCKETS = ['platform', 'own'] as const

/** Circuit breaker counts for one kind of bucket. There is one breaker per sandbox folder. */
export interface BreakerCounts {
  bucket: (typeof BUCKETS)[number]
  open: number
  /** Number of times that a breaker opened since the process started. */
  opened: number
}
