import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from './json-object.ts'
import type { SandboxRow } from './sandbox-tables.ts'

/** A source of a sandbox's records, with the state of its polling. */
export interface SourceTable extends SandboxRow {
  id: string
  provider: string
  name: string
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual'
  status: Generated<'active' | 'paused' | 'disconnected' | 'error' | 'archived'>
  kind: Generated<'durable' | 'ephemeral'>
  external_account_id: string | null
  adapter_config: Generated<JsonObject>
  poll_interval_seconds: number | null
  webhook_slug: string | null
  last_sync_at: Date | null
  last_seen_at: Date | null
  created_at: Date
  updated_at: Date
  /** Version for `If-Match`, from 1. Incremented by each change of a user. */
  version: Generated<number>
  /** References to the provider's credential and signing secret in the secret store. */
  credential_ref: string | null
  signing_secret_ref: string | null
  /** True if the credential is also encrypted under the sandbox's customer-managed key. */
  credential_under_key: Generated<boolean>
  /** Time of the next poll. In polling mode, null means immediately. */
  next_poll_at: Date | null
  /** Cursor, in the connector's own format. */
  poll_cursor: JsonObject | null
  /** The process that polls it, with its lease. The epoch increments with each new process. */
  poll_owner: string | null
  poll_epoch: Generated<number>
  poll_until: Date | null
  /** The job of the pending or running pull. */
  poll_job_id: string | null
  /** If a user requested a pull, the time from which it reads again. */
  poll_since: Date | null
  /** Number of consecutive failed pulls. */
  poll_failures: Generated<number>
  /** Error of the latest pull. Null if it succeeded. */
  last_error: string | null
  /** Approved definition of each tool of a tool server, and whether it has changed since. */
  tool_pins: JsonObject | null
}

/** A webhook secret of a source. Only its SHA-256 is stored. */
export interface SourceSecretTable extends SandboxRow {
  source_id: string
  hash: Buffer
  created_at: Date
  expires_at: Date | null
}

/** The slug and a secret of a deleted source. */
export interface SourceTombstoneTable extends SandboxRow {
  source_id: string
  webhook_slug: string
  hash: Buffer
  deleted_at: Date
}

/** A pending OAuth consent. Its verifier, URL, metadata and tokens are in the secret store. */
export interface OAuthFlowTable extends SandboxRow {
  source_id: string
  state_hash: Buffer
  /** `pending`: waits for the browser. `confirming`: waits for the code that the browser shows. */
  phase: Generated<'pending' | 'confirming'>
  issuer: string
  scopes: string
  /** The account that started it, and the credential used. */
  started_by: string
  credential_id: string
  /** HMAC of the confirmation code. */
  code_hash: Buffer | null
  wrong_codes: Generated<number>
  created_at: Date
  expires_at: Date
}

/** A client that an authorization server registered for one sandbox. Its credentials are in the secret store. */
export interface OAuthClientTable extends SandboxRow {
  /** Digest of the issuer and the redirect URI. */
  id: string
  issuer: string
  redirect_uri: string
  registered_at: Date
}

/** The OAuth grant of a source. Its tokens are in the secret store. */
export interface OAuthGrantTable extends SandboxRow {
  source_id: string
  state: Generated<'authorized' | 'needs_scopes' | 'ended'>
  /** Error code that ended the grant. */
  reason: string | null
  issuer: string | null
  resource: string | null
  /** The granted scopes, and further scopes that the server requires, separated by spaces. */
  scopes: Generated<string>
  missing_scopes: Generated<string>
  refreshable: Generated<boolean>
  authorized_by: string | null
  /** Null if the token's lifetime is unknown. */
  expires_at: Date | null
  refresh_at: Date | null
  /** Increments with each stored token. */
  generation: Generated<number>
  /** The process that refreshes the token. Without an owner, the next retry waits until `lease_until`. */
  lease_owner: string | null
  lease_until: Date | null
  updated_at: Date
}

/** A webhook delivery of the last seven days: digests of its event id and body, and its outcome. */
export interface DeliveryTable extends SandboxRow {
  source_id: string
  event_hash: string
  body_hash: string
  record_count: number
  received_at: Date
  /** Null for deliveries that were stored before this column existed. */
  id: string | null
  /** Id of the inbox row that holds its records until they are applied. Null without records. */
  inbox_id: number | null
  /** Null if its records are queued or were stored. */
  fate: 'unchanged' | 'ignored' | 'failed' | null
  /** Reason code if it was ignored, failed or was stored unparsed. */
  reason: string | null
}

/** Result of reading one file of an import. */
export interface ImportFileTable extends SandboxRow {
  /** Increases in order of arrival. */
  id: GeneratedAlways<number>
  job_id: string
  source_id: string
  /** The project of the import, if any. */
  project_id: string | null
  /** A hash of the path, which identifies the file. */
  path_key: number
  /** Null if the path is in `sealed`, encrypted under a customer-managed key. */
  path: string | null
  sealed: Buffer | null
  /** Reason code if it was not read, or only partly. */
  reason: string | null
  /** Number of its records, and of those that were unchanged. */
  records: Generated<number>
  unchanged: Generated<number>
  noted_at: Date
}

/** The upload of an accepted import. The row exists until the job is done. */
export interface ImportUploadTable extends SandboxRow {
  job_id: string
  /** Null until it is known, and for an upload that names its sources itself. */
  source_id: string | null
  /** The sender and the credential used. */
  actor_id: string
  credential: JsonObject
  state: Generated<'storing' | 'stored' | 'over'>
  /** The upload's key, encrypted with the customer-managed key. Null in a sandbox without one. */
  key_box: Buffer | null
  /** Parameters for reading the upload, encrypted with the upload's key. */
  manifest: Buffer
  bytes: number
  owner: string | null
  /** Increments with each process that takes over the upload. */
  epoch: Generated<number>
  lease_until: Date | null
  not_before: Date
  /** Number of failed attempts to read the upload. Crashes count in the job. */
  failures: Generated<number>
  created_at: Date
}

export interface OriginalTable extends SandboxRow {
  id: string
  source_id: string
  /** The project of its import. Only records of this project are linked to it. */
  project_id: string | null
  /** Digest of source, path and content, keyed if the sandbox has a customer-managed key. */
  digest: Buffer
  /** Its encryption key, in encrypted form. Null once it is marked for removal (`over`). */
  key_box: Buffer | null
  /** Its path and media type, encrypted with its key. */
  manifest: Buffer
  bytes: number
  state: Generated<'storing' | 'stored' | 'over'>
  /** True while a record refers to it. */
  has_records: Generated<boolean>
  created_at: Date
}

export interface OriginalRecordTable extends SandboxRow {
  record_id: string
  original_id: string
}
