import { operation, READ } from './operation.ts'
import { Nullable, type Static, Type as T } from './schema.ts'

const Day = (description: string) => T.String({ format: 'date', description, examples: ['2026-03-01'] })

const Limit = (description: string) =>
  Nullable(T.Integer({ minimum: 0, description: `${description}; null is unlimited.` }))

/** What a tier allows an account, whatever it allows each sandbox. */
export const AccountLimits = T.Object({
  max_sandboxes: Limit('Sandboxes of the tier, archived ones too'),
  account_ingest_records_per_minute: Limit('Records that they take in together in a minute'),
  account_queries_per_minute: Limit('Queries that they answer together in a minute'),
  account_reads_per_minute: Limit('Reads of entities, records and exports that they answer together in a minute'),
})
export type AccountLimits = Static<typeof AccountLimits>

const tokens = {
  prompt_tokens: T.Integer({ description: 'Tokens that were sent.' }),
  completion_tokens: T.Integer({ description: 'Tokens that came back.' }),
  total_tokens: T.Integer(),
  cost_usd: T.Number({ description: 'At the prices that are configured, in US dollars.' }),
  calls: T.Integer(),
}

/** What one model used. */
export const ModelUsage = T.Object({
  model: T.String(),
  provider: T.String({ description: 'The host that serves it.' }),
  ...tokens,
})
export type ModelUsage = Static<typeof ModelUsage>

/** What calls of one type used. */
export const CallTypeUsage = T.Object({
  call_type: T.String({
    description:
      '`write`, `rerank`, `embed`, `vision` or `transcribe`; `unknown` for what was counted without its type.',
  }),
  ...tokens,
})
export type CallTypeUsage = Static<typeof CallTypeUsage>

/** What an account has used in a span of days. */
export const AccountUsage = T.Object({
  user_id: T.String({ description: 'The platform account.' }),
  from: Day('The first day counted, UTC.'),
  to: Day('The last day counted, UTC.'),
  queries: T.Integer({ description: 'Queries answered.' }),
  ingested_records: T.Integer({ description: 'Records taken in.' }),
  model: T.Object(
    { input_tokens: T.Integer(), output_tokens: T.Integer(), cost_usd: T.Number() },
    { description: 'What a language model used; all zero where none is configured.' },
  ),
  summary: T.Object(
    {
      total_prompt_tokens: T.Integer(),
      total_completion_tokens: T.Integer(),
      total_tokens: T.Integer(),
      total_cost_usd: T.Number(),
      total_calls: T.Integer(),
    },
    { description: 'What models used together.' },
  ),
  by_model: T.Array(ModelUsage, { description: 'The same by model, what cost most first.' }),
  by_call_type: T.Array(CallTypeUsage, { description: 'The same by what models were called for.' }),
  limits: T.Object(
    { free: AccountLimits, pro: AccountLimits, enterprise: AccountLimits },
    { description: 'What all your sandboxes of a tier may use together; each has its own `limits` as well.' },
  ),
})
export type AccountUsage = Static<typeof AccountUsage>

/** What models have cost an account, in the shape of prepaid credits. Nothing is sold here. */
export const UsageBalance = T.Object(
  {
    credits_purchased: T.Literal(0),
    credits_used: T.Integer({ description: 'What models have cost the account since it began.' }),
    credits_remaining: T.Literal(0),
    currency: T.Literal('usd'),
  },
  { description: 'Amounts are in microcents as existing clients count them, which are 10^-6 US dollars.' },
)
export type UsageBalance = Static<typeof UsageBalance>

const read = { ...READ, tag: 'Account', access: 'account' } as const

/** The operations on what an account uses. */
export const usageOperations = {
  getUsage: operation({
    ...read,
    path: '/api/v1/usage',
    summary: 'Show what your account has used',
    description: 'From the first of this month until today (UTC) unless `from` and `to` say otherwise.',
    query: T.Object({ from: T.Optional(Day('The first day.')), to: T.Optional(Day('The last day.')) }),
    reply: { json: AccountUsage },
    faults: [],
  }),
  getUsageBalance: operation({
    ...read,
    path: '/api/v1/usage/balance',
    summary: 'Show what models have cost your account',
    reply: { json: UsageBalance },
    faults: [],
  }),
}
