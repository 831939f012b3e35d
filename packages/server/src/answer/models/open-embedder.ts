import { Type } from '@cairnstore/contract'
import type { EmbedderConfig } from '../../config/models.ts'
import { estimateTokens, ModelFailure, type ModelUse } from './model.ts'
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
    return { inputTokens: usage?.total_tokens ?? estimateTokens(texts.join(' ')), outputTokens: 0 }
  }
}

function isVector(values: readonly unknown[], dimensions: number): values is number[] {
  return values.length === dimensions && values.every(Number.isFinite) && values.some((value) => value !== 0)
}
