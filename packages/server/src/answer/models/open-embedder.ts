import { Type } from '@cairnstore/contract'
import { type Comparison, EncoderBusy } from '@cairnstore/encoder'
import { ENCODER_SIZES, type PassageSizes } from '@cairnstore/engine/text'
import { isForeign } from '@cairnstore/engine/understand'
import { type Observe, unobserved, type Work } from '../../base/observe.ts'
import type { EmbedderConfig } from '../../config/models.ts'
import type { OpenedEncoder, SpaceParts } from '../../store/vector-space.ts'
import { countedTokens, ModelFailure, type ModelUse } from './model.ts'
import { openPostJson } from './post-json.ts'

export interface EmbedRequest {
  texts: readonly string[]
  timeoutMs: number
  /** Aborted when no one waits for the vectors any more. */
  signal: AbortSignal
}

/** Maximum number of texts in one request. Most servers accept at least this many. */
export const TEXTS_PER_REQUEST = 64

/** Maximum number of bytes of a number in JSON, with its comma and whitespace. */
const BYTES_PER_NUMBER = 40
const OVERHEAD_BYTES = 64 * 1024

const Answer = Type.Object({
  // The numbers are checked one by one below, which takes a tenth of the time of a schema check.
  data: Type.Array(Type.Object({ index: Type.Integer(), embedding: Type.Array(Type.Unknown()) })),
  usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Integer()) })),
})

/**
 * Opens a client for `/embeddings`, the OpenAI interface that vLLM, Ollama, llama.cpp, TEI and others provide. The
 * client yields a vector for each text, in order, and returns the tokens used. A vector with the wrong length, with
 * zeros only, or with a value that is not a number is `unreadable`. Throws a ModelFailure.
 */
export function openEmbedder(
  { baseUrl, name, dimensions, sendsDimensions }: EmbedderConfig,
  apiKey: string | null,
): (asked: EmbedRequest) => AsyncGenerator<number[], ModelUse> {
  const bytesMax = TEXTS_PER_REQUEST * dimensions * BYTES_PER_NUMBER + OVERHEAD_BYTES
  const post = openPostJson(`${baseUrl}/embeddings`, apiKey, { form: Answer, bytesMax })
  return async function* embed({ texts, timeoutMs, signal }) {
    const body = { model: name, input: texts, encoding_format: 'float', ...(sendsDimensions && { dimensions }) }
    const { data, usage } = await post({ body, timeoutMs, signal })
    const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]))
    if (data.length !== texts.length) throw new ModelFailure('unreadable')
    for (const at of texts.keys()) {
      const vector = byIndex.get(at)
      if (vector === undefined || !isVector(vector, dimensions)) throw new ModelFailure('unreadable')
      yield vector
    }
    return { inputTokens: countedTokens(usage?.total_tokens, texts.join(' ')), outputTokens: 0 }
  }
}

function isVector(values: readonly unknown[], dimensions: number): values is number[] {
  return values.length === dimensions && values.every(Number.isFinite) && values.some((value) => value !== 0)
}

export interface Embedder {
  readonly config: SpaceParts & Pick<EmbedderConfig, 'similarityMin' | 'requestsPerMinute'>
  /** Passage sizes for this model; undefined if they are the sizes for ranking. */
  readonly reads?: PassageSizes
  /** Returns true if the model supports the question's language. Otherwise questions are ranked without it. */
  understands(question: string): boolean
  /** Returns the vector of a question. Has a short timeout. */
  question(accountId: string, text: string, signal: AbortSignal): Promise<ArrayLike<number>>
  /** Returns the vectors of up to TEXTS_PER_REQUEST record texts. Has a long timeout. */
  texts(accountId: string, texts: readonly string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
  /**
   * Compares statements with each word of a question (late interaction). Undefined if the model does not support it.
   */
  compare?(question: string, texts: readonly string[], signal: AbortSignal): Promise<Comparison | undefined>
  /** Returns true if a text supports a claim; both are in English. Absent if the model cannot judge that. */
  supports?(claim: string, evidence: string, signal: AbortSignal): Promise<boolean>
}

/** Minimum similarity of a related text. With MiniLM, even unrelated texts of one subject area have less. */
const SIMILARITY_MIN = 0.3

/** Matches a letter of a script that the model does not support. */
const OTHER_SCRIPT = /(?!\p{Script=Latin})\p{L}/u

/** Wraps the built-in encoder as an embedding model without cost or rate limit. */
export function encoderEmbedder({ encoder, parts }: OpenedEncoder, observe: Observe = unobserved): Embedder {
  const used = async <T>(work: Work, read: () => Promise<T>) => {
    try {
      return await observe(work, read)
    } catch (cause) {
      throw new ModelFailure(cause instanceof EncoderBusy ? 'busy' : 'failed', { cause })
    }
  }
  return {
    config: { ...parts, similarityMin: SIMILARITY_MIN, requestsPerMinute: Number.POSITIVE_INFINITY },
    reads: ENCODER_SIZES,
    understands: (question) => !isForeign(question) && !OTHER_SCRIPT.test(question),
    question: async (_, text, signal) => {
      const [vector] = await used('reader.question', () => encoder.encode([text], signal))
      return vector!
    },
    texts: (_, texts, signal) => used('reader.texts', () => encoder.encodeLater(texts, signal)),
    compare: (question, texts, signal) => used('reader.compare', () => encoder.compare(question, texts, signal)),
    supports: async (claim, evidence, signal) => {
      const { isSupported } = await used('reader.supports', () => encoder.supports(claim, evidence, signal))
      return isSupported
    },
  }
}
