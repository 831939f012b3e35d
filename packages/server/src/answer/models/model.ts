import type { Static, TSchema } from '@cairnstore/contract'

/** Why a model gave nothing that can be used. */
export type ModelFailureKind =
  /** It was not done in time. */
  | 'timeout'
  /** It wants no more requests for now. */
  | 'rate_limited'
  | 'unreachable'
  /** It does not take such a request: a wrong key, name or setting. */
  | 'refused'
  /** It does not take what it was given: a text that is too long for it, or again a wrong setting. */
  | 'unfit'
  /** It failed itself. */
  | 'failed'
  | 'too_large'
  /** Its answer is empty, cut off, or not in the form that was asked for. */
  | 'unreadable'
  /** As many requests as are allowed are with it already. */
  | 'busy'
  /** It failed so often that it is not asked for a while. */
  | 'resting'
  /** The account's tokens of the day are used up. */
  | 'spent'

/** How a model failed, as a sentence on it goes on. */
export const WARNINGS: Record<ModelFailureKind, string> = {
  timeout: 'was not done in time',
  rate_limited: 'takes no more requests for now',
  unreachable: 'could not be reached',
  refused: 'refused the request',
  unfit: 'did not take what it was given',
  failed: 'failed',
  too_large: 'gave an answer that was too large',
  unreadable: 'gave an answer that did not hold',
  busy: 'is busy',
  resting: 'failed again and again and is left alone for a while',
  spent: 'has used the tokens that the account has for today (UTC)',
}

/** Tokens that a model read and wrote, by its own count where it gives one. */
export interface ModelUse {
  inputTokens: number
  outputTokens: number
}

interface FailureParts {
  cause?: unknown
  use?: ModelUse | undefined
  message?: string | undefined
}

/** A model gave nothing that can be used; what was used all the same is told where it is known. */
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

/** What a model is asked for: a list of elements of one form. It is given no tools and no history of its own. */
export interface ModelRequest<S extends TSchema> {
  /** What it is told to do. */
  system: string
  /** What it works on. */
  prompt: string
  /** The form of one element. */
  element: S
  /** Reads an element in other forms as well; if omitted, only the form asked for is read. */
  read?(value: unknown): Static<S> | undefined
  /** Reads the elements of a reply that holds none as JSON. */
  readText?(text: string): Static<S>[]
  /** The most that it may write. */
  tokensMax: number
  /** Whether elements are wanted as they come. */
  isStreamed: boolean
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** A language model, whoever serves it. */
export interface Model {
  /**
   * The elements that the model writes, each in the form asked for, and at the end what it used. Throws a ModelFailure,
   * also after some elements when the rest does not come or is unreadable.
   */
  ask<S extends TSchema>(asked: ModelRequest<S>): AsyncGenerator<Static<S>, ModelUse>
}

const BYTES_PER_TOKEN = 4

/** Larger than any model's context window. A higher count is an error of the model's server. */
const TOKENS_MAX = 10_000_000

/** Returns the model server's token count for a text, or an estimate if the count is missing or impossible. */
export function countedTokens(count: number | undefined, text: string): number {
  const isPossible = count !== undefined && Number.isInteger(count) && count >= 0 && count <= TOKENS_MAX
  return isPossible ? count : estimateTokens(text)
}

/** About how many tokens a text has, where nobody counted. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
