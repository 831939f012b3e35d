import { Fault } from '../base/fault.ts'
import type { Head } from '../db/head.ts'
import type { BreakerCounts } from './breakers.ts'
import type { IsContent, NewestStored } from './newest-stored.ts'

/** One version of a record as it is committed; a row with `live` false removes the record. */
export interface RecordRow {
  readonly id: string
  readonly live: boolean
  readonly sourceId: string | null
  readonly projectId: string | null
  readonly type: string
  readonly occurredAtMs: number | null
  /** 52-bit hash of source and external id. */
  readonly externalKey: number
  readonly tie: number
  /** JSON of the record, or its ciphertext. */
  readonly content: Uint8Array
  readonly analysis: Uint8Array
}

/** One version of an entity as it is committed; a row with `live` false removes the entity. */
export interface EntityRow {
  readonly id: string
  readonly live: boolean
  readonly type: string
  readonly mergedInto: string | null
  readonly keys: readonly number[]
  readonly content: Uint8Array
}

/** One version of a link; an id keeps its record, also in the row (`live` false) that removes it. */
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

/**
 * The vectors of one version of a record. The row counts while that version is the record's, so that whatever replaces
 * or removes a record takes its vectors along.
 */
export interface VectorRow {
  /** The record's. */
  readonly id: string
  readonly live: true
  /** The seq of the record's version. */
  readonly recordSeq: number
  /** 52-bit hash of the model and of what it was given. */
  readonly space: number
  /** The signs of `vector`, a bit each, in whole 32-bit words for each passage. */
  readonly code: Uint8Array
  /** A signed byte for each dimension, one passage after the other; empty where the model could read nothing. */
  readonly vector: Uint8Array
}

/** What one commit appends; every row gets the next seq. */
export interface Changes {
  readonly records: readonly RecordRow[]
  readonly entities: readonly EntityRow[]
  readonly links: readonly LinkRow[]
  readonly vectors?: readonly VectorRow[]
}

/** A row as it is stored. */
export type Stored<Row> = Row & { readonly seq: number }

/** A stored record without its analysis: what a brief shows. */
export type RecordText = Omit<Stored<RecordRow>, 'analysis'>

/** A batch of records in columns, for the graph: everything but the content. */
export interface RecordColumns {
  readonly kind: 'records'
  readonly count: number
  /** The number under which `recordsAt` reads the row, until a later read yields the row again. */
  readonly rows: Float64Array
  readonly ids: readonly string[]
  readonly seqs: Float64Array
  /** 1 where upkeep gave the row another number, and nothing else is new in it. */
  readonly moved: Uint8Array
  readonly live: Uint8Array
  readonly sourceIds: readonly (string | null)[]
  readonly projectIds: readonly (string | null)[]
  readonly types: readonly string[]
  /** NaN where the time is not known. */
  readonly occurredAtMs: Float64Array
  readonly externalKeys: Float64Array
  readonly ties: Float64Array
  readonly analyses: readonly Uint8Array[]
}

/** A batch of entities in columns, for the graph: everything but the content. */
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

/** A batch of vectors in columns, for the graph: everything but the vectors themselves. */
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

/** Rows that upkeep gave other numbers, when there are many: nothing else is new in them, and nothing else is read. */
export interface MovedColumns {
  readonly kind: 'moved'
  readonly of: 'records' | 'entities'
  readonly count: number
  readonly rows: Float64Array
  readonly ids: readonly string[]
}

/** A batch of rows of any dataset that the graph is built from. */
export type GraphColumns = RecordColumns | EntityColumns | VectorColumns | MovedColumns

/** The datasets of a sandbox; most have no vectors. */
export const KINDS = ['records', 'entities', 'links', 'vectors'] as const
/** One of the datasets. */
export type Kind = (typeof KINDS)[number]

/** What upkeep keeps. */
export interface UpkeepOptions {
  /** Versions younger than this stay readable: longer than the longest request. */
  readonly retainMs?: number
  /** The head's own version and those this much older stay too. */
  readonly clockSlackMs?: number
  /** Tombstones of the last commits stay, so that an index so far behind catches up without a rebuild. */
  readonly keepTombstonesOfCommits?: number
  /** Prunes however little there is to gain: for what was taken away and is not to stay in old versions. */
  readonly isPruneForced?: boolean
  /**
   * Nobody writes at the moment, or has for so long that the old versions have superseded their readers: rewrites and
   * indexes, or prunes too, what a busy dataset would soon leave again, where that gains more than it costs.
   */
  readonly rest?: 'begun' | 'lasting'
  /** The datasets to tidy; all of them when omitted. */
  readonly kinds?: readonly Kind[]
  /** Called between steps of work that nobody waits for. */
  readonly breathe?: () => Promise<void> | undefined
}

/** What becomes of each row that is copied: it keeps its id. */
export interface ResealedRows {
  records(row: RecordRow): RecordRow
  entities(row: EntityRow): EntityRow
  links(row: LinkRow): LinkRow
}

/** How much a sandbox knows. */
export interface KnowledgeCounts {
  records: number
  entities: number
  links: number
}

/**
 * The stored knowledge of one sandbox. Every call takes the head that it reads or builds on; the caller keeps the head
 * in SQL and moves it under the sandbox's lease. Reads throw HeadGone when the head is no longer stored.
 */
export interface SandboxStore {
  /** Appends the changes on the head, durable, and returns the head to move to. Throws Fenced. */
  commit(head: Head, changes: Changes): Promise<Head>
  /** Yields what is newer than `seq` in columns: with 0 all live rows, else removed ones too; each id at most once. */
  readSince(head: Head, seq: number, wants?: { vectors: boolean }): AsyncGenerator<GraphColumns>
  /** The records under these row numbers of `readSince`, by id: the fast way. */
  recordsAt(head: Head, rows: readonly number[]): Promise<Map<string, RecordText>>
  /** The newest live version of each record; scans the ids, so it is for callers without row numbers. */
  recordsById(head: Head, ids: readonly string[]): Promise<Map<string, RecordText>>
  /** The bytes of records' vectors, by record, whose row numbers of `readSince` are given. */
  vectorsAt(head: Head, rows: ReadonlyMap<string, number>): Promise<Map<string, Uint8Array>>
  /** The vectors of these versions of records, of whatever space; scans the ids. */
  vectorsOf(head: Head, records: readonly Pick<RecordText, 'id' | 'seq'>[]): Promise<VectorRow[]>
  /** The entities under these row numbers of `readSince`, by id. */
  entitiesAt(head: Head, rows: readonly number[]): Promise<Map<string, Stored<EntityRow>>>
  /** The newest live version of each entity. */
  entitiesById(head: Head, ids: readonly string[]): Promise<Map<string, Stored<EntityRow>>>
  /** The newest live links that have one of the entities at an end. */
  linksOf(head: Head, entityIds: readonly string[]): Promise<Stored<LinkRow>[]>
  /** The newest live links of the records. */
  linksOfRecords(head: Head, recordIds: readonly string[]): Promise<Stored<LinkRow>[]>
  /** All newest live rows of a kind, in batches of at most `batchRows`. */
  scanRecords(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<RecordRow>[]>
  scanEntities(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<EntityRow>[]>
  scanLinks(head: Head, options: { batchRows: number }): AsyncGenerator<Stored<LinkRow>[]>
  /** Runs maintenance after commits, about every hundred. Runs under the lease and returns the next head. */
  upkeep(head: Head, options?: UpkeepOptions): Promise<Head>
  /**
   * Copies what counts at the head into datasets that hold nothing else, for an erasure. Runs under the lease; once
   * the caller moved the head to the returned one, `sweep` removes the old datasets with every byte that was removed.
   */
  purge(head: Head, anew?: ResealedRows): Promise<Head>
  /**
   * Removes datasets of generations before the head's; safe at any time, whoever holds the lease. Returns the number
   * of files that went.
   */
  sweep(head: Head): Promise<number>
  /** Stores a segment of the graph under a name of letters, digits, _ and -. A lost segment is rebuilt. */
  keepPiece(name: string, bytes: Uint8Array): Promise<void>
  /** Returns the segment with this name. Undefined if there is none. */
  readPiece(name: string): Promise<Uint8Array | undefined>
  /** Removes segments that are no longer needed. */
  removePieces(isUseless: (name: string) => boolean): Promise<void>
  /** Stores a part of an upload, named like a segment. It survives a power loss, and no commit removes it. */
  keepUploadPart(name: string, bytes: Uint8Array): Promise<void>
  /** Returns the upload part with this name. Undefined if there is none. */
  readUploadPart(name: string): Promise<Uint8Array | undefined>
  /** Removes upload parts that are no longer needed. */
  removeUploadParts(isUseless: (name: string) => boolean): Promise<void>
  /** How many rows stand in the datasets at the head, those that count no more among them; reads no row. */
  countRows(head: Head): Promise<Pick<KnowledgeCounts, 'records' | 'entities'>>
  /** How much the head holds, told from ids alone. */
  count(head: Head): Promise<KnowledgeCounts>
  /** The newest state that is stored whole, for a head that may be of another time; reads everything. */
  findNewest(head: Head, isContent: IsContent): Promise<NewestStored>
  /** Ids of the live records of a source that were committed up to `seq`. */
  recordIdsOf(head: Head, sourceId: string, seq: number): Promise<string[]>
}

/** Where sandboxes are kept: a local folder, or `s3://bucket/prefix` with the options that the store takes for it. */
export interface StorageRoot {
  readonly uri: string
  readonly options?: Readonly<Record<string, string>>
  /** What the object store is called with where the backend has no call; the global one when omitted. */
  readonly fetch?: typeof globalThis.fetch
}

/** A sandbox's folder on the local disk, by the names that it has there. */
export interface LocalPlace {
  /** The account's part of the path, from which it cannot be told who an odd one is. */
  account: string
  sandboxId: string
}

/**
 * The stored knowledge of all sandboxes: what a storage backend implements. What a head names as committed is kept and
 * found again; which head that is, the caller keeps in SQL.
 */
export interface Stores {
  /** The store of one sandbox, in the platform's storage or in a customer's own; it holds nothing open itself. */
  open(userId: string, sandboxId: string, root?: StorageRoot): SandboxStore
  /** Forgets what is open of the sandbox, so that its storage is connected to anew. */
  reopen(userId: string, sandboxId: string, root?: StorageRoot): void
  /** Removes everything that the sandbox ever stored; returns the number of files or objects that went. */
  erase(userId: string, sandboxId: string, root?: StorageRoot): Promise<number>
  /** Keeps a few bytes beside the sandboxes under a name of letters, digits, _ and -, in place of any of that name. */
  keepNote(name: string, bytes: Uint8Array): Promise<void>
  /** The notes that are kept, whole. */
  readNotes(): AsyncGenerator<Uint8Array>
  /** Removes the note of this name, where there is one. */
  removeNote(name: string): Promise<void>
  /** The sandboxes that have a folder on the local disk, whether anyone knows of them or not. */
  listLocal(): Promise<LocalPlace[]>
  /** Whether a folder is one of the account's. */
  isOfAccount(place: LocalPlace, userId: string): boolean
  /** Removes a folder that belongs to no sandbox; nothing of it may be open. */
  eraseLocal(place: LocalPlace): Promise<number>
  /** The breakers of object stores that failed; without tenants, since there may be very many. */
  breakers(): BreakerCounts[]
  /** Fails whatever waits for an object store, and whatever would from now on, as `storage_unavailable`. */
  giveUp(): void
  /** Closes everything; stores opened from here must not be used after it. */
  close(): void
}

/**
 * The head that a reader or upkeep was given is no longer stored. Whoever catches this reads again with the current
 * head; a caller of the API sees `storage_unavailable`.
 */
export class HeadGone extends Fault {
  override readonly name = 'HeadGone'

  constructor(message: string, { cause }: { cause?: unknown } = {}) {
    super('storage_unavailable', { note: message, cause })
  }
}

/** Another writer kept changing the dataset, so this one no longer holds the sandbox's lease. */
export class Fenced extends Error {
  override name = 'Fenced'
}
