import type { AccountUsage, UsageBalance, usageOperations } from '@cairnstore/contract'
import { invalid } from '../../base/fault.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { tenantOf } from '../caller.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'

export const handlers: TenancyHandlers<typeof usageOperations> = {
  getUsage: (ctx, { query }) => getUsage(ctx, query),
  getUsageBalance: (ctx) => getUsageBalance(ctx),
}

/** Costs are stored in 10^-12 US dollars. */
const PICO = 1e12
/** Balances are returned in 10^-6 US dollars. */
const PICO_PER_MICRO = 1e6

/** Returns the caller's account usage for a range of UTC days. The default is the current month until today. */
async function getUsage(
  ctx: Pick<TenancyCtx, 'caller' | 'clock' | 'limits' | 'modelDailyTokens' | 'sql'>,
  range: { from?: string; to?: string },
): Promise<AccountUsage> {
  const accountId = tenantOf(ctx.caller)
  const today = ctx.clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length)
  const to = range.to ?? today
  const from = range.from ?? `${to.slice(0, 'YYYY-MM'.length)}-01`
  if (to < from) throw invalid(['query', 'to'], 'The last day must not be before the first.')
  const { used, models } = await ctx.sql.transact(accountId, async (tx) => ({
    used: await tx
      .selectFrom('usage')
      .select((is) => [
        is.fn.coalesce(is.fn.sum<string>('queries'), is.val('0')).as('queries'),
        is.fn.coalesce(is.fn.sum<string>('ingested_records'), is.val('0')).as('records'),
      ])
      .where('user_id', '=', accountId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .executeTakeFirstOrThrow(),
    models: await tx
      .selectFrom('model_use')
      .select((is) => ['provider', 'model', 'call_type', ...MEASURES.map((name) => is.fn.sum<string>(name).as(name))])
      .where('user_id', '=', accountId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .groupBy(['provider', 'model', 'call_type'])
      .orderBy('provider')
      .orderBy('model')
      .orderBy('call_type')
      .execute(),
  }))
  const { prompt_tokens: input, completion_tokens: output, total_tokens, cost_usd, calls } = sumOf(models)
  return {
    user_id: accountId,
    from,
    to,
    queries: Number(used.queries),
    ingested_records: Number(used.records),
    model: { input_tokens: input, output_tokens: output, cost_usd },
    summary: {
      total_prompt_tokens: input,
      total_completion_tokens: output,
      total_tokens,
      total_cost_usd: cost_usd,
      total_calls: calls,
    },
    by_model: grouped(models, ({ provider, model }) => ({ model, provider })),
    by_call_type: grouped(models, ({ call_type }) => ({ call_type })),
    model_budget: await budgetOf(ctx, accountId),
    limits: ctx.limits,
  }
}

/** Returns the language model tokens of an account on a day that count against its budget. */
export async function writerTokensOf(tx: Tx, accountId: string, day: string): Promise<number> {
  const used = await tx
    .selectFrom('model_use')
    .select((is) =>
      is.fn.coalesce(is.fn.sum<string>(is('input_tokens', '+', is.ref('output_tokens'))), is.val('0')).as('tokens'),
    )
    .where(hasValues({ user_id: accountId, day, call_type: WRITE }))
    .executeTakeFirstOrThrow()
  return Number(used.tokens)
}

/** Call type of the language model's calls in the usage table. */
const WRITE = 'write'

/** Returns the rest of today's token budget; null without a budget. */
async function budgetOf(
  { clock, modelDailyTokens: limit, sql }: Pick<TenancyCtx, 'clock' | 'modelDailyTokens' | 'sql'>,
  accountId: string,
): Promise<AccountUsage['model_budget']> {
  if (limit === null) return null
  const now = clock.now()
  const day = now.toISOString().slice(0, 'YYYY-MM-DD'.length)
  const used = await sql.transact(accountId, (tx) => writerTokensOf(tx, accountId, day))
  const resets = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
  return {
    tokens_per_day: limit,
    used_today: used,
    left_today: Math.max(0, limit - used),
    resets_at: resets.toISOString(),
  }
}

/** Returns the total model cost of the caller's account. */
async function getUsageBalance({ caller, sql }: Pick<TenancyCtx, 'caller' | 'sql'>): Promise<UsageBalance> {
  const accountId = tenantOf(caller)
  const spent = await sql.transact(accountId, (tx) =>
    tx
      .selectFrom('model_use')
      .select((is) => is.fn.coalesce(is.fn.sum<string>('cost_picousd'), is.val('0')).as('cost'))
      .where('user_id', '=', accountId)
      .executeTakeFirstOrThrow(),
  )
  const credits_used = Math.round(Number(spent.cost) / PICO_PER_MICRO)
  return { credits_purchased: 0, credits_used, credits_remaining: 0, currency: 'usd' }
}

const MEASURES = ['calls', 'input_tokens', 'output_tokens', 'cost_picousd'] as const

type Measured = Record<(typeof MEASURES)[number], string>

function sumOf(rows: readonly Measured[]) {
  const sum = (name: keyof Measured) => rows.reduce((total, row) => total + Number(row[name]), 0)
  const [prompt_tokens, completion_tokens] = [sum('input_tokens'), sum('output_tokens')]
  const total_tokens = prompt_tokens + completion_tokens
  return { prompt_tokens, completion_tokens, total_tokens, cost_usd: sum('cost_picousd') / PICO, calls: sum('calls') }
}

/** Groups rows by name and sums them. Sorts by descending cost, then by descending tokens, then in input order. */
function grouped<R extends Measured, N extends object>(rows: readonly R[], nameOf: (row: R) => N) {
  const groups = new Map<string, { name: N; rows: R[] }>()
  for (const row of rows) {
    const name = nameOf(row)
    const key = JSON.stringify(name)
    const group = groups.get(key) ?? { name, rows: [] }
    group.rows.push(row)
    groups.set(key, group)
  }
  const sums = [...groups.values()].map((group) => ({ ...group.name, ...sumOf(group.rows) }))
  return sums.sort((a, b) => b.cost_usd - a.cost_usd || b.total_tokens - a.total_tokens)
}
