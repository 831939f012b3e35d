import type { KnownEntities, Merge, Origin, RecordContent, Thing } from '@cairnstore/engine/resolve'
import type { KeyHash, ReadingName } from '@cairnstore/engine/text'
import type { EntityRow, LinkRow, RecordRow } from '../store/port.ts'

/** A record as it comes out of the inbox. */
export interface IncomingRecord {
  content: RecordContent
  origin: Origin
  projectId: string | null
  /** The record is withdrawn; only its external id counts. */
  deleted: boolean
  /** The time at which its source deleted it, if that differs from the version's time: RFC 3339, UTC. */
  deletedAt?: string
  /** When it happened is not known: it has the time of the stored version, else that at which it came. */
  isTimeAssumed?: true
  /** Ways of reading its text that are left out, as measurements do. */
  without?: readonly ReadingName[]
  /** Its place in what was sent, from 1. */
  line: number
  /** The file of an archive that it came in. */
  file?: string
  /** What it declares (`declaredThings`). */
  things: Thing[]
  /** What its text mentions (`mentionedThings`). */
  mentioned: Thing[]
  /** The project that its bringer is limited to: it takes the place of no record outside it. */
  within?: string
}

/** A stored record; its analysis is not needed to replace it. */
export type StoredRecord = Omit<RecordRow, 'analysis'>

/** A tombstone: identifies a record that a user or its source deleted, in case it arrives again. */
export interface DeletedMark {
  recordId: string
  /** A digest of its last content; null for a deletion that the source reported. */
  digest: number | null
  /** The source's time of that version. For a deletion that the source reported: the time of the deletion. */
  asOf: string | null
  /** When it had happened. */
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

/** The marks that bear on a batch, by the hash of what names each record. */
export type DeletedMarks = ReadonlyMap<number, DeletedMark>

/** What building a batch needs to know about the sandbox at its head. */
export interface BatchContext {
  hash: KeyHash
  known: KnownEntities
  /** The stored version under a record key (`recordKey`). */
  stored(key: string): StoredRecord | undefined
  /** How many live records of the head declare the key. */
  supporters(key: number): number
  newRecordId(): string
  newEntityId(): string
  /** What the sandbox may still grow by. */
  room: Room
  /** Marks of the batch's records that a user or their source deleted. */
  marks: DeletedMarks
  /** The sources of the projects that bringers of the batch are limited to. */
  links: ProjectLinks
}

/** What a sandbox may grow by, in records and in bytes of their content; null is unlimited. */
export interface Room {
  records: number | null
  bytes: number | null
}

/** Everything that one commit writes. */
export interface Batch {
  records: RecordRow[]
  entities: EntityRow[]
  links: LinkRow[]
  merges: Merge[]
  /** The project of the stored version of each record that is replaced or removed, by the record's id. */
  replaced: Map<string, string | null>
  /** Net change of the number of live records. */
  added: number
  /** Net change of the bytes of their content. */
  addedBytes: number
  /** Those that fail alone, and why. */
  refused: Map<IncomingRecord, Refusal>
  /** Those that say what is stored already, or what came before them in the batch. */
  unchanged: Set<IncomingRecord>
  /** What is stored of each, by its id. */
  ids: Map<IncomingRecord, string>
  /** Ids of deleted records that return because their source has sent different content since. */
  returned: string[]
  /** Deletions that sources reported. */
  deletions: SourceDeletion[]
  /** Ids of records that a person deleted and whose source has said the same again, which is not taken. */
  keptOut: string[]
  /** Whether a thing came or went that is compared with others of its type. */
  hasComparable: boolean
}

/** Why a record of a batch is not taken: there is no room for it, or it would reach out of its bringer's project. */
export type Refusal = 'quota_exceeded' | 'outside_project'

/** Which sources are linked to which projects, as keys (`linkKey`). */
export type ProjectLinks = ReadonlySet<string>
