import { plainKeyHash } from '@cairnstore/engine/text'
import { openReader, type Reader, ReaderMissing, readModelCard } from '@cairnstore/reader'
import type { Log } from '../base/log.ts'
import type { EmbedderConfig } from '../config/models.ts'

/** What vectors must have in common to be compared. */
export interface VectorSpace {
  /** 52-bit hash of the model and of what it is given. */
  readonly key: number
  /** The model's name, for people. */
  readonly model: string
  readonly dimensions: number
  /** Whether they are made in this process, so that sandboxes under a caller's key have them too. */
  readonly isLocal: boolean
}

/** Raised when records are put to the model in another way, so that their vectors are made again. */
const TEXTS_VERSION = 1

/** What a space follows from: an embedder's configuration has it, and a reader's model. */
export type SpaceParts = Pick<EmbedderConfig, 'name' | 'dimensions' | 'textPrefix' | 'queryPrefix' | 'textCharsMax'> &
  Partial<Pick<VectorSpace, 'isLocal'>>

/** The space of an embedder's vectors; its address does not count, since a model may move. */
export function spaceOf(of: SpaceParts): VectorSpace {
  const { name, dimensions, textPrefix, queryPrefix, textCharsMax, isLocal = false } = of
  const parts = [TEXTS_VERSION, name, dimensions, textPrefix, queryPrefix, textCharsMax]
  return { key: plainKeyHash(JSON.stringify(parts)), model: name, dimensions, isLocal }
}

/** The reader of this process, and what its vectors must have in common with others to be compared. */
export interface OpenedReader {
  readonly reader: Reader
  readonly parts: SpaceParts
}

/** Characters of a text that it is given: more than it reads of any. */
const TEXT_CHARS_MAX = 2_000
/** Hexadecimal digits of the model's digest that stand in the name of what a vector is of. */
const DIGEST_CHARS = 12

/**
 * Opens the reader in this folder; undefined where none is wanted, or where its runtime or its model is missing, which
 * is logged once with what installs it.
 */
export async function openReading(folder: string | null, log: Log): Promise<OpenedReader | undefined> {
  if (folder === null) return undefined
  try {
    const { name, dimensions, sha256 } = readModelCard(folder)
    const reader = await openReader(folder)
    const named = `${name}@${sha256['model.onnx'].slice(0, DIGEST_CHARS)}`
    const given = { queryPrefix: '', textPrefix: '', textCharsMax: TEXT_CHARS_MAX }
    return { reader, parts: { name: named, dimensions, ...given, isLocal: true } }
  } catch (error) {
    if (!(error instanceof ReaderMissing)) throw error
    const advice = 'records are found by their words; `npm install --include=optional` installs what reads them'
    log.warn(`the reader is off: ${advice}; CAIRN_READER=off leaves it so`, { reason: error.message })
    return undefined
  }
}
