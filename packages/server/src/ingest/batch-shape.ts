import type { KnownEntities, Merge } from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import type { EntityRow, LinkRow, RecordRow } from '../store/port.ts'
import type { RecordToStore } from '../store/record-row.ts'
import type { WaitingRecord } from './inbox.ts'

/** A record from the inbox. */
export interface IncomingRecord extends WaitingRecord, RecordToStore {
  /** The project that its sender is limited to. It cannot replace records outside the project. */
  within?: string
}

/** A stored record without its text analysis, which is not needed for replacing it. */
export type StoredRecord = Omit<RecordRow, 'analysis'>

/** A tombstone. It identifies a record that a user or its source deleted, in case it arrives again. */
export interface DeletedMark {
  recordId: string
  /** Digest of its last content. Null if the source reported the deletion. */
  digest: number | null
  /** Time of that version at the source. If the source reported the deletion, it is the time of the deletion. */
  asOf: string | null
  /** Time of the deleted record's event. */
  occurredAt: string | null
}

/** A deletion that a source reported and for which a mark is stored. */
export interface SourceDeletion {
  /** Id of the stored record or of its existing tombstone, otherwise a new id for a record that was never stored. */
  recordId: string
  sourceId: string | null
  externalId: string
  /** Time of the deletion. Versions with this time or an earlier one are rejected. */
  asOf: string
}

/** The tombstones that a batch needs, by the hash of the record's source and external id. */
export type DeletedMarks = ReadonlyMap<number, DeletedMark>

/** The parts of the sandbox's state at its head that are needed to build a batch. */
export interface BatchContext {
  hash: KeyHash
  known: KnownEntities
  /** Returns the stored version with a record key (`recordKey`). */
  stored(key: string): StoredRecord | undefined
  /** Returns the number of live records at the head that declare the key. */
  supporters(key: number): number
  newRecordId(): string
  newEntityId(): string
  /** Growth that the limits still allow. */
  quota: StorageQuota
  /** Tombstones of records in the batch. */
  marks: DeletedMarks
  /** Sources of the projects to which senders of the batch are limited. */
  links: ProjectLinks
}

/** Growth in records and in bytes of content that the limits still allow; null for no limit. */
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
  /** Records that equal the stored version or an earlier record in the batch. */
  unchanged: Set<IncomingRecord>
  /** Record id of each stored record. */
  ids: Map<IncomingRecord, string>
  /** Ids of deleted records that are stored again, because their source has sent different content since. */
  restored: string[]
  /** Deletions that sources reported. */
  deletions: SourceDeletion[]
  /** Ids of records that a user deleted and whose source sent the same content again. They are rejected. */
  stillDeleted: string[]
  /** True if the batch added or removed entities that take part in record linkage. */
  hasComparable: boolean
}

/** Reason for rejecting a record: the quota is used up, or it would replace one outside its sender's project. */
export type Refusal = 'quota_exceeded' | 'outside_project'

/** Links between sources and projects, as keys (`linkKey`). */
export type ProjectLinks = ReadonlySet<string>
