import type { Generated } from 'kysely'
import type { JsonObject } from './json-object.ts'

/** The columns of a row that belongs to a sandbox. */
export interface SandboxRow {
  user_id: string
  sandbox_id: string
}

/** Tables of sandboxes: merges, changes, answers, evaluations, webhooks, erasures and secrets. */
export interface SandboxTables {
  merge_ledger: MergeLedgerTable
  merge_suggestion: MergeSuggestionTable
  change: ChangeTable
  answer: AnswerTable
  answer_record: AnswerRecordTable
  answer_feedback: AnswerFeedbackTable
  evaluation: EvaluationTable
  evaluation_question: EvaluationQuestionTable
  evaluation_record: EvaluationRecordTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  erasure: ErasureTable
  erased: ErasedTable
  deleted_record: DeletedRecordTable
  sealed_secret: SealedSecretTable
  data_key: DataKeyTable
  master_key: MasterKeyTable
}

/** A pending erasure of a sandbox, a source's data or a record. The row is deleted once no byte is left. */
interface ErasureTable extends SandboxRow {
  id: string
  source_id: string | null
  record_id: string | null
  up_to_seq: number | null
  /** Bucket of a deleted sandbox. Its credentials stay in the secret store until this row is deleted. */
  storage: JsonObject | null
  counts: JsonObject
  requested_at: Generated<Date>
  not_before: Generated<Date>
  erased_at: Date | null
  scrubbed_at: Date | null
}

/** An erased sandbox or record, or a source's data erased up to a commit. Contains no content. */
interface ErasedTable extends SandboxRow {
  id: string
  source_id: string | null
  /** True if the source itself was deleted too. */
  is_source_gone: Generated<boolean>
  record_id: string | null
  /** The record's row of `deleted_record`. */
  mark: JsonObject | null
  /** Last commit whose data is erased. Null until it is determined. */
  up_to_seq: number | null
  erased_at: Generated<Date>
}

/** A record deleted by a user or its source: hashes of its identity and, if a user deleted it, of its content. */
interface DeletedRecordTable extends SandboxRow {
  record_id: string
  source_id: string | null
  record_key: number
  /** Null for a deletion reported by the source. */
  digest: number | null
  /** Time of the deleted version at its source. If the source reported the deletion, the time of the deletion. */
  as_of: string | null
  /** Event time from the record's content. */
  occurred_at: string | null
  /** The inputs of the hashes, encrypted under the customer-managed key. Null in a sandbox without one. */
  sealed: Buffer | null
  deleted_at: Date
}

/** The changes of a commit, as ids (`store/changes.ts`). */
interface ChangeTable extends SandboxRow {
  seq: number
  committed_at: Date
  changes: JsonObject
}

interface AnswerTable extends SandboxRow {
  id: string
  /** The account that asked. */
  asker_id: string
  project_id: string | null
  outcome: string
  shared_at: Date | null
  /** The question and the answer, encrypted if the sandbox has a customer-managed key. */
  content: Buffer
  created_at: Date
}

/** A record that an answer cites, or that was retrieved for it. */
interface AnswerRecordTable extends SandboxRow {
  answer_id: string
  record_id: string
  /** Retrieval rank from 1. 0 for a cited record that was not retrieved. */
  rank: number
  is_cited: boolean
}

/** One account's feedback on an answer. */
interface AnswerFeedbackTable extends SandboxRow {
  answer_id: string
  person_id: string
  id: string
  verdict: string
  /** The note and the expected records, encrypted like the answer. */
  content: Buffer
  created_at: Date
}

/** A background evaluation of questions. Its job has the same id. */
interface EvaluationTable extends SandboxRow {
  job_id: string
  /** The account that started it, and the credential used. They determine the access scope of the questions. */
  asker_id: string
  credential: JsonObject
  project_id: string | null
  settings: JsonObject
  questions: number
  /** Models that write and grade the answers. */
  writer: string | null
  judge: string | null
  /** The process that runs it, and the end of that process's lease. */
  owner: string | null
  lease_until: Date | null
  /** Earliest time of its next step. Null once it has ended. */
  not_before: Date | null
  failures: Generated<number>
  created_at: Date
}

interface EvaluationQuestionTable extends SandboxRow {
  job_id: string
  position: number
  /** Null until the question has been asked and graded. */
  grade: string | null
  statements: Generated<number>
  unsupported: Generated<number>
  /** The question and its answer, encrypted like an answer. */
  content: Buffer
}

/** A record that a question of an evaluation expects, or that its answer cites. */
interface EvaluationRecordTable extends SandboxRow {
  job_id: string
  position: number
  record_id: string
}

/** An endpoint that receives a sandbox's changes, with the state of its deliveries. */
interface WebhookTable extends SandboxRow {
  id: string
  url: string
  description: string | null
  /** Subscribed event types, separated by commas. */
  events: string
  status: Generated<'active' | 'paused' | 'disabled'>
  disabled_reason: 'failing' | 'gone' | null
  /** End of the period in which messages are also signed with the previous secret. */
  previous_secret_until: Date | null
  /** The first undelivered change: its commit, and its position in the commit. */
  next_seq: number
  next_at: Generated<number>
  /** The message in progress, and the first change after it. Null if there is none. */
  message_id: string | null
  message_seq: number | null
  message_at: number | null
  /** Number of consecutive failed attempts, and the time of the first. */
  failures: Generated<number>
  failing_since: Date | null
  last_error: string | null
  last_attempt_at: Date | null
  last_delivered_at: Date | null
  /** Time of the next attempt. Null if there is nothing to send until the next change. */
  next_attempt_at: Date | null
  /** The process that sends to it, with its lease. The epoch increments with each new process. */
  lease_owner: string | null
  lease_epoch: Generated<number>
  lease_until: Date | null
  created_at: Date
  updated_at: Date
}

/** One attempt to send a message, without its content. */
interface WebhookDeliveryTable extends SandboxRow {
  webhook_id: string
  id: string
  message_id: string
  attempted_at: Date
  /** HTTP status of the response. Null if there was none. */
  status_code: number | null
  /** Reason of the failure. Null if it was delivered. */
  reason: string | null
  change_count: number
  duration_ms: number
}

/** One merge of two entities, with its evidence. Undone if `undone_at` is set. */
interface MergeLedgerTable extends SandboxRow {
  id: string
  from_entity: string
  into_entity: string
  evidence: Generated<JsonObject>
  merged_at: Date
  undone_at: Date | null
  kind: Generated<'identifier' | 'name' | 'alike' | 'person' | 'split'>
  /** The user who decided. Null for an automatic merge. */
  actor_user_id: string | null
  undone_by: string | null
}

/** A pair of entities that may be the same, by the ids of the compared parts, with a user's decision. */
interface MergeSuggestionTable extends SandboxRow {
  id: string
  one_part: string
  other_part: string
  likelihood: number
  evidence: Generated<JsonObject>
  state: Generated<'open' | 'accepted' | 'dismissed'>
  suggested_at: Date
  decided_at: Date | null
  decided_by: string | null
  /** The merge that resulted from acceptance. */
  merge_id: string | null
}

/** A secret in recoverable form, encrypted under the data key of its account. */
interface SealedSecretTable extends SandboxRow {
  ref: string
  /** Empty if a vault stores the secret. */
  sealed: Buffer
  sealed_at: Date
  /** Version of the secret in the vault. 0 if it was removed. Null if the secret is stored here. */
  vault_version: number | null
  /** True if the vault has only this version under the reference. */
  vault_settled: Generated<boolean>
}

/** An account's data key, encrypted under the master key with this fingerprint. */
interface DataKeyTable {
  user_id: string
  wrapped: Buffer
  fingerprint: Buffer
  wrapped_at: Date
}

/** Fingerprint of the master key that encrypts the data keys. The table has one row. */
interface MasterKeyTable {
  is_only: Generated<boolean>
  fingerprint: Buffer
  noted_at: Date
}
