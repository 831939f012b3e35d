import { Refusal } from './document.ts'

/**
 * Says what to do with a file within the file that is read: read it, pass over it, or only look for files within it,
 * because it was read before.
 */
export type Follow = (within: readonly string[]) => Promise<'read' | 'pass' | 'descend'>

/** The bounds of reading one file with all files in it. */
export interface Reading {
  /** Is asked for each file within the file, before it is unpacked. */
  enter: Follow
  /** Counts bytes that were unpacked. Throws `took_too_much`. */
  unpack(bytes: number): void
}

/** Counts what is read of one file. */
export interface Bounds extends Pick<Reading, 'unpack'> {
  /** Counts an item of so many characters. Throws `took_too_much`. */
  count(chars: number): void
}

/** What a file of any size may unpack to, what a larger one may grow by, and what is read at most. */
const UNPACKED_BYTES_ALWAYS = 64 * 1024 * 1024
const GROWTH_MAX = 100
const UNPACKED_BYTES_MAX = 512 * 1024 * 1024
/** Characters and items of any file, and for each of its bytes. Packed text grows to a tenth of that or less. */
const CHARS_ALWAYS = 4_000_000
const CHARS_A_BYTE = 200
const ITEMS_ALWAYS = 100_000
const ITEMS_A_BYTE = 2

const TOO_MUCH = 'The file unpacks to more text than files of its size hold; split it, or send its text.'

/** Returns how many bytes a file of this size may unpack to, with all files in it. */
export function unpackedMax(bytes: number): number {
  return Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_BYTES_ALWAYS, bytes * GROWTH_MAX))
}

/** Opens the bounds of a file of this many bytes. */
export function openBounds(fileBytes: number): Bounds {
  let unpackedLeft = unpackedMax(fileBytes)
  let charsLeft = CHARS_ALWAYS + CHARS_A_BYTE * fileBytes
  let itemsLeft = ITEMS_ALWAYS + ITEMS_A_BYTE * fileBytes
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

/** Returns the bounds of a file that is read once and by itself. */
export function readingOnce(fileBytes: number): Reading {
  return { ...openBounds(fileBytes), enter: async () => 'read' }
}
