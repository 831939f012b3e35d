import { openReader, type Reader, ReaderMissing, readModelCard } from '@cairnstore/reader'
import type { Log } from '../base/log.ts'
import type { SpaceParts } from './vector-space.ts'

/** The reader of this process, and what its vectors must have in common with others to be compared. */
export interface Reading {
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
export async function openReading(folder: string | null, log: Log): Promise<Reading | undefined> {
  if (folder === null) return undefined
  try {
    const { name, dimensions, sha256 } = readModelCard(folder)
    const reader = await openReader(folder)
    const named = `${name}@${sha256['model.onnx'].slice(0, DIGEST_CHARS)}`
    return { reader, parts: { name: named, dimensions, queryPrefix: '', textPrefix: '', textCharsMax: TEXT_CHARS_MAX } }
  } catch (error) {
    if (!(error instanceof ReaderMissing)) throw error
    const advice = 'records are found by their words; `npm install --include=optional` installs what reads them'
    log.warn(`the reader is off: ${advice}; CAIRN_READER=off leaves it so`, { reason: error.message })
    return undefined
  }
}
