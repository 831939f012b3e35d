import { plainKeyHash } from '@cairnstore/engine/text'
import type { EmbedderConfig } from '../config/models.ts'

/** What vectors must have in common to be compared. */
export interface VectorSpace {
  /** 52-bit hash of the model and of what it is given. */
  readonly key: number
  /** The model's name, for people. */
  readonly model: string
  readonly dimensions: number
}

/** Raised when records are put to the model in another way, so that their vectors are made again. */
const TEXTS_VERSION = 1

/** What a space follows from: an embedder's configuration has it, and a reader's model. */
export type SpaceParts = Pick<EmbedderConfig, 'name' | 'dimensions' | 'textPrefix' | 'queryPrefix' | 'textCharsMax'>

/** The space of an embedder's vectors; its address does not count, since a model may move. */
export function spaceOf({ name, dimensions, textPrefix, queryPrefix, textCharsMax }: SpaceParts): VectorSpace {
  const parts = [TEXTS_VERSION, name, dimensions, textPrefix, queryPrefix, textCharsMax]
  return { key: plainKeyHash(JSON.stringify(parts)), model: name, dimensions }
}
