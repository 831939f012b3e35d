import { Type } from '@cairnstore/contract'
import type { RecogniserConfig } from '../../config/models.ts'
import type { Unrecognised } from '../../documents/document.ts'
import { estimateTokens, type ModelUse } from './model.ts'
import { openPostJson } from './post-json.ts'

/** The largest sound that is sent, in bytes: what most servers take. */
export const SOUND_BYTES_MAX = 25 * 1024 * 1024
/** Hours of speech. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024

const Answer = Type.Object({
  text: Type.String(),
  // Some servers count seconds instead.
  usage: Type.Optional(
    Type.Object({ input_tokens: Type.Optional(Type.Integer()), output_tokens: Type.Optional(Type.Integer()) }),
  ),
})

/**
 * A model behind `/audio/transcriptions` that is given a sound. It gives what is said there and at the end what it
 * used. Throws a ModelFailure.
 */
export function openTranscriber(
  { baseUrl, name, timeoutMs }: RecogniserConfig,
  apiKey: string | null,
): (file: Unrecognised) => AsyncGenerator<string, ModelUse> {
  const post = openPostJson(`${baseUrl}/audio/transcriptions`, apiKey, { form: Answer, bytesMax: ANSWER_BYTES_MAX })
  return async function* read({ bytes, format, signal }) {
    const body = new FormData()
    body.set('model', name)
    body.set('response_format', 'json')
    // Servers go by the ending; the user's own name for the file is none of theirs.
    body.set('file', new Blob([Uint8Array.from(bytes)]), `sound.${format}`)
    const { text, usage } = await post({ body, timeoutMs, signal })
    yield text
    return {
      inputTokens: usage?.input_tokens ?? 0,
      outputTokens: usage?.output_tokens ?? estimateTokens(text),
    }
  }
}
