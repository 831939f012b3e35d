import type { EndpointConfig } from '../../config/models.ts'
import type { Planes } from '../../store/planes.ts'
import type { ModelUse } from './model.ts'

/** What a model was asked to do: write from records, order what was found, make vectors, or read files. */
export type CallType = 'write' | 'rerank' | 'embed' | 'vision' | 'transcribe'

/** A model, what it was asked for, and the US dollars that a million tokens out of it cost. */
interface Charged {
  endpoint: EndpointConfig
  outputPriceUsd: number
  callType: CallType
}

/** A price of so many dollars for a million tokens is so many 10^-12 dollars for each, times this. */
const PICO_PER_TOKEN = 1_000_000

/**
 * Counts a call of a model and what it used to the account's day, and what that costs. Like other counts it waits for
 * no disk.
 */
export async function countModelUse(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  accountId: string,
  { inputTokens, outputTokens }: ModelUse,
  { endpoint, outputPriceUsd, callType }: Charged,
): Promise<void> {
  const picousd = Math.round((inputTokens * endpoint.inputPriceUsd + outputTokens * outputPriceUsd) * PICO_PER_TOKEN)
  const used = { calls: 1, input_tokens: inputTokens, output_tokens: outputTokens, cost_picousd: picousd }
  const day = clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length)
  const of = { provider: new URL(endpoint.baseUrl).host, model: endpoint.name, call_type: callType }
  await sql.transact(
    accountId,
    (tx) =>
      tx
        .insertInto('model_use')
        .values({ user_id: accountId, day, ...of, ...used })
        .onConflict((is) =>
          is.columns(['user_id', 'day', 'provider', 'model', 'call_type']).doUpdateSet((old) => ({
            calls: old('model_use.calls', '+', 1),
            input_tokens: old('model_use.input_tokens', '+', inputTokens),
            output_tokens: old('model_use.output_tokens', '+', outputTokens),
            cost_picousd: old('model_use.cost_picousd', '+', picousd),
          })),
        )
        .execute(),
    { isDurable: false },
  )
}
