import { createHash } from 'node:crypto'
import { quantized } from '@cairnstore/engine/rank'
import type { Embedder } from './open-embedder.ts'

/** Maximum number of cached vectors. With 384 dimensions they take about 1 MB. */
const RECENT_QUESTIONS_MAX = 2_048

/**
 * Wraps an embedding model with an LRU cache of the vectors of recent questions. A repeated question, a retry and the
 * next page of results then need no call of the model. Entries belong to an account, so that response times do not
 * reveal the questions of others. Keys are digests, so no question's text is retained. Vectors are stored quantized, as
 * the vector search uses them. Failures are not cached.
 */
export function cacheQuestions(embedder: Embedder, max = RECENT_QUESTIONS_MAX): Embedder {
  const recent = new Map<string, Int8Array>()
  return {
    ...embedder,
    question: async (accountId, text, signal) => {
      const key = createHash('sha256')
        .update(JSON.stringify([accountId, text]))
        .digest('base64')
      const vector = recent.get(key) ?? quantized(await embedder.question(accountId, text, signal))
      recent.delete(key)
      recent.set(key, vector)
      if (recent.size > max) recent.delete(recent.keys().next().value as string)
      return vector
    },
  }
}
