import type { Generated } from 'kysely'
import type { JsonObject } from './json-object.ts'

/** Tables of changes, merges and erasures, of the endpoints that are told, and of sealed secrets. */
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

/** What is to be erased: a sandbox, or what one source fed. It stays until no byte is left. */
interface ErasureTable {
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
interface ErasedTable {
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

/** A record deleted by a user or its source. Hashes its identity and, for a user's deletion, its content. */
interface DeletedRecordTable {
  user_id: string
  sandbox_id: string
  record_id: string
  source_id: string | null
  record_key: number
  /** Null for a deletion reported by the source. */
  digest: number | null
  /** The deleted version's time at its source. For a deletion reported by the source, the time of the deletion. */
  as_of: string | null
  /** When it had happened, as its content told it. */
  occurred_at: string | null
  /** What the hashes are made of, under the sandbox's key; null in a sandbox without one. */
  sealed: Buffer | null
  deleted_at: Date
}

/** What a commit changed of what a sandbox knows, by ids alone (`store/changes.ts`). */
interface ChangeTable {
  user_id: string
  sandbox_id: string
  seq: number
  committed_at: Date
  changes: JsonObject
}

/** An answer that was given. */
interface AnswerTable {
  user_id: string
  sandbox_id: string
  id: string
  /** The account that asked. */
  asker_id: string
  project_id: string | null
  outcome: string
  shared_at: Date | null
  /** The question and the answer, encrypted under the sandbox's caller's key if it has one. */
  content: Buffer
  created_at: Date
}

/** A record that an answer cites, or that was retrieved for it. */
interface AnswerRecordTable {
  user_id: string
  sandbox_id: string
  answer_id: string
  record_id: string
  /** From 1 for the first that was retrieved; 0 for a cited record that was not. */
  rank: number
  is_cited: boolean
}

/** One account's feedback on an answer. */
interface AnswerFeedbackTable {
  user_id: string
  sandbox_id: string
  answer_id: string
  person_id: string
  id: string
  verdict: string
  /** The note and the expected records, encrypted like the answer. */
  content: Buffer
  created_at: Date
}

/** Questions that are asked in the background and graded; its job has the same id. */
interface EvaluationTable {
  user_id: string
  sandbox_id: string
  job_id: string
  /** The account that started it, in whose access scope it asks, with its credential. */
  asker_id: string
  credential: JsonObject
  project_id: string | null
  settings: JsonObject
  questions: number
  /** The model that writes answers, and the one that grades them. */
  writer: string | null
  judge: string | null
  /** The process that asks now, and the end of its lease unless renewed. */
  owner: string | null
  lease_until: Date | null
  /** When it goes on; null once it has ended. */
  not_before: Date | null
  failures: Generated<number>
  created_at: Date
}

/** One question of an evaluation. */
interface EvaluationQuestionTable {
  user_id: string
  sandbox_id: string
  job_id: string
  position: number
  /** Null until it is asked. */
  grade: string | null
  statements: Generated<number>
  unsupported: Generated<number>
  /** The question and its answer, encrypted like an answer. */
  content: Buffer
}

/** A record that an answer of an evaluation cites, or that its question expects. */
interface EvaluationRecordTable {
  user_id: string
  sandbox_id: string
  job_id: string
  position: number
  record_id: string
}

/** An address to which the changes of a sandbox are sent, and its own schedule. */
interface WebhookTable {
  user_id: string
  sandbox_id: string
  id: string
  url: string
  description: string | null
  /** What it is told of, with commas between them. */
  events: string
  status: Generated<'active' | 'paused' | 'disabled'>
  disabled_reason: 'failing' | 'gone' | null
  /** Until when messages are signed with the secret before the present one as well. */
  previous_secret_until: Date | null
  /** The first change that has not arrived: its commit, and its place in it. */
  next_seq: number
  next_at: Generated<number>
  /** The message that is being sent, and the first change after it; null when none is being sent. */
  message_id: string | null
  message_seq: number | null
  message_at: number | null
  /** Attempts that failed one after another, and when the first of them was made. */
  failures: Generated<number>
  failing_since: Date | null
  last_error: string | null
  last_attempt_at: Date | null
  last_delivered_at: Date | null
  /** When the next attempt is made; null: at the next change. */
  next_attempt_at: Date | null
  /** The process that sends to it now, and when its lease ends unless renewed; each holder has an epoch. */
  lease_owner: string | null
  lease_epoch: Generated<number>
  lease_until: Date | null
  created_at: Date
  updated_at: Date
}

/** One attempt to send a message, without what it said. */
interface WebhookDeliveryTable {
  user_id: string
  sandbox_id: string
  webhook_id: string
  id: string
  message_id: string
  attempted_at: Date
  /** What the endpoint answered; null when it did not. */
  status_code: number | null
  /** Why it failed; null when it arrived. */
  reason: string | null
  change_count: number
  duration_ms: number
}

/** One merge of two entities, with its evidence; undone when `undone_at` is set. */
interface MergeLedgerTable {
  user_id: string
  sandbox_id: string
  id: string
  from_entity: string
  into_entity: string
  evidence: Generated<JsonObject>
  merged_at: Date
  undone_at: Date | null
  kind: Generated<'identifier' | 'name' | 'alike' | 'person' | 'split'>
  /** Who decided; null when no person did. */
  actor_user_id: string | null
  undone_by: string | null
}

/** Two entities that may be one, by the parts of them that were compared, and what a person decided about it. */
interface MergeSuggestionTable {
  user_id: string
  sandbox_id: string
  id: string
  one_part: string
  other_part: string
  likelihood: number
  evidence: Generated<JsonObject>
  state: Generated<'open' | 'accepted' | 'dismissed'>
  suggested_at: Date
  decided_at: Date | null
  decided_by: string | null
  /** The merge that accepting it made. */
  merge_id: string | null
}

/** A secret that can be read again, sealed under the data key of its account. */
interface SealedSecretTable {
  user_id: string
  sandbox_id: string
  ref: string
  /** Empty when a vault has it. */
  sealed: Buffer
  sealed_at: Date
  /** Which version of it a vault has; 0 when it was removed. Null: it is sealed here. */
  vault_version: number | null
  /** Whether the vault has nothing else under the reference. */
  vault_settled: Generated<boolean>
}

/** An account's data key, sealed under the master key with this fingerprint. */
interface DataKeyTable {
  user_id: string
  wrapped: Buffer
  fingerprint: Buffer
  wrapped_at: Date
}

/** The one master key that the database is used with. */
interface MasterKeyTable {
  is_only: Generated<boolean>
  fingerprint: Buffer
  noted_at: Date
}
