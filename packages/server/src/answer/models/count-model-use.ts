import type { Planes } from '../../store/planes.ts'
import type { ModelUse } from './model.ts'

/** US dollars for a million tokens. */
export interface Prices {
  inputUsd: number
  outputUsd: number
}

/** A price of so many dollars for a million tokens is so many 10^-12 dollars for each, times this. */
const PICO_PER_TOKEN = 1_000_000

/** Counts what a model used to the account's day, and what that costs. Like other counts it waits for no disk. */
export async function countModelUse(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  accountId: string,
  { inputTokens, outputTokens }: ModelUse,
  prices: Prices,
): Promise<void> {
  const picousd = Math.round((inputTokens * prices.inputUsd + outputTokens * prices.outputUsd) * PICO_PER_TOKEN)
  const used = {
    model_input_tokens: inputTokens,
    model_output_tokens: outputTokens,
    model_cost_picousd: picousd,
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
            model_cost_picousd: old('usage.model_cost_picousd', '+', picousd),
          })),
        )
        .execute(),
    { isDurable: false },
  )
}
