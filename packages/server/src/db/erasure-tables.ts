import type { Generated } from 'kysely'
import type { JsonObject } from './json-object.ts'

/** What is to be erased: a sandbox, or what one source fed. It stays until no byte is left. */
export interface ErasureTable {
  user_id: string
  id: string
  sandbox_id: string
  source_id: string | null
  record_id: string | null
  up_to_seq: number | null
  /** Where the bucket of a deleted sandbox is; what opens it stays in the secret store until the note goes. */
  storage: JsonObject | null
  counts: JsonObject
  requested_at: Generated<Date>
  not_before: Generated<Date>
  erased_at: Date | null
  scrubbed_at: Date | null
}

/** What was erased, by ids alone: a sandbox, what a source fed up to a commit, or a record. */
export interface ErasedTable {
  user_id: string
  id: string
  sandbox_id: string
  source_id: string | null
  /** The source itself was deleted with what it fed. */
  is_source_gone: Generated<boolean>
  record_id: string | null
  /** The record's row of `deleted_record`. */
  mark: JsonObject | null
  /** The last commit of what went; null where that was not settled yet. */
  up_to_seq: number | null
  erased_at: Generated<Date>
}

/** A record that a person deleted, by hashes of what names it and of what it said. */
export interface DeletedRecordTable {
  user_id: string
  sandbox_id: string
  record_id: string
  source_id: string | null
  record_key: number
  digest: number
  /** The moment of the version that was deleted at its source, as the source told it. */
  as_of: string | null
  /** When it had happened, as its content told it. */
  occurred_at: string | null
  /** What the hashes are made of, under the sandbox's key; null in a sandbox without one. */
  sealed: Buffer | null
  deleted_at: Date
}
