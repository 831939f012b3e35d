import type { Static, TSchema } from '@cairnstore/contract'
import { openFairSlots } from '../../base/fair-slots.ts'
import type { EndpointConfig, ModelsConfig, RecognizerConfig } from '../../config/models.ts'
import type { Secrets } from '../../config/secrets.ts'
import { type Recogniser, type Recognisers, type RecognitionInput, Refusal } from '../../documents/document.ts'
import type { Planes } from '../../store/planes.ts'
import type { OpenedEncoder } from '../../store/vector-space.ts'
import { writerTokensOf } from '../../tenancy/limits/handlers.ts'
import {
  estimateTokens,
  ModelFailure,
  type ModelFailureKind,
  type ModelRequest,
  type ModelUse,
  WARNINGS,
} from './model.ts'
import { type Embedder, type EmbedRequest, encoderEmbedder } from './open-embedder.ts'
import type { RerankRequest } from './open-reranker.ts'
import { cacheQuestions } from './recent-questions.ts'

export type { Embedder }

/** The configured models. Every call is limited, and its usage is charged to an account. All models are optional. */
export interface Models {
  /** Generates text. Throws the failures of a Guard. */
  readonly writer?: Writer
  /** Sorts texts by how well they answer a question. Throws the failures of a Guard. */
  readonly reranker?: Reranker
  /** Computes vectors. Throws the failures of a Guard. */
  readonly embedder?: Embedder
  /** Recognizers of text in images and of speech in audio. */
  readonly recognisers?: Recognisers
}

/** Returns the models that run in this process. Content under a customer-managed key is sent only to these. */
export function localModels({ embedder }: Models): Models {
  return embedder?.config.isLocal ? { embedder } : {}
}

export interface Writer {
  /** Name of the model at its server. */
  readonly name: string
  /** Yields the elements that the model writes. */
  ask<S extends TSchema>(accountId: string, asked: ModelRequest<S>): AsyncGenerator<Static<S>, void>
}

interface Reranker {
  /** Returns the indexes of the texts, best first. May omit some. */
  order(accountId: string, asked: RerankRequest): Promise<number[]>
}

/** Maximum milliseconds for a request for record vectors. */
const TEXTS_MS_MAX = 60_000

/** Opens the configured models, each when needed. Without an embedding model the encoder computes vectors. */
export async function openModels(
  { writer, reranker, embedder, vision, transcriber }: ModelsConfig,
  keys: Secrets['modelKeys'],
  planes: Pick<Planes, 'sql' | 'clock' | 'log' | 'observe' | 'modelDailyTokens'>,
  encoder?: OpenedEncoder,
): Promise<Models> {
  const guardOf = (endpoint: EndpointConfig, callType: CallType, outputPriceUsd = 0): Guard => {
    const { clock, log } = planes
    const charged = { endpoint, callType, outputPriceUsd }
    return openGuard({ clock, log, count: (accountId, use) => countModelUse(planes, accountId, use, charged) })
  }
  const models: { -readonly [M in keyof Models]: Models[M] } = {}
  if (encoder) models.embedder = encoderEmbedder(encoder, planes.observe)
  if (writer) {
    const { openModel } = await import('./open-model.ts')
    const model = openModel(writer, keys.writer)
    const guard = guardOf(writer, 'write', writer.outputPriceUsd)
    models.writer = {
      name: writer.name,
      async *ask(accountId, asked) {
        await assertUnspent(planes, accountId)
        const inputTokens = estimateTokens(asked.system + asked.prompt)
        yield* guard(accountId, () => model.ask(asked), { inputTokens, outputTokens: 0 })
      },
    }
  }
  if (reranker) {
    const { openReranker } = await import('./open-reranker.ts')
    const order = openReranker(reranker, keys.reranker)
    const guard = guardOf(reranker, 'rerank')
    models.reranker = {
      order: async (accountId, asked) => {
        const indexes: number[] = []
        for await (const index of guard(accountId, () => order(asked))) indexes.push(index)
        return indexes
      },
    }
  }
  if (embedder) {
    const { openEmbedder } = await import('./open-embedder.ts')
    const embed = openEmbedder(embedder, keys.embedder)
    // Questions and records have separate guards, so that failures of bulk work do not block users' questions.
    const [asking, filling] = [guardOf(embedder, 'embed'), guardOf(embedder, 'embed')]
    const run = async (guard: Guard, accountId: string, prefix: string, asked: EmbedRequest) => {
      const texts = prefix === '' ? asked.texts : asked.texts.map((text) => `${prefix} ${text}`)
      const vectors: number[][] = []
      for await (const vector of guard(accountId, () => embed({ ...asked, texts }))) vectors.push(vector)
      return vectors
    }
    const { timeoutMs, queryPrefix, textPrefix } = embedder
    models.embedder = {
      config: embedder,
      understands: () => true,
      question: async (accountId, text, signal) => {
        const [vector] = await run(asking, accountId, queryPrefix, { texts: [text], timeoutMs, signal })
        return vector as number[]
      },
      texts: (accountId, texts, signal) =>
        run(filling, accountId, textPrefix, { texts, timeoutMs: TEXTS_MS_MAX, signal }),
    }
  }
  const recognisers: { -readonly [K in keyof Recognisers]: Recogniser } = {}
  if (vision) {
    const { openVision, PICTURE_BYTES_MAX } = await import('./open-vision.ts')
    const tools = { guard: guardOf(vision, 'vision'), read: openVision(vision, keys.vision) }
    recognisers.picture = recogniserOf(vision, { way: 'vision', bytesMax: PICTURE_BYTES_MAX, ...tools })
  }
  if (transcriber) {
    const { openTranscriber, SOUND_BYTES_MAX } = await import('./open-vision.ts')
    const tools = { guard: guardOf(transcriber, 'transcribe'), read: openTranscriber(transcriber, keys.transcriber) }
    recognisers.sound = recogniserOf(transcriber, { way: 'transcription', bytesMax: SOUND_BYTES_MAX, ...tools })
  }
  if (models.embedder) models.embedder = cacheQuestions(models.embedder)
  return { ...models, recognisers }
}

/**
 * Throws a ModelFailure if the account's daily token budget is used up. Tokens are counted in SQL after each call.
 * Concurrent calls may therefore exceed the budget.
 */
async function assertUnspent(
  { sql, clock, modelDailyTokens }: Pick<Planes, 'sql' | 'clock' | 'modelDailyTokens'>,
  accountId: string,
): Promise<void> {
  if (modelDailyTokens === null) return
  const used = await sql.transact(accountId, (tx) => writerTokensOf(tx, accountId, dayOf(clock)))
  if (used >= modelDailyTokens) throw new ModelFailure('spent')
}

function dayOf(clock: Planes['clock']): string {
  return clock.now().toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** A client of a recognizer behind a guard, and its limits. */
interface RecogniserParts {
  way: string
  bytesMax: number
  guard: Guard
  read(file: RecognitionInput): AsyncGenerator<string, ModelUse>
}

/** Returns a recognizer that reads one file at a time. The accounts take fair turns. */
function recogniserOf({ name }: RecognizerConfig, { way, bytesMax, guard, read }: RecogniserParts): Recogniser {
  const slot = openFairSlots(1)
  return {
    way,
    model: name,
    bytesMax,
    read: async (accountId, file) => {
      const done = await slot.take(accountId)
      try {
        file.signal.throwIfAborted()
        let text = ''
        for await (const piece of guard(accountId, () => read(file))) text += piece
        return text
      } catch (cause) {
        if (!(cause instanceof ModelFailure)) throw cause
        const detail = `The recognition model ${WARNINGS[cause.kind]}; add the file again later.`
        throw new Refusal('not_recognised', detail)
      } finally {
        done()
      }
    },
  }
}

/** Purpose of a model call: write an answer, rerank results, compute vectors, or read files. */
export type CallType = 'write' | 'rerank' | 'embed' | 'vision' | 'transcribe'

/** A model, the purpose of the call, and the price of a million output tokens in US dollars. */
interface Charged {
  endpoint: EndpointConfig
  outputPriceUsd: number
  callType: CallType
}

/** Factor from a price in dollars per million tokens to the price of one token in 10^-12 dollars. */
const PICO_PER_TOKEN = 1_000_000

/** Adds a model call with its tokens and cost to the account's daily usage. The commit does not wait for the disk. */
export async function countModelUse(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  accountId: string,
  { inputTokens, outputTokens }: ModelUse,
  { endpoint, outputPriceUsd, callType }: Charged,
): Promise<void> {
  const picousd = Math.round((inputTokens * endpoint.inputPriceUsd + outputTokens * outputPriceUsd) * PICO_PER_TOKEN)
  const used = { calls: 1, input_tokens: inputTokens, output_tokens: outputTokens, cost_picousd: picousd }
  const day = dayOf(clock)
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

/**
 * Runs a model request and charges the account for its usage. Throws a ModelFailure: `busy` if too many requests run,
 * and `resting` while the circuit breaker is open. `least` is the usage that is charged if the request timed out or was
 * abandoned before its usage was known.
 */
type Guard = <T>(
  accountId: string,
  request: () => AsyncGenerator<T, ModelUse>,
  least?: ModelUse,
) => AsyncGenerator<T, void>

/** Limits of a guard. Requests beyond them fail at once, because an answer without the model is available. */
export const GUARD_LIMITS = { atOnce: 64, atOnceOfAccount: 16, failuresInRow: 5, restMs: 15_000 }
type GuardLimits = typeof GUARD_LIMITS

/** Failures that the next request would probably have too. */
const DOWN: ReadonlySet<ModelFailureKind> = new Set(['timeout', 'rate_limited', 'unreachable', 'failed'])

/** Services of a guard. `count` charges an account with a model's usage. */
interface GuardTools extends Pick<Planes, 'clock' | 'log'> {
  count(accountId: string, use: ModelUse): Promise<void>
}

/** Creates a guard for a model, with per-account concurrency limits, a circuit breaker and usage counting. */
export function openGuard(tools: GuardTools, limits: GuardLimits = GUARD_LIMITS): Guard {
  const runningOf = new Map<string, number>()
  let running = 0
  let failuresInRow = 0
  let openedAtMs = Number.NEGATIVE_INFINITY
  const now = () => tools.clock.now().getTime()

  const begin = (accountId: string) => {
    const openMs = now() - openedAtMs
    if (openMs >= 0 && openMs < limits.restMs) throw new ModelFailure('resting')
    const own = runningOf.get(accountId) ?? 0
    if (running >= limits.atOnce || own >= limits.atOnceOfAccount) throw new ModelFailure('busy')
    running += 1
    runningOf.set(accountId, own + 1)
  }
  const end = (accountId: string) => {
    running -= 1
    const left = (runningOf.get(accountId) ?? 1) - 1
    if (left === 0) runningOf.delete(accountId)
    else runningOf.set(accountId, left)
  }
  const note = ({ kind, cause, serverMessage }: ModelFailure) => {
    const detail = serverMessage === undefined ? { error: cause } : { message: serverMessage }
    tools.log.warn('the model returned no usable response', { reason: kind, ...detail })
    failuresInRow = DOWN.has(kind) ? failuresInRow + 1 : 0
    if (failuresInRow < limits.failuresInRow) return
    // After the pause (half-open state), a single failure opens the circuit breaker again.
    failuresInRow = limits.failuresInRow - 1
    openedAtMs = now()
  }
  const count = async (accountId: string, use: ModelUse | undefined) => {
    if (use === undefined) return
    try {
      await tools.count(accountId, use)
    } catch (error) {
      // If counting the usage fails, the answer is returned anyway.
      tools.log.error('recording model usage failed', { accountId, error })
    }
  }

  return async function* guard(accountId, request, least) {
    begin(accountId)
    let used = least
    try {
      used = yield* request()
      failuresInRow = 0
    } catch (error) {
      if (error instanceof ModelFailure) {
        note(error)
        used = error.use ?? (error.kind === 'timeout' ? least : undefined)
      }
      throw error
    } finally {
      end(accountId)
      await count(accountId, used)
    }
  }
}
