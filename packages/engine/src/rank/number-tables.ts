/** A typed array of one of the supported element types. */
export type NumberTable = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Returns true if the array's memory can be shared between threads. */
export function isShared({ buffer }: NumberTable): boolean {
  return buffer instanceof SharedArrayBuffer
}

/** Returns a zero-filled array of the same type. It is shared memory if the given array is. */
export function emptyLike<T extends NumberTable>(array: T, length: number): T {
  return isShared(array) ? sharedLike(array, length) : new (constructorOf(array))(length)
}

/** Returns a zero-filled array of the same type in shared memory. */
export function sharedLike<T extends NumberTable>(array: T, length: number): T {
  return new (constructorOf(array))(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT))
}

function constructorOf<T extends NumberTable>(array: T): new (of: number | SharedArrayBuffer) => T {
  return array.constructor as new (
    of: number | SharedArrayBuffer,
  ) => T
}

/** Number of low bits of an address that are the offset in a page. The bits above are the page number. */
export const PAGE_SHIFT = 16
export const PAGE_WORDS = 2 ** PAGE_SHIFT
export const PAGE_MASK = PAGE_WORDS - 1

/** Initial size of the first page, in words. It grows on demand, because most sandboxes never fill a whole page. */
const FIRST_PAGE_WORDS = 512
const PAGE_GROWTH = 2

/** Creates an initial page. */
export function firstPage(): Uint32Array {
  return new Uint32Array(FIRST_PAGE_WORDS)
}

/** Reserves `words` words after the first `used` ones of the last page, or on a new page. Returns the offset. */
export function allocateOnPage(pages: Uint32Array[], used: number, words: number): number {
  const last = pages.at(-1) ?? firstPage()
  if (pages.length === 0) pages.push(last)
  if (used + words <= last.length) return used
  if (used + words > PAGE_WORDS) {
    pages.push(emptyLike(last, PAGE_WORDS))
    return 0
  }
  const longer = emptyLike(last, Math.min(PAGE_WORDS, Math.max(last.length * PAGE_GROWTH, used + words)))
  longer.set(last)
  pages[pages.length - 1] = longer
  return used
}

/** Returns the size of the pages in bytes. All pages after the first have the full size. */
export function pagesBytes(pages: readonly Uint32Array[]): number {
  const [first] = pages
  return first === undefined ? 0 : first.byteLength + (pages.length - 1) * PAGE_WORDS * Uint32Array.BYTES_PER_ELEMENT
}

/** Allocator for short arrays of 32-bit words in pages. Each is written once and freed as a whole. */
export interface Runs {
  pages: Uint32Array[]
  /** Offset of the first unused word in the last page. */
  top: number
  /** Addresses of freed runs by their length in words. */
  free: Map<number, number[]>
}

/** Maximum length of a run in words: a page, minus one word for the length. */
export const RUN_WORDS_MAX = PAGE_WORDS - 1

export function createRuns(): Runs {
  // Address 0 means "no run" and is never allocated.
  return { pages: [firstPage()], top: 1, free: new Map() }
}

/** Allocates `length` words. The returned page is valid until the next allocation; later use `readRun(address)`. */
export function allocateRun(runs: Runs, length: number): { address: number; page: Uint32Array; at: number } {
  const words = length + 1
  let address = runs.free.get(words)?.pop()
  if (address === undefined) {
    runs.top = allocateOnPage(runs.pages, runs.top, words)
    address = (runs.pages.length - 1) * PAGE_WORDS + runs.top
    runs.top += words
  }
  const page = runs.pages[address >>> PAGE_SHIFT]!
  const at = address & PAGE_MASK
  page[at] = length
  return { address, page, at: at + 1 }
}

/** Returns the page, offset and length of a run. */
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

/** Hash table from 52-bit hashes to dense ids. A Map of doubles needs four times the memory. */
export interface KeyIndex {
  /** Hash of each id. */
  hashes: Float64Array
  /** Slots of the hash table with linear probing: id + 1, or 0 if empty. */
  slots: Uint32Array
  /** Number of ids ever assigned, including the free ones. */
  idLimit: number
  free: number[]
}

const SLOTS_MIN = 64
/** Load factor above which probing becomes slow. */
const LOAD_MAX = 0.7
/** Growth factor of arrays. At most a fifth of an array is unused. */
const GROWTH = 1.25
const LOW_SPAN = 2 ** 32
/** 2^32 divided by the golden ratio: Knuth's multiplicative hashing. */
const SPREAD = 0x9e3779b1

export function createKeyIndex(): KeyIndex {
  return { hashes: new Float64Array(SLOTS_MIN), slots: new Uint32Array(SLOTS_MIN), idLimit: 0, free: [] }
}

/** Returns the array if it has at least `length` elements, otherwise a longer copy. */
export function withCapacity<T extends NumberTable>(array: T, length: number): T {
  if (length <= array.length) return array
  const longer = emptyLike(array, Math.max(length, Math.ceil(array.length * GROWTH)))
  longer.set(array as never)
  return longer
}

function homeOf(hash: number, mask: number): number {
  const mixed = Math.imul((hash >>> 0) ^ ((hash / LOW_SPAN) | 0), SPREAD)
  return (mixed ^ (mixed >>> 15)) & mask
}

/** Returns the id of a hash, or -1. */
export function findKey(index: KeyIndex, hash: number): number {
  const { slots, hashes } = index
  const mask = slots.length - 1
  for (let slot = homeOf(hash, mask); ; slot = (slot + 1) & mask) {
    const id = slots[slot]!
    if (id === 0) return -1
    if (hashes[id - 1] === hash) return id - 1
  }
}

function rehash(index: KeyIndex, size: number): void {
  const slots = emptyLike(index.slots, size)
  const mask = size - 1
  for (const id of index.slots) {
    if (id === 0) continue
    let slot = homeOf(index.hashes[id - 1]!, mask)
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = id
  }
  index.slots = slots
}

/** Returns the id of a hash and assigns one if it has none. */
export function addKey(index: KeyIndex, hash: number): number {
  const known = findKey(index, hash)
  if (known >= 0) return known
  if (index.idLimit - index.free.length + 1 > index.slots.length * LOAD_MAX) rehash(index, index.slots.length * 2)
  const id = index.free.pop() ?? index.idLimit++
  index.hashes = withCapacity(index.hashes, id + 1)
  index.hashes[id] = hash
  const mask = index.slots.length - 1
  let slot = homeOf(hash, mask)
  while (index.slots[slot] !== 0) slot = (slot + 1) & mask
  index.slots[slot] = id + 1
  return id
}

/** Removes a hash. Its id may be assigned to another one. */
export function removeKey(index: KeyIndex, id: number): void {
  const { slots, hashes } = index
  const mask = slots.length - 1
  let hole = homeOf(hashes[id]!, mask)
  while (slots[hole] !== id + 1) hole = (hole + 1) & mask
  for (let slot = (hole + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const home = homeOf(hashes[slots[slot]! - 1]!, mask)
    // Entries that were displaced past the hole move back into it, so that probing never meets a gap.
    if (((slot - home) & mask) < ((slot - hole) & mask)) continue
    slots[hole] = slots[slot]!
    hole = slot
  }
  slots[hole] = 0
  index.free.push(id)
}
