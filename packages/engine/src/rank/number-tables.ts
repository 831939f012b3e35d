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
const PAGE_GROWTH = 2

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
  const longer = emptyLike(last, Math.min(PAGE_WORDS, Math.max(last.length * PAGE_GROWTH, used + words)))
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

/** Dense ids for 52-bit hashes: a table over typed arrays, as a Map of doubles takes four times as much. */
export interface KeyIndex {
  /** The hash of each id. */
  hashes: Float64Array
  /** Id + 1 at the place where its hash is probed, else 0. */
  slots: Uint32Array
  /** Ids that were given out, with those that are free again. */
  reach: number
  free: number[]
}

const SLOTS_MIN = 64
/** More than this share of full slots makes probing slow. */
const LOAD_MAX = 0.7
/** Arrays grow by a quarter, so that a fifth of them is unused at most. */
const GROWTH = 1.25
const LOW_SPAN = 2 ** 32
const SPREAD = 0x9e3779b1

export function createKeyIndex(): KeyIndex {
  return { hashes: new Float64Array(SLOTS_MIN), slots: new Uint32Array(SLOTS_MIN), reach: 0, free: [] }
}

/** The typed array with room for `length` elements: the same one, or a longer copy. */
export function withRoom<T extends NumberTable>(array: T, length: number): T {
  if (length <= array.length) return array
  const longer = emptyLike(array, Math.max(length, Math.ceil(array.length * GROWTH)))
  longer.set(array as never)
  return longer
}

function homeOf(hash: number, mask: number): number {
  const mixed = Math.imul((hash >>> 0) ^ ((hash / LOW_SPAN) | 0), SPREAD)
  return (mixed ^ (mixed >>> 15)) & mask
}

/** The id of a hash, or -1. */
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

/** The id of a hash, given out now when it has none. */
export function addKey(index: KeyIndex, hash: number): number {
  const known = findKey(index, hash)
  if (known >= 0) return known
  if (index.reach - index.free.length + 1 > index.slots.length * LOAD_MAX) rehash(index, index.slots.length * 2)
  const id = index.free.pop() ?? index.reach++
  index.hashes = withRoom(index.hashes, id + 1)
  index.hashes[id] = hash
  const mask = index.slots.length - 1
  let slot = homeOf(hash, mask)
  while (index.slots[slot] !== 0) slot = (slot + 1) & mask
  index.slots[slot] = id + 1
  return id
}

/** Forgets a hash; its id may be given to another. */
export function removeKey(index: KeyIndex, id: number): void {
  const { slots, hashes } = index
  const mask = slots.length - 1
  let hole = homeOf(hashes[id]!, mask)
  while (slots[hole] !== id + 1) hole = (hole + 1) & mask
  for (let slot = (hole + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const home = homeOf(hashes[slots[slot]! - 1]!, mask)
    // What was pushed past the hole moves back into it, so that probing never meets a gap.
    if (((slot - home) & mask) < ((slot - hole) & mask)) continue
    slots[hole] = slots[slot]!
    hole = slot
  }
  slots[hole] = 0
  index.free.push(id)
}
