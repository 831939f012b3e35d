import { Type } from '@cairnstore/contract'
import type { RecognizerConfig } from '../../config/models.ts'
import type { RecognitionInput } from '../../documents/document.ts'
import { countedTokens, ModelFailure, type ModelUse } from './model.ts'
import { openPostJson } from './post-json.ts'

/** Maximum size of a picture in bytes. Base64 adds a third to it. */
export const PICTURE_BYTES_MAX = 8 * 1024 * 1024
/** Maximum size of a response in bytes. The text of any picture is much smaller. */
const ANSWER_BYTES_MAX = 1024 * 1024

const INSTRUCTION =
  'Write down the text of this picture as Markdown, and nothing else: no introduction, no comment, no description. ' +
  'If there is no text in it, answer with nothing.'

const Answer = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: Type.Union([Type.String(), Type.Null()]) }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(Type.Object({ prompt_tokens: Type.Integer(), completion_tokens: Type.Integer() })),
})

/**
 * Opens a client for `/chat/completions` that sends one picture and no tools. The client yields the picture's text and
 * returns the tokens used. A truncated text is `unreadable`. Throws a ModelFailure.
 */
export function openVision(
  { baseUrl, name, timeoutMs }: RecognizerConfig,
  apiKey: string | null,
): (file: RecognitionInput) => AsyncGenerator<string, ModelUse> {
  const post = openPostJson(`${baseUrl}/chat/completions`, apiKey, { form: Answer, bytesMax: ANSWER_BYTES_MAX })
  return async function* read({ bytes, format, signal }) {
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    const content = [
      { type: 'text', text: INSTRUCTION },
      { type: 'image_url', image_url: { url: `data:image/${format};base64,${base64}` } },
    ]
    const body = { model: name, messages: [{ role: 'user', content }] }
    const { choices, usage } = await post({ body, timeoutMs, signal })
    const { message, finish_reason: finish } = choices[0]!
    const text = message.content ?? ''
    const use = {
      inputTokens: countedTokens(usage?.prompt_tokens, INSTRUCTION),
      outputTokens: countedTokens(usage?.completion_tokens, text),
    }
    if (finish === 'length') throw new ModelFailure('unreadable', { use })
    yield text
    return use
  }
}

/** Maximum size of an audio file in bytes. Most servers accept this size. */
export const SOUND_BYTES_MAX = 25 * 1024 * 1024
/** Maximum size of a transcript response in bytes. It suffices for hours of speech. */
const TRANSCRIPT_BYTES_MAX = 2 * 1024 * 1024

const TranscriptAnswer = Type.Object({
  text: Type.String(),
  // Some servers report seconds instead of tokens.
  usage: Type.Optional(
    Type.Object({ input_tokens: Type.Optional(Type.Integer()), output_tokens: Type.Optional(Type.Integer()) }),
  ),
})

/** Opens a client for `/audio/transcriptions`, which returns transcript and tokens. Throws a ModelFailure. */
export function openTranscriber(
  { baseUrl, name, timeoutMs }: RecognizerConfig,
  apiKey: string | null,
): (file: RecognitionInput) => AsyncGenerator<string, ModelUse> {
  const post = openPostJson(`${baseUrl}/audio/transcriptions`, apiKey, {
    form: TranscriptAnswer,
    bytesMax: TRANSCRIPT_BYTES_MAX,
  })
  return async function* read({ bytes, format, signal }) {
    const body = new FormData()
    body.set('model', name)
    body.set('response_format', 'json')
    // Servers detect the format by the file extension. The user's file name is not sent.
    body.set('file', new Blob([Uint8Array.from(bytes)]), `sound.${format}`)
    const { text, usage } = await post({ body, timeoutMs, signal })
    yield text
    return {
      inputTokens: countedTokens(usage?.input_tokens, ''),
      outputTokens: countedTokens(usage?.output_tokens, text),
    }
  }
}
