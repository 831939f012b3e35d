import type { Generated, GeneratedAlways } from 'kysely'
import type { JsonObject } from './json-object.ts'

/** An integration that feeds a sandbox, and its own schedule. */
export interface SourceTable {
  user_id: string
  sandbox_id: string
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
  /** How often something that its caller can set has changed, from 1. */
  version: Generated<number>
  /** Where the secret store has what opens the provider, and what the provider signs with. */
  credential_ref: string | null
  signing_secret_ref: string | null
  /** Whether the credential is sealed under the caller's key of its sandbox as well. */
  credential_under_key: Generated<boolean>
  /** When it is read next; null in polling mode means at once. */
  next_poll_at: Date | null
  /** How far it has been read, as its connector says it. */
  poll_cursor: JsonObject | null
  /** Who reads it now, and until when unless they come back; each reader has an epoch. */
  poll_owner: string | null
  poll_epoch: Generated<number>
  poll_until: Date | null
  /** The job of the pull that waits or is under way. */
  poll_job_id: string | null
  /** From when the pull that was asked for shall read again. */
  poll_since: Date | null
  /** Pulls that failed one after another. */
  poll_failures: Generated<number>
  /** Why the latest pull failed; null when it did not. */
  last_error: string | null
  /** For a server of tools: what each of its tools was when it was approved, and whether it is another now. */
  tool_pins: JsonObject | null
}

/** A webhook secret of a source, of which only the sha256 is kept. */
export interface SourceSecretTable {
  user_id: string
  sandbox_id: string
  source_id: string
  hash: Buffer
  created_at: Date
  expires_at: Date | null
}

/** The address and a secret of a source that was deleted. */
export interface SourceTombstoneTable {
  user_id: string
  sandbox_id: string
  source_id: string
  webhook_slug: string
  hash: Buffer
  deleted_at: Date
}

/**
 * A consent under way. Only the digest of its state is stored. The verifier, the URL and the server's metadata, and
 * after the callback the tokens, are in the secret store.
 */
export interface OAuthFlowTable {
  user_id: string
  sandbox_id: string
  source_id: string
  state_hash: Buffer
  /** Waits for the browser, or for the confirmation code that the browser shows. */
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
export interface OAuthClientTable {
  user_id: string
  sandbox_id: string
  /** Digest of the issuer and the redirect URI. */
  id: string
  issuer: string
  redirect_uri: string
  registered_at: Date
}

/** The consent by which a source acts, without its tokens, which are in the secret store. */
export interface OAuthGrantTable {
  user_id: string
  sandbox_id: string
  source_id: string
  state: Generated<'authorized' | 'needs_scopes' | 'ended'>
  /** Why it ended; a code. */
  reason: string | null
  issuer: string | null
  resource: string | null
  /** The granted scopes, and those that the server asked for in addition; separated by spaces. */
  scopes: Generated<string>
  missing_scopes: Generated<string>
  refreshable: Generated<boolean>
  authorized_by: string | null
  /** Null where the token's lifetime is unknown. */
  expires_at: Date | null
  refresh_at: Date | null
  /** Increments with each stored token. */
  generation: Generated<number>
  /** The process that refreshes; with a lease and no owner a failed refresh backs off. */
  lease_owner: string | null
  lease_until: Date | null
  updated_at: Date
}

/** What a provider delivered in the last seven days, by the digests of its id and its body, and what became of it. */
export interface DeliveryTable {
  user_id: string
  sandbox_id: string
  source_id: string
  event_hash: string
  body_hash: string
  record_count: number
  received_at: Date
  /** Null for one that was kept before deliveries had ids. */
  id: string | null
  /** The row of the inbox that holds its records until they are applied; null without records. */
  inbox_id: number | null
  /** Null while its records wait, and once they are written. */
  fate: 'unchanged' | 'ignored' | 'failed' | null
  /** Why it is ignored or has failed, or that it is kept as it came; a code. */
  reason: string | null
}

/** What became of a file of an import. */
export interface ImportFileTable {
  user_id: string
  sandbox_id: string
  /** In the order in which files came. */
  id: GeneratedAlways<number>
  job_id: string
  source_id: string
  /** The project that the import was for, where it was for one. */
  project_id: string | null
  /** A hash of the path, by which the same file is known again. */
  path_key: number
  /** Null under a caller's key, where `sealed` has it. */
  path: string | null
  sealed: Buffer | null
  /** Why it was not read, or not to its end; a code. */
  reason: string | null
  /** Records that came of it, and how many of them said what was stored. */
  records: Generated<number>
  unchanged: Generated<number>
  noted_at: Date
}

/** The upload of an accepted import. The row exists until the job is done. */
export interface ImportUploadTable {
  user_id: string
  sandbox_id: string
  job_id: string
  /** Null until known, and for an upload that itself names its target sources. */
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
  /** Number of failed attempts to read the upload. The job counts crashed processes. */
  failures: Generated<number>
  created_at: Date
}
