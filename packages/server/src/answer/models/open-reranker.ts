import { Type } from '@cairnstore/contract'
import type { RerankerConfig } from '../../config/models.ts'
import { countedTokens, type ModelUse } from './model.ts'
import { openPostJson } from './post-json.ts'

/** Texts to be ordered by how well they answer a question. */
export interface AskedOrder {
  query: string
  texts: readonly string[]
  /** Aborted when nobody waits for the order any more. */
  signal: AbortSignal
}

/** An index and a number for each text take some 60 bytes; some servers send the texts back. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024

const Answer = Type.Object({
  results: Type.Array(Type.Object({ index: Type.Integer(), relevance_score: Type.Number() })),
  usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Integer()) })),
})

/**
 * A reranker behind `/rerank` as Cohere shaped it and Jina, vLLM, llama.cpp and others serve it. It gives the indexes
 * of the texts, best first, and at the end what it used. Throws a ModelFailure.
 */
export function openReranker(
  { baseUrl, name, timeoutMs }: RerankerConfig,
  apiKey: string | null,
): (asked: AskedOrder) => AsyncGenerator<number, ModelUse> {
  const post = openPostJson(`${baseUrl}/rerank`, apiKey, { form: Answer, bytesMax: ANSWER_BYTES_MAX })
  return async function* order({ query, texts, signal }) {
    const body = { model: name, query, documents: texts, top_n: texts.length }
    const { results, usage } = await post({ body, timeoutMs, signal })
    const known = results.filter(({ index }) => index >= 0 && index < texts.length)
    // Some servers answer in the order in which they were asked.
    known.sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index)
    yield* new Set(known.map(({ index }) => index))
    return { inputTokens: countedTokens(usage?.total_tokens, [query, ...texts].join(' ')), outputTokens: 0 }
  }
}
