import { Type } from '@cairnstore/contract'
import { type PassageSizes, READ_AT_ONCE } from '@cairnstore/engine/text'
import { isForeign } from '@cairnstore/engine/understand'
import { type Comparison, ReaderBusy } from '@cairnstore/reader'
import { type Observe, unobserved, type Work } from '../../base/observe.ts'
import type { EmbedderConfig } from '../../config/models.ts'
import type { OpenedReader, SpaceParts } from '../../store/vector-space.ts'
import { countedTokens, ModelFailure, type ModelUse } from './model.ts'
import { openPostJson } from './post-json.ts'

/** Texts of which vectors are wanted. */
export interface AskedVectors {
  texts: readonly string[]
  timeoutMs: number
  /** Aborted when nobody waits for the vectors any more. */
  signal: AbortSignal
}

/** Texts of one request: what most servers take at once. */
export const TEXTS_PER_REQUEST = 64

/** A number in JSON, with its comma, and blanks where a server is generous with them. */
const BYTES_PER_NUMBER = 40
const BYTES_BESIDE = 64 * 1024

const Answer = Type.Object({
  // The numbers are looked at one by one below, which costs a tenth of doing it by the schema.
  data: Type.Array(Type.Object({ index: Type.Integer(), embedding: Type.Array(Type.Unknown()) })),
  usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Integer()) })),
})

/**
 * A model behind `/embeddings` as OpenAI shaped it and vLLM, Ollama, llama.cpp, TEI and others serve it. It gives a
 * vector for each text, in their order, and at the end what it used. Vectors of another length than was configured,
 * without a direction, or with what is no number are `unreadable`. Throws a ModelFailure.
 */
export function openEmbedder(
  { baseUrl, name, dimensions, sendsDimensions }: EmbedderConfig,
  apiKey: string | null,
): (asked: AskedVectors) => AsyncGenerator<number[], ModelUse> {
  const bytesMax = TEXTS_PER_REQUEST * dimensions * BYTES_PER_NUMBER + BYTES_BESIDE
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

/** The model that makes vectors, as the program uses it. */
export interface Embedder {
  readonly config: SpaceParts & Pick<EmbedderConfig, 'similarityMin' | 'requestsPerMinute'>
  /** How long the passages are that it reads at once; undefined: those that texts are ranked by. */
  readonly reads?: PassageSizes
  /** Whether it reads the language of a question; what it would compare badly is ranked without it. */
  understands(question: string): boolean
  /** The vector of a question, which has a short time. */
  question(accountId: string, text: string, signal: AbortSignal): Promise<ArrayLike<number>>
  /** The vectors of up to TEXTS_PER_REQUEST texts of records, which have a long one. */
  texts(accountId: string, texts: readonly string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
  /** How much of each word of a question some statements say; absent or undefined where the model cannot tell. */
  compare?(question: string, texts: readonly string[], signal: AbortSignal): Promise<Comparison | undefined>
}

/** What a text has to do with a question from which on: below, MiniLM gives it to any two texts of one trade. */
const SIMILARITY_MIN = 0.3

/** A letter of no alphabet that the model's language is written in. */
const OTHER_SCRIPT = /(?!\p{Script=Latin})\p{L}/u

/** The reader as what makes vectors: it runs here, so that it costs nothing and has no minute to keep to. */
export function readerEmbedder({ reader, parts }: OpenedReader, observe: Observe = unobserved): Embedder {
  const used = async <T>(work: Work, read: () => Promise<T>) => {
    try {
      return await observe(work, read)
    } catch (cause) {
      throw new ModelFailure(cause instanceof ReaderBusy ? 'busy' : 'failed', { cause })
    }
  }
  return {
    config: { ...parts, similarityMin: SIMILARITY_MIN, requestsPerMinute: Number.POSITIVE_INFINITY },
    reads: READ_AT_ONCE,
    understands: (question) => !isForeign(question) && !OTHER_SCRIPT.test(question),
    question: async (_, text, signal) => {
      const [vector] = await used('reader.question', () => reader.encode([text], signal))
      return vector!
    },
    texts: (_, texts, signal) => used('reader.texts', () => reader.encodeLater(texts, signal)),
    compare: (question, texts, signal) => used('reader.compare', () => reader.compare(question, texts, signal)),
  }
}
