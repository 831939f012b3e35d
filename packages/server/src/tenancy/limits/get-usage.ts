import type { AccountUsage } from '@cairn/contract'
import { invalid } from '../../base/fault.ts'
import type { Ctx } from '../context.ts'

/** Costs are kept in 10^-12 US dollars. */
const PICO = 1e12

/** What the caller's account used from one day to another, UTC; this month until today when no days are given. */
export async function getUsage(
  ctx: Pick<Ctx, 'caller' | 'clock' | 'limits' | 'sql'>,
  asked: { from?: string; to?: string },
): Promise<AccountUsage> {
  const { accountId } = ctx.caller
  const today = ctx.clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length)
  const to = asked.to ?? today
  const from = asked.from ?? `${to.slice(0, 'YYYY-MM'.length)}-01`
  if (to < from) throw invalid(['query', 'to'], 'The last day is not before the first.')
  const used = await ctx.sql.transact(accountId, (tx) =>
    tx
      .selectFrom('usage')
      .select((is) => [
        is.fn.coalesce(is.fn.sum<string>('queries'), is.val('0')).as('queries'),
        is.fn.coalesce(is.fn.sum<string>('ingested_records'), is.val('0')).as('records'),
        is.fn.coalesce(is.fn.sum<string>('model_input_tokens'), is.val('0')).as('input'),
        is.fn.coalesce(is.fn.sum<string>('model_output_tokens'), is.val('0')).as('output'),
        is.fn.coalesce(is.fn.sum<string>('model_cost_picousd'), is.val('0')).as('cost'),
      ])
      .where('user_id', '=', accountId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .executeTakeFirstOrThrow(),
  )
  return {
    user_id: accountId,
    from,
    to,
    queries: Number(used.queries),
    ingested_records: Number(used.records),
    model: { input_tokens: Number(used.input), output_tokens: Number(used.output), cost_usd: Number(used.cost) / PICO },
    limits: ctx.limits,
  }
}
