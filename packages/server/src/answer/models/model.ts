import type { Static, TSchema } from '@cairnstore/contract'

/** Reason why a model gave no usable answer. */
export type ModelFailureKind =
  /** It did not answer in time. */
  | 'timeout'
  /** It rejects requests over its rate limit. */
  | 'rate_limited'
  | 'unreachable'
  /** It rejected the request, because of a wrong key, model name or setting. */
  | 'refused'
  /** It rejected the input, because the text is too long or a setting is wrong. */
  | 'unfit'
  /** It had an internal error. */
  | 'failed'
  | 'too_large'
  /** Its answer is empty, truncated or not in the requested format. */
  | 'unreadable'
  /** The maximum number of concurrent requests is reached. */
  | 'busy'
  /** The circuit breaker is open after repeated failures. */
  | 'resting'
  /** The daily token budget of the account is used up. */
  | 'spent'

/** Predicate of the warning sentence for each failure. The model is the subject. */
export const WARNINGS: Record<ModelFailureKind, string> = {
  timeout: 'did not respond in time',
  rate_limited: 'rejects further requests for now',
  unreachable: 'could not be reached',
  refused: 'rejected the request',
  unfit: 'rejected the input',
  failed: 'failed',
  too_large: 'returned a response that was too large',
  unreadable: 'returned an invalid response',
  busy: 'is busy',
  resting: 'failed repeatedly and is not called for a while',
  spent: 'has used up the daily tokens of the account (UTC)',
}

/** Input and output tokens of a model, by its own count if it reports one. */
export interface ModelUse {
  inputTokens: number
  outputTokens: number
}

interface FailureParts {
  cause?: unknown
  use?: ModelUse | undefined
  message?: string | undefined
}

/** Thrown if a model gave no usable answer. Has the number of tokens used, if known. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly kind: ModelFailureKind
  readonly use: ModelUse | undefined
  /** The error message of the model's server, on one line. */
  readonly serverMessage: string | undefined

  constructor(kind: ModelFailureKind, parts: FailureParts = {}) {
    super(kind, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.kind = kind
    this.use = parts.use
    this.serverMessage = parts.message
  }
}

/** Request to a model for a list of elements in one format. The model gets no tools and no conversation history. */
export interface ModelRequest<S extends TSchema> {
  system: string
  prompt: string
  /** JSON schema of one element. */
  element: S
  /** Parses an element in other formats as well. If omitted, only the requested format is accepted. */
  read?(value: unknown): Static<S> | undefined
  /** Parses the elements of a reply that is plain text instead of JSON. */
  readText?(text: string): Static<S>[]
  /** Maximum number of output tokens. */
  tokensMax: number
  /** True to receive elements as they arrive. */
  isStreamed: boolean
  /** Aborted when no one waits for the answer any more. */
  signal: AbortSignal
}

/** A language model of any provider. */
export interface Model {
  /**
   * Yields the elements in the requested format, and returns the tokens used. Throws a ModelFailure, possibly after
   * some elements, if the rest is missing or unreadable.
   */
  ask<S extends TSchema>(asked: ModelRequest<S>): AsyncGenerator<Static<S>, ModelUse>
}

const BYTES_PER_TOKEN = 4

/**
 * Maximum plausible token count. It exceeds every model's context window, so a higher count is an error of the server.
 */
const TOKENS_MAX = 10_000_000

/** Returns the server's token count for a text, or an estimate if the count is missing or impossible. */
export function countedTokens(count: number | undefined, text: string): number {
  const isPossible = count !== undefined && Number.isInteger(count) && count >= 0 && count <= TOKENS_MAX
  return isPossible ? count : estimateTokens(text)
}

/** Returns an estimate of a text's tokens: four UTF-8 bytes per token. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
