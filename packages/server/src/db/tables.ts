import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { NodeTable, StorageIdTable } from './cluster-tables.ts'
import type { JsonObject } from './json-object.ts'
import type { SandboxRow, SandboxTables } from './sandbox-tables.ts'
import type {
  DeliveryTable,
  ImportFileTable,
  ImportUploadTable,
  OAuthClientTable,
  OAuthFlowTable,
  OAuthGrantTable,
  OriginalRecordTable,
  OriginalTable,
  SourceSecretTable,
  SourceTable,
  SourceTombstoneTable,
} from './source-tables.ts'
import type { TeamTables } from './team-tables.ts'

/** The tables of the control plane. Columns are named as in PostgreSQL. */
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
  original: OriginalTable
  original_record: OriginalRecordTable
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

/** An account of the platform. Each account is a tenant. */
interface AccountTable {
  user_id: string
  display_name: string
  status: Generated<'active' | 'suspended'>
  created_at: Date
  primary_sandbox_id: string | null
  default_project_id: string | null
  /** The account to which this member belongs. Null for an account. */
  member_of: string | null
}

/** An API key of an account or, with `connection_id`, of a grant. Only its SHA-256 is stored. */
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
  /** The member who owns the key. Null for a key of the account. */
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
  /** Location of its own bucket. Null in the platform's storage. */
  storage: JsonObject | null
  metadata: Generated<JsonObject>
  encrypted: Generated<boolean>
  key_fingerprint: string | null
  /** Verifier of the customer-managed key (`StoredKey`). Null for a sandbox without one. */
  caller_key: JsonObject | null
  created_at: Date
  updated_at: Date
  /** Version for `If-Match`, from 1. Incremented by each change of a user. */
  version: Generated<number>
  /** The member who created it and has the owner role. */
  member_id: string | null
}

/** The committed versions of a sandbox's datasets, and the lease of its only writer. */
interface SandboxHeadTable extends SandboxRow {
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
  /** Set if the last record linkage run failed, in part or as a whole. Null if it compared everything. */
  comparison_failed: 'part' | 'whole' | null
  /** The last commit whose changes were deleted. */
  changes_from: Generated<number>
  /** Commit up to which all records have vectors, and their vector space. Null without one. */
  vectored_seq: Generated<number>
  vector_space: number | null
  /** Commit up to which records may need reindexing after a program update. 0 if none do. */
  reread_up_to: Generated<number>
  /** Number of records of the head, and bytes of their content. Null if not counted yet. */
  record_count: Generated<number | null>
  content_bytes: Generated<number | null>
  /** Epoch of the customer-managed key that encrypts everything, from 1. Null for a sandbox without one. */
  key_epoch: number | null
  lease_owner: string | null
  lease_epoch: Generated<number>
  lease_until: Date | null
}

/**
 * A grant on a sandbox of the account `user_id`. Exactly one grantee is set: an account or member, a group, or the
 * email address of a person who has not joined yet.
 */
interface ConnectionTable extends SandboxRow {
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

interface ProjectTable extends SandboxRow {
  id: string
  name: string
  status: Generated<'active' | 'archived'>
  description: string | null
  metadata: Generated<JsonObject>
  created_at: Date
  updated_at: Date
  /** Version for `If-Match`, from 1. Incremented by each change of a user. */
  version: Generated<number>
}

interface ProjectSourceTable extends SandboxRow {
  project_id: string
  source_id: string
}

/** An accepted chunk of records, or a text, that is not applied yet. */
interface InboxTable extends SandboxRow {
  id: GeneratedAlways<number>
  source_id: string | null
  /** Null for a delivery, which gets its job when it is applied. */
  job_id: string | null
  kind: 'records' | 'text'
  /** JSON. As text it takes the driver half the time of bytea. */
  payload: string
  record_count: number
  attempts: Generated<number>
  received_at: Date
}

interface JobTable extends SandboxRow {
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

/** One event of a hash chain. The chain is a sandbox's id, or the account's for events outside sandboxes. */
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

/** The last event of a chain in a dropped partition. The next event contains its hash. */
interface AuditCutTable {
  user_id: string
  chain: string
  seq: number
  hash: Buffer
}

/** The stored response to an idempotent request. `status` is null while the request runs. */
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

/** The stored response to an idempotent request of the operator. `status` is null while it runs. */
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

/** Usage in each of the last 61 seconds. Only the function `take_rate` reads and writes it. */
interface RateTable extends SandboxRow {
  subject: string
  kind: string
  counts: number[]
  latest_second: number
}

/** Usage over an account's sandboxes of one tier. Only the function `take_shared_rate` reads and writes it. */
interface AccountRateTable {
  user_id: string
  tier: string
  kind: string
  counts: number[]
  latest_second: number
}

/** An account's usage on a day (YYYY-MM-DD, UTC). */
interface UsageTable {
  user_id: string
  day: string
  queries: Generated<number>
  ingested_records: Generated<number>
}

/** An account's use of a model on a day (YYYY-MM-DD, UTC), by type of call. */
interface ModelUseTable {
  user_id: string
  day: string
  /** Host of the provider's endpoint. */
  provider: string
  model: string
  call_type: string
  calls: Generated<number>
  input_tokens: Generated<number>
  output_tokens: Generated<number>
  /** Cost in 10^-12 US dollars. */
  cost_picousd: Generated<number>
}

export type Row<T extends keyof Tables> = Selectable<Tables[T]>
