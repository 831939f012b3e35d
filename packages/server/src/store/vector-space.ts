import { type Encoder, EncoderUnavailable, openEncoder, readModelCard } from '@cairnstore/encoder'
import { plainKeyHash } from '@cairnstore/engine/text'
import type { Log } from '../base/log.ts'
import type { EmbedderConfig } from '../config/models.ts'

/** Vectors can be compared if they have the same vector space. */
export interface VectorSpace {
  /** 52-bit hash of the model and its input format. */
  readonly key: number
  /** Name of the model, for people. */
  readonly model: string
  readonly dimensions: number
  /** True if vectors are computed in this process. Then sandboxes with a customer-managed key have vectors too. */
  readonly isLocal: boolean
}

/** Version of the model's input format. Increment it with every change, so that all vectors are computed again. */
const TEXTS_VERSION = 1

/** The parameters of a vector space, from an embedder's configuration or from the encoder. */
export type SpaceParts = Pick<EmbedderConfig, 'name' | 'dimensions' | 'textPrefix' | 'queryPrefix' | 'textCharsMax'> &
  Partial<Pick<VectorSpace, 'isLocal'>>

/** Returns the vector space of an embedder. Ignores the URL, since a model may move. */
export function spaceOf(spaceParts: SpaceParts): VectorSpace {
  const { name, dimensions, textPrefix, queryPrefix, textCharsMax, isLocal = false } = spaceParts
  const parts = [TEXTS_VERSION, name, dimensions, textPrefix, queryPrefix, textCharsMax]
  return { key: plainKeyHash(JSON.stringify(parts)), model: name, dimensions, isLocal }
}

/** The encoder of this process, and the parameters of its vector space. */
export interface OpenedEncoder {
  readonly encoder: Encoder
  readonly parts: SpaceParts
}

/** Maximum number of characters per text, which is more than the encoder reads. */
const TEXT_CHARS_MAX = 2_000
/** Hexadecimal digits of the model's digest in the model name. */
const DIGEST_CHARS = 12

/** Opens the encoder in this folder. Returns undefined if there is none, and logs a hint if it cannot run. */
export async function openLocalEncoder(folder: string | null, log: Log): Promise<OpenedEncoder | undefined> {
  if (folder === null) return undefined
  try {
    const { name, dimensions, sha256 } = readModelCard(folder)
    const encoder = await openEncoder(folder)
    const named = `${name}@${sha256['model.onnx'].slice(0, DIGEST_CHARS)}`
    const input = { queryPrefix: '', textPrefix: '', textCharsMax: TEXT_CHARS_MAX }
    return { encoder, parts: { name: named, dimensions, ...input, isLocal: true } }
  } catch (error) {
    if (!(error instanceof EncoderUnavailable)) throw error
    const advice = 'search uses words and names only; `npm install --include=optional` installs the encoder'
    log.warn(`the encoder is not available: ${advice}; CAIRN_ENCODER=off disables it without this warning`, {
      reason: error.message,
    })
    return undefined
  }
}
