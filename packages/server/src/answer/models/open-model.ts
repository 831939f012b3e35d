import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Static, TSchema } from '@cairnstore/contract'
import {
  APICallError,
  extractJsonMiddleware,
  extractReasoningMiddleware,
  generateText,
  jsonSchema,
  type LanguageModelMiddleware,
  type LanguageModelUsage,
  NoObjectGeneratedError,
  Output,
  streamText,
  wrapLanguageModel,
} from 'ai'
import { checkFirst } from '../../base/check.ts'
import { stoppedBy, timeoutSignal } from '../../base/timeout-signal.ts'
import type { WriterConfig } from '../../config/models.ts'
import {
  countedTokens,
  type Model,
  ModelFailure,
  type ModelFailureKind,
  type ModelRequest,
  type ModelUse,
} from './model.ts'
import { boundedFetch } from './post-json.ts'
import { REASONING_TAG, withoutReasoning } from './reasoning.ts'

/** A brief takes a few KiB; a stream wraps each token of it in some 300 bytes. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024
/** What the vendor of the interface itself calls the limit of tokens, where all others keep the older name. */
const VENDOR_HOST = 'api.openai.com'
const STATUS = { requestTimeout: 408, tooMany: 429, serverFault: 500 }

/** A model behind an OpenAI-compatible interface. Nothing is sent anywhere before it is asked. */
export function openModel(config: WriterConfig, apiKey: string | null): Model {
  // What the SDK finds unusual about a request it would print to the console.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const provider = createOpenAICompatible({
    name: 'writer',
    baseURL: config.baseUrl,
    fetch: boundedFetch(ANSWER_BYTES_MAX),
    includeUsage: true,
    supportsStructuredOutputs: config.json === 'schema',
    ...(apiKey !== null && { apiKey }),
    ...(new URL(config.baseUrl).host === VENDOR_HOST && {
      transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
    }),
  })
  // Models that think aloud, or wrap JSON in a fence, are understood as well.
  const model = wrapLanguageModel({
    model: provider.chatModel(config.name),
    middleware: [extractJsonMiddleware(), reasoningRemoved()],
  })

  async function* ask<S extends TSchema>(asked: ModelRequest<S>): AsyncGenerator<Static<S>, ModelUse> {
    const late = timeoutSignal(config.timeoutMs)
    const stop = stoppedBy(late, asked.signal)
    const call = {
      model,
      system: asked.system,
      prompt: asked.prompt,
      output: Output.array({ element: elementOf(asked.element) }),
      maxOutputTokens: asked.tokensMax,
      maxRetries: 0,
      abortSignal: stop.signal,
    }
    const toUse = (usage: LanguageModelUsage | undefined, told: readonly unknown[]): ModelUse => ({
      inputTokens: countedTokens(usage?.inputTokens, asked.system + asked.prompt),
      outputTokens: countedTokens(usage?.outputTokens, JSON.stringify(told)),
    })
    const told: Static<S>[] = []
    try {
      if (!asked.isStreamed) {
        const { output, totalUsage } = await generateText(call)
        yield* output as Static<S>[]
        return toUse(totalUsage, output)
      }
      let failure: unknown
      const stream = streamText({
        ...call,
        onError: ({ error }) => {
          failure ??= error
        },
      })
      for await (const element of stream.elementStream) {
        told.push(element as Static<S>)
        yield element as Static<S>
      }
      if (failure !== undefined) throw failure
      await stream.output
      return toUse(await stream.totalUsage, told)
    } catch (cause) {
      if (asked.signal.aborted) throw asked.signal.reason
      const usage = NoObjectGeneratedError.isInstance(cause) ? toUse(cause.usage, told) : undefined
      throw new ModelFailure(late.aborted ? 'timeout' : kindOf(cause), { cause, use: usage })
    } finally {
      stop.abort()
    }
  }
  return { ask }
}

/**
 * Removes the reasoning that a model writes before its answer. Uses only the library's stream parser: its regular
 * expression for complete answers takes quadratic time in the length of the answer.
 */
function reasoningRemoved(): LanguageModelMiddleware {
  const { wrapStream } = extractReasoningMiddleware({ tagName: REASONING_TAG })
  return {
    specificationVersion: 'v3',
    ...(wrapStream && { wrapStream }),
    wrapGenerate: async ({ doGenerate }) => {
      const { content, ...rest } = await doGenerate()
      const answer = content.map((part) =>
        part.type === 'text' ? { ...part, text: withoutReasoning(part.text) } : part,
      )
      return { ...rest, content: answer }
    },
  }
}

/** The schema as the SDK takes it: sent to the model, and checked by our own validator. */
function elementOf<S extends TSchema>(schema: S) {
  const check = checkFirst(schema, [])
  return jsonSchema<Static<S>>(schema as object, {
    validate: (value) =>
      check(value).length === 0
        ? { success: true, value: value as Static<S> }
        : { success: false, error: new Error('not in the form asked for') },
  })
}

function kindOf(cause: unknown): ModelFailureKind {
  for (let inner = cause; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof ModelFailure) return inner.kind
    if (APICallError.isInstance(inner) && inner.statusCode !== undefined) return kindOfStatus(inner)
    if (NoObjectGeneratedError.isInstance(inner)) return 'unreadable'
  }
  return APICallError.isInstance(cause) || cause instanceof TypeError ? 'unreachable' : 'unreadable'
}

/** An error that came with a good status is an answer that the SDK could not read. */
function kindOfStatus({ statusCode = 0, cause }: APICallError): ModelFailureKind {
  if (cause instanceof ModelFailure) return cause.kind
  if (statusCode >= STATUS.serverFault) return 'failed'
  if (statusCode === STATUS.tooMany) return 'rate_limited'
  if (statusCode === STATUS.requestTimeout) return 'timeout'
  return statusCode >= 300 ? 'refused' : 'unreadable'
}
