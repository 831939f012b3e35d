import { type Static, Type } from '@cairn/contract'
import { checkFirst } from '../../base/check.ts'
import type { RerankerConfig } from '../../config/models.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { estimateTokens, ModelFailure, type ModelUse } from './model.ts'

/** Texts to be ordered by how well they answer a question. */
export interface AskedOrder {
  query: string
  texts: readonly string[]
  /** Aborted when nobody waits for the order any more. */
  signal: AbortSignal
}

/** An index and a number for each text take some 60 bytes; some servers send the texts back. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024
const STATUS = { ok: 200, tooMany: 429, serverFault: 500 }

const Answer = Type.Object({
  results: Type.Array(Type.Object({ index: Type.Integer(), relevance_score: Type.Number() })),
  usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Integer()) })),
})
const check = checkFirst(Answer, [])

/**
 * A reranker behind `/rerank` as Cohere shaped it and Jina, vLLM, llama.cpp and others serve it. It gives the indexes
 * of the texts, best first, and at the end what it used. Throws a ModelFailure.
 */
export function openReranker(
  { baseUrl, name, timeoutMs }: RerankerConfig,
  apiKey: string | null,
): (asked: AskedOrder) => AsyncGenerator<number, ModelUse> {
  const fetch = boundedFetch(ANSWER_BYTES_MAX)
  return async function* order({ query, texts, signal }) {
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await fetch(`${baseUrl}/rerank`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }) },
        body: JSON.stringify({ model: name, query, documents: texts, top_n: texts.length }),
        signal: AbortSignal.any([late, signal]),
      })
      if (answer.status !== STATUS.ok) {
        await answer.body?.cancel()
        throw failureOf(answer.status)
      }
      const { results, usage } = readAnswer(await answer.text())
      const known = results.filter(({ index }) => index >= 0 && index < texts.length)
      // Some servers answer in the order in which they were asked.
      known.sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index)
      yield* new Set(known.map(({ index }) => index))
      return { inputTokens: usage?.total_tokens ?? estimateTokens([query, ...texts].join(' ')), outputTokens: 0 }
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      if (late.aborted) throw new ModelFailure('timeout', { cause })
      if (cause instanceof ModelFailure) throw cause
      throw new ModelFailure('unreachable', { cause })
    }
  }
}

function failureOf(status: number): ModelFailure {
  if (status === STATUS.tooMany) return new ModelFailure('rate_limited')
  return new ModelFailure(status >= STATUS.serverFault ? 'failed' : 'refused')
}

function readAnswer(text: string): Static<typeof Answer> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ModelFailure('unreadable', { cause })
  }
  if (check(value).length > 0) throw new ModelFailure('unreadable')
  return value as Static<typeof Answer>
}
