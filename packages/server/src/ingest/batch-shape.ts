import type { KnownEntities, Merge } from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import type { EntityRow, LinkRow, RecordRow } from '../store/port.ts'
import type { RecordToStore } from '../store/record-row.ts'
import type { WaitingRecord } from './inbox.ts'

export interface IncomingRecord extends WaitingRecord, RecordToStore {
  /** The project that its sender is limited to. It cannot replace records outside the project. */
  within?: string
}

/** A stored record without its analysis, which is not needed to replace it. */
export type StoredRecord = Omit<RecordRow, 'analysis'>

/** A tombstone: identifies a record that a user or its source deleted, in case it arrives again. */
export interface DeletedMark {
  recordId: string
  /** Digest of its last content. Null if the source reported the deletion. */
  digest: number | null
  /** The source's time of that version. For a deletion that the source reported: the time of the deletion. */
  asOf: string | null
  /** Time of the deleted record's event. */
  occurredAt: string | null
}

/** A deletion that a source reported and for which a mark is stored. */
export interface SourceDeletion {
  /** The id of the stored record or of its existing mark; a new id for a record that was never stored. */
  recordId: string
  sourceId: string | null
  externalId: string
  /** Versions with this time or an earlier one are rejected. */
  asOf: string
}

/** The deletion marks for a batch, by the hash of the record's name. */
export type DeletedMarks = ReadonlyMap<number, DeletedMark>

/** The sandbox's state at its head, as needed to build a batch. */
export interface BatchContext {
  hash: KeyHash
  known: KnownEntities
  /** Returns the stored version with a record key (`recordKey`). */
  stored(key: string): StoredRecord | undefined
  /** Returns the number of live records at the head that declare the key. */
  supporters(key: number): number
  newRecordId(): string
  newEntityId(): string
  /** Remaining growth of the sandbox. */
  quota: StorageQuota
  /** Marks of the batch's records that a user or their source deleted. */
  marks: DeletedMarks
  /** Sources of the projects that senders of the batch are limited to. */
  links: ProjectLinks
}

/** Remaining growth in records and in bytes of content. Null is unlimited. */
export interface StorageQuota {
  records: number | null
  bytes: number | null
}

/** Everything that one commit writes. */
export interface Batch {
  records: RecordRow[]
  entities: EntityRow[]
  links: LinkRow[]
  merges: Merge[]
  /** Project of the stored version of each replaced or removed record, by record id. */
  replaced: Map<string, string | null>
  /** Net change of the number of live records. */
  added: number
  /** Net change of the bytes of their content. */
  addedBytes: number
  /** Rejected records, with the reason. */
  refused: Map<IncomingRecord, Refusal>
  /** Records that equal the stored version or an earlier record of the batch. */
  unchanged: Set<IncomingRecord>
  /** Record id of each stored record. */
  ids: Map<IncomingRecord, string>
  /** Ids of deleted records that return because their source has sent different content since. */
  restored: string[]
  /** Deletions that sources reported. */
  deletions: SourceDeletion[]
  /** Ids of user-deleted records whose source sent the same content again, which is rejected. */
  keptOut: string[]
  /** True if entities that record linkage compares were added or removed. */
  hasComparable: boolean
}

/** Reason for rejecting a record: no quota is left, or it would replace a record outside its sender's project. */
export type Refusal = 'quota_exceeded' | 'outside_project'

/** Links between sources and projects, as keys (`linkKey`). */
export type ProjectLinks = ReadonlySet<string>
