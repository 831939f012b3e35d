import { Type } from '@cairnstore/contract'
import type { RerankerConfig } from '../../config/models.ts'
import { countedTokens, type ModelUse } from './model.ts'
import { openPostJson } from './post-json.ts'

/** Texts to sort by how well they answer a question. */
export interface RerankRequest {
  query: string
  texts: readonly string[]
  /** Aborted when no one waits for the order any more. */
  signal: AbortSignal
}

/** Maximum size of a response. Index and score take about 60 bytes per text, but some servers also return the texts. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024

const Answer = Type.Object({
  results: Type.Array(Type.Object({ index: Type.Integer(), relevance_score: Type.Number() })),
  usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Integer()) })),
})

/**
 * Opens a client for `/rerank`, the Cohere interface that Jina, vLLM, llama.cpp and others provide. The client yields
 * the indexes of the texts, best first, and returns the tokens used. Throws a ModelFailure.
 */
export function openReranker(
  { baseUrl, name, timeoutMs }: RerankerConfig,
  apiKey: string | null,
): (asked: RerankRequest) => AsyncGenerator<number, ModelUse> {
  const post = openPostJson(`${baseUrl}/rerank`, apiKey, { form: Answer, bytesMax: ANSWER_BYTES_MAX })
  return async function* order({ query, texts, signal }) {
    const body = { model: name, query, documents: texts, top_n: texts.length }
    const { results, usage } = await post({ body, timeoutMs, signal })
    const known = results.filter(({ index }) => index >= 0 && index < texts.length)
    // Some servers return the results in input order.
    known.sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index)
    yield* new Set(known.map(({ index }) => index))
    return { inputTokens: countedTokens(usage?.total_tokens, [query, ...texts].join(' ')), outputTokens: 0 }
  }
}
