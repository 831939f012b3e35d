import { Refusal } from './document.ts'

/**
 * Decides how to handle an inner file: read it, skip it, or only read the files inside it, because it was read before.
 */
export type EnterFile = (within: readonly string[]) => Promise<'read' | 'pass' | 'descend'>

/** The limits for reading one file and all files inside it. */
export interface Reading {
  /** Called for each inner file before it is unpacked. */
  enter: EnterFile
  /** Counts unpacked bytes. Throws `took_too_much`. */
  unpack(bytes: number): void
}

/** Counts the unpacked bytes and the items of one file. */
export interface Bounds extends Pick<Reading, 'unpack'> {
  /** Counts an item with its number of characters. Throws `took_too_much`. */
  count(chars: number): void
}

/** Unpacked bytes allowed for any file, growth factor for larger files, and overall maximum. */
const UNPACKED_BYTES_BASE = 64 * 1024 * 1024
const GROWTH_MAX = 100
const UNPACKED_BYTES_MAX = 512 * 1024 * 1024
/** Characters and items allowed for any file, and in addition per byte. Compressed text needs a tenth at most. */
const CHARS_BASE = 4_000_000
const CHARS_PER_BYTE = 200
const ITEMS_BASE = 100_000
const ITEMS_PER_BYTE = 2

const TOO_MUCH = 'The file unpacks to more text than its size allows; split it, or send its text.'

/** Returns the number of bytes that a file of this size and all files inside it may unpack to. */
export function unpackedMax(bytes: number): number {
  return Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_BYTES_BASE, bytes * GROWTH_MAX))
}

/** Opens counters with the limits for a file of this size. */
export function openBounds(fileBytes: number): Bounds {
  let unpackedLeft = unpackedMax(fileBytes)
  let charsLeft = CHARS_BASE + CHARS_PER_BYTE * fileBytes
  let itemsLeft = ITEMS_BASE + ITEMS_PER_BYTE * fileBytes
  return {
    unpack: (bytes) => {
      unpackedLeft -= bytes
      if (unpackedLeft < 0) throw new Refusal('took_too_much')
    },
    count: (chars) => {
      charsLeft -= chars
      itemsLeft -= 1
      if (charsLeft < 0 || itemsLeft < 0) throw new Refusal('took_too_much', TOO_MUCH)
    },
  }
}

/** Returns the limits for reading a file and all of its inner files in one pass. */
export function readingOnce(fileBytes: number): Reading {
  return { ...openBounds(fileBytes), enter: async () => 'read' }
}
