/** An array of numbers of one size each. */
export type NumberTable = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Whether threads can share an array. */
export function isShared({ buffer }: NumberTable): boolean {
  return buffer instanceof SharedArrayBuffer
}

/** An array of zeros of the kind of another, which threads can share where they can share that one. */
export function emptyLike<T extends NumberTable>(array: T, length: number): T {
  return isShared(array) ? sharedLike(array, length) : new (constructorOf(array))(length)
}

/** An array of zeros of the kind of another that threads can share. */
export function sharedLike<T extends NumberTable>(array: T, length: number): T {
  return new (constructorOf(array))(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT))
}

function constructorOf<T extends NumberTable>(array: T): new (of: number | SharedArrayBuffer) => T {
  return array.constructor as new (
    of: number | SharedArrayBuffer,
  ) => T
}

/** Words are addressed by the number of their page and the place on it. */
export const PAGE_SHIFT = 16
export const PAGE_WORDS = 2 ** PAGE_SHIFT
export const PAGE_MASK = PAGE_WORDS - 1

/** The first page begins so small and grows, since most sandboxes never fill it. */
const FIRST_PAGE_WORDS = 512
const GROWTH = 2

/** A page to begin with. */
export function firstPage(): Uint32Array {
  return new Uint32Array(FIRST_PAGE_WORDS)
}

/** Makes room for `words` after the first `used` ones of the last page, or on a new one; answers where they start. */
export function roomOnPage(pages: Uint32Array[], used: number, words: number): number {
  const last = pages.at(-1) ?? firstPage()
  if (pages.length === 0) pages.push(last)
  if (used + words <= last.length) return used
  if (used + words > PAGE_WORDS) {
    pages.push(emptyLike(last, PAGE_WORDS))
    return 0
  }
  const longer = emptyLike(last, Math.min(PAGE_WORDS, Math.max(last.length * GROWTH, used + words)))
  longer.set(last)
  pages[pages.length - 1] = longer
  return used
}

/** Bytes that pages take: all but the first are whole. */
export function pagesBytes(pages: readonly Uint32Array[]): number {
  const [first] = pages
  return first === undefined ? 0 : first.byteLength + (pages.length - 1) * PAGE_WORDS * Uint32Array.BYTES_PER_ELEMENT
}

/** Short arrays of 32-bit words, each written once and freed whole, in pages: no object per array. */
export interface Runs {
  pages: Uint32Array[]
  /** First unused word of the last page. */
  top: number
  /** Addresses of freed runs by their length in words. */
  free: Map<number, number[]>
}

/** Words of the longest run: one page holds it with its length. */
export const RUN_WORDS_MAX = PAGE_WORDS - 1

export function createRuns(): Runs {
  // Address 0 is never given out: it stands for no run.
  return { pages: [firstPage()], top: 1, free: new Map() }
}

/** A place for `length` words: its page, while no other is taken, and where they start; `address` finds it again. */
export function takeRun(runs: Runs, length: number): { address: number; page: Uint32Array; at: number } {
  const words = length + 1
  let address = runs.free.get(words)?.pop()
  if (address === undefined) {
    runs.top = roomOnPage(runs.pages, runs.top, words)
    address = (runs.pages.length - 1) * PAGE_WORDS + runs.top
    runs.top += words
  }
  const page = runs.pages[address >>> PAGE_SHIFT]!
  const at = address & PAGE_MASK
  page[at] = length
  return { address, page, at: at + 1 }
}

/** A run's page, where its words start and how many they are. */
export function readRun(runs: Runs, address: number): { page: Uint32Array; at: number; length: number } {
  const page = runs.pages[address >>> PAGE_SHIFT]!
  const at = address & PAGE_MASK
  return { page, at: at + 1, length: page[at]! }
}

export function freeRun(runs: Runs, address: number): void {
  const words = readRun(runs, address).length + 1
  const list = runs.free.get(words)
  if (list === undefined) runs.free.set(words, [address])
  else list.push(address)
}

export function runsBytes(runs: Runs): number {
  return pagesBytes(runs.pages)
}
