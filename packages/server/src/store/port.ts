import { Fault } from '../base/fault.ts'

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

/**
 * The head that a reader or upkeep was given is no longer stored: read again with the current one. To a caller it is a
 * store that cannot answer at the moment.
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
