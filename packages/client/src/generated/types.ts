// Made by `npm run clients` of the contract. A test compares it.

export interface ErrorBody {
  error: 'bad_request' | 'unauthorized' | 'forbidden' | 'quota_exceeded' | 'encryption_key_required' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'conflict' | 'gone' | 'precondition_failed' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'validation_error' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'not_implemented' | 'unavailable'
  /** A finer stable code. */
  reason?: 'malformed_json' | 'invalid_utf8' | 'invalid_text' | 'too_deep' | 'too_many_values' | 'duplicate_key' | 'forbidden_key' | 'duplicate_header' | 'invalid_header' | 'invalid_cursor' | 'encryption_header_invalid' | 'encryption_headers_conflict' | 'state_invalid' | 'access_denied' | 'exchange_failed' | 'logout_token_invalid' | 'invitation_invalid' | 'groups_overage' | 'https_required' | 'oauth_issuer_mismatch' | 'idempotency_key_in_use' | 'duplicate_name' | 'sandbox_not_active' | 'source_not_active' | 'needs_authorization' | 'not_pullable' | 'wrong_kind' | 'not_realtime' | 'project_archived' | 'connection_not_active' | 'last_owner' | 'provider_signs_in' | 'group_grant' | 'account_exists' | 'types_differ' | 'suggestion_accepted' | 'merge_undone' | 'holds_plain_content' | 'no_own_storage' | 'idempotency_key_reused' | 'polling_under_key' | 'not_pollable' | 'unknown_format' | 'unsupported_file' | 'unreadable_archive' | 'encrypted_archive' | 'unsafe_path' | 'storage_unfit' | 'unknown_grantee' | 'unknown_member' | 'unknown_source' | 'secret_in_config' | 'not_deliverable' | 'use_secret_endpoint' | 'cursor_expired' | 'missing' | 'mismatch' | 'connection_key_limits' | 'csrf' | 'member_role' | 'owner_only' | 'not_a_member' | 'foreign_origin' | 'insufficient_scope' | 'grant_limits' | 'preset_reserved' | 'account_limits' | 'memory_max' | 'sandboxes_max' | 'sign_in_not_offered' | 'no_primary_sandbox' | 'archive_too_large' | 'provider_unreachable' | 'storage_unavailable' | 'sandbox_too_large' | 'disk_full'
  /** A sentence that a person can act on. */
  detail: string
  request_id: string
  /** The rules that were broken; never the rejected values. */
  errors?: Array<{
    /** Where, from the outside in. */
    loc: Array<string | number>
    /** The rule, in words. */
    msg: string
    /** The rule’s name. */
    type: string
  }>
}

export interface AcceptInvitation {
  /** The code of the link. */
  code: string
  /** Your name, as the other members see it. */
  display_name: string
}

export interface Accepted {
  /** The job that takes it in. */
  job_id: string
  status: 'queued'
  encrypted: boolean
  /** The sandbox it goes to. */
  sandbox_id: string
  /** The project it was given, if any. */
  project_id: string | null
  /** Where to ask how far it is. */
  status_url: string
}

export interface Account {
  /** The account’s id. */
  user_id: string
  /** Its name for people. */
  display_name: string
  status: 'active' | 'suspended'
  /** When it was made. */
  created_at: string
}

export interface AccountLimits {
  /** Sandboxes of the tier, archived ones too; null is unlimited. */
  max_sandboxes: number | null
  /** Records that they take in together in a minute; null is unlimited. */
  account_ingest_records_per_minute: number | null
  /** Queries that they answer together in a minute; null is unlimited. */
  account_queries_per_minute: number | null
  /** Reads of entities, records and exports that they answer together in a minute; null is unlimited. */
  account_reads_per_minute: number | null
}

export interface AccountPage {
  accounts: Account[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface AccountUsage {
  /** The platform account. */
  user_id: string
  /** The first day counted, UTC. */
  from: string
  /** The last day counted, UTC. */
  to: string
  /** Queries answered. */
  queries: number
  /** Records taken in. */
  ingested_records: number
  /** What a language model used; all zero where none is configured. */
  model: {
    input_tokens: number
    output_tokens: number
    cost_usd: number
  }
  /** Tokens of the language model that each account has a day (`CAIRN_MODEL_DAILY_TOKENS`); null if there is no such limit. When they are used up, answers are passages of records, with a warning. */
  model_budget: {
    tokens_per_day: number
    /** Tokens that calls of type `write` read and wrote today. */
    used_today: number
    left_today: number
    /** When the next day begins, UTC. */
    resets_at: string
  } | null
  /** What models used together. */
  summary: {
    total_prompt_tokens: number
    total_completion_tokens: number
    total_tokens: number
    total_cost_usd: number
    total_calls: number
  }
  /** The same by model, what cost most first. */
  by_model: ModelUsage[]
  /** The same by what models were called for. */
  by_call_type: CallTypeUsage[]
  /** What all your sandboxes of a tier may use together; each has its own `limits` as well. */
  limits: {
    free: AccountLimits
    pro: AccountLimits
    enterprise: AccountLimits
  }
}

export interface AnswerPage {
  answers: AnswerSummary[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface AnswerSummary {
  /** The id that the reply had. */
  answer_id: string
  /** The question. */
  query: string
  outcome: 'answered' | 'closest' | 'nothing'
  /** The project that was asked; null for the whole sandbox. */
  project_id: string | null
  /** True if members of the account can read it. */
  shared: boolean
  /** When it was given. */
  created_at: string
  /** When it is deleted, unless a record that it cites is deleted earlier. */
  expires_at: string
}

export interface ApiKey {
  /** The key’s id, to revoke it by. */
  id: string
  name: string
  /** The first characters of the key, to recognise it by. */
  key_prefix: string
  /** When it stops working. */
  expires_at?: string | null
  /** When it was made. */
  created_at: string
  /** The member that the key acts as; null for a key of the account. */
  member_id?: string | null
  /** When it last opened a request. */
  last_used_at?: string | null
  /** Requests it has opened. */
  use_count: number
  is_expired: boolean
}

export interface AuditEvent {
  /** Its place in the log, counted from 1 without gaps. */
  seq: number
  /** When it happened. */
  at: string
  /** What happened, such as `source.created`. */
  event: string
  /** The account or member that did it; null for the operator. */
  actor_user_id: string | null
  /** The credential: the id of a key or session, `jwt_…` for a token, `admin_key`, or null for the service. */
  credential_id: string | null
  /** What it was done to. */
  subject_id: string | null
  /** The request that did it. */
  request_id: string | null
  /** The hash of the event before, zeros for the first; hexadecimal. */
  previous_hash: string
  /** SHA-256 of all that this event says and of `previous_hash`; hexadecimal. */
  hash: string
}

export interface AuditPage {
  events: AuditEvent[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface Basis {
  phase?: 'source' | 'text' | 'guessed' | null
  owner?: 'source' | 'text' | 'guessed' | null
  due?: 'source' | 'text' | 'guessed' | null
  kind?: 'source' | 'text' | 'guessed' | null
}

export interface CallTypeUsage {
  /** `write`, `rerank`, `embed`, `vision` or `transcribe`; `unknown` for what was counted without its type. */
  call_type: string
  /** Tokens that were sent. */
  prompt_tokens: number
  /** Tokens that came back. */
  completion_tokens: number
  total_tokens: number
  /** At the prices that are configured, in US dollars. */
  cost_usd: number
  calls: number
}

export interface Change {
  /** `merged`: the entity is one with `into` from then on. */
  change: 'added' | 'changed' | 'removed' | 'merged'
  kind: 'record' | 'entity'
  /** Of the record or the entity. */
  id: string
  /** The entity that a merged one became. */
  into?: string
  /** Its kind, where it is known still. */
  type?: string
  /** The record’s title or the entity’s name, as it is now. */
  title?: string
  /** Where the record is at its source. */
  url?: string
  /** When what the record tells happened. */
  occurred_at?: string | null
  /** The source that the record came through. */
  source_id?: string | null
  /** When the commit was made. */
  changed_at: string
}

export interface ChangePage {
  changes: Change[]
  /** Changes in this reply. */
  count: number
  /** Give it as `since` to read on, now or whenever more may have changed. */
  next_cursor: string
  /** Whether there is more already. */
  has_more: boolean
}

export interface ChatMessage {
  content: string
  role: 'user' | 'assistant' | 'system'
}

export interface CompleteAuthorization {
  /** The confirmation code that the browser shows after the consent. */
  code?: string | null
  /** Alternatively, the full URL that the authorization server redirected the browser to. */
  callback_url?: string | null
}

export interface Connection {
  /** The connection’s id. */
  connection_id: string
  /** The sandbox that is shared. */
  sandbox_id: string
  /** The account or member that it is shared with; null for a group or an invited address. */
  user_id: string | null
  /** The member, group or invited address that it is shared with; null for an account. */
  grantee?: {
    member_id?: string
    group_id?: string
    email?: string
  } | null
  role: 'viewer' | 'editor'
  /** The one project it is limited to; null for the whole sandbox. */
  project_id?: string | null
  /** A label, for you. */
  label?: string | null
  /** When it ends by itself. */
  expires_at?: string | null
  /** When it was revoked. */
  revoked_at?: string | null
  /** The account that made it. */
  created_by: string
  /** When it was made. */
  created_at: string
  status: 'active' | 'revoked' | 'expired'
}

export interface ConnectionKey {
  /** The key’s id; DELETE /api/v1/api-keys/{key_id} revokes this key alone. */
  api_key_id: string
  /** The key itself, shown this once. */
  plaintext_key: string | null
  /** The first characters of the key, to recognise it by. */
  key_prefix: string
  /** When its connection ends by itself. */
  expires_at?: string | null
  /** That the key is shown only here. */
  warning: string
}

export interface ConsideredStatement {
  /** The record. */
  record_id: string
  /** Its first UTF-16 code unit in the record’s `text`. */
  start: number
  /** The code unit behind its last; 0 for a statement made from fields or relations. */
  end: number
  text: string
  /** The probability that it answers the question, from 0 to 1. */
  score: number
  /** 1 for the best. */
  rank: number
  /** True if the answer contains it. */
  chosen: boolean
  /** Why it was chosen or not. */
  reason: string
}

export interface ConsoleCode {
  /** Signs in to the console, once. */
  code: string | null
  /** The console with the code in its fragment; null where the console is not served. */
  url?: string | null
  /** When it stops being good: ten minutes after it was made. */
  expires_at: string
}

export interface ConsoleSignIn {
  /** The code of a link, as it stands there. */
  code: string
  /** True sets the session cookie instead of returning a key. `false` when omitted. */
  cookie?: boolean
}

export interface ConsoleSignedIn {
  /** An API key of the account, listed and revocable like any other; null with `cookie`. */
  api_key: string | null
  /** When the key or the session ends: twelve hours after the exchange. */
  expires_at: string
}

export interface ContextAsked {
  /** The current question. */
  query?: string
  /** Earlier turns, oldest first; the last 20 are used. */
  history?: ChatMessage[]
  /** Only what is in this project; the whole sandbox when omitted. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted. */
  preset?: string | null
  /** Tuples of canonical ids to pin to; the grouping is kept. */
  items?: Array<string[]>
  /** Maximum size of the passages with their titles, in UTF-8 bytes divided by 4. `2000` when omitted. */
  max_tokens?: number | null
}

export interface ContextPassage {
  /** Whole sentences without markup; fields of a record as `name: value`. */
  text: string
  /** The record that says so. */
  record_id: string
  /** Where in its document it begins: `p. 12`, `#limits/retries`. */
  locator?: string
  title?: string
  /** Its author. */
  author?: string
  /** Where the record is at its source. */
  url?: string
  /** When it happened. */
  occurred_at?: string | null
  /** The record’s kind. */
  type: string
  /** Above 0, at most 1; comparable within this reply. */
  score: number
}

export interface CreateAccount {
  /** The account: `acct_…`, or the subject of its tokens. Printable characters only. */
  user_id?: string | null
  /** Its name for people; its id when omitted. */
  display_name?: string | null
}

export interface CreateAccountKey {
  /** A label, for you. */
  name: string
  /** Days until it stops working; never when omitted. */
  expires_in_days?: number | null
  /** Whether all its other keys stop working in the same step. `false` when omitted. */
  revoke_others?: boolean
}

export interface CreateApiKey {
  /** A label, for you. */
  name: string
  /** Days until it stops working; never when omitted. */
  expires_in_days?: number | null
}

export interface CreateConnection {
  /** The account to share with, not your own. */
  user_id?: string
  grantee?: Grantee | null
  /** Not built: name the address in `grantee`. */
  email?: string | null
  role: 'viewer' | 'editor'
  /** Limits it to this project, its sources and the knowledge in it; the whole sandbox when omitted. */
  project_id?: string | null
  /** A label, for you. */
  label?: string | null
  /** When it ends by itself; a moment to come. Never when omitted. */
  expires_at?: string | null
}

export interface CreateGroup {
  /** The group’s name. */
  name: string
  /** A value of the groups claim: who has it at sign-in joins the group, who no longer has it leaves. */
  claim?: string | null
  /** Its members. They replace those that it has. */
  member_ids?: string[] | null
}

export interface CreateInvitation {
  /** The role that the person joins with. */
  role: 'owner' | 'admin' | 'member' | 'viewer'
  /** An e-mail address. */
  email?: string | null
  /** Groups to join. */
  groups?: string[] | null
}

export interface CreateProject {
  /** A label, unique in nothing. */
  name: string
  /** What it is about. */
  description?: string | null
  /** Sources to link; one named twice is linked once. */
  data_source_ids?: string[]
  /** Yours, stored as given. */
  metadata?: Record<string, unknown>
}

export interface CreateSandbox {
  /** Unique among the sandboxes of one owner_id, compared as given. */
  name: string
  /** Your own end-user, never interpreted. */
  owner_id: string
  /** `free` when omitted. */
  tier?: 'free' | 'pro' | 'enterprise'
  /** Yours, stored as given. */
  metadata?: Record<string, unknown>
  storage?: GivenStorage | null
}

export interface CreateWebhook {
  /** An https address that is reachable from the service; it follows no redirect. */
  url: string
  /** What it is told of; everything when omitted. */
  events?: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'>
  /** A label, for you. */
  description?: string | null
}

export interface CreatedAccount {
  /** The account’s id. */
  user_id: string
  /** Its name for people. */
  display_name: string
  /** Its first API key, shown this once. */
  key: string | null
}

export interface CreatedAccountKey {
  /** The key’s id, to revoke it by. */
  id: string
  name: string
  /** The first characters of the key, to recognise it by. */
  key_prefix: string
  /** When it stops working. */
  expires_at?: string | null
  /** When it was made. */
  created_at: string
  /** The member that the key acts as; null for a key of the account. */
  member_id?: string | null
  /** The key itself, shown this once. */
  key: string | null
  /** That the key is shown only here. */
  warning: string
  /** The account’s id. */
  user_id: string
  /** Other keys of the account that go on working until they expire. */
  keys_kept: number
  /** Other keys of the account that were revoked with this. */
  keys_revoked: number
}

export interface CreatedApiKey {
  /** The key’s id, to revoke it by. */
  id: string
  name: string
  /** The first characters of the key, to recognise it by. */
  key_prefix: string
  /** When it stops working. */
  expires_at?: string | null
  /** When it was made. */
  created_at: string
  /** The member that the key acts as; null for a key of the account. */
  member_id?: string | null
  /** The key itself, shown this once. */
  key: string | null
  /** That the key is shown only here. */
  warning: string
}

export interface CreatedInvitation {
  /** The invitation’s id. */
  invitation_id: string
  /** The role that the person joins with. */
  role: 'owner' | 'admin' | 'member' | 'viewer'
  /** The address that it is for. */
  email: string | null
  /** The groups that the person joins. */
  group_ids: string[]
  /** When it was made. */
  created_at: string
  /** When it expires: 7 days after it was made. */
  expires_at: string
  /** The link to send to the person. It works once. */
  url: string | null
}

export interface DeclaredEntity {
  /** Its kind, for example `person` or `issue`. */
  type: string
  /** Its name. */
  name: string
  aliases?: string[] | null
  /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
  email?: string | null
  /** What names it for certain: `email`, `login`, `url`, `key` and others. */
  identifiers?: Record<string, string[] | string> | null
  /** Whatever else is known of it. */
  properties?: Record<string, unknown> | null
}

export interface DeclaredRelation {
  /** The one entity. */
  subject: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  }
  /** What holds between them, for example `works_for`. */
  predicate: string
  /** The other entity, or a plain value such as a date. */
  object: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  }
  /** Since when it holds. */
  valid_from?: string | null
  /** Until when it held. */
  valid_to?: string | null
}

export interface DeletedCounts {
  /** Rows of the control plane. */
  sql: number
  records: number
  entities: number
  links: number
  /** Files, or objects of the object store. */
  objects: number
}

export interface DeletedSandbox {
  success: true
  /** What happened, in a sentence. */
  message: string
  deleted: DeletedCounts
}

export interface DeliveryAnswer {
  /** Why there is an answer at all. */
  status?: 'duplicate' | 'challenge'
  /** What the provider sent to see whether this address answers. */
  challenge?: string
}

export interface DeliveryPage {
  deliveries: SourceDelivery[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface Discover {
  /** The current question. */
  query: string
  /** Earlier turns, oldest first; the last 20 are used. */
  history?: ChatMessage[]
  /** Only what is in this project; the whole sandbox when omitted. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted. */
  preset?: string | null
  /** Items wanted. `10` when omitted. */
  limit?: number | null
  /** True adds the interpretation of the question, and to each item why it was found. `false` when omitted. */
  explain?: boolean | null
}

export interface Discovery {
  /** A sentence about the results. */
  header: string
  items: DiscoveryItem[]
  intent?: QuestionIntent
  count: number
  /** Echo. */
  sandbox_id: string
  /** Echo, or null for the whole sandbox. */
  project_id: string | null
  /** Echo. */
  query: string
  /** Suggested next steps, in sentences. */
  next_steps: string
}

export interface DiscoveryItem {
  id: string
  /** Comparable within this reply. */
  score: number
  title?: string
  /** The record’s kind. */
  type: string
  /** Where the record is at its source. */
  url?: string
  summary: string
  /** The passage of at most 300 characters that contains most of the question. */
  snippet: string
  /** Where in its document the snippet stands: `p. 12`, `#limits/retries`. */
  locator?: string
  /** Its entities, the most specific first, then the record itself. */
  canonical_ids: string[]
  /** The neighbourhood it was found in. */
  subgraph?: Record<string, unknown>
  /** Names of the question that led here. */
  matched_query_nodes?: string[]
  file_paths?: string[]
  /** When it happened. */
  occurred_at?: string | null
  source_id?: string | null
  record_id?: string
  external_id?: string | null
  /** Score of each ranking signal; only with `explain`. */
  why?: Record<string, number>
}

/** The verb took effect. */
export interface Done {
  success: true
  /** What happened, in a sentence. */
  message: string
}

export interface Entity {
  /** The id by which it is pinned and cited. */
  canonical_id: string
  /** The sandbox it is in. */
  sandbox_id: string
  name: string
  type: string
  /** Every name it has, the most telling first. */
  names: string[]
  /** What names it for certain, by kind. */
  identifiers: Record<string, string[]>
  /** What records say of it. */
  properties: Record<string, unknown>
  /** Which records give it its names, identifiers and properties. */
  evidence: EntityEvidence[]
  relations: EntityRelation[]
  /** The latest records about it. */
  records: RecordSummary[]
  record_count: number
  /** How it came together. */
  merge_history: EntityMerge[]
  /** When it was first seen. */
  created_at?: string | null
}

export interface EntityDecision {
  success: boolean
  message: string
  /** The merged entity; after a split or an undo, the one that is its own now. */
  canonical_id: string
  /** The entry of the ledger; null when nothing had to change. */
  merge_id: string | null
}

export interface EntityEvidence {
  kind: 'name' | 'identifier' | 'property'
  /** The kind of the identifier, the name of the property. */
  key: string
  /** What they say; of a property the latest value. */
  value: unknown
  /** At most five records, the latest last. */
  record_ids: string[]
}

export interface EntityHit {
  /** The id by which it is pinned and cited. */
  canonical_id: string
  name: string
  /** From 0 to 1; 1 is the same name. */
  similarity: number
  /** The entity’s kind. */
  record_type: string
}

export interface EntityHits {
  results: EntityHit[]
}

export interface EntityMerge {
  /** The id by which it can be undone. */
  merge_id: string
  /** What it rests on: a shared identifier, a shared name, likeness, or a person’s decision. */
  kind: 'identifier' | 'name' | 'alike' | 'person' | 'split'
  /** The id that was merged away, or that was split. */
  from: string
  /** The id that remained, or that the split made. */
  into: string
  /** Why, in a few words. */
  reason: string
  /** What showed it. */
  evidence: Record<string, unknown>
  /** The account that decided it; null when no person did. */
  decided_by: string | null
  /** When. */
  merged_at: string
  /** When it was taken back. */
  undone_at: string | null
  /** The account that took it back. */
  undone_by: string | null
}

export interface EntityPage {
  entities: EntitySummary[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
  /** `pending` while things that came lately are still being compared with others of their type; `failed` when the last comparison ended in an error, after which it is made again, or left something out: a pair that cannot be compared counts as two things and holds nothing up. `/metrics` counts what failed. */
  resolution: 'settled' | 'pending' | 'failed'
}

export interface EntityProfile {
  /** Echo. */
  sandbox_id: string
  canonical_id: string
  name: string
  type: string
  /** What it is, what holds of it now, and what changed last. */
  text: string
  /** What the text takes, in UTF-8 bytes divided by 4, rounded up. */
  tokens: number
  /** The lines of the text, each with its records. */
  statements: ToldStatement[]
}

export interface EntityRelation {
  predicate: string
  /** `out`: this entity is the subject. */
  direction: 'out' | 'in'
  /** The other entity, when it is known. */
  canonical_id?: string | null
  /** The other entity’s name. */
  name: string
  valid_from?: string | null
  valid_to?: string | null
  /** When the record that states it happened: since then it is known. */
  stated_at?: string | null
  /** Whether it holds now: it has begun, has not ended, and nothing newer in scope has taken its place. */
  is_current: boolean
  /** The record that states what took its place. */
  superseded_by?: string | null
  /** The record that states it. */
  record_id?: string
  /** Where the record’s text says it, in UTF-16 code units, and how sure that is; null when declared. */
  span?: {
    start: number
    end: number
    confidence: number
  } | null
}

export interface EntitySummary {
  /** The id by which it is pinned and cited. */
  canonical_id: string
  /** Its most telling name. */
  name: string
  /** Its kind. */
  type: string
  /** Records about it, in scope. */
  record_count?: number
  /** When it was first seen. */
  created_at?: string | null
}

export interface EraseOwner {
  /** Your own end-user, as given when the sandboxes were made. */
  owner_id: string
}

export interface ErasedOwner {
  success: true
  /** What happened, in a sentence. */
  message: string
  /** Sandboxes that were erased. */
  sandboxes: number
  deleted: DeletedCounts
}

export interface Evaluate {
  /** At most 500. */
  questions: EvaluationQuestion[]
  settings?: EvaluationSettings | null
}

export interface Evaluation {
  /** The id of the evaluation and of its job. */
  evaluation_id: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  /** Why it failed or waits, and what to do. */
  error_message?: string | null
  settings: EvaluationSettings
  /** Questions that it was started with. */
  questions: number
  /** Questions that were asked so far and are still stored. */
  asked: number
  /** Questions that were deleted with a record that they cite. */
  erased: number
  /** Answers by grade. */
  counts: {
    right: number
    partly: number
    wrong: number
    rightly_unanswered: number
    wrongly_unanswered: number
    ungraded: number
  }
  /** Statements of all answers. */
  statements: number
  /** Statements that their cited records do not support, by a comparison of words. */
  unsupported: number
  /** The language model that wrote answers; null if none was to write. */
  writer: string | null
  /** The language model that graded answers; null if none did. */
  judge: string | null
  /** When it was started. */
  created_at: string
  /** When the first question was asked. */
  started_at?: string | null
  /** When it ended. */
  completed_at?: string | null
  /** When it is deleted. */
  expires_at: string
  /** The questions whose cited and expected records are all in your access scope, in their order. */
  results: EvaluationResult[]
}

export interface EvaluationPage {
  evaluations: EvaluationSummary[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface EvaluationQuestion {
  /** The current question. */
  question: string
  /** The expected answer. `|` separates alternatives of which one is enough. */
  expected?: string | null
  /** The ids of the records that should be cited, separated by spaces. */
  record?: string | null
  /** True if the sandbox does not hold the answer. */
  unanswerable?: boolean | null
}

export interface EvaluationResult {
  /** Its place in the request, from 1. */
  position: number
  /** The current question. */
  question: string
  /** The expected answer. `|` separates alternatives of which one is enough. */
  expected?: string | null
  /** The ids of the records that should be cited, separated by spaces. */
  record?: string | null
  /** True if the sandbox does not hold the answer. */
  unanswerable?: boolean | null
  /** Null until it is asked. */
  grade: 'right' | 'partly' | 'wrong' | 'rightly_unanswered' | 'wrongly_unanswered' | 'ungraded' | null
  /** The grader. */
  graded_by?: 'match' | 'model'
  outcome?: 'answered' | 'closest' | 'nothing'
  /** The answer, as it was given. */
  answer?: string
  /** True if a language model wrote the answer. */
  written_by_model?: boolean
  /** The records that the answer cites. */
  cited?: string[]
  /** Expected records that the answer does not cite. */
  missing_records?: string[]
  /** Statements of the answer. */
  statements?: number
  /** Statements that their cited records do not support. */
  unsupported?: string[]
  /** The warnings of the answer. */
  warnings?: string[]
  /** Time that the answer took, in milliseconds. */
  duration_ms?: number
}

export interface EvaluationSettings {
  /** Only what is in this project; the whole sandbox when omitted. */
  project_id?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted. */
  preset?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** Length of the answers. */
  detail_level?: 'concise' | 'detailed' | null
  /** Lets the configured language model write. Without one it does nothing. `true` when omitted. */
  writer?: boolean | null
  /** Lets the configured language model grade the answers that do not match the expected one. 409 if no model is configured, and in a sandbox under a caller’s key. `false` when omitted. */
  judge?: boolean | null
}

export interface EvaluationSummary {
  /** The id of the evaluation and of its job. */
  evaluation_id: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  /** Why it failed or waits, and what to do. */
  error_message?: string | null
  settings: EvaluationSettings
  /** Questions that it was started with. */
  questions: number
  /** Questions that were asked so far and are still stored. */
  asked: number
  /** Questions that were deleted with a record that they cite. */
  erased: number
  /** Answers by grade. */
  counts: {
    right: number
    partly: number
    wrong: number
    rightly_unanswered: number
    wrongly_unanswered: number
    ungraded: number
  }
  /** Statements of all answers. */
  statements: number
  /** Statements that their cited records do not support, by a comparison of words. */
  unsupported: number
  /** The language model that wrote answers; null if none was to write. */
  writer: string | null
  /** The language model that graded answers; null if none did. */
  judge: string | null
  /** When it was started. */
  created_at: string
  /** When the first question was asked. */
  started_at?: string | null
  /** When it ended. */
  completed_at?: string | null
  /** When it is deleted. */
  expires_at: string
}

export interface FailedRecord {
  /** Its line, or its place in what was sent, counted from 1. */
  line: number
  /** The file of an archive that it stands in. */
  file?: string
  external_id?: string
  /** A stable code. */
  reason: string
  /** What is wrong, in a sentence. */
  detail: string
}

export interface Feedback {
  /** The answer. */
  answer_id: string
  /** The account that gave the feedback. */
  user_id: string
  verdict: 'right' | 'partly' | 'wrong'
  note: string | null
  /** Records that should answer the question. */
  expected_record_ids: string[]
  /** When it was said. */
  created_at: string
}

export interface FeedbackEntry {
  /** The answer. */
  answer_id: string
  /** The account that gave the feedback. */
  user_id: string
  verdict: 'right' | 'partly' | 'wrong'
  note: string | null
  /** Records that should answer the question. */
  expected_record_ids: string[]
  /** When it was said. */
  created_at: string
  /** The question. */
  query: string
  outcome: 'answered' | 'closest' | 'nothing'
  /** The answer, as it was given. */
  answer: string
  /** When the question was asked. */
  asked_at: string
  /** Best first. */
  retrieved: RetrievedRecord[]
}

export interface FeedbackPage {
  feedback: FeedbackEntry[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface GatheredContext {
  /** Best first, no sentence twice. */
  passages: ContextPassage[]
  /** Size with titles, in UTF-8 bytes divided by 4, rounded up. */
  tokens: number
  /** The records that they come from, one for each, the passages taken for statements. */
  citations: InterpretCitation[]
  /** Warnings about the search, as sentences. */
  warnings: string[]
}

export interface GiveFeedback {
  /** The judgment: right, partly right or wrong. */
  verdict: 'right' | 'partly' | 'wrong'
  /** Explains the verdict or gives the right answer. */
  note?: string | null
  /** Records that should answer the question; 422 for one that is not in your access scope. */
  expected_record_ids?: string[] | null
}

/** Another access key to the sandbox’s own bucket, checked like the first one. */
export interface GivenAccess {
  /** The access key’s id. Sealed, and in no reply. */
  access_key_id: string
  /** The access key’s secret. Sealed, and in no reply. */
  secret_access_key: string
}

/** A bucket of your own for everything that the sandbox knows; the platform’s storage when omitted. */
export interface GivenStorage {
  provider_type: 'custom_s3'
  /** The bucket’s name, as S3 has them. */
  bucket: string
  /** Its region; whatever the store calls it when it is not AWS. */
  region: string
  /** Where an S3-compatible store answers, https; AWS in the region when omitted. */
  endpoint?: string | null
  /** What all keys begin with; each sandbox has a folder of its own below it. */
  prefix?: string | null
  /** The access key’s id. Sealed, and in no reply. */
  access_key_id: string
  /** The access key’s secret. Sealed, and in no reply. */
  secret_access_key: string
}

/** In place of `user_id`: a member or a group of your account, or the address of an invitation. A grant to an address waits until somebody joins with it. */
export interface Grantee {
  /** A member. */
  member_id?: string | null
  /** A group: everybody who belongs to it at the time. */
  group_id?: string | null
  /** An e-mail address. */
  email?: string | null
}

export interface Group {
  /** The group’s id. */
  group_id: string
  name: string
  /** The value of the groups claim whose holders belong to it. */
  claim: string | null
  /** Its members. */
  member_ids: string[]
  /** When it was made. */
  created_at: string
}

export interface GroupPage {
  groups: Group[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface GroupRole {
  /** The id of this rule. */
  group_role_id: string
  /** The value of the groups claim. */
  claim: string
  /** The role of members who have it. Of several the most powerful counts. */
  role: 'owner' | 'admin' | 'member' | 'viewer'
  /** When it was made. */
  created_at: string
}

export interface GroupRolePage {
  group_roles: GroupRole[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface Health {
  status: 'ok' | 'unavailable'
  /** What an operator has to do something about; absent where there is nothing. */
  warnings?: string[]
}

export interface ImportedFile {
  /** Its path, with those of the archives that it lies in. */
  path: string
  /** `unchanged` when all of it was stored before; `left_out` when it holds nothing that is read here; `failed` when it could not be read, or not to its end. */
  status: 'read' | 'unchanged' | 'left_out' | 'failed'
  /** Why it was not read, as a stable code. */
  reason?: string
  /** Records that came of it. */
  records: number
}

export interface IngestText {
  /** What to remember. */
  text: string
  /** What it is called. */
  title?: string | null
  /** Yours to choose: the same again, for the same source, replaces the text. Made here when omitted. */
  external_id?: string | null
  /** What kind of text it is, for example `note` or `chat`. */
  source_type?: string | null
  /** Keep it without making it searchable. `false` when omitted. */
  storage_only?: boolean | null
  /** The project it belongs to. */
  project_id?: string | null
  /** The source it came through. */
  data_source_id?: string | null
  /** When it happened; a date alone is that day, 00:00 UTC. */
  occurred_at?: string | null
  /** Who said or wrote it, by name. */
  speaker?: string | null
  /** Who made it: a name, or a person, for example `{"name": …, "email": …}`. */
  author?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  } | null
  participants?: string[] | null
}

export interface IngestToolCall {
  /** The exact name of a tool. */
  tool: string
  /** What the tool is given. */
  arguments?: Record<string, unknown>
  /** How records are made of the result, as in the mapping of any JSON; by the names of its fields when omitted. */
  map?: Record<string, unknown>
}

export interface Interpret {
  /** The current question. */
  query: string
  /** Earlier turns, oldest first; the last 20 are used. */
  history?: ChatMessage[]
  /** Only what is in this project; the whole sandbox when omitted. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted. */
  preset?: string | null
  /** Tuples of canonical ids to pin to; the grouping is kept. */
  items: Array<string[]>
  /** The length of what is told at most, in UTF-8 bytes divided by 4. */
  max_tokens?: number | null
  /** True adds `statements` with their spans in the records. `false` when omitted. */
  statements?: boolean | null
  /** True adds the interpretation of the question and the evidence of each statement. `false` when omitted. */
  explain?: boolean | null
  /** Stores the answer, so that it can be read, shared and rated later. `true` when omitted. */
  store?: boolean | null
}

export interface InterpretCitation {
  canonical_id: string
  name: string
  /** The kind of the entity or of the record. */
  type?: string
  /** Above 0, at most 1. The statements of a brief weigh 1, ½, ¼ … in their order; the weight of those that rest on it, as a share of the most that any citation has. */
  relevance: number
  /** At most 10 records that carry it: its own first, then as the brief tells of them. */
  record_ids: string[]
  /** Of the first of these records that has one. */
  title?: string
  /** Of the first of these records that has one. */
  url?: string
  /** At most 10: what the statements were taken from, in these records. */
  spans?: TextSpan[]
}

export interface Interpretation {
  /** The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, where the service keeps no answers, and with a warning if storing it failed. */
  answer_id?: string
  /** `answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence. */
  outcome: 'answered' | 'closest' | 'nothing'
  /** True if `outcome` is `answered`. Zero and "no" count as answers. */
  answered: boolean
  /** Where nothing answers, at most three records that came nearest. */
  nearest?: RecordPointer[]
  /** At most 24 statements, best first; only with `explain`. */
  considered?: ConsideredStatement[]
  /** The probability that the records answer the question, from which on they are taken to answer it; only with `explain`. It is about the whole question, and not comparable with the `score` of one statement. */
  threshold?: number
  /** A summary of one or two paragraphs, from the pinned tuples. */
  brief: string
  /** Echo. */
  items: Array<string[]>
  /** Echo. */
  sandbox_id: string
  /** Echo. */
  query: string
  /** At most 10, most relevant first. */
  citations?: InterpretCitation[]
  /** The statements of the answer; with `statements` or `explain`. */
  statements?: ToldStatement[]
  /** The first 10 records that what is told rests on, in the order in which it is told; only with `explain`. */
  records?: RecordPointer[]
  intent?: QuestionIntent
  /** Echo, or null for the whole sandbox. */
  project_id?: string | null
}

export interface Invitation {
  /** The invitation’s id. */
  invitation_id: string
  /** The role that the person joins with. */
  role: 'owner' | 'admin' | 'member' | 'viewer'
  /** The address that it is for. */
  email: string | null
  /** The groups that the person joins. */
  group_ids: string[]
  /** When it was made. */
  created_at: string
  /** When it expires: 7 days after it was made. */
  expires_at: string
  status: 'open' | 'accepted' | 'expired'
  /** The member who joined with it. */
  accepted_by: string | null
}

export interface InvitationPage {
  invitations: Invitation[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface Job {
  /** The job’s id. */
  job_id: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  /** What kind of work it is. */
  job_type: string
  /** Whether its content is under the caller’s key. */
  encrypted: boolean
  /** The sandbox it works on. */
  sandbox_id?: string
  /** The source it works on; not for who is limited to a project. */
  source_id?: string
  result?: JobResult | null
  /** Why it failed or waits. */
  error_message?: string | null
  retry_count: number
  /** Jobs it was split into. */
  children?: string[]
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at?: string | null
  /** When it ended. */
  completed_at?: string | null
}

export interface JobPage {
  jobs: Job[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface JobResult {
  /** Records that came. */
  received?: number
  /** Of tables, lists, calendars and address books: records that are known to come, counted before the first of a file is written. Each of them counts against `max_records`, as each part of a long document does. */
  expected?: number
  /** Records added or replaced. */
  written?: number
  /** Records that were the same as before. */
  unchanged?: number
  /** Records removed. */
  removed?: number
  /** Records that failed alone. */
  failed?: number
  /** The record, of a job that brought one; once it is applied. */
  record_id?: string
  /** The first of those that failed. */
  errors?: FailedRecord[]
  /** Of an import, at most 100 of its files, those that were not read first; the run of its source lists all. Under a caller’s key only with the key. */
  files?: ImportedFile[]
  [name: string]: unknown
}

export interface KnowledgeRecord {
  /** The record’s id, a canonical id too. */
  record_id: string
  /** The sandbox it is in. */
  sandbox_id: string
  /** The source it came through. */
  source_id?: string | null
  external_id?: string | null
  type: string
  title?: string | null
  text?: string | null
  url?: string | null
  /** When it happened. */
  occurred_at?: string | null
  /** Who made it: a name, or a person, for example `{"name": …, "email": …}`. */
  author?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  }
  participants?: Array<string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  }>
  entities?: DeclaredEntity[]
  relations?: DeclaredRelation[]
  /** Typed fields of the record. */
  properties?: Record<string, unknown>
  /** How far the work has come, by the category of its tool. */
  phase?: 'open' | 'doing' | 'done' | 'dropped' | null
  /** Who answers for it: a name, or a person with identifiers. */
  owner?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  } | null
  /** Until when it is to be done. */
  due?: string | null
  /** What it is to people, in a word: bug, decision, invoice. */
  kind?: string | null
  basis?: Basis
  /** By `start`, each after the one before; each holds up to the next. */
  locators?: Array<{
    /** A UTF-16 code unit of `text`. */
    start: number
    /** Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`. */
    locator: string
  }>
  /** The project it names itself. */
  project_id?: string | null
  /** The entities it is about, then itself. */
  canonical_ids?: string[]
  /** The names that stand in its text, in order; none overlap. */
  mentions?: Array<{
    /** As it is written. */
    text: string
    /** Its first UTF-16 code unit in `text`. */
    start: number
    /** The code unit behind its last. */
    end: number
    /** The entity that it is taken for. */
    canonical_id: string
    /** What it is taken to be: person, organization, place, work, project, incident, or thing where nothing tells. */
    type: string
    /** From 0 to 1: how sure it is that this is a name. */
    confidence: number
  }>
  /** What its text states of people and things, in order. */
  facts?: Array<{
    /** Whom it is about, as the record calls them. */
    subject: string
    predicate: string
    /** A name or words of the text; of a date the day as YYYY-MM-DD. */
    object: string
    /** Since when it holds, where the text says so; else since the record. */
    valid_from?: string | null
    /** Where `text` states it: its first UTF-16 code unit. */
    start: number
    /** The code unit behind its last. */
    end: number
    /** From 0 to 1. */
    confidence: number
  }>
  /** When it was taken in. */
  created_at?: string | null
  /** When it was last replaced. */
  updated_at?: string | null
}

export interface Limits {
  /** Sources; null is unlimited. */
  max_data_sources: number | null
  /** Projects; null is unlimited. */
  max_projects: number | null
  /** Bytes stored; null is unlimited. */
  max_storage_bytes: number | null
  /** Records; null is unlimited. */
  max_records: number | null
  /** Records taken in a minute; null is unlimited. */
  ingest_records_per_minute: number | null
  /** Queries answered in a minute; null is unlimited. */
  queries_per_minute: number | null
  /** Reads of entities, records and exports answered in a minute; null is unlimited. */
  reads_per_minute: number | null
}

export interface McpAuthorization {
  state: 'needs_authorization' | 'pending' | 'confirming' | 'authorized' | 'needs_scopes'
  /** The URL to open in a browser. Present only while the state is `pending`, for the account that started it. */
  url?: string | null
  /** When the URL, or the confirmation code, expires. */
  expires_at?: string | null
  /** The scopes granted, or asked for while nothing is granted. */
  scopes: string[]
  /** The authorization server; null while none is known. */
  issuer: string | null
  /** True if the token can be refreshed without a new consent. */
  refreshable: boolean
  /** The account whose member consented. Every editor’s calls act as that person. */
  authorized_by: string | null
  /** The reason for a missing consent. */
  reason?: 'revoked' | 'grant_rejected' | 'client_rejected' | 'token_rejected' | 'base_url_changed' | 'access_denied' | 'exchange_failed' | 'unreachable' | 'insufficient_scope' | null
}

export interface McpFailure {
  jsonrpc: '2.0'
  /** That of the message, where it has one. */
  id: string | number | null
  error: {
    /** As JSON-RPC and the protocol number them. */
    code: number
    /** What was wrong, for people. */
    message: string
    /** What belongs to it. */
    data?: Record<string, unknown>
  }
}

export interface McpMessage {
  jsonrpc: '2.0'
  /** None: a notification. */
  id?: string | number
  /** For example `tools/call`. */
  method?: string
  /** What the method takes. */
  params?: Record<string, unknown>
}

export interface Member {
  /** The member’s id. */
  member_id: string
  /** The member’s name for people. */
  display_name: string
  /** The address of the invitation or of the identity provider. */
  email: string | null
  /** Owners and admins use all sandboxes of the account, members the ones that they made or were granted, viewers read the ones that they were granted. */
  role: 'owner' | 'admin' | 'member' | 'viewer'
  status: 'active' | 'suspended'
  /** The groups that the member belongs to. */
  group_ids: string[]
  /** The identity provider; null for a member who signs in by a link. */
  issuer: string | null
  /** When the member joined. */
  joined_at: string
  /** When the member last signed in. */
  last_seen_at?: string | null
}

export interface MemberPage {
  members: Member[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface MergeSuggestion {
  /** The id by which it is accepted or dismissed. */
  suggestion_id: string
  /** `open` until a person decides; `accepted`: they are one; `dismissed`: they stay two whatever comes. */
  state: 'open' | 'accepted' | 'dismissed'
  /** The two, the one that remains when it is accepted first; of one that was accepted, what they became. */
  entities: EntitySummary[]
  /** How likely they are one. */
  likelihood: number
  /** Why, in a few words. */
  reason: string
  /** In what the two agree and differ. */
  evidence: Record<string, unknown>
  /** When. */
  suggested_at: string
  /** When a person decided it. */
  decided_at: string | null
  /** The account that decided it. */
  decided_by: string | null
  /** The merge that accepting it made, by which it can be undone. */
  merge_id: string | null
}

export interface MergeSuggestionPage {
  merge_suggestions: MergeSuggestion[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface ModelUsage {
  model: string
  /** The host that serves it. */
  provider: string
  /** Tokens that were sent. */
  prompt_tokens: number
  /** Tokens that came back. */
  completion_tokens: number
  total_tokens: number
  /** At the prices that are configured, in US dollars. */
  cost_usd: number
  calls: number
}

export interface Neighbour {
  canonical_id: string
  name: string
  type: string
  /** Steps from the entity that was asked for, which has 0. */
  depth: number
  /** Records about it, in scope. */
  record_count: number
}

export interface NeighbourEdge {
  /** The subject’s id. */
  from: string
  /** The object’s id. */
  to: string
  /** What is stated; null: records are about both. */
  predicate: string | null
  valid_from?: string | null
  valid_to?: string | null
  /** When the record that states it happened. */
  stated_at?: string | null
  /** Whether what is stated holds now. */
  is_current?: boolean
  /** Records that state it, or that are about both, of those that were looked at. */
  record_count: number
  /** At most five of them. */
  record_ids: string[]
}

export interface Neighbourhood {
  /** Echo. */
  sandbox_id: string
  canonical_id: string
  /** The entity itself, then the nearest first. */
  nodes: Neighbour[]
  /** Between these nodes alone; what is stated before what is shared. */
  edges: NeighbourEdge[]
}

export interface Origin {
  /** As asked. */
  canonical_id: string
  /** Files that its records name, those of most records first: entities of type `file`, and the properties `path`, `file_path`, `file_paths` and `files`. */
  files: OriginFile[]
  /** Records that carry it: its own first, then those that name it most. */
  records: RecordSummary[]
}

export interface OriginFile {
  file_path: string
  /** Records of the id that name the file. */
  extraction_count: number
}

export interface Origins {
  /** Echo. */
  sandbox_id: string
  /** One for each id, in the order asked. */
  origins: Origin[]
}

export interface OriginsAsked {
  /** Entities and records, in the order in which they are answered. */
  canonical_ids: string[]
  /** Files, and records, told of one id. `10` when omitted. */
  limit_per_canonical?: number | null
  /** Only what is in this project; the whole sandbox when omitted. */
  project_id?: string | null
}

export interface Outcome {
  /** The source; null when nothing was registered. */
  data_source_id: string | null
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived' | null
  name: string | null
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual' | null
  /** Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not. */
  health_error: string | null
  /** Null: a refusal is answered with 400, and has it. */
  error: string | null
  /** Null: a refusal has it. */
  detail: string | null
  authorization?: McpAuthorization
}

export interface OutcomeRefusal {
  /** The source; null when nothing was registered. */
  data_source_id: string | null
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived' | null
  name: string | null
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual' | null
  /** Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not. */
  health_error: string | null
  error: 'invalid_name' | 'invalid_base_url' | 'base_url_not_allowed' | 'invalid_auth_kind' | 'invalid_token' | 'token_required' | 'token_not_expected' | 'invalid_auth_header' | 'auth_header_required' | 'invalid_app_namespace' | 'app_namespace_taken' | 'invalid_allowed_tools' | 'invalid_ingest_tool_calls' | 'tool_not_allowed' | 'invalid_rate_cap_per_minute' | 'invalid_webhook_rate_cap_per_minute' | 'invalid_api_key' | 'invalid_include' | 'invalid_poll_interval_seconds' | 'invalid_ingestion_mode' | 'polling_under_key' | 'invalid_scopes' | 'invalid_client_id' | 'invalid_client_secret' | 'invalid_code' | 'invalid_callback_url' | 'client_not_expected' | 'client_id_required' | 'code_required' | 'oauth_not_offered' | 'oauth_client_required' | 'oauth_registration_refused' | 'oauth_pkce_unsupported' | 'oauth_issuer_mismatch' | 'oauth_resource_mismatch' | 'oauth_public_url_required' | 'oauth_under_key' | 'state_invalid' | 'access_denied' | 'exchange_failed' | 'invalid_body'
  /** A sentence a person can act on. */
  detail: string
  request_id: string
}

export interface Overview {
  /** Echo. */
  sandbox_id: string
  /** The project that it is limited to, or null for the whole sandbox. */
  project_id: string | null
  record_count: number
  /** Kinds of records, those of most records first. */
  types: Array<{
    type: string
    record_count: number
  }>
  /** Sources in scope, those of most records first. */
  sources: Array<{
    /** Null for what came through no source that is shown. */
    source_id: string | null
    name?: string
    provider?: string
    status?: string
    record_count: number
    /** When the latest of its records happened. */
    newest_at: string | null
    /** When something last came through it. */
    last_sync_at?: string | null
  }>
  newest?: RecordSummary
  oldest?: RecordSummary
  /** The most connected entities by their kind. */
  entities: Array<{
    type: string
    /** Those that most records hold, the first of them first. */
    entities: Array<{
      canonical_id: string
      name: string
      record_count: number
    }>
  }>
  /** What people talk of beside these: names that recur, those of most records first. */
  topics: Array<{
    name: string
    record_count: number
  }>
}

export interface Profile {
  /** The platform account: `acct_…`, or the subject of the account’s tokens. */
  user_id: string
  /** The account’s name for people. */
  display_name: string | null
  /** The member of the account who asks; null for the account itself. */
  member_id?: string | null
  /** The primary sandbox, used by the ingest shorthand: the one that you set, else your only active one. */
  sandbox_id?: string | null
  /** The default project of the ingest shorthand. */
  project_id?: string | null
}

export interface Project {
  /** The project’s id. */
  project_id: string
  /** The platform account that holds it. */
  user_id: string
  /** The sandbox it is in. */
  sandbox_id: string
  name: string
  status: 'active' | 'archived'
  description?: string | null
  /** The sources linked to it. */
  data_source_ids?: string[]
  /** Yours, as given. */
  metadata?: Record<string, unknown>
  /** When it was made. */
  created_at?: string | null
}

export interface ProjectPage {
  projects: Project[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface ProtectedResource {
  /** The endpoint. */
  resource: string
  resource_name: string
  /** The issuer; absent where none is configured. */
  authorization_servers?: string[]
  scopes_supported: Array<'cairn:read' | 'cairn:write'>
  bearer_methods_supported: Array<'header'>
}

export interface Provider {
  /** The value of `provider` that means it. */
  provider: string
  /** Other values that mean it. */
  aliases: string[]
  /** Its name for people. */
  name: string
  ways: ProviderWay[]
}

export interface ProviderWay {
  /** The product delivers to a webhook, or it is read. */
  ingestion_mode: 'realtime' | 'polling'
  /** Where a source of it is registered, under the sandbox’s address. */
  path: string
  /** The field of the registration that takes the product’s secret; null where it has none. */
  credential: string | null
  /** The forms of body that its webhook takes. */
  forms: string[]
  /** The field of the registration that takes the settings; null: they are its fields. */
  settings_in: string | null
  /** What can be set, as a JSON Schema. */
  settings: Record<string, unknown>
}

export interface Providers {
  providers: Provider[]
  count: number
}

export interface PullSource {
  /** Read again what changed from then on; later than what was read last, it changes nothing. */
  since?: string | null
}

export interface PulledSource {
  /** The job that does it: the one that waits or is under way, when there is one. */
  job_id: string
  job_type: 'data_source_pull'
  status: 'queued'
}

export interface PurgeSource {
  /** Remove the registration too. `false` when omitted. */
  delete_source?: boolean
}

export interface PurgedSource {
  /** True: what failed has an error instead. */
  success: boolean
  /** Whether the registration is removed too. */
  delete_source_applied: boolean
  /** Records. */
  events_deleted: number
  /** Relations that only these records stated. */
  extractions_deleted: number
  /** Entities that only these records supported. */
  canonical_index_rows_deleted: number
  /** 0: there is no such thing here. */
  entity_vectors_deleted: number
  /** 0: there is no such thing here. */
  triggers_deleted: number
  /** Secrets of its webhook, with `delete_source`. */
  webhooks_deleted: number
  /** 0: there is no such thing here. */
  event_seen_deleted: number
  /** Projects that it was linked to, with `delete_source`. */
  project_links_deleted: number
  /** 0: there is no such thing here. */
  strategy_artifacts_deleted: number
  /** 0: there is no such thing here. */
  pull_artifacts_deleted: number
  /** 0: there is no such thing here. */
  user_strategies_deleted: number
  /** Files, or objects of the object store. */
  vault_objects_deleted: number
}

export interface PutGroupRole {
  /** The value of the groups claim, exactly as the identity provider sends it. */
  claim: string
  /** The role of members who have it. */
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

/** The interpretation of the question; only with `explain`. */
export interface QuestionIntent {
  /** The question in the words of the records where it has slips of the pen. */
  text: string
  /** Its parts in order; at least one. */
  parts: Array<{
    /** With the subject that it leaves to an earlier part. */
    text: string
    /** The kind of answer: `who`, `when`, `why` and others. */
    kind: string
    /** The search terms, as indexed. */
    terms: string[]
    /** Names of entities in it. */
    names: string[]
    /** Those of the names that people have. */
    people: string[]
  }>
  /** The times it asks about; none when it asks about any. */
  times: Array<{
    /** From when on. */
    from: string | null
    /** Until just before when. */
    until: string | null
  }>
  /** The kind of a question that asks for no single fact. */
  broad?: 'courtesy' | 'everything' | 'thing'
  /** The words by which an event tells the time. */
  event?: string
  /** The subject from earlier questions. */
  subject?: string
  /** True for a count, a list, groups or an extreme of an existing kind of records. */
  asks_rows: boolean
  /** Assumptions made in interpreting it, as sentences. */
  notes: string[]
}

export interface RecordBatch {
  records: RecordInput[]
}

export interface RecordInput {
  /** The record’s id at its source. */
  external_id: string
  /** Its kind, for example `message`, `issue` or `document`. */
  type: string
  title?: string | null
  text?: string | null
  url?: string | null
  /** When it happened; a date alone is that day, 00:00 UTC. */
  occurred_at?: string | null
  /** Who made it: a name, or a person, for example `{"name": …, "email": …}`. */
  author?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  } | null
  participants?: Array<string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  }> | null
  entities?: DeclaredEntity[] | null
  relations?: DeclaredRelation[] | null
  /** Typed fields of the record. */
  properties?: Record<string, unknown> | null
  /** How far the work has come, by the category of its tool. */
  phase?: 'open' | 'doing' | 'done' | 'dropped' | null
  /** Who answers for it: a name, or a person with identifiers. */
  owner?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Its e-mail address, for short: kept, and shown, as the `email` of its identifiers. */
    email?: string | null
    /** What names it for certain: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Whatever else is known of it. */
    properties?: Record<string, unknown> | null
  } | null
  /** Until when it is to be done. */
  due?: string | null
  /** What it is to people, in a word: bug, decision, invoice. */
  kind?: string | null
  /** By `start`, each after the one before; each holds up to the next. */
  locators?: Array<{
    /** A UTF-16 code unit of `text`. */
    start: number
    /** Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`. */
    locator: string
  }> | null
  basis?: Basis | null
  /** The project it belongs to, in place of those of its source. */
  project_id?: string | null
  /** Removes the record of this external_id. */
  deleted?: boolean | null
}

export interface RecordPage {
  records: RecordSummary[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface RecordPointer {
  /** The record. */
  record_id: string
  /** Its kind. */
  type: string
  /** Its title, or how its text begins. */
  title: string
  /** Where it is at its source. */
  url?: string
  /** When it happened. */
  occurred_at?: string | null
  /** The name of the source that it came through. */
  source_name?: string
  /** Its file at the source, where it is one. */
  path?: string
  /** Where in its document it says the first of what is told of it. */
  locator?: string
}

export interface RecordSummary {
  /** The record’s id, a canonical id too. */
  record_id: string
  external_id?: string | null
  type?: string | null
  title?: string | null
  /** The beginning of its text, at most 300 characters. */
  snippet?: string
  /** Who made it, by name. */
  author?: string
  /** When it happened. */
  occurred_at?: string | null
  source_id?: string | null
  url?: string | null
}

export interface RegisterSource {
  /** The provider type, for example `slack`, `github` or `linear`. */
  provider: string
  /** A label for developers. */
  name: string
  /** `manual` when omitted. */
  ingestion_mode?: 'realtime' | 'polling' | 'batch' | 'manual'
  /** `durable` when omitted. */
  kind?: 'durable' | 'ephemeral'
  /** The account at the provider, such as a workspace. */
  external_account_id?: string | null
  /** The provider’s settings; credentials are refused here. */
  adapter_config?: Record<string, unknown>
  /** Seconds between two polls; 900 in polling mode when omitted, kept and unused in another mode. */
  poll_interval_seconds?: number | null
  /** What opens the provider’s API, such as a token. It is sealed, and never shown again. */
  provider_credential?: string | null
  /** The secret with which the provider signs its deliveries, where it cannot send a bearer. It is sealed, and never shown again. */
  provider_signing_secret?: string | null
}

export interface RegisterTracker {
  /** The key that opens the tracker. It is sealed, and never shown again. */
  api_key: string
  /** A label for developers; the product’s name by default. */
  name?: string | null
  /** What to bring; everything by default. */
  include?: Array<'teams' | 'users' | 'projects' | 'issues' | 'cycles'> | null
  /** Polling, unless it is to be read when asked to alone. `polling` when omitted. */
  ingestion_mode?: 'polling' | 'manual' | null
  /** Tool calls a minute; 60 by default. */
  rate_cap_per_minute?: number | null
  /** Seconds between two polls; 900 by default. */
  poll_interval_seconds?: number | null
}

export interface RegisterUserMcp {
  /** A label for developers. */
  name: string
  /** The URL of the tool server: https. */
  base_url: string
  /** Authorization of requests: a bearer token, a token in another header, OAuth consent, or nothing. */
  auth_kind: 'bearer' | 'header_token' | 'oauth' | 'none'
  /** The credential. It is sealed, and never shown again. */
  token?: string | null
  /** The header that carries the token; required with header_token. */
  auth_header?: string | null
  /** With oauth: the scopes to ask for; by default those that the server names. */
  scopes?: string[] | null
  /** With oauth: a client that was registered at the authorization server beforehand. */
  client_id?: string | null
  /** The secret of that client. It is sealed, and never shown again. */
  client_secret?: string | null
  /** The prefix of its tools, one of a kind in the sandbox; the id of the source by default. */
  app_namespace?: string | null
  /** The tools that may be called; all by default. */
  allowed_tools?: string[] | null
  /** Calls whose results become records on every pull; without them it is read when asked to alone. */
  ingest_tool_calls?: IngestToolCall[] | null
  /** With ingest_tool_calls polling, unless it is to be read when asked to alone; else manual. */
  ingestion_mode?: 'polling' | 'manual' | null
  /** Tool calls a minute; 60 by default. */
  rate_cap_per_minute?: number | null
  /** Deliveries a minute; 600 by default. */
  webhook_rate_cap_per_minute?: number | null
}

export interface RetrievedRecord {
  /** The record. */
  record_id: string
  /** 1 for the first. Deleted records leave gaps. */
  rank: number
  /** True if the answer cites it. */
  cited: boolean
}

export interface RevokedApiKey {
  revoked: true
  /** The key’s id. */
  id: string
  name: string
}

export interface RotateSecret {
  /** How much longer the old secret works. `0` when omitted. */
  grace_seconds?: number
}

export interface RotateSigningSecret {
  /** For so long messages carry a signature by the old secret as well. `0` when omitted. */
  grace_seconds?: number | null
}

export interface RunFilePage {
  files: ImportedFile[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface RunPage {
  runs: SourceRun[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface Sandbox {
  /** The sandbox’s id. */
  sandbox_id: string
  /** The platform account that holds it. */
  user_id: string
  /** The identifier you gave, echoed and never interpreted. */
  owner_id: string
  name: string
  tier: 'free' | 'pro' | 'enterprise'
  status: 'active' | 'suspended' | 'archived'
  storage_provider_type: 'platform_s3' | 'custom_s3'
  /** Its own bucket; its owner alone sees it. */
  storage?: {
    bucket: string
    region: string
    /** Null is AWS. */
    endpoint: string | null
    /** Without a slash at its ends. */
    prefix: string
  }
  limits: Limits
  /** Yours, as given. */
  metadata?: Record<string, unknown>
  /** When it was made. */
  created_at?: string | null
  /** Your role on it. */
  access?: 'viewer' | 'editor' | 'owner' | null
  /** Whether you reach it through a grant. `false` when omitted. */
  is_external?: boolean
  /** Whether its content is under a key that only its caller holds. */
  encrypted?: boolean
  /** Recognises that key without revealing it. */
  key_fingerprint?: string | null
}

export interface SandboxPage {
  sandboxes: Sandbox[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface Search {
  /** The current question. */
  query: string
  /** Earlier turns, oldest first; the last 20 are used. */
  history?: ChatMessage[]
  /** Only what is in this project; the whole sandbox when omitted. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` when omitted. */
  preset?: string | null
  /** Length of the answer. `concise` when omitted. */
  detail_level?: 'concise' | 'detailed' | null
  /** The length of what is told at most, in UTF-8 bytes divided by 4. */
  max_tokens?: number | null
  /** True adds `statements` with their spans in the records. `false` when omitted. */
  statements?: boolean | null
  /** True adds the interpretation of the question and the evidence of each statement. `false` when omitted. */
  explain?: boolean | null
  /** Stores the answer, so that it can be read, shared and rated later. `true` when omitted. */
  store?: boolean | null
}

export interface SearchAnswer {
  /** The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, where the service keeps no answers, and with a warning if storing it failed. */
  answer_id?: string
  /** `answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence. */
  outcome: 'answered' | 'closest' | 'nothing'
  /** True if `outcome` is `answered`. Zero and "no" count as answers. */
  answered: boolean
  /** Where nothing answers, at most three records that came nearest. */
  nearest?: RecordPointer[]
  /** At most 24 statements, best first; only with `explain`. */
  considered?: ConsideredStatement[]
  /** The probability that the records answer the question, from which on they are taken to answer it; only with `explain`. It is about the whole question, and not comparable with the `score` of one statement. */
  threshold?: number
  /** One or two paragraphs, every statement taken or computed from stored records. */
  answer: string
  /** At most 10, most relevant first. */
  citations: InterpretCitation[]
  /** The statements of the answer; with `statements` or `explain`. */
  statements?: ToldStatement[]
  /** The first 10 records that what is told rests on, in the order in which it is told; only with `explain`. */
  records?: RecordPointer[]
  /** Where nothing answers, at most three files in scope that were not read in the last 30 days, whose name or kind fits the question. */
  unread?: UnreadFile[]
  intent?: QuestionIntent
  /** The preset that answered. */
  preset: 'fast' | 'auto' | 'discover' | 'sql' | 'max'
  /** Time spent on it here, in milliseconds. */
  execution_time_ms: number
  /** Warnings about the answer, as sentences. */
  warnings: string[]
  /** Of `rows`; only with the preset `sql`. */
  columns?: string[]
  /** At most 100 rows that the answer tells of. */
  rows?: Array<Array<string | number | boolean | null>>
  /** Rows that there are, shown or not. */
  total_rows?: number
  /** Echo. */
  sandbox_id: string
  /** Echo, or null for the whole sandbox. */
  project_id: string | null
  /** Echo. */
  query: string
}

export interface SecretWebhook {
  /** The endpoint’s id. */
  webhook_id: string
  /** Whose changes it is told of. */
  sandbox_id: string
  /** Where they are sent. */
  url: string
  /** A label, for you. */
  description: string | null
  /** What it is told of. */
  events: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'>
  /** `disabled` when it has failed for five days, or said itself that it is gone (410); `active` makes it go on where it stood. */
  status: 'active' | 'paused' | 'disabled'
  /** Why it was disabled. */
  disabled_reason: 'failing' | 'gone' | null
  /** Attempts that failed since the last that did not. */
  failures: number
  /** When the first of them was made. */
  failing_since: string | null
  /** Why the latest failed; null when it did not. */
  last_error: string | null
  /** When something was last sent. */
  last_attempt_at: string | null
  /** When something last arrived. */
  last_delivered_at: string | null
  /** When what failed is sent again. */
  next_attempt_at: string | null
  /** When it was made. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
  /** What its messages are signed with, shown when it is made and rotated and never again. */
  signing_secret: string | null
}

export interface Session {
  /** The session; null for a key or a token. */
  session_id: string | null
  /** The account. */
  user_id: string
  /** The name of the member, or of the account. */
  display_name: string
  /** The member; null for a caller who acts as the account. */
  member_id: string | null
  /** The member’s role; null for a caller who acts as the account. */
  role: 'owner' | 'admin' | 'member' | 'viewer' | null
  /** The member’s address. */
  email: string | null
  /** When the session began. */
  signed_in_at?: string | null
  /** When the session ends, however much it is used: 12 hours after it began. */
  expires_at?: string | null
  /** When the session ends unless it is used: 2 hours after the last use. */
  idle_expires_at?: string | null
}

export interface SessionMessage {
  role: 'user' | 'assistant' | 'system' | 'tool'
  /** What was said; one that is blank only takes its place. */
  content: string | null
  /** Who said it; where it is omitted, a message of role `user` is said by the person whose sandbox it is. */
  name?: string | null
  /** When it was said; when it first came in, where it is omitted. */
  created_at?: string | null
  /** Your id of it, unique in the session: another content under it replaces the message. */
  id?: string | null
}

export interface SessionMessages {
  /** The session, by an id of your own. */
  session_id: string
  messages: SessionMessage[]
  /** The place of the first of them in the session, from 0: a message without an id is known again by its place and what it says, so send a session from its beginning, or say where this part of it begins. `0` when omitted. */
  first_place?: number
  /** The source it came through. */
  data_source_id?: string | null
  /** The project it belongs to. */
  project_id?: string | null
}

export interface SetTier {
  /** The tier from now on. */
  tier: 'free' | 'pro' | 'enterprise'
}

export interface SignedIn {
  /** The account. */
  user_id: string
  /** The member; null for a session that acts as the account. */
  member_id: string | null
  /** When the session ends. */
  expires_at: string
}

export interface Source {
  /** The source’s id. */
  data_source_id: string
  /** The platform account that holds it. */
  user_id: string
  /** The sandbox it feeds. */
  sandbox_id: string
  provider: string
  name: string
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual'
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived'
  /** `durable` when omitted. */
  kind?: 'durable' | 'ephemeral'
  /** The account at the provider. */
  external_account_id?: string | null
  /** The provider’s settings. */
  adapter_config?: Record<string, unknown>
  poll_interval_seconds?: number | null
  /** Where a realtime source’s sender posts to. */
  webhook_url?: string | null
  /** The sender’s bearer secret, present only where it was just made. */
  webhook_signing_secret?: string | null
  /** The latest successful ingest. */
  last_sync_at?: string | null
  /** Why the latest pull failed, as a stable code; absent when it did not. */
  last_error?: string
  /** True when what opens the provider is under the caller’s key; absent otherwise. */
  credential_under_key?: boolean
  authorization?: McpAuthorization
  /** When it was registered. */
  created_at?: string | null
}

export interface SourceDelivery {
  /** The delivery’s id here. */
  delivery_id: string
  /** When it came. */
  received_at: string
  /** `queued` until its records are applied; `written` when one of them was added, replaced or removed, `unchanged` when all said what was stored; `ignored` when it says nothing that a record could hold; `failed` when a record failed. */
  fate: 'queued' | 'written' | 'unchanged' | 'ignored' | 'failed'
  /** Why, as a stable code: of what was ignored or failed, or is kept as it came. */
  reason: string | null
  /** The same in a sentence. */
  detail: string | null
  /** Records that it came to. */
  records: number
}

export interface SourcePage {
  sources: Source[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface SourceRun {
  /** The job that did it. */
  job_id: string
  /** What kind of work it was. */
  job_type: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  counts: {
    received: number
    written: number
    removed: number
    failed: number
  }
  /** How far it is. */
  progress: {
    /** Records that are applied, or failed. */
    done: number
    /** Records in all; null while more may arrive. */
    total: number | null
    /** Since work on it began; null before. */
    records_per_second: number | null
  }
  /** Why it failed or waits. */
  error: string | null
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string | null
  /** When it ended. */
  completed_at: string | null
  /** Of an import of the last 30 days, at most 20 of its files, those that were not read first. */
  files?: ImportedFile[]
}

export interface StartAuthorization {
  /** Scopes to ask for in place of those that the server names. */
  scopes?: string[] | null
}

export interface StoredAnswer {
  /** The id that the reply had. */
  answer_id: string
  /** The question. */
  query: string
  outcome: 'answered' | 'closest' | 'nothing'
  /** The project that was asked; null for the whole sandbox. */
  project_id: string | null
  /** True if members of the account can read it. */
  shared: boolean
  /** When it was given. */
  created_at: string
  /** When it is deleted, unless a record that it cites is deleted earlier. */
  expires_at: string
  /** The account that asked. */
  asked_by: string
  /** The answer or brief, as it was given. */
  answer: string
  /** The citations of the original reply. */
  citations: InterpretCitation[]
  /** The statements of the answer; with `statements` or `explain`. */
  statements?: ToldStatement[]
  feedback?: Feedback
}

export interface SuggestionDecision {
  success: boolean
  message: string
  /** What the two are now; of two that stay two, the first. */
  canonical_id: string
  /** The entry of the ledger; null when nothing had to change. */
  merge_id: string | null
  /** The suggestion. */
  suggestion_id: string
  /** `open` until a person decides; `accepted`: they are one; `dismissed`: they stay two whatever comes. */
  state: 'open' | 'accepted' | 'dismissed'
}

export interface TextSpan {
  /** The record. */
  record_id: string
  /** Its first UTF-16 code unit in the record’s `text`. */
  start: number
  /** The code unit behind its last. */
  end: number
  /** Where that is in its document: `p. 12`, `Sheet1!B7`, or the headings above, `#limits/retries`. */
  locator?: string
}

export interface ToldStatement {
  text: string
  /** The records that it is taken or computed from. */
  record_ids: string[]
  /** The computation, with its fields or records. */
  computed?: string
  /** Its spans in the texts; none if it is computed from fields. */
  spans?: TextSpan[]
}

export interface TrackerOutcome {
  /** The source; null when nothing was registered. */
  data_source_id: string | null
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived' | null
  name: string | null
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual' | null
  /** Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not. */
  health_error: string | null
  /** Null: a refusal is answered with 400, and has it. */
  error: string | null
  /** Null: a refusal has it. */
  detail: string | null
  entities: Array<'teams' | 'users' | 'projects' | 'issues' | 'cycles'>
}

export interface UnreadFile {
  /** Its path, as it was brought. */
  path: string
  /** Why, as a stable code. */
  reason: string
}

export interface UpdateGroup {
  /** The group’s name. */
  name?: string | null
  /** A value of the groups claim: who has it at sign-in joins the group, who no longer has it leaves. */
  claim?: string | null
  /** Its members. They replace those that it has. */
  member_ids?: string[] | null
}

export interface UpdateMember {
  /** The new role. */
  role?: 'owner' | 'admin' | 'member' | 'viewer' | null
  /** Suspending ends the member’s sessions and the consents that the member gave to hosted servers, and stops keys and grants. Keys and grants work again after reactivation. */
  status?: 'active' | 'suspended' | null
}

export interface UpdateProfile {
  /** The account’s name for people; null keeps it. */
  display_name?: string | null
  /** A sandbox that you own or can write to; null for none of your choice. */
  sandbox_id?: string | null
  /** A project of that sandbox; null for none. */
  project_id?: string | null
}

export interface UpdateProject {
  /** The new name; null keeps the old one. */
  name?: string | null
  /** What it is about. */
  description?: string | null
  /** Replaces the old metadata; null keeps it. */
  metadata?: Record<string, unknown> | null
}

export interface UpdateSandbox {
  /** The new name; null keeps the old one. */
  name?: string | null
  /** Replaces the old metadata; null keeps it. */
  metadata?: Record<string, unknown> | null
  storage?: GivenAccess | null
}

export interface UpdateSource {
  /** The new label; null keeps the old one. */
  name?: string | null
  ingestion_mode?: 'realtime' | 'polling' | 'batch' | 'manual' | null
  /** The account at the provider; null clears it. */
  external_account_id?: string | null
  /** Replaces the old settings, or is merged into them; null keeps them. */
  adapter_config?: Record<string, unknown> | null
  /** Seconds between two polls; 900 in polling mode when omitted, kept and unused in another mode. */
  poll_interval_seconds?: number | null
  /** The new credential; null removes it. */
  provider_credential?: string | null
  /** The new secret the provider signs with; null removes it. */
  provider_signing_secret?: string | null
}

export interface UpdateUserMcp {
  /** The new label. */
  name?: string | null
  /** The URL of the tool server: https. */
  base_url?: string | null
  /** Authorization of requests: a bearer token, a token in another header, OAuth consent, or nothing. */
  auth_kind?: 'bearer' | 'header_token' | 'oauth' | 'none' | null
  /** The credential. It is sealed, and never shown again. */
  token?: string | null
  /** The header that carries the token; required with header_token. */
  auth_header?: string | null
  /** With oauth: the scopes to ask for; by default those that the server names. */
  scopes?: string[] | null
  /** With oauth: a client that was registered at the authorization server beforehand. */
  client_id?: string | null
  /** The secret of that client. It is sealed, and never shown again. */
  client_secret?: string | null
  /** The prefix of its tools, one of a kind in the sandbox; the id of the source by default. */
  app_namespace?: string | null
  /** The tools that may be called; all by default. */
  allowed_tools?: string[] | null
  /** Calls whose results become records on every pull; without them it is read when asked to alone. */
  ingest_tool_calls?: IngestToolCall[] | null
  /** With ingest_tool_calls polling, unless it is to be read when asked to alone; else manual. */
  ingestion_mode?: 'polling' | 'manual' | null
  /** Tool calls a minute; 60 by default. */
  rate_cap_per_minute?: number | null
  /** Deliveries a minute; 600 by default. */
  webhook_rate_cap_per_minute?: number | null
}

export interface UpdateWebhook {
  /** An https address that is reachable from the service; it follows no redirect. */
  url?: string | null
  /** What it is told of; everything when omitted. */
  events?: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'> | null
  /** A label, for you. */
  description?: string | null
  /** `active` tries what waits at once, also after it was disabled; `paused` sends nothing. */
  status?: 'active' | 'paused' | null
}

export interface Usage {
  /** Sources that are neither disconnected nor archived. */
  max_data_sources: number
  /** Projects. */
  max_projects: number
  /** Bytes of the content of the records that are stored, as JSON in UTF-8. */
  max_storage_bytes: number
  /** Records that are stored. */
  max_records: number
  /** Records taken in during the last minute. */
  ingest_records_per_minute: number
  /** Queries answered in the last minute. */
  queries_per_minute: number
  /** Reads of entities, records and exports in the last minute; 0 where nothing limits them. */
  reads_per_minute: number
  /** How far records have been read for what they mean. */
  reading: {
    /** What makes vectors; null where nothing does. */
    model: string | null
    /** Records that have their vectors, and so are found by what they mean too. */
    records: number
    /** Records that wait for theirs; they are found by their words. */
    waiting: number
  }
  /** Records that an older version of the service stored are read anew at rest, so that they have blocks and say how they stand; until then they answer as before. */
  rereading: {
    /** Records that wait to be read anew. */
    waiting: number
  }
}

/** Amounts are in microcents as existing clients count them, which are 10^-6 US dollars. */
export interface UsageBalance {
  credits_purchased: 0
  /** What models have cost the account since it began. */
  credits_used: number
  credits_remaining: 0
  currency: "usd"
}

export interface Webhook {
  /** The endpoint’s id. */
  webhook_id: string
  /** Whose changes it is told of. */
  sandbox_id: string
  /** Where they are sent. */
  url: string
  /** A label, for you. */
  description: string | null
  /** What it is told of. */
  events: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'>
  /** `disabled` when it has failed for five days, or said itself that it is gone (410); `active` makes it go on where it stood. */
  status: 'active' | 'paused' | 'disabled'
  /** Why it was disabled. */
  disabled_reason: 'failing' | 'gone' | null
  /** Attempts that failed since the last that did not. */
  failures: number
  /** When the first of them was made. */
  failing_since: string | null
  /** Why the latest failed; null when it did not. */
  last_error: string | null
  /** When something was last sent. */
  last_attempt_at: string | null
  /** When something last arrived. */
  last_delivered_at: string | null
  /** When what failed is sent again. */
  next_attempt_at: string | null
  /** When it was made. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
}

export interface WebhookDelivery {
  /** The attempt’s id. */
  delivery_id: string
  /** The `webhook-id` that it carried; the same for every attempt of a message. */
  message_id: string
  /** When it was sent. */
  attempted_at: string
  outcome: 'delivered' | 'failed'
  /** What the endpoint answered; null without an answer. */
  status_code: number | null
  /** Why it failed, as a stable code. */
  reason: string | null
  /** The same in a sentence. */
  detail: string | null
  /** Changes that it told of. */
  changes: number
  /** Milliseconds until the answer, or until it was given up. */
  duration_ms: number
}

export interface WebhookDeliveryPage {
  deliveries: WebhookDelivery[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}

export interface WebhookPage {
  webhooks: Webhook[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
}
