import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Static, TSchema } from '@cairnstore/contract'
import { APICallError, extractReasoningMiddleware, type LanguageModelMiddleware, wrapLanguageModel } from 'ai'
import { checkFirst } from '../../base/check.ts'
import { abortedBy, timeoutSignal } from '../../base/timeout-signal.ts'
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
import { openElementReader, type ReadElement } from './read-elements.ts'
import { REASONING_TAG, withoutReasoning } from './reasoning.ts'
import { streamWholeReply } from './stream-whole-reply.ts'

type LanguageModel = ReturnType<typeof wrapLanguageModel>
type CallOptions = Parameters<LanguageModel['doGenerate']>[0]
type Usage = Awaited<ReturnType<LanguageModel['doGenerate']>>['usage']

/** Maximum size of a response in bytes. A brief takes a few KiB, and a stream adds about 300 bytes per token. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024
/** Host of OpenAI, which uses `max_completion_tokens`. All others use the older name `max_tokens`. */
const VENDOR_HOST = 'api.openai.com'
const STATUS = {
  badRequest: 400,
  requestTimeout: 408,
  unprocessable: 422,
  tooMany: 429,
  serverFault: 500,
  notThere: 501,
}
/** Statuses with which servers reject an unsupported response format. */
const SCHEMA_REJECTED: ReadonlySet<number> = new Set([STATUS.badRequest, STATUS.unprocessable, STATUS.notThere])
/** Ways to request a reply format, strictest first: a JSON schema, any JSON object, or words in the prompt. */
const FORMS = ['schema', 'object', 'words'] as const
/** Maximum number of replies. After an unreadable reply, the request is repeated once with the error. */
const REPLIES_MAX = 2
const QUOTED_CHARS_MAX = 4_000
const COMPLAINT =
  'Your reply could not be read: it holds no JSON of the form asked for. ' +
  'Reply again, with JSON alone and nothing around it.'
const SERVER_MESSAGE_CHARS_MAX = 300

/** Opens a model behind an OpenAI-compatible interface. Sends nothing before the first request. */
export function openModel(config: WriterConfig, apiKey: string | null): Model {
  const modelOf = (supportsStructuredOutputs: boolean) =>
    wrapLanguageModel({
      model: createOpenAICompatible({
        name: 'writer',
        baseURL: config.baseUrl,
        fetch: streamWholeReply(boundedFetch(ANSWER_BYTES_MAX)),
        includeUsage: true,
        supportsStructuredOutputs,
        ...(apiKey !== null && { apiKey }),
        ...(new URL(config.baseUrl).host === VENDOR_HOST && {
          transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
        }),
      }).chatModel(config.name),
      middleware: reasoningRemoved(),
    })
  const models = { schema: modelOf(true), object: modelOf(false), words: modelOf(false) }
  // Index of the first format that the server accepted. Later requests start with it.
  let formAt = FORMS.indexOf(config.json)

  /**
   * Yields the text of one reply as it arrives, and returns the usage. If the server rejects a format, tries the next
   * one.
   */
  async function* reply(
    asked: Pick<ModelRequest<TSchema>, 'element' | 'isStreamed'>,
    call: CallOptions,
  ): AsyncGenerator<string, Usage | undefined> {
    for (;;) {
      const tried = formAt
      const form = FORMS[tried]!
      const options = { ...call, ...formatOf(form, asked.element) }
      try {
        return yield* asked.isStreamed ? streamed(models[form], options) : whole(models[form], options)
      } catch (cause) {
        const isRefused = APICallError.isInstance(cause) && SCHEMA_REJECTED.has(cause.statusCode ?? 0)
        if (!isRefused || tried === FORMS.length - 1) throw cause
        formAt = Math.max(formAt, tried + 1)
      }
    }
  }

  async function* ask<S extends TSchema>(asked: ModelRequest<S>): AsyncGenerator<Static<S>, ModelUse> {
    const late = timeoutSignal(config.timeoutMs)
    const stop = abortedBy(late, asked.signal)
    const read = asked.read ?? readerOf(asked.element)
    const prompt: CallOptions['prompt'] = [
      { role: 'system', content: asked.system },
      { role: 'user', content: [{ type: 'text', text: asked.prompt }] },
    ]
    const used: ModelUse = { inputTokens: 0, outputTokens: 0 }
    try {
      for (let replies = 0; replies < REPLIES_MAX; replies += 1) {
        const reader = openElementReader(read)
        const parts = reply(asked, { prompt, maxOutputTokens: asked.tokensMax, abortSignal: stop.signal })
        let isRead = false
        for (;;) {
          const part = await parts.next()
          if (part.done) {
            used.inputTokens += countedTokens(part.value?.inputTokens.total, JSON.stringify(prompt))
            used.outputTokens += countedTokens(part.value?.outputTokens.total, reader.text)
            break
          }
          for (const element of reader.push(part.value)) {
            isRead = true
            yield element
          }
        }
        if (isRead || reader.isEmptyList()) return used
        const others = asked.readText?.(reader.text) ?? []
        yield* others
        if (others.length > 0) return used
        prompt.push(
          { role: 'assistant', content: [{ type: 'text', text: reader.text.slice(0, QUOTED_CHARS_MAX) || '{}' }] },
          { role: 'user', content: [{ type: 'text', text: COMPLAINT }] },
        )
      }
      throw new ModelFailure('unreadable')
    } catch (cause) {
      if (asked.signal.aborted) throw asked.signal.reason
      const use = used.inputTokens > 0 ? used : undefined
      throw new ModelFailure(late.aborted ? 'timeout' : kindOf(cause), { cause, use, message: serverMessage(cause) })
    } finally {
      stop.abort()
    }
  }
  return { ask }
}

function formatOf(form: (typeof FORMS)[number], element: TSchema): Pick<CallOptions, 'responseFormat'> {
  if (form === 'words') return {}
  const schema = {
    type: 'object' as const,
    properties: { elements: { type: 'array' as const, items: element as object } },
    required: ['elements'],
    additionalProperties: false,
  }
  return { responseFormat: { type: 'json', schema } }
}

async function* whole(model: LanguageModel, options: CallOptions) {
  const { content, usage } = await model.doGenerate(options)
  for (const part of content) if (part.type === 'text') yield part.text
  return usage
}

async function* streamed(model: LanguageModel, options: CallOptions) {
  const { stream } = await model.doStream(options)
  let usage: Usage | undefined
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') yield part.delta
    if (part.type === 'finish') usage = part.usage
  }
  return usage
}

/** Returns the server's own error message on one line. */
function serverMessage(cause: unknown): string | undefined {
  if (!APICallError.isInstance(cause)) return undefined
  return cause.message.replace(/\s+/g, ' ').slice(0, SERVER_MESSAGE_CHARS_MAX)
}

/**
 * Removes the reasoning that a model writes before its answer. Uses only the library's parser for streams. Its regular
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

function readerOf<S extends TSchema>(schema: S): ReadElement<Static<S>> {
  const check = checkFirst(schema, [])
  return (value) => (check(value).length === 0 ? (value as Static<S>) : undefined)
}

function kindOf(cause: unknown): ModelFailureKind {
  for (let inner = cause; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof ModelFailure) return inner.kind
    if (APICallError.isInstance(inner) && inner.statusCode !== undefined) return kindOfStatus(inner)
  }
  return APICallError.isInstance(cause) || cause instanceof TypeError ? 'unreachable' : 'unreadable'
}

/** Returns the kind of failure for an HTTP error. If the status is a success, the SDK could not parse the response. */
function kindOfStatus({ statusCode = 0, cause }: APICallError): ModelFailureKind {
  if (cause instanceof ModelFailure) return cause.kind
  if (statusCode >= STATUS.serverFault) return 'failed'
  if (statusCode === STATUS.tooMany) return 'rate_limited'
  if (statusCode === STATUS.requestTimeout) return 'timeout'
  return statusCode >= 300 ? 'refused' : 'unreadable'
}
