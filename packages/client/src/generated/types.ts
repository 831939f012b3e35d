// Made by `npm run clients` of the contract. A test compares it.

export interface ErrorBody {
  error: 'bad_request' | 'unauthorized' | 'forbidden' | 'quota_exceeded' | 'encryption_key_required' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'conflict' | 'gone' | 'precondition_failed' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'validation_error' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'not_implemented' | 'unavailable'
  /** A more specific stable code. */
  reason?: 'malformed_json' | 'invalid_utf8' | 'invalid_text' | 'too_deep' | 'too_many_values' | 'duplicate_key' | 'forbidden_key' | 'duplicate_header' | 'invalid_header' | 'invalid_cursor' | 'encryption_header_invalid' | 'encryption_headers_conflict' | 'state_invalid' | 'access_denied' | 'exchange_failed' | 'logout_token_invalid' | 'invitation_invalid' | 'groups_overage' | 'https_required' | 'oauth_issuer_mismatch' | 'idempotency_key_in_use' | 'duplicate_name' | 'sandbox_not_active' | 'source_not_active' | 'needs_authorization' | 'not_pullable' | 'wrong_kind' | 'not_realtime' | 'project_archived' | 'connection_not_active' | 'last_owner' | 'provider_signs_in' | 'group_grant' | 'account_exists' | 'types_differ' | 'suggestion_accepted' | 'merge_undone' | 'holds_plain_content' | 'no_own_storage' | 'idempotency_key_reused' | 'polling_under_key' | 'not_pollable' | 'unknown_format' | 'unsupported_file' | 'unreadable_archive' | 'encrypted_archive' | 'unsafe_path' | 'storage_unfit' | 'unknown_grantee' | 'unknown_member' | 'unknown_source' | 'secret_in_config' | 'not_deliverable' | 'use_secret_endpoint' | 'cursor_expired' | 'missing' | 'mismatch' | 'connection_key_limits' | 'csrf' | 'member_role' | 'owner_only' | 'not_a_member' | 'foreign_origin' | 'insufficient_scope' | 'grant_limits' | 'preset_reserved' | 'account_limits' | 'memory_max' | 'sandboxes_max' | 'sign_in_not_offered' | 'no_primary_sandbox' | 'archive_too_large' | 'provider_unreachable' | 'storage_unavailable' | 'sandbox_too_large' | 'disk_full'
  /** A sentence that says what to do. */
  detail: string
  request_id: string
  /** The violated rules, without the rejected values. */
  errors?: Array<{
    /** Where, from the outside in. */
    loc: Array<string | number>
    /** The violated rule in words. */
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
  /** The job that ingests it. */
  job_id: string
  status: 'queued'
  encrypted: boolean
  /** The sandbox that stores it. */
  sandbox_id: string
  /** Its project, if one was given. */
  project_id: string | null
  /** The address of the job’s state. */
  status_url: string
}

export interface Account {
  /** The account’s id. */
  user_id: string
  /** Its display name. */
  display_name: string
  status: 'active' | 'suspended'
  /** When it was created. */
  created_at: string
}

export interface AccountLimits {
  /** Number of sandboxes of the tier, including archived ones; null is unlimited. */
  max_sandboxes: number | null
  /** Records accepted per minute, in all sandboxes of the tier; null is unlimited. */
  account_ingest_records_per_minute: number | null
  /** Queries answered per minute, in all sandboxes of the tier; null is unlimited. */
  account_queries_per_minute: number | null
  /** Reads of entities, records and exports per minute, in all sandboxes of the tier; null is unlimited. */
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
  /** Records accepted. */
  ingested_records: number
  /** Usage of the language model; all zero if none is configured. */
  model: {
    input_tokens: number
    output_tokens: number
    cost_usd: number
  }
  /** Daily language model tokens of each account (`CAIRN_MODEL_DAILY_TOKENS`); null if there is no such limit. When they are used up, answers are quoted passages, with a warning. */
  model_budget: {
    tokens_per_day: number
    /** Input and output tokens of calls of type `write` today. */
    used_today: number
    left_today: number
    /** When the next day begins, UTC. */
    resets_at: string
  } | null
  /** Total usage of all models. */
  summary: {
    total_prompt_tokens: number
    total_completion_tokens: number
    total_tokens: number
    total_cost_usd: number
    total_calls: number
  }
  /** The same by model, highest cost first. */
  by_model: ModelUsage[]
  /** The same by type of call. */
  by_call_type: CallTypeUsage[]
  /** The limits that all your sandboxes of a tier share. Each sandbox also has its own `limits`. */
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

export interface AnswerStatement {
  text: string
  /** The records that support it. */
  record_ids: string[]
  /** The computation, with its fields or records. */
  computed?: string
  /** Its spans in the texts; empty if it is computed from fields. */
  spans?: TextSpan[]
}

export interface AnswerSummary {
  /** The `answer_id` of the reply. */
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
  /** The key’s id, which revokes it. */
  id: string
  name: string
  /** The first characters of the key, to recognize it. */
  key_prefix: string
  /** When it expires. */
  expires_at?: string | null
  /** When it was created. */
  created_at: string
  /** The member that the key acts as; null for a key of the account. */
  member_id?: string | null
  /** When it last authenticated a request. */
  last_used_at?: string | null
  /** Number of requests that it has authenticated. */
  use_count: number
  is_expired: boolean
}

export interface AuditEvent {
  /** Its number in the log, from 1 without gaps. */
  seq: number
  /** When it happened. */
  at: string
  /** The event, such as `source.created`. */
  event: string
  /** The acting account or member; null for the operator. */
  actor_user_id: string | null
  /** The credential used: the id of a key or session, `jwt_…` for a token, `admin_key`, or null for the service. */
  credential_id: string | null
  /** The id of the changed object. */
  subject_id: string | null
  /** The id of the request. */
  request_id: string | null
  /** The hash of the previous event in hexadecimal; zeros for the first. */
  previous_hash: string
  /** SHA-256 of the event’s fields and of `previous_hash`, in hexadecimal. */
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
  /** `write`, `rerank`, `embed`, `vision` or `transcribe`; `unknown` for calls that were counted without a type. */
  call_type: string
  /** Input tokens. */
  prompt_tokens: number
  /** Output tokens. */
  completion_tokens: number
  total_tokens: number
  /** In US dollars, at the configured prices. */
  cost_usd: number
  calls: number
}

export interface Change {
  /** `merged`: the entity became part of `into`. */
  change: 'added' | 'changed' | 'removed' | 'merged'
  kind: 'record' | 'entity'
  /** Id of the record or entity. */
  id: string
  /** The entity that a merged one became. */
  into?: string
  /** Its kind, if still known. */
  type?: string
  /** The current title of the record or name of the entity. */
  title?: string
  /** Where the record is at its source. */
  url?: string
  /** When the content of the record happened. */
  occurred_at?: string | null
  /** The source of the record. */
  source_id?: string | null
  /** The time of the commit. */
  changed_at: string
}

export interface ChangePage {
  changes: Change[]
  /** Changes in this reply. */
  count: number
  /** Send it as `since` to continue, now or later. */
  next_cursor: string
  /** True if there are more changes already. */
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
  /** A label of your choice. */
  label?: string | null
  /** When it expires. */
  expires_at?: string | null
  /** When it was revoked. */
  revoked_at?: string | null
  /** The account that created it. */
  created_by: string
  /** When it was created. */
  created_at: string
  status: 'active' | 'revoked' | 'expired'
}

export interface ConnectionKey {
  /** The key’s id; DELETE /api/v1/api-keys/{key_id} revokes only this key. */
  api_key_id: string
  /** The key itself. It is shown only once. */
  plaintext_key: string | null
  /** The first characters of the key, to recognize it. */
  key_prefix: string
  /** When its connection expires. */
  expires_at?: string | null
  /** A warning that the key is shown only here. */
  warning: string
}

export interface ConsideredStatement {
  /** The record. */
  record_id: string
  /** Its first UTF-16 code unit in the record’s `text`. */
  start: number
  /** The end, exclusive; 0 for a statement made from fields or relations. */
  end: number
  text: string
  /** The probability that it answers the question, from 0 to 1. */
  score: number
  /** 1 for the best. */
  rank: number
  /** True if the answer contains it. */
  chosen: boolean
  /** The reason why it was selected or not. */
  reason: string
}

export interface ConsoleCode {
  /** Signs in to the console once. */
  code: string | null
  /** The console’s URL with the code in its fragment; null if this service has no console. */
  url?: string | null
  /** When it expires: ten minutes after its creation. */
  expires_at: string
}

export interface ConsoleSignIn {
  /** The code from the link, unchanged. */
  code: string
  /** True sets the session cookie instead of returning a key. `false` if omitted. */
  cookie?: boolean
}

export interface ConsoleSignedIn {
  /** An API key of the account, which can be listed and revoked like any other; null with `cookie`. */
  api_key: string | null
  /** When the key or the session expires: twelve hours after the exchange. */
  expires_at: string
}

export interface ContextPassage {
  /** Whole sentences without markup; fields of a record as `name: value`. */
  text: string
  /** The record of the passage. */
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
  /** Its display name. Default: its id. */
  display_name?: string | null
}

export interface CreateAccountKey {
  /** A label of your choice. */
  name: string
  /** Days until the key expires. If omitted, it never expires. */
  expires_in_days?: number | null
  /** True to revoke all its other keys at the same time. `false` if omitted. */
  revoke_others?: boolean
}

export interface CreateApiKey {
  /** A label of your choice. */
  name: string
  /** Days until the key expires. If omitted, it never expires. */
  expires_in_days?: number | null
}

export interface CreateConnection {
  /** The account to share with, not your own. */
  user_id?: string
  grantee?: Grantee | null
  /** Not implemented. Use `grantee` for an address. */
  email?: string | null
  role: 'viewer' | 'editor'
  /** Limits it to this project with its sources and knowledge. Default: the whole sandbox. */
  project_id?: string | null
  /** A label of your choice. */
  label?: string | null
  /** When it expires: a time in the future. Default: never. */
  expires_at?: string | null
}

export interface CreateGroup {
  /** The group’s name. */
  name: string
  /** A value of the groups claim. At sign-in, members with the value join the group and members without it leave. */
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
  /** A label; it does not have to be unique. */
  name: string
  /** The subject of the project. */
  description?: string | null
  /** Sources to link; duplicates are ignored. */
  data_source_ids?: string[]
  /** Your metadata, stored unchanged. */
  metadata?: Record<string, unknown>
}

export interface CreateSandbox {
  /** Unique among the sandboxes of one owner_id; compared exactly. */
  name: string
  /** Your identifier of the end user. */
  owner_id: string
  /** `free` if omitted. */
  tier?: 'free' | 'pro' | 'enterprise'
  /** Your metadata, stored unchanged. */
  metadata?: Record<string, unknown>
  storage?: GivenStorage | null
}

export interface CreateWebhook {
  /** An https URL that the service can reach. Redirects are not followed. */
  url: string
  /** The events that it receives. Default: all. */
  events?: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'>
  /** A label of your choice. */
  description?: string | null
}

export interface CreatedAccount {
  /** The account’s id. */
  user_id: string
  /** Its display name. */
  display_name: string
  /** Its first API key. It is shown only once. */
  key: string | null
}

export interface CreatedAccountKey {
  /** The key’s id, which revokes it. */
  id: string
  name: string
  /** The first characters of the key, to recognize it. */
  key_prefix: string
  /** When it expires. */
  expires_at?: string | null
  /** When it was created. */
  created_at: string
  /** The member that the key acts as; null for a key of the account. */
  member_id?: string | null
  /** The key itself. It is shown only once. */
  key: string | null
  /** A warning that the key is shown only here. */
  warning: string
  /** The account’s id. */
  user_id: string
  /** Number of other keys of the account that remain valid until they expire. */
  keys_kept: number
  /** Number of other keys of the account that were revoked. */
  keys_revoked: number
}

export interface CreatedApiKey {
  /** The key’s id, which revokes it. */
  id: string
  name: string
  /** The first characters of the key, to recognize it. */
  key_prefix: string
  /** When it expires. */
  expires_at?: string | null
  /** When it was created. */
  created_at: string
  /** The member that the key acts as; null for a key of the account. */
  member_id?: string | null
  /** The key itself. It is shown only once. */
  key: string | null
  /** A warning that the key is shown only here. */
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
  /** When it was created. */
  created_at: string
  /** When it expires: 7 days after its creation. */
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
  /** Short form of the `email` in `identifiers`, where it is stored and shown. */
  email?: string | null
  /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
  identifiers?: Record<string, string[] | string> | null
  /** Other properties. */
  properties?: Record<string, unknown> | null
}

export interface DeclaredRelation {
  /** The subject: an entity. */
  subject: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  }
  /** The relation, for example `works_for`. */
  predicate: string
  /** The object: another entity or a plain value such as a date. */
  object: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  }
  /** Start of validity. */
  valid_from?: string | null
  /** End of validity. */
  valid_to?: string | null
}

export interface DeletedCounts {
  /** Rows in the control plane. */
  sql: number
  records: number
  entities: number
  links: number
  /** Files, or objects in the object store. */
  objects: number
}

export interface DeletedSandbox {
  success: true
  /** What happened, in a sentence. */
  message: string
  deleted: DeletedCounts
}

export interface DeliveryAnswer {
  /** The reason for the response body. */
  status?: 'duplicate' | 'challenge'
  /** The challenge with which the provider verifies this address. */
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
  /** Only records of this project. Default: the whole sandbox. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted. */
  preset?: string | null
  /** Maximum number of items. `10` if omitted. */
  limit?: number | null
  /** True adds the interpretation of the question, and the reason for each item. `false` if omitted. */
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
  /** The requested project, or null for the whole sandbox. */
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
  /** The place of the snippet in its document: `p. 12`, `#limits/retries`. */
  locator?: string
  /** Its entities, the most specific first, then the record itself. */
  canonical_ids: string[]
  /** The ids through which it was found. */
  subgraph?: Record<string, unknown>
  /** Names in the question that match it. */
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

/** True: the operation succeeded. */
export interface Done {
  success: true
  /** What happened, in a sentence. */
  message: string
}

export interface Entity {
  /** The id with which it is pinned and cited. */
  canonical_id: string
  /** The sandbox of the entity. */
  sandbox_id: string
  name: string
  type: string
  /** All its names, most descriptive first. */
  names: string[]
  /** Its unique identifiers, by kind. */
  identifiers: Record<string, string[]>
  /** Its properties according to the records. */
  properties: Record<string, unknown>
  /** The records that state its names, identifiers and properties. */
  evidence: EntityEvidence[]
  relations: EntityRelation[]
  /** The latest records about it. */
  records: RecordSummary[]
  record_count: number
  /** Its merge history. */
  merge_history: EntityMerge[]
  /** When it was first seen. */
  created_at?: string | null
}

export interface EntityDecision {
  success: boolean
  message: string
  /** The merged entity; after a split or an undo, the separated one. */
  canonical_id: string
  /** The entry in the merge ledger; null if nothing changed. */
  merge_id: string | null
}

export interface EntityEvidence {
  kind: 'name' | 'identifier' | 'property'
  /** The kind of the identifier or the name of the property. */
  key: string
  /** The value; for a property the latest one. */
  value: unknown
  /** At most five records, latest last. */
  record_ids: string[]
}

export interface EntityHit {
  /** The id with which it is pinned and cited. */
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
  /** The id with which the merge can be undone. */
  merge_id: string
  /** The basis: a shared identifier, a shared name, similarity, or a user’s decision. */
  kind: 'identifier' | 'name' | 'alike' | 'person' | 'split'
  /** The id that was merged into another, or that was split. */
  from: string
  /** The id that remained, or the new id of a split. */
  into: string
  /** The reason in a few words. */
  reason: string
  /** The evidence. */
  evidence: Record<string, unknown>
  /** The account that decided it; null if it was automatic. */
  decided_by: string | null
  /** When. */
  merged_at: string
  /** When it was undone. */
  undone_at: string | null
  /** The account that undid it. */
  undone_by: string | null
}

export interface EntityPage {
  entities: EntitySummary[]
  /** Rows in this reply. */
  count: number
  /** Present when there are more rows. */
  next_cursor?: string
  /** `pending` while recent mentions are still compared with others of their type; `failed` if the last comparison ended in an error (it is retried) or was incomplete: a pair that cannot be compared counts as two entities and blocks nothing. `/metrics` counts the failures. */
  resolution: 'settled' | 'pending' | 'failed'
}

export interface EntityProfile {
  /** Echo. */
  sandbox_id: string
  canonical_id: string
  name: string
  type: string
  /** A description with current facts and the latest changes. */
  text: string
  /** Length of the text, in UTF-8 bytes divided by 4, rounded up. */
  tokens: number
  /** The lines of the text with their supporting records. */
  statements: AnswerStatement[]
}

export interface EntityRelation {
  predicate: string
  /** `out`: this entity is the subject. */
  direction: 'out' | 'in'
  /** The other entity, if known. */
  canonical_id?: string | null
  /** The other entity’s name. */
  name: string
  valid_from?: string | null
  valid_to?: string | null
  /** The time of the record that states it. */
  stated_at?: string | null
  /** True if it is current: it has begun, has not ended and is not superseded by a newer statement in scope. */
  is_current: boolean
  /** The record with the statement that superseded it. */
  superseded_by?: string | null
  /** The record that states it. */
  record_id?: string
  /** Its place in the record’s text, in UTF-16 code units, and its confidence; null if declared. */
  span?: {
    start: number
    end: number
    confidence: number
  } | null
}

export interface EntitySummary {
  /** The id with which it is pinned and cited. */
  canonical_id: string
  /** Its most descriptive name. */
  name: string
  /** Its kind. */
  type: string
  /** Number of records about it in the access scope. */
  record_count?: number
  /** When it was first seen. */
  created_at?: string | null
}

export interface EraseOwner {
  /** Your own end user, as given when the sandboxes were created. */
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
  /** Number of questions in the request. */
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
  /** The expected answer. `|` separates alternatives; one of them is enough. */
  expected?: string | null
  /** The ids of the records that should be cited, separated by spaces. */
  record?: string | null
  /** True if the sandbox does not contain the answer. */
  unanswerable?: boolean | null
}

export interface EvaluationResult {
  /** Its position in the request, from 1. */
  position: number
  /** The current question. */
  question: string
  /** The expected answer. `|` separates alternatives; one of them is enough. */
  expected?: string | null
  /** The ids of the records that should be cited, separated by spaces. */
  record?: string | null
  /** True if the sandbox does not contain the answer. */
  unanswerable?: boolean | null
  /** Null until it is asked. */
  grade: 'right' | 'partly' | 'wrong' | 'rightly_unanswered' | 'wrongly_unanswered' | 'ungraded' | null
  /** The grader. */
  graded_by?: 'match' | 'model'
  outcome?: 'answered' | 'closest' | 'nothing'
  /** The answer as it was given. */
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
  /** Duration of the query in milliseconds. */
  duration_ms?: number
}

export interface EvaluationSettings {
  /** Only records of this project. Default: the whole sandbox. */
  project_id?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted. */
  preset?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** Length of the answers. */
  detail_level?: 'concise' | 'detailed' | null
  /** Lets the configured language model write. Without one it does nothing. `true` if omitted. */
  writer?: boolean | null
  /** Lets the configured language model grade the answers that do not match the expected one. 409 if no model is configured, and in a sandbox with a customer-managed key. `false` if omitted. */
  judge?: boolean | null
}

export interface EvaluationSummary {
  /** The id of the evaluation and of its job. */
  evaluation_id: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  /** Why it failed or waits, and what to do. */
  error_message?: string | null
  settings: EvaluationSettings
  /** Number of questions in the request. */
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
  /** Its line or position in the request, from 1. */
  line: number
  /** Its file in an archive. */
  file?: string
  external_id?: string
  /** A stable code. */
  reason: string
  /** The problem in a sentence. */
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
  /** When it was given. */
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
  /** When it was given. */
  created_at: string
  /** The question. */
  query: string
  outcome: 'answered' | 'closest' | 'nothing'
  /** The answer as it was given. */
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

export interface GatherContext {
  /** The current question. */
  query?: string
  /** Earlier turns, oldest first; the last 20 are used. */
  history?: ChatMessage[]
  /** Only records of this project. Default: the whole sandbox. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted. */
  preset?: string | null
  /** Tuples of canonical ids to pin; the grouping is kept. */
  items?: Array<string[]>
  /** Maximum size of the passages and their titles, in UTF-8 bytes divided by 4. `2000` if omitted. */
  max_tokens?: number | null
}

export interface GatheredContext {
  /** Best first, without repeated sentences. */
  passages: ContextPassage[]
  /** Size with titles, in UTF-8 bytes divided by 4, rounded up. */
  tokens: number
  /** One citation for each record, weighted as if the passages were statements. */
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

/** A new access key for the sandbox’s own bucket. It is tested like the first one. */
export interface GivenAccess {
  /** The access key’s id. It is encrypted and never returned. */
  access_key_id: string
  /** The access key’s secret. It is encrypted and never returned. */
  secret_access_key: string
}

/** Your own bucket for the sandbox’s data. Default: the storage of the service. */
export interface GivenStorage {
  provider_type: 'custom_s3'
  /** The bucket’s name, by the rules of S3. */
  bucket: string
  /** Its region, as named by the object store. */
  region: string
  /** Where an S3-compatible store answers, https; AWS in the region when omitted. */
  endpoint?: string | null
  /** The prefix of all object keys. Each sandbox has its own folder below it. */
  prefix?: string | null
  /** The access key’s id. It is encrypted and never returned. */
  access_key_id: string
  /** The access key’s secret. It is encrypted and never returned. */
  secret_access_key: string
}

/** Instead of `user_id`: a member or a group of your account, or an e-mail address to invite. A grant to an address takes effect when someone joins with it. */
export interface Grantee {
  /** A member. */
  member_id?: string | null
  /** A group: all its current members. */
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
  /** When it was created. */
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
  /** When it was created. */
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
  /** Problems that need action by the operator; absent if there are none. */
  warnings?: string[]
}

export interface ImportedFile {
  /** Its path, including the paths of the archives that contain it. */
  path: string
  /** `unchanged` if everything was already stored; `left_out` if its format is not supported; `failed` if it could not be read completely. */
  status: 'read' | 'unchanged' | 'left_out' | 'failed'
  /** The reason why it was not read, as a stable code. */
  reason?: string
  /** Number of records from it. */
  records: number
}

export interface IngestText {
  /** The text to store. */
  text: string
  /** Its title. */
  title?: string | null
  /** An id of your choice. Sending it again for the same source replaces the text. Default: generated. */
  external_id?: string | null
  /** The kind of text, for example `note` or `chat`. */
  source_type?: string | null
  /** True to store it without making it searchable. `false` if omitted. */
  storage_only?: boolean | null
  /** The project it belongs to. */
  project_id?: string | null
  /** The source of the text. */
  data_source_id?: string | null
  /** When it happened; a date alone is that day, 00:00 UTC. */
  occurred_at?: string | null
  /** The names of its speakers or authors. */
  speaker?: string | null
  /** The author: a name, or a person, for example `{"name": …, "email": …}`. */
  author?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  } | null
  participants?: string[] | null
}

export interface IngestToolCall {
  /** The exact name of a tool. */
  tool: string
  /** The arguments of the tool. */
  arguments?: Record<string, unknown>
  /** The mapping of the result to records, as for generic JSON. Default: by field names. */
  map?: Record<string, unknown>
  /** true: the result lists everything, so a record that is missing in two results in a row is deleted. false: nothing is deleted. Default: true only for a tool without arguments, while nothing new appears in its result. */
  complete?: boolean
}

export interface Interpret {
  /** The current question. */
  query: string
  /** Earlier turns, oldest first; the last 20 are used. */
  history?: ChatMessage[]
  /** Only records of this project. Default: the whole sandbox. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted. */
  preset?: string | null
  /** Tuples of canonical ids to pin; the grouping is kept. */
  items: Array<string[]>
  /** Maximum length of the answer, in UTF-8 bytes divided by 4. */
  max_tokens?: number | null
  /** True adds `statements` with their spans in the records. `false` if omitted. */
  statements?: boolean | null
  /** True adds the interpretation of the question and the evidence of each statement. `false` if omitted. */
  explain?: boolean | null
  /** Stores the answer, so that it can be read, shared and rated later. `true` if omitted. */
  store?: boolean | null
}

export interface InterpretCitation {
  canonical_id: string
  name: string
  /** The kind of the entity or of the record. */
  type?: string
  /** Above 0, at most 1. The statements of an answer weigh 1, ½, ¼ … in their order. The value is the weight of the statements that it supports, relative to the citation with the highest weight. */
  relevance: number
  /** At most 10 records that support it: its own record first, then the others in the order of the answer. */
  record_ids: string[]
  /** From the first of these records that has one. */
  title?: string
  /** From the first of these records that has one. */
  url?: string
  /** At most 10 spans of these records that support the statements. */
  spans?: TextSpan[]
}

export interface Interpretation {
  /** The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, if the service stores no answers, and, with a warning, if storing it failed. */
  answer_id?: string
  /** `answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence. */
  outcome: 'answered' | 'closest' | 'nothing'
  /** True if `outcome` is `answered`. Zero and "no" count as answers. */
  answered: boolean
  /** The name of the language model that wrote the answer, or the query for its rows. Absent if no model did. */
  written_by?: string
  /** If nothing answers the question, at most three records that are nearest. */
  nearest?: RecordPointer[]
  /** At most 24 statements, best first; only with `explain`. */
  considered?: ConsideredStatement[]
  /** The minimum probability for the records to count as an answer to the question; only with `explain`. It applies to the whole question and is not comparable with the `score` of one statement. */
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
  statements?: AnswerStatement[]
  /** The first 10 records that support the answer, in the order of its statements; only with `explain`. */
  records?: RecordPointer[]
  intent?: QuestionIntent
  /** The requested project, or null for the whole sandbox. */
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
  /** When it was created. */
  created_at: string
  /** When it expires: 7 days after its creation. */
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
  /** The kind of work. */
  job_type: string
  /** True if its content is encrypted with the customer-managed key. */
  encrypted: boolean
  /** The sandbox of the job. */
  sandbox_id?: string
  /** The source of the job; absent if your grant is limited to a project. */
  source_id?: string
  result?: JobResult | null
  /** The reason for a failure or a delay. */
  error_message?: string | null
  retry_count: number
  /** Jobs it was split into. */
  children?: string[]
  /** When the job was accepted. */
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
  /** Number of records received. */
  received?: number
  /** For tables, lists, calendars and address books: the expected number of records, counted before the first record of a file is written. Each counts against `max_records`, as does each part of a long document. */
  expected?: number
  /** Records added or replaced. */
  written?: number
  /** Unchanged records. */
  unchanged?: number
  /** Records removed. */
  removed?: number
  /** Records that failed individually. */
  failed?: number
  /** The record of a job with a single record, once it is applied. */
  record_id?: string
  /** The first failed records. */
  errors?: FailedRecord[]
  /** At most 100 files of an import, unread ones first; the run of its source lists all. In a sandbox with a customer-managed key, only with the key. */
  files?: ImportedFile[]
  [name: string]: unknown
}

export interface KnowledgeRecord {
  /** The record’s id, which is also a canonical id. */
  record_id: string
  /** The sandbox of the record. */
  sandbox_id: string
  /** The source of the record. */
  source_id?: string | null
  external_id?: string | null
  type: string
  title?: string | null
  text?: string | null
  url?: string | null
  /** When it happened. */
  occurred_at?: string | null
  /** The author: a name, or a person, for example `{"name": …, "email": …}`. */
  author?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  }
  participants?: Array<string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  }>
  entities?: DeclaredEntity[]
  relations?: DeclaredRelation[]
  /** Typed fields of the record. */
  properties?: Record<string, unknown>
  /** The state of the work, as a category of its tool. */
  phase?: 'open' | 'doing' | 'done' | 'dropped' | null
  /** The person responsible: a name, or a person with identifiers. */
  owner?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  } | null
  /** The due date. */
  due?: string | null
  /** The type of the content, in one word: bug, decision, invoice. */
  kind?: string | null
  basis?: Basis
  /** Sorted by `start`, without overlaps; each applies up to the next. */
  locators?: Array<{
    /** A UTF-16 code unit of `text`. */
    start: number
    /** Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`. */
    locator: string
  }>
  /** The project that the record itself names. */
  project_id?: string | null
  /** The entities that it mentions, then the record itself. */
  canonical_ids?: string[]
  /** The names in its text, in order and without overlaps. */
  mentions?: Array<{
    /** The name as written. */
    text: string
    /** Its first UTF-16 code unit in `text`. */
    start: number
    /** The end, exclusive. */
    end: number
    /** The entity that it refers to. */
    canonical_id: string
    /** Its predicted type: person, organization, place, work, project or incident; thing if unknown. */
    type: string
    /** From 0 to 1: how sure it is that this is a name. */
    confidence: number
  }>
  /** Facts that its text states, in order. */
  facts?: Array<{
    /** The subject, as named in the record. */
    subject: string
    predicate: string
    /** A name or words of the text; for a date YYYY-MM-DD. */
    object: string
    /** Start of validity if the text states it, otherwise the time of the record. */
    valid_from?: string | null
    /** Where `text` states it: its first UTF-16 code unit. */
    start: number
    /** The end, exclusive. */
    end: number
    /** From 0 to 1. */
    confidence: number
  }>
  /** The stored file that the record was read from. Only `GET …/records/{record_id}` has it. */
  original?: {
    /** Its name, without folders. */
    name: string
    media_type: string
    bytes: number
  }
  /** When it was ingested. */
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
  /** Records accepted per minute; null is unlimited. */
  ingest_records_per_minute: number | null
  /** Queries answered per minute; null is unlimited. */
  queries_per_minute: number | null
  /** Reads of entities, records and exports answered per minute; null is unlimited. */
  reads_per_minute: number | null
}

export interface ListOrigins {
  /** Canonical ids of entities and records. The reply has the same order. */
  canonical_ids: string[]
  /** Maximum files, and maximum records, for one id. `10` if omitted. */
  limit_per_canonical?: number | null
  /** Only records of this project. Default: the whole sandbox. */
  project_id?: string | null
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
  /** The id of the message, if it has one. */
  id: string | number | null
  error: {
    /** An error code of JSON-RPC or of the protocol. */
    code: number
    /** A description of the error. */
    message: string
    /** Additional data. */
    data?: Record<string, unknown>
  }
}

export interface McpMessage {
  jsonrpc: '2.0'
  /** Absent for a notification. */
  id?: string | number
  /** For example `tools/call`. */
  method?: string
  /** The parameters of the method. */
  params?: Record<string, unknown>
}

export interface Member {
  /** The member’s id. */
  member_id: string
  /** The member’s display name. */
  display_name: string
  /** The address of the invitation or of the identity provider. */
  email: string | null
  /** Owners and admins use all sandboxes of the account, members those that they created or were granted; viewers read those that they were granted. */
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
  /** The id with which it is accepted or dismissed. */
  suggestion_id: string
  /** `open` until a user decides; `accepted`: merged; `dismissed`: kept separate. */
  state: 'open' | 'accepted' | 'dismissed'
  /** The two entities. The first one remains if the suggestion is accepted. After that, the entities they became. */
  entities: EntitySummary[]
  /** Probability that they are the same. */
  likelihood: number
  /** The reason in a few words. */
  reason: string
  /** The properties in which the two agree or differ. */
  evidence: Record<string, unknown>
  /** When. */
  suggested_at: string
  /** When a user decided it. */
  decided_at: string | null
  /** The account that decided it. */
  decided_by: string | null
  /** The id of the resulting merge, with which it can be undone. */
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
  /** Input tokens. */
  prompt_tokens: number
  /** Output tokens. */
  completion_tokens: number
  total_tokens: number
  /** In US dollars, at the configured prices. */
  cost_usd: number
  calls: number
}

export interface Neighbour {
  canonical_id: string
  name: string
  type: string
  /** Number of steps from the requested entity, which has 0. */
  depth: number
  /** Number of records about it in the access scope. */
  record_count: number
}

export interface NeighbourEdge {
  /** The subject’s id. */
  from: string
  /** The object’s id. */
  to: string
  /** The stated relation; null if records only mention both. */
  predicate: string | null
  valid_from?: string | null
  valid_to?: string | null
  /** The time of the record that states it. */
  stated_at?: string | null
  /** True if the statement is current. */
  is_current?: boolean
  /** Number of records that state it or mention both, among the records searched. */
  record_count: number
  /** At most five of them. */
  record_ids: string[]
}

export interface Neighbourhood {
  /** Echo. */
  sandbox_id: string
  canonical_id: string
  /** The entity itself, then the others, nearest first. */
  nodes: Neighbour[]
  /** Edges between these nodes: stated relations first, then shared records. */
  edges: NeighbourEdge[]
}

export interface Origin {
  /** As asked. */
  canonical_id: string
  /** Files that its records name, by number of records: entities of type `file`, and the properties `path`, `file_path`, `file_paths` and `files`. */
  files: OriginFile[]
  /** Supporting records: its own first, then those that name it most. */
  records: RecordSummary[]
}

export interface OriginFile {
  file_path: string
  /** Number of records of the id that name the file. */
  extraction_count: number
}

export interface Origins {
  /** Echo. */
  sandbox_id: string
  /** One for each id, in the requested order. */
  origins: Origin[]
}

export interface Outcome {
  /** The source; null when nothing was registered. */
  data_source_id: string | null
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived' | null
  name: string | null
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual' | null
  /** Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not. */
  health_error: string | null
  /** Always null; errors get 400 with this field. */
  error: string | null
  /** Always null; errors have this field. */
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
  error: 'invalid_name' | 'invalid_base_url' | 'base_url_not_allowed' | 'invalid_auth_kind' | 'invalid_token' | 'token_required' | 'token_not_expected' | 'invalid_auth_header' | 'auth_header_required' | 'invalid_app_namespace' | 'app_namespace_taken' | 'invalid_allowed_tools' | 'invalid_ingest_tool_calls' | 'tool_not_allowed' | 'invalid_server_profile' | 'invalid_profile_parameters' | 'profile_not_found' | 'profile_parameters_required' | 'invalid_rate_cap_per_minute' | 'invalid_webhook_rate_cap_per_minute' | 'invalid_api_key' | 'invalid_include' | 'invalid_poll_interval_seconds' | 'invalid_ingestion_mode' | 'polling_under_key' | 'invalid_scopes' | 'invalid_client_id' | 'invalid_client_secret' | 'invalid_code' | 'invalid_callback_url' | 'client_not_expected' | 'client_id_required' | 'code_required' | 'oauth_not_offered' | 'oauth_client_required' | 'oauth_registration_refused' | 'oauth_pkce_unsupported' | 'oauth_issuer_mismatch' | 'oauth_resource_mismatch' | 'oauth_public_url_required' | 'oauth_under_key' | 'state_invalid' | 'access_denied' | 'exchange_failed' | 'invalid_body'
  /** A sentence that says what to do. */
  detail: string
  request_id: string
}

export interface Overview {
  /** Echo. */
  sandbox_id: string
  /** The project that it is limited to, or null for the whole sandbox. */
  project_id: string | null
  record_count: number
  /** Kinds of records, most frequent first. */
  types: Array<{
    type: string
    record_count: number
  }>
  /** Sources in the access scope, by number of records. */
  sources: Array<{
    /** Null for records without a visible source. */
    source_id: string | null
    name?: string
    provider?: string
    status?: string
    record_count: number
    /** The time of its latest record. */
    newest_at: string | null
    /** When it last delivered something. */
    last_sync_at?: string | null
  }>
  newest?: RecordSummary
  oldest?: RecordSummary
  /** The most connected entities, by kind. */
  entities: Array<{
    type: string
    /** The most frequent ones, most frequent first. */
    entities: Array<{
      canonical_id: string
      name: string
      record_count: number
    }>
  }>
  /** Other topics: recurring names, by number of records. */
  topics: Array<{
    name: string
    record_count: number
  }>
}

export interface Profile {
  /** The platform account: `acct_…`, or the subject of the account’s tokens. */
  user_id: string
  /** The account’s display name. */
  display_name: string | null
  /** The member that makes the request; null for the account itself. */
  member_id?: string | null
  /** The primary sandbox, which the ingest shorthand uses: the configured one, or else your only active one. */
  sandbox_id?: string | null
  /** The default project of the ingest shorthand. */
  project_id?: string | null
}

export interface Project {
  /** The project’s id. */
  project_id: string
  /** The platform account that owns it. */
  user_id: string
  /** The sandbox of the project. */
  sandbox_id: string
  name: string
  status: 'active' | 'archived'
  description?: string | null
  /** The sources linked to it. */
  data_source_ids?: string[]
  /** Your metadata, unchanged. */
  metadata?: Record<string, unknown>
  /** When it was created. */
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
  /** The issuer; absent if none is configured. */
  authorization_servers?: string[]
  scopes_supported: Array<'cairn:read' | 'cairn:write'>
  bearer_methods_supported: Array<'header'>
}

export interface Provider {
  /** Its value of `provider`. */
  provider: string
  /** Other accepted values. */
  aliases: string[]
  /** Its display name. */
  name: string
  ways: ProviderConnection[]
  /** With user_mcp: the servers that have a profile. */
  profiles?: ServerProfile[]
}

export interface ProviderConnection {
  /** The product delivers to a webhook, or Cairn reads it. */
  ingestion_mode: 'realtime' | 'polling'
  /** Where a source of it is registered, under the sandbox’s address. */
  path: string
  /** The registration field for the product’s secret; null if it has none. */
  credential: string | null
  /** The body formats that its webhook accepts. */
  forms: string[]
  /** The registration field for the settings; null if the settings are top-level fields. */
  settings_in: string | null
  /** The settings, as a JSON Schema. */
  settings: Record<string, unknown>
}

export interface Providers {
  providers: Provider[]
  count: number
}

export interface PullSource {
  /** Read all changes since this time again. A time after the last read has no effect. */
  since?: string | null
}

export interface PulledSource {
  /** The job: the waiting or running one if there is one. */
  job_id: string
  job_type: 'data_source_pull'
  status: 'queued'
}

export interface PurgeSource {
  /** Remove the registration too. `false` if omitted. */
  delete_source?: boolean
}

export interface PurgedSource {
  /** Always true; a failure gets an error reply. */
  success: boolean
  /** True if the registration is removed too. */
  delete_source_applied: boolean
  /** Records. */
  events_deleted: number
  /** Relations that only these records stated. */
  extractions_deleted: number
  /** Entities that only these records supported. */
  canonical_index_rows_deleted: number
  /** Always 0; for compatibility. */
  entity_vectors_deleted: number
  /** Always 0; for compatibility. */
  triggers_deleted: number
  /** Webhook secrets, with `delete_source`. */
  webhooks_deleted: number
  /** Always 0; for compatibility. */
  event_seen_deleted: number
  /** Links to projects, with `delete_source`. */
  project_links_deleted: number
  /** Always 0; for compatibility. */
  strategy_artifacts_deleted: number
  /** Always 0; for compatibility. */
  pull_artifacts_deleted: number
  /** Always 0; for compatibility. */
  user_strategies_deleted: number
  /** Files, or objects in the object store. */
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
  /** The question with corrected spelling. */
  text: string
  /** The parts of the question in order; at least one. */
  parts: Array<{
    /** With the subject from an earlier part of the question. */
    text: string
    /** The kind of answer: `who`, `when`, `why` and others. */
    kind: string
    /** The search terms, as indexed. */
    terms: string[]
    /** Names of entities in the question. */
    names: string[]
    /** The names that belong to people. */
    people: string[]
  }>
  /** The times that it asks about; empty for any time. */
  times: Array<{
    /** From when on. */
    from: string | null
    /** The end, exclusive. */
    until: string | null
  }>
  /** The kind of question, if it does not ask for a single fact. */
  broad?: 'courtesy' | 'everything' | 'thing'
  /** The words that give a time by an event. */
  event?: string
  /** The subject from earlier questions. */
  subject?: string
  /** True for a count, a list, groups or an extreme of a kind of records that exists. */
  asks_rows: boolean
  /** Assumptions made in interpreting it, as sentences. */
  notes: string[]
}

/** The settings of the question, as they were given. */
export interface QuestionSettings {
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted. */
  preset?: string | null
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
  /** The author: a name, or a person, for example `{"name": …, "email": …}`. */
  author?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  } | null
  participants?: Array<string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  }> | null
  entities?: DeclaredEntity[] | null
  relations?: DeclaredRelation[] | null
  /** Typed fields of the record. */
  properties?: Record<string, unknown> | null
  /** The state of the work, as a category of its tool. */
  phase?: 'open' | 'doing' | 'done' | 'dropped' | null
  /** The person responsible: a name, or a person with identifiers. */
  owner?: string | {
    /** Its kind, for example `person` or `issue`. */
    type?: string
    /** Its name. */
    name: string
    aliases?: string[] | null
    /** Short form of the `email` in `identifiers`, where it is stored and shown. */
    email?: string | null
    /** Unique identifiers: `email`, `login`, `url`, `key` and others. */
    identifiers?: Record<string, string[] | string> | null
    /** Other properties. */
    properties?: Record<string, unknown> | null
  } | null
  /** The due date. */
  due?: string | null
  /** The type of the content, in one word: bug, decision, invoice. */
  kind?: string | null
  /** Sorted by `start`, without overlaps; each applies up to the next. */
  locators?: Array<{
    /** A UTF-16 code unit of `text`. */
    start: number
    /** Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`. */
    locator: string
  }> | null
  basis?: Basis | null
  /** The project of the record, instead of its source’s projects. */
  project_id?: string | null
  /** True removes the record with this external_id. */
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
  /** Its title, or the beginning of its text. */
  title: string
  /** Where it is at its source. */
  url?: string
  /** When it happened. */
  occurred_at?: string | null
  /** The name of its source. */
  source_name?: string
  /** Its file path at the source, if it is a file. */
  path?: string
  /** The location of the first supporting passage in its document. */
  locator?: string
}

export interface RecordSummary {
  /** The record’s id, which is also a canonical id. */
  record_id: string
  external_id?: string | null
  type?: string | null
  title?: string | null
  /** The beginning of its text, at most 300 characters. */
  snippet?: string
  /** The name of its author. */
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
  /** `manual` if omitted. */
  ingestion_mode?: 'realtime' | 'polling' | 'batch' | 'manual'
  /** `durable` if omitted. */
  kind?: 'durable' | 'ephemeral'
  /** The account at the provider, such as a workspace. */
  external_account_id?: string | null
  /** The provider’s settings; credentials are rejected here. */
  adapter_config?: Record<string, unknown>
  /** Seconds between two polls. Default in polling mode: 900. Stored but unused in other modes. */
  poll_interval_seconds?: number | null
  /** The credential for the provider’s API, such as a token. It is encrypted and never shown again. */
  provider_credential?: string | null
  /** The secret with which the provider signs its deliveries if it cannot send a bearer token. It is encrypted and never shown again. */
  provider_signing_secret?: string | null
}

export interface RegisterTracker {
  /** The API key of the tracker. It is encrypted and never shown again. */
  api_key: string
  /** A label for developers; the product’s name by default. */
  name?: string | null
  /** The data to import. Default: everything. */
  include?: Array<'teams' | 'users' | 'projects' | 'issues' | 'cycles'> | null
  /** Default: polling. `manual`: it is read only on request. `polling` if omitted. */
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
  /** Authorization of requests: a bearer token, a token in another header, OAuth consent, or none. */
  auth_kind: 'bearer' | 'header_token' | 'oauth' | 'none'
  /** The credential. It is encrypted and never shown again. */
  token?: string | null
  /** The header that carries the token; required with header_token. */
  auth_header?: string | null
  /** With oauth: the scopes to request. Default: those that the server names. */
  scopes?: string[] | null
  /** With oauth: a client that was registered at the authorization server beforehand. */
  client_id?: string | null
  /** The secret of that client. It is encrypted and never shown again. */
  client_secret?: string | null
  /** The prefix of its tools, unique in the sandbox. Default: the id of the source. */
  app_namespace?: string | null
  /** The tools that may be called. Default: all. */
  allowed_tools?: string[] | null
  /** Calls whose results become records on every pull. Without them, the tools are only called on request. */
  ingest_tool_calls?: IngestToolCall[] | null
  /** auto: read the server by its profile, if `GET …/providers` lists one for its address. Default when registering without allowed_tools and ingest_tool_calls. A tool in ingest_tool_calls is called only as stated there. */
  server_profile?: 'auto' | 'none' | null
  /** Parameters of the profile: one object for each place to import, such as a repository. */
  profile_parameters?: Array<Record<string, string>> | null
  /** Default with ingest_tool_calls or a profile: polling; otherwise manual. */
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
  /** Seconds for which the old secret still works. `0` if omitted. */
  grace_seconds?: number
}

export interface RotateSigningSecret {
  /** Seconds for which messages are also signed with the old secret. `0` if omitted. */
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
  /** The platform account that owns it. */
  user_id: string
  /** Your identifier, unchanged. */
  owner_id: string
  name: string
  tier: 'free' | 'pro' | 'enterprise'
  status: 'active' | 'suspended' | 'archived'
  storage_provider_type: 'platform_s3' | 'custom_s3'
  /** Its own bucket; only visible to the owner. */
  storage?: {
    bucket: string
    region: string
    /** Null for AWS. */
    endpoint: string | null
    /** Without leading and trailing slashes. */
    prefix: string
  }
  limits: Limits
  /** Your metadata, unchanged. */
  metadata?: Record<string, unknown>
  /** When it was created. */
  created_at?: string | null
  /** Your role on it. */
  access?: 'viewer' | 'editor' | 'owner' | null
  /** True if you have access through a grant. `false` if omitted. */
  is_external?: boolean
  /** True if its content is encrypted with a customer-managed key. */
  encrypted?: boolean
  /** Identifies that key without revealing it. */
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
  /** Only records of this project. Default: the whole sandbox. */
  project_id?: string | null
  /** The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the current day. */
  reference_date?: string | null
  /** The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of `reference_date`, else UTC. */
  time_zone?: string | null
  /** The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other services take one here, counts as `auto`, with a `Warning`. `auto` if omitted. */
  preset?: string | null
  /** Length of the answer. `concise` if omitted. */
  detail_level?: 'concise' | 'detailed' | null
  /** Maximum length of the answer, in UTF-8 bytes divided by 4. */
  max_tokens?: number | null
  /** True adds `statements` with their spans in the records. `false` if omitted. */
  statements?: boolean | null
  /** True adds the interpretation of the question and the evidence of each statement. `false` if omitted. */
  explain?: boolean | null
  /** Stores the answer, so that it can be read, shared and rated later. `true` if omitted. */
  store?: boolean | null
}

export interface SearchAnswer {
  /** The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox without records, if the service stores no answers, and, with a warning, if storing it failed. */
  answer_id?: string
  /** `answered`: the passages answer the question. `closest`: one sentence names the missing information, followed by at most two related passages. `nothing`: only that sentence. */
  outcome: 'answered' | 'closest' | 'nothing'
  /** True if `outcome` is `answered`. Zero and "no" count as answers. */
  answered: boolean
  /** The name of the language model that wrote the answer, or the query for its rows. Absent if no model did. */
  written_by?: string
  /** If nothing answers the question, at most three records that are nearest. */
  nearest?: RecordPointer[]
  /** At most 24 statements, best first; only with `explain`. */
  considered?: ConsideredStatement[]
  /** The minimum probability for the records to count as an answer to the question; only with `explain`. It applies to the whole question and is not comparable with the `score` of one statement. */
  threshold?: number
  /** One or two paragraphs. Every statement is quoted or computed from stored records. */
  answer: string
  /** At most 10, most relevant first. */
  citations: InterpretCitation[]
  /** The statements of the answer; with `statements` or `explain`. */
  statements?: AnswerStatement[]
  /** The first 10 records that support the answer, in the order of its statements; only with `explain`. */
  records?: RecordPointer[]
  /** If nothing answers the question, at most three files in scope whose name or kind fits it and that could not be read in the last 30 days. */
  unread?: UnreadFile[]
  intent?: QuestionIntent
  /** The preset that answered. */
  preset: 'fast' | 'auto' | 'discover' | 'sql' | 'max'
  /** Execution time in the service, in milliseconds. */
  execution_time_ms: number
  /** Warnings about the answer, as sentences. */
  warnings: string[]
  /** The columns of `rows`; only with the preset `sql`. */
  columns?: string[]
  /** At most 100 rows of the answer. */
  rows?: Array<Array<string | number | boolean | null>>
  /** Total number of rows. */
  total_rows?: number
  /** Echo. */
  sandbox_id: string
  /** The requested project, or null for the whole sandbox. */
  project_id: string | null
  /** Echo. */
  query: string
}

export interface SecretWebhook {
  /** The endpoint’s id. */
  webhook_id: string
  /** The sandbox whose changes it receives. */
  sandbox_id: string
  /** Where they are sent. */
  url: string
  /** A label of your choice. */
  description: string | null
  /** The events that it receives. */
  events: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'>
  /** `disabled` if it failed for five days or replied 410 (Gone). Setting `active` resumes it at its last position. */
  status: 'active' | 'paused' | 'disabled'
  /** The reason why it was disabled. */
  disabled_reason: 'failing' | 'gone' | null
  /** Number of failed attempts since the last success. */
  failures: number
  /** When the first of these attempts was made. */
  failing_since: string | null
  /** The reason for the latest failure; null after a success. */
  last_error: string | null
  /** The time of the latest attempt. */
  last_attempt_at: string | null
  /** The time of the latest success. */
  last_delivered_at: string | null
  /** The time of the next retry. */
  next_attempt_at: string | null
  /** When it was created. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
  /** The signing secret, shown only when it is created or rotated. */
  signing_secret: string | null
}

export interface ServerProfile {
  /** The name of the profile. */
  profile: string
  /** The display name of the server. */
  name: string
  /** Accepted values of base_url. `{name}` matches one path segment. */
  urls: string[]
  /** Client registration that the authorization server requires. */
  client: string
  /** JSON Schema of each object in profile_parameters. */
  parameters: Record<string, unknown>
  /** The types of its records. */
  imports: string[]
  /** Limitations of an import with this profile. */
  limits: string[]
  /** The public pages that describe its tools. Null: the page has no date. */
  documentation: Array<{
    url: string
    date: string | null
  }>
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
  /** When the session ends at the latest: 12 hours after it began. */
  expires_at?: string | null
  /** When the session ends unless it is used: 2 hours after the last use. */
  idle_expires_at?: string | null
}

export interface SessionMessage {
  role: 'user' | 'assistant' | 'system' | 'tool'
  /** The text. A blank message only occupies its position. */
  content: string | null
  /** The author. Default for the role `user`: the owner of the sandbox. */
  name?: string | null
  /** The time of the message. Default: when it was first received. */
  created_at?: string | null
  /** Your id of the message, unique in the session. Other content with the same id replaces the message. */
  id?: string | null
}

export interface SessionMessages {
  /** The session, as an id of your choice. */
  session_id: string
  messages: SessionMessage[]
  /** The position of the first message in the session, from 0. A message without an id is identified by its position and text, so send a session from its beginning, or set the position at which this part begins. `0` if omitted. */
  first_place?: number
  /** The source of the messages. */
  data_source_id?: string | null
  /** The project it belongs to. */
  project_id?: string | null
}

export interface SetTier {
  /** The new tier. */
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
  /** The platform account that owns it. */
  user_id: string
  /** The sandbox that stores its records. */
  sandbox_id: string
  provider: string
  name: string
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual'
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived'
  /** `durable` if omitted. */
  kind?: 'durable' | 'ephemeral'
  /** The account at the provider. */
  external_account_id?: string | null
  /** The provider’s settings. */
  adapter_config?: Record<string, unknown>
  poll_interval_seconds?: number | null
  /** Where a realtime source’s sender posts to. */
  webhook_url?: string | null
  /** The sender’s bearer secret, only in the reply that creates it. */
  webhook_signing_secret?: string | null
  /** The time of the latest successful ingest. */
  last_sync_at?: string | null
  /** The reason why the latest pull failed, as a stable code; absent if it succeeded. */
  last_error?: string
  /** True if the credential is encrypted with the customer-managed key; absent otherwise. */
  credential_under_key?: boolean
  authorization?: McpAuthorization
  /** When it was registered. */
  created_at?: string | null
}

export interface SourceDelivery {
  /** The delivery’s id here. */
  delivery_id: string
  /** When it arrived. */
  received_at: string
  /** `queued` until its records are applied; `written` if at least one was added, replaced or removed; `unchanged` if all equal the stored ones; `ignored` if it contains nothing that makes a record; `failed` if a record failed. */
  fate: 'queued' | 'written' | 'unchanged' | 'ignored' | 'failed'
  /** The reason for `ignored`, `failed` or storing the event as it is, as a stable code. */
  reason: string | null
  /** The reason in a sentence. */
  detail: string | null
  /** Number of its records. */
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
  /** The job of the run. */
  job_id: string
  /** The kind of work. */
  job_type: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  counts: {
    received: number
    written: number
    removed: number
    failed: number
  }
  /** The state of the run. */
  progress: {
    /** Records that were applied or failed. */
    done: number
    /** Total records; null while more may arrive. */
    total: number | null
    /** Mean rate since work on it began; null before. */
    records_per_second: number | null
  }
  /** The reason for a failure or a delay. */
  error: string | null
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string | null
  /** When it ended. */
  completed_at: string | null
  /** For an import of the last 30 days: at most 20 of its files, unread ones first. */
  files?: ImportedFile[]
}

export interface StartAuthorization {
  /** Scopes to request instead of those that the server names. */
  scopes?: string[] | null
}

export interface StoredAnswer {
  /** The `answer_id` of the reply. */
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
  statements?: AnswerStatement[]
  /** The name of the language model that wrote the answer, or the query for its rows. Absent if no model did. */
  written_by?: string
  settings?: QuestionSettings
  feedback?: Feedback
}

export interface SuggestionDecision {
  success: boolean
  message: string
  /** The current entity; if the two stay separate, the first. */
  canonical_id: string
  /** The entry in the merge ledger; null if nothing changed. */
  merge_id: string | null
  /** The suggestion. */
  suggestion_id: string
  /** `open` until a user decides; `accepted`: merged; `dismissed`: kept separate. */
  state: 'open' | 'accepted' | 'dismissed'
}

export interface TextSpan {
  /** The record. */
  record_id: string
  /** Its first UTF-16 code unit in the record’s `text`. */
  start: number
  /** The end, exclusive. */
  end: number
  /** Where that is in its document: `p. 12`, `Sheet1!B7`, or the headings above, `#limits/retries`. */
  locator?: string
}

export interface TrackerOutcome {
  /** The source; null when nothing was registered. */
  data_source_id: string | null
  status: 'active' | 'paused' | 'disconnected' | 'error' | 'archived' | null
  name: string | null
  ingestion_mode: 'realtime' | 'polling' | 'batch' | 'manual' | null
  /** Why the check failed: blocked_address, dns_failed, connect_failed, tls_failed, timeout, auth_rejected, rate_limited, protocol_error, response_too_large, too_many_tools, allowed_tool_missing, needs_authorization, needs_scopes. Null when it did not. */
  health_error: string | null
  /** Always null; errors get 400 with this field. */
  error: string | null
  /** Always null; errors have this field. */
  detail: string | null
  entities: Array<'teams' | 'users' | 'projects' | 'issues' | 'cycles'>
}

export interface UnreadFile {
  /** Its path as it was sent. */
  path: string
  /** The reason, as a stable code. */
  reason: string
}

export interface UpdateGroup {
  /** The group’s name. */
  name?: string | null
  /** A value of the groups claim. At sign-in, members with the value join the group and members without it leave. */
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
  /** The account’s display name; null keeps the old one. */
  display_name?: string | null
  /** A sandbox that you own or can write to; null removes your choice. */
  sandbox_id?: string | null
  /** A project of that sandbox; null for none. */
  project_id?: string | null
}

export interface UpdateProject {
  /** The new name; null keeps the old one. */
  name?: string | null
  /** The subject of the project. */
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
  /** Seconds between two polls. Default in polling mode: 900. Stored but unused in other modes. */
  poll_interval_seconds?: number | null
  /** The new credential; null removes it. */
  provider_credential?: string | null
  /** The provider’s new signing secret; null removes it. */
  provider_signing_secret?: string | null
}

export interface UpdateUserMcp {
  /** The new label. */
  name?: string | null
  /** The URL of the tool server: https. */
  base_url?: string | null
  /** Authorization of requests: a bearer token, a token in another header, OAuth consent, or none. */
  auth_kind?: 'bearer' | 'header_token' | 'oauth' | 'none' | null
  /** The credential. It is encrypted and never shown again. */
  token?: string | null
  /** The header that carries the token; required with header_token. */
  auth_header?: string | null
  /** With oauth: the scopes to request. Default: those that the server names. */
  scopes?: string[] | null
  /** With oauth: a client that was registered at the authorization server beforehand. */
  client_id?: string | null
  /** The secret of that client. It is encrypted and never shown again. */
  client_secret?: string | null
  /** The prefix of its tools, unique in the sandbox. Default: the id of the source. */
  app_namespace?: string | null
  /** The tools that may be called. Default: all. */
  allowed_tools?: string[] | null
  /** Calls whose results become records on every pull. Without them, the tools are only called on request. */
  ingest_tool_calls?: IngestToolCall[] | null
  /** auto: read the server by its profile, if `GET …/providers` lists one for its address. Default when registering without allowed_tools and ingest_tool_calls. A tool in ingest_tool_calls is called only as stated there. */
  server_profile?: 'auto' | 'none' | null
  /** Parameters of the profile: one object for each place to import, such as a repository. */
  profile_parameters?: Array<Record<string, string>> | null
  /** Default with ingest_tool_calls or a profile: polling; otherwise manual. */
  ingestion_mode?: 'polling' | 'manual' | null
  /** Tool calls a minute; 60 by default. */
  rate_cap_per_minute?: number | null
  /** Deliveries a minute; 600 by default. */
  webhook_rate_cap_per_minute?: number | null
}

export interface UpdateWebhook {
  /** An https URL that the service can reach. Redirects are not followed. */
  url?: string | null
  /** The events that it receives. Default: all. */
  events?: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'> | null
  /** A label of your choice. */
  description?: string | null
  /** `active` sends pending messages immediately, also after it was disabled; `paused` sends nothing. */
  status?: 'active' | 'paused' | null
}

export interface Usage {
  /** Sources that are neither disconnected nor archived. */
  max_data_sources: number
  /** Projects. */
  max_projects: number
  /** Size of the stored records’ content in bytes, as JSON in UTF-8. */
  max_storage_bytes: number
  /** Number of stored records. */
  max_records: number
  /** Records accepted in the last minute. */
  ingest_records_per_minute: number
  /** Queries answered in the last minute. */
  queries_per_minute: number
  /** Reads of entities, records and exports in the last minute; 0 without a limit. */
  reads_per_minute: number
  /** The state of embedding. */
  reading: {
    /** The embedding model; null if there is none. */
    model: string | null
    /** Records with vectors, which can also be found by meaning. */
    records: number
    /** Records without vectors yet; they can be found by words. */
    waiting: number
  }
  /** Records stored by an older version of the service are reindexed in the background, so that they have blocks and phases. Until then they are used as before. */
  rereading: {
    /** Records that wait for reindexing. */
    waiting: number
  }
}

/** Amounts are in the unit that existing clients call microcents: 10^-6 US dollars. */
export interface UsageBalance {
  credits_purchased: 0
  /** Total model costs of the account since its creation. */
  credits_used: number
  credits_remaining: 0
  currency: "usd"
}

export interface Webhook {
  /** The endpoint’s id. */
  webhook_id: string
  /** The sandbox whose changes it receives. */
  sandbox_id: string
  /** Where they are sent. */
  url: string
  /** A label of your choice. */
  description: string | null
  /** The events that it receives. */
  events: Array<'record.added' | 'record.changed' | 'record.removed' | 'entity.added' | 'entity.changed' | 'entity.removed' | 'entity.merged'>
  /** `disabled` if it failed for five days or replied 410 (Gone). Setting `active` resumes it at its last position. */
  status: 'active' | 'paused' | 'disabled'
  /** The reason why it was disabled. */
  disabled_reason: 'failing' | 'gone' | null
  /** Number of failed attempts since the last success. */
  failures: number
  /** When the first of these attempts was made. */
  failing_since: string | null
  /** The reason for the latest failure; null after a success. */
  last_error: string | null
  /** The time of the latest attempt. */
  last_attempt_at: string | null
  /** The time of the latest success. */
  last_delivered_at: string | null
  /** The time of the next retry. */
  next_attempt_at: string | null
  /** When it was created. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
}

export interface WebhookDelivery {
  /** The attempt’s id. */
  delivery_id: string
  /** The `webhook-id` of the message; the same for all its attempts. */
  message_id: string
  /** When it was sent. */
  attempted_at: string
  outcome: 'delivered' | 'failed'
  /** The status code of the endpoint; null without a response. */
  status_code: number | null
  /** The reason for the failure, as a stable code. */
  reason: string | null
  /** The reason in a sentence. */
  detail: string | null
  /** Number of changes in the message. */
  changes: number
  /** Milliseconds until the response or the timeout. */
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
