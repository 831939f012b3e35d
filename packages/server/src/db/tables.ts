import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { NodeTable, StorageIdTable } from './cluster-tables.ts'
import type { JsonObject } from './json-object.ts'
import type { SandboxTables } from './sandbox-tables.ts'
import type {
  DeliveryTable,
  ImportFileTable,
  ImportUploadTable,
  OAuthClientTable,
  OAuthFlowTable,
  OAuthGrantTable,
  SourceSecretTable,
  SourceTable,
  SourceTombstoneTable,
} from './source-tables.ts'
import type { TeamTables } from './team-tables.ts'

/** The tables of the control plane, column by column as PostgreSQL has them. */
export interface Tables extends SandboxTables, TeamTables {
  account: AccountTable
  api_key: ApiKeyTable
  sandbox: SandboxTable
  sandbox_head: SandboxHeadTable
  connection: ConnectionTable
  source: SourceTable
  source_secret: SourceSecretTable
  project: ProjectTable
  project_source: ProjectSourceTable
  inbox: InboxTable
  job: JobTable
  audit: AuditTable
  audit_cut: AuditCutTable
  idempotency: IdempotencyTable
  admin_idempotency: AdminIdempotencyTable
  delivery: DeliveryTable
  import_file: ImportFileTable
  import_upload: ImportUploadTable
  oauth_client: OAuthClientTable
  oauth_flow: OAuthFlowTable
  oauth_grant: OAuthGrantTable
  rate: RateTable
  account_rate: AccountRateTable
  usage: UsageTable
  model_use: ModelUseTable
  source_tombstone: SourceTombstoneTable
  storage_id: StorageIdTable
  node: NodeTable
}

/** A platform account: the tenant. */
interface AccountTable {
  user_id: string
  display_name: string
  status: Generated<'active' | 'suspended'>
  created_at: Date
  primary_sandbox_id: string | null
  default_project_id: string | null
  /** The account whose member this is; null for an account. */
  member_of: string | null
}

/** An API key, or with `connection_id` a key of that connection; only the sha256 is kept. */
interface ApiKeyTable {
  user_id: string
  id: string
  name: string
  key_prefix: string
  key_hash: Buffer
  connection_id: string | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  use_count: Generated<number>
  sandbox_id: string | null
  /** The member whose key it is; null for a key of the account. */
  member_id: string | null
}

interface SandboxTable {
  user_id: string
  id: string
  owner_id: string
  name: string
  tier: 'free' | 'pro' | 'enterprise'
  status: Generated<'active' | 'suspended' | 'archived'>
  storage_provider_type: 'platform_s3' | 'custom_s3'
  /** Where its own bucket is; null in the platform's storage. */
  storage: JsonObject | null
  metadata: Generated<JsonObject>
  encrypted: Generated<boolean>
  key_fingerprint: string | null
  /** What is kept of the caller's key (`kept-key.ts`); null for a sandbox without one. */
  caller_key: JsonObject | null
  created_at: Date
  updated_at: Date
  /** How often something that its caller can set has changed, from 1. */
  version: Generated<number>
  /** The member who made it and uses it as its owner. */
  member_id: string | null
}

/** The committed versions of a sandbox's datasets, and the lease of its one writer. */
interface SandboxHeadTable {
  user_id: string
  sandbox_id: string
  records_version: Generated<number>
  entities_version: Generated<number>
  links_version: Generated<number>
  vectors_version: Generated<number>
  seq: Generated<number>
  floor_seq: Generated<number>
  graph_image: string | null
  commits_since_upkeep: Generated<number>
  comparable_seq: Generated<number>
  compared_seq: Generated<number>
  /** What the last comparison could not compare; null: it compared everything. */
  comparison_failed: 'part' | 'whole' | null
  /** The last commit of which it is not kept any more what it changed. */
  changes_from: Generated<number>
  /** Up to which commit every record has its vectors, and of which model they are; null: of none. */
  vectored_seq: Generated<number>
  vector_space: number | null
  /** Up to which commit records may be as an older program read them; 0: none are. */
  reread_up_to: Generated<number>
  /** Records of the head, and the bytes of their content; null where nobody has counted yet. */
  record_count: Generated<number | null>
  content_bytes: Generated<number | null>
  /** Under which of its caller's keys everything is sealed, from 1; null for a sandbox without one. */
  key_epoch: number | null
  lease_owner: string | null
  lease_epoch: Generated<number>
  lease_until: Date | null
}

/**
 * A grant on a sandbox: `user_id` holds the sandbox. One of the three is set: the account or member that uses it, a
 * group, or the address of somebody who has not joined yet.
 */
interface ConnectionTable {
  user_id: string
  sandbox_id: string
  id: string
  grantee_user_id: string | null
  role: 'viewer' | 'editor'
  project_id: string | null
  label: string | null
  created_by: string
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  group_id: string | null
  email: string | null
}

interface ProjectTable {
  user_id: string
  sandbox_id: string
  id: string
  name: string
  status: Generated<'active' | 'archived'>
  description: string | null
  metadata: Generated<JsonObject>
  created_at: Date
  updated_at: Date
  /** How often something that its caller can set has changed, from 1. */
  version: Generated<number>
}

interface ProjectSourceTable {
  user_id: string
  sandbox_id: string
  project_id: string
  source_id: string
}

/** A chunk of records, or a text, that was accepted and is not applied yet. */
interface InboxTable {
  user_id: string
  sandbox_id: string
  id: GeneratedAlways<number>
  source_id: string | null
  /** Null for a delivery, which gets its job when it is applied. */
  job_id: string | null
  kind: 'records' | 'text'
  /** JSON; a text costs half of what the same bytes cost as bytea on the way through the driver. */
  payload: string
  record_count: number
  attempts: Generated<number>
  received_at: Date
}

interface JobTable {
  user_id: string
  sandbox_id: string
  id: string
  type: string
  status: Generated<'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'>
  parent_id: string | null
  source_id: string | null
  encrypted: Generated<boolean>
  total_chunks: Generated<number>
  pending_chunks: Generated<number>
  result: JsonObject | null
  error_message: string | null
  retry_count: Generated<number>
  created_at: Date
  started_at: Date | null
  completed_at: Date | null
  project_id: string | null
}

/** One event of a chain: a sandbox's id, or the account's for what happens outside sandboxes. */
interface AuditTable {
  user_id: string
  chain: string
  seq: number
  at: Date
  actor_user_id: string
  credential_id: string | null
  event: string
  subject_id: string | null
  request_id: string | null
  previous_hash: Buffer
  hash: Buffer
}

/** The last event of a chain that went with its month. */
interface AuditCutTable {
  user_id: string
  chain: string
  seq: number
  hash: Buffer
}

/** The first reply to a keyed request; without a status while the request runs. */
export interface IdempotencyTable {
  user_id: string
  credential_id: string
  method: string
  path: string
  key: string
  fingerprint: Buffer
  status: number | null
  headers: JsonObject | null
  body: Buffer | null
  lease_until: Date
  created_at: Date
  claim: Generated<string>
}

/** The first reply to a keyed request of the operator; without a status while the request runs. */
interface AdminIdempotencyTable {
  credential_id: string
  method: string
  path: string
  key: string
  fingerprint: Buffer
  status: number | null
  body: Buffer | null
  lease_until: Date
  created_at: Date
  claim: string
}

/** What was used in each of the last 61 seconds; read and written by the function `take_rate` alone. */
interface RateTable {
  user_id: string
  sandbox_id: string
  subject: string
  kind: string
  counts: number[]
  latest_second: number
}

/** The same over an account's sandboxes of one tier; read and written by the function `take_shared_rate` alone. */
interface AccountRateTable {
  user_id: string
  tier: string
  kind: string
  counts: number[]
  latest_second: number
}

/** What an account has used on a day (YYYY-MM-DD, UTC). */
interface UsageTable {
  user_id: string
  day: string
  queries: Generated<number>
  ingested_records: Generated<number>
}

/** What a model did for an account on a day (YYYY-MM-DD, UTC), and what it was asked for. */
interface ModelUseTable {
  user_id: string
  day: string
  /** The host that it was asked at. */
  provider: string
  model: string
  call_type: string
  calls: Generated<number>
  input_tokens: Generated<number>
  output_tokens: Generated<number>
  /** In 10^-12 US dollars. */
  cost_picousd: Generated<number>
}

/** A row of a table as it is read. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>
