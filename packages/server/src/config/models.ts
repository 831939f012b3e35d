import { resolve } from 'node:path'
import { MODEL_FOLDER } from '@cairnstore/encoder'
import { MS_PER_SECOND } from '../base/clock.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'
import { toSwitch } from './switch.ts'

/** A model behind an OpenAI-compatible interface, and its price. */
export interface EndpointConfig {
  /** URL without a trailing slash. Paths such as /chat/completions are appended to it. */
  baseUrl: string
  /** Name of the model at the endpoint. */
  name: string
  /** Price of a million input tokens in US dollars. */
  inputPriceUsd: number
}

/** The language model that writes answers and translates questions to table queries. */
export interface WriterConfig extends EndpointConfig {
  /** Price of a million output tokens in US dollars. */
  outputPriceUsd: number
  /** Maximum milliseconds for a complete response. A later response is not used. */
  timeoutMs: number
  /** Response format: a JSON schema, or any JSON object. */
  json: (typeof JSON_MODES)[number]
}

export interface RerankerConfig extends EndpointConfig {
  /** Maximum milliseconds for the response. A later response is not used. */
  timeoutMs: number
}

/** The external embedding model for records and questions. */
export interface EmbedderConfig extends EndpointConfig {
  dimensions: number
  /** True to send the number of dimensions. Models with a fixed number reject this field. */
  sendsDimensions: boolean
  /** Prefix for questions. The next field is for record texts. Some models distinguish the two. */
  queryPrefix: string
  textPrefix: string
  textCharsMax: number
  /** Minimum cosine similarity of a relevant record. */
  similarityMin: number
  /** Maximum milliseconds for a question's vector. A later response is not used. */
  timeoutMs: number
  /** Maximum number of requests per minute for records, per process. */
  requestsPerMinute: number
}

/** A model that extracts text from images or audio. */
export interface RecognizerConfig extends EndpointConfig {
  /** Maximum milliseconds per file. A later response is not used. */
  timeoutMs: number
}

/** The configured models. A model that is not used is null. */
export interface ModelsConfig {
  /** Folder of the encoder's model. Used for vectors if no embedder is configured. */
  encoder: string | null
  writer: WriterConfig | null
  reranker: RerankerConfig | null
  embedder: EmbedderConfig | null
  vision: RecognizerConfig | null
  transcriber: RecognizerConfig | null
}

const JSON_MODES = ['schema', 'object'] as const
const TIMEOUT_SECONDS = '20'
const RERANK_SECONDS = '2'
const RECOGNIZE_SECONDS = '60'
const TIMEOUT_SECONDS_MAX = 300
/** Limits on the number of dimensions: from the smallest useful vectors to the longest that models return. */
const DIMENSIONS = { least: 8, most: 4_096 }
const TEXT_CHARS = { least: 100, most: 32_000 }
const REQUESTS_PER_MINUTE = { least: 1, most: 60_000 }

/** Reads the settings of the models. Throws ConfigError for settings that contradict each other. */
export function readModels(env: Env): ModelsConfig {
  const embedder = readEmbedder(env)
  const { CAIRN_ENCODER: chosen = 'on' } = env
  const encoder = chosen === 'off' || embedder ? null : chosen === 'on' ? MODEL_FOLDER : resolve(chosen)
  const vision = readRecognizer('CAIRN_VISION', env)
  const transcriber = readRecognizer('CAIRN_TRANSCRIBE', env)
  return { writer: readWriter(env), reranker: readReranker(env), embedder, encoder, vision, transcriber }
}

function readEmbedder(env: Env): EmbedderConfig | null {
  const endpoint = readEndpoint('CAIRN_EMBED', env.CAIRN_EMBED_BASE_URL, env.CAIRN_EMBED_NAME)
  if (endpoint === null) return null
  return {
    ...endpoint,
    dimensions: toCount('CAIRN_EMBED_DIMENSIONS', env.CAIRN_EMBED_DIMENSIONS, DIMENSIONS),
    sendsDimensions: toSwitch('CAIRN_EMBED_SEND_DIMENSIONS', env.CAIRN_EMBED_SEND_DIMENSIONS),
    queryPrefix: env.CAIRN_EMBED_QUERY_PREFIX ?? '',
    textPrefix: env.CAIRN_EMBED_TEXT_PREFIX ?? '',
    textCharsMax: toCount('CAIRN_EMBED_CHARS', env.CAIRN_EMBED_CHARS ?? '2000', TEXT_CHARS),
    similarityMin: toSimilarity(env.CAIRN_EMBED_SIMILARITY_MIN),
    timeoutMs: toSeconds('CAIRN_EMBED_TIMEOUT_SECONDS', env.CAIRN_EMBED_TIMEOUT_SECONDS ?? '1') * MS_PER_SECOND,
    requestsPerMinute: toCount(
      'CAIRN_EMBED_REQUESTS_PER_MINUTE',
      env.CAIRN_EMBED_REQUESTS_PER_MINUTE ?? '600',
      REQUESTS_PER_MINUTE,
    ),
    inputPriceUsd: toPrice('CAIRN_EMBED_PRICE', env.CAIRN_EMBED_PRICE),
  }
}

function readReranker(env: Env): RerankerConfig | null {
  const endpoint = readEndpoint('CAIRN_RERANK', env.CAIRN_RERANK_BASE_URL, env.CAIRN_RERANK_NAME)
  const seconds = toSeconds('CAIRN_RERANK_TIMEOUT_SECONDS', env.CAIRN_RERANK_TIMEOUT_SECONDS ?? RERANK_SECONDS)
  const inputPriceUsd = toPrice('CAIRN_RERANK_PRICE', env.CAIRN_RERANK_PRICE)
  return endpoint && { ...endpoint, inputPriceUsd, timeoutMs: seconds * MS_PER_SECOND }
}

function readRecognizer(prefix: 'CAIRN_VISION' | 'CAIRN_TRANSCRIBE', env: Env): RecognizerConfig | null {
  const endpoint = readEndpoint(prefix, env[`${prefix}_BASE_URL`], env[`${prefix}_NAME`])
  const wait = `${prefix}_TIMEOUT_SECONDS` as const
  const timeoutMs = toSeconds(wait, env[wait] ?? RECOGNIZE_SECONDS) * MS_PER_SECOND
  return endpoint && { ...endpoint, inputPriceUsd: 0, timeoutMs }
}

function readWriter(env: Env): WriterConfig | null {
  const endpoint = readEndpoint('CAIRN_MODEL', env.CAIRN_MODEL_BASE_URL, env.CAIRN_MODEL_NAME)
  if (endpoint === null) return null
  const json = JSON_MODES.find((mode) => mode === (env.CAIRN_MODEL_JSON ?? 'schema'))
  if (!json) throw new ConfigError(`CAIRN_MODEL_JSON must be one of ${JSON_MODES.join(', ')}.`)
  return {
    ...endpoint,
    inputPriceUsd: toPrice('CAIRN_MODEL_INPUT_PRICE', env.CAIRN_MODEL_INPUT_PRICE),
    outputPriceUsd: toPrice('CAIRN_MODEL_OUTPUT_PRICE', env.CAIRN_MODEL_OUTPUT_PRICE),
    timeoutMs: toSeconds('CAIRN_MODEL_TIMEOUT_SECONDS', env.CAIRN_MODEL_TIMEOUT_SECONDS) * MS_PER_SECOND,
    json,
  }
}

function readEndpoint(prefix: string, url: string | undefined, name: string | undefined) {
  if (url === undefined && name === undefined) return null
  if (url === undefined || name === undefined) {
    throw new ConfigError(`${prefix}_BASE_URL and ${prefix}_NAME must be set together.`)
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.username || parsed.search || parsed.hash) {
    throw new ConfigError(`${prefix}_BASE_URL must be an http or https URL such as https://models.example/v1.`)
  }
  return { baseUrl: url.replace(/\/+$/, ''), name }
}

function toPrice(name: string, value = '0'): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(value))
    throw new ConfigError(`${name} must be a number of US dollars, such as 0.15.`)
  return Number(value)
}

function toCount(name: string, value: string | undefined, { least, most }: { least: number; most: number }): number {
  const count = /^\d{1,6}$/.test(value ?? '') ? Number(value) : Number.NaN
  if (count >= least && count <= most) return count
  throw new ConfigError(`${name} must be a whole number from ${least} to ${most}.`)
}

function toSimilarity(value = '0.3'): number {
  if (!/^(0(\.\d{1,4})?|1)$/.test(value)) throw new ConfigError('CAIRN_EMBED_SIMILARITY_MIN must be from 0 to 1.')
  return Number(value)
}

function toSeconds(name: string, value = TIMEOUT_SECONDS): number {
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(value) || Number(value) <= 0 || Number(value) > TIMEOUT_SECONDS_MAX) {
    throw new ConfigError(`${name} must be a number of seconds up to ${TIMEOUT_SECONDS_MAX}.`)
  }
  return Number(value)
}
