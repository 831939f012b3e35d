import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { GivenId, Maybe, Moment, Name, Nullable, PathId, ReplyId, ShownOnce, type Static, Type as T } from './schema.ts'

const KEY_LIFE_DAYS_MAX = 3650

const UserId = T.String({ description: 'The platform account: `acct_…`, or the subject of the account’s tokens.' })

/** The caller's profile. */
export const Profile = T.Object({
  user_id: UserId,
  display_name: T.Unsafe<string | null>({ type: ['string', 'null'], description: 'The account’s display name.' }),
  member_id: Maybe(ReplyId('member', 'The member that makes the request; null for the account itself.')),
  sandbox_id: Maybe(
    ReplyId(
      'sandbox',
      'The primary sandbox, which the ingest shorthand uses: the configured one, or else your only active one.',
    ),
  ),
  project_id: Maybe(ReplyId('project', 'The default project of the ingest shorthand.')),
})
export type Profile = Static<typeof Profile>

/** Request body to update the profile. An omitted field keeps its value. */
export const UpdateProfile = T.Object({
  display_name: Maybe(Name('The account’s display name; null keeps the old one.')),
  sandbox_id: Maybe(GivenId('A sandbox that you own or can write to; null removes your choice.')),
  project_id: Maybe(GivenId('A project of that sandbox; null for none.')),
})
export type UpdateProfile = Static<typeof UpdateProfile>

/** Request body to create an API key. */
export const CreateApiKey = T.Object({
  name: Name('A label of your choice.'),
  expires_in_days: Maybe(
    T.Integer({
      minimum: 1,
      maximum: KEY_LIFE_DAYS_MAX,
      description: 'Days until the key expires. If omitted, it never expires.',
    }),
  ),
})
export type CreateApiKey = Static<typeof CreateApiKey>

const keyFields = {
  id: ReplyId('key', 'The key’s id, which revokes it.'),
  name: T.String(),
  key_prefix: T.String({ description: 'The first characters of the key, to recognize it.' }),
  expires_at: Maybe(Moment('When it expires.')),
  created_at: Moment('When it was created.'),
  member_id: Maybe(ReplyId('member', 'The member that the key acts as; null for a key of the account.')),
}

/** A new API key with its plaintext, which is shown only once. */
export const CreatedApiKey = T.Object({
  ...keyFields,
  key: ShownOnce('The key itself. It is shown only once.'),
  warning: T.String({ description: 'A warning that the key is shown only here.' }),
})
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const ApiKey = T.Object({
  ...keyFields,
  last_used_at: Maybe(Moment('When it last authenticated a request.')),
  use_count: T.Integer({ minimum: 0, description: 'Number of requests that it has authenticated.' }),
  is_expired: T.Boolean(),
})
export type ApiKey = Static<typeof ApiKey>

/** Response to the revocation of a key. */
export const RevokedApiKey = T.Object({
  revoked: T.Literal(true),
  id: ReplyId('key', 'The key’s id.'),
  name: T.String(),
})
export type RevokedApiKey = Static<typeof RevokedApiKey>

const tag = 'Account'
const read = { ...READ, tag, access: 'account' } as const
const change = { ...CHANGE, tag, access: 'account' } as const

/** Operations on the caller's own account. */
export const accountOperations = {
  createApiKey: operation({
    ...CREATE,
    path: '/api/v1/api-keys',
    tag,
    summary: 'Create an API key',
    description: 'A member’s key acts as the member.',
    access: 'account',
    member: 'viewer',
    audit: { event: 'api_key.created' },
    body: { json: CreateApiKey, example: { name: 'laptop', expires_in_days: 90 } },
    reply: { json: CreatedApiKey },
  }),
  listApiKeys: operation({
    ...read,
    path: '/api/v1/api-keys',
    summary: 'List your API keys, newest first',
    description: 'Members and viewers see their own keys; the account, its owners and its admins see all keys.',
    reply: { json: T.Array(ApiKey) },
  }),
  revokeApiKey: operation({
    ...change,
    method: 'DELETE',
    path: '/api/v1/api-keys/:key_id',
    summary: 'Revoke an API key',
    member: 'viewer',
    audit: { event: 'api_key.revoked' },
    params: T.Object({ key_id: PathId('The key.', 'key') }),
    reply: { json: RevokedApiKey },
    faults: ['not_found'],
  }),
  getProfile: operation({
    ...read,
    path: '/api/v1/users/me/profile',
    summary: 'Show your account',
    reply: { json: Profile },
  }),
  updateProfile: operation({
    ...change,
    path: '/api/v1/users/me/profile',
    summary: 'Change your account’s name, primary sandbox or default project',
    description: 'A member changes its own name, primary sandbox and default project.',
    member: 'viewer',
    audit: { event: 'account.updated' },
    body: { json: UpdateProfile },
    reply: { json: Profile },
    faults: ['not_found', 'project_archived'],
  }),
}

const Day = (description: string) => T.String({ format: 'date', description, examples: ['2026-03-01'] })

const Limit = (description: string) =>
  Nullable(T.Integer({ minimum: 0, description: `${description}; null is unlimited.` }))

/** Limits of a tier for the whole account, in addition to those of each sandbox. */
export const AccountLimits = T.Object({
  max_sandboxes: Limit('Number of sandboxes of the tier, including archived ones'),
  account_ingest_records_per_minute: Limit('Records accepted per minute, in all sandboxes of the tier'),
  account_queries_per_minute: Limit('Queries answered per minute, in all sandboxes of the tier'),
  account_reads_per_minute: Limit('Reads of entities, records and exports per minute, in all sandboxes of the tier'),
})
export type AccountLimits = Static<typeof AccountLimits>

const tokens = {
  prompt_tokens: T.Integer({ description: 'Input tokens.' }),
  completion_tokens: T.Integer({ description: 'Output tokens.' }),
  total_tokens: T.Integer(),
  cost_usd: T.Number({ description: 'In US dollars, at the configured prices.' }),
  calls: T.Integer(),
}

export const ModelUsage = T.Object({
  model: T.String(),
  provider: T.String({ description: 'The host that serves it.' }),
  ...tokens,
})
export type ModelUsage = Static<typeof ModelUsage>

/** Usage of model calls of one type. */
export const CallTypeUsage = T.Object({
  call_type: T.String({
    description:
      '`write`, `rerank`, `embed`, `vision` or `transcribe`; `unknown` for calls that were counted without a type.',
  }),
  ...tokens,
})
export type CallTypeUsage = Static<typeof CallTypeUsage>

/** Usage of an account in a range of days. */
export const AccountUsage = T.Object({
  user_id: T.String({ description: 'The platform account.' }),
  from: Day('The first day counted, UTC.'),
  to: Day('The last day counted, UTC.'),
  queries: T.Integer({ description: 'Queries answered.' }),
  ingested_records: T.Integer({ description: 'Records accepted.' }),
  model: T.Object(
    { input_tokens: T.Integer(), output_tokens: T.Integer(), cost_usd: T.Number() },
    { description: 'Usage of the language model; all zero if none is configured.' },
  ),
  model_budget: Nullable(
    T.Object(
      {
        tokens_per_day: T.Integer(),
        used_today: T.Integer({ description: 'Input and output tokens of calls of type `write` today.' }),
        left_today: T.Integer(),
        resets_at: Moment('When the next day begins, UTC.'),
      },
      {
        description:
          'Daily language model tokens of each account (`CAIRN_MODEL_DAILY_TOKENS`); null if there is ' +
          'no such limit. When they are used up, answers are quoted passages, with a warning.',
      },
    ),
  ),
  summary: T.Object(
    {
      total_prompt_tokens: T.Integer(),
      total_completion_tokens: T.Integer(),
      total_tokens: T.Integer(),
      total_cost_usd: T.Number(),
      total_calls: T.Integer(),
    },
    { description: 'Total usage of all models.' },
  ),
  by_model: T.Array(ModelUsage, { description: 'The same by model, highest cost first.' }),
  by_call_type: T.Array(CallTypeUsage, { description: 'The same by type of call.' }),
  limits: T.Object(
    { free: AccountLimits, pro: AccountLimits, enterprise: AccountLimits },
    { description: 'The limits that all your sandboxes of a tier share. Each sandbox also has its own `limits`.' },
  ),
})
export type AccountUsage = Static<typeof AccountUsage>

/** Model costs of an account, in the format of prepaid credits. No credits are sold. */
export const UsageBalance = T.Object(
  {
    credits_purchased: T.Literal(0),
    credits_used: T.Integer({ description: 'Total model costs of the account since its creation.' }),
    credits_remaining: T.Literal(0),
    currency: T.Literal('usd'),
  },
  { description: 'Amounts are in the unit that existing clients call microcents: 10^-6 US dollars.' },
)
export type UsageBalance = Static<typeof UsageBalance>

const readUsage = { ...READ, tag: 'Account', access: 'account', member: 'admin' } as const

export const usageOperations = {
  getUsage: operation({
    ...readUsage,
    path: '/api/v1/usage',
    summary: 'Show the usage of your account',
    description: 'From the first of this month until today (UTC) unless `from` and `to` say otherwise.',
    query: T.Object({ from: T.Optional(Day('The first day.')), to: T.Optional(Day('The last day.')) }),
    reply: { json: AccountUsage },
  }),
  getUsageBalance: operation({
    ...readUsage,
    path: '/api/v1/usage/balance',
    summary: 'Show the model costs of your account',
    reply: { json: UsageBalance },
  }),
}
