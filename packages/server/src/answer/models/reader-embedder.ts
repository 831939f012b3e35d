import { type PassageSizes, READ_AT_ONCE } from '@cairnstore/engine/text'
import { isForeign } from '@cairnstore/engine/understand'
import { type Comparison, ReaderBusy } from '@cairnstore/reader'
import type { EmbedderConfig } from '../../config/models.ts'
import type { Reading } from '../../store/open-reading.ts'
import type { SpaceParts } from '../../store/vector-space.ts'
import { ModelFailure } from './model.ts'

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
export function readerEmbedder({ reader, parts }: Reading): Embedder {
  const used = async <T>(read: () => Promise<T>) => {
    try {
      return await read()
    } catch (cause) {
      throw new ModelFailure(cause instanceof ReaderBusy ? 'busy' : 'failed', { cause })
    }
  }
  return {
    config: { ...parts, similarityMin: SIMILARITY_MIN, requestsPerMinute: Number.POSITIVE_INFINITY },
    reads: READ_AT_ONCE,
    understands: (question) => !isForeign(question) && !OTHER_SCRIPT.test(question),
    question: async (_, text, signal) => {
      const [vector] = await used(() => reader.encode([text], signal))
      return vector!
    },
    texts: (_, texts, signal) => used(() => reader.encodeLater(texts, signal)),
    compare: (question, texts, signal) => used(() => reader.compare(question, texts, signal)),
  }
}
