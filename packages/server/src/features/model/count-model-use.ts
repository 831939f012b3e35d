import { sql as sqlText } from 'kysely'
import type { Planes } from '../handler.ts'
import type { ModelUse } from './model.ts'

/** US dollars for a million tokens. */
export interface Prices {
  inputUsd: number
  outputUsd: number
}

const TOKENS_PRICED = 1_000_000
/** Smaller parts of a dollar than any price of a token has. */
const DECIMALS = 12

/** Counts what a model used to the account's day, and what that costs. Like other counts it waits for no disk. */
export async function countModelUse(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  accountId: string,
  { inputTokens, outputTokens }: ModelUse,
  prices: Prices,
): Promise<void> {
  const costUsd = (inputTokens * prices.inputUsd + outputTokens * prices.outputUsd) / TOKENS_PRICED
  const used = {
    model_input_tokens: inputTokens,
    model_output_tokens: outputTokens,
    model_cost_usd: costUsd.toFixed(DECIMALS),
  }
  const day = clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length)
  await sql.transact(
    accountId,
    (tx) =>
      tx
        .insertInto('usage')
        .values({ user_id: accountId, day, ...used })
        .onConflict((is) =>
          is.columns(['user_id', 'day']).doUpdateSet((old) => ({
            model_input_tokens: old('usage.model_input_tokens', '+', inputTokens),
            model_output_tokens: old('usage.model_output_tokens', '+', outputTokens),
            model_cost_usd: sqlText<string>`usage.model_cost_usd + ${used.model_cost_usd}::numeric`,
          })),
        )
        .execute(),
    { isDurable: false },
  )
}
