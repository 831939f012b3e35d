import {
  addKey,
  allocateOnPage,
  createKeyIndex,
  findKey,
  type KeyIndex,
  PAGE_MASK,
  PAGE_SHIFT,
  PAGE_WORDS,
  pagesBytes,
  removeKey,
  withCapacity,
} from './number-tables.ts'

/** A document ordinal in the upper 24 bits and flags or counts in the lower 8 bits. */
export type Posting = number

/** Maximum number of document ordinals in a graph, limited by the 24 bits of a posting. */
export const RECORDS_MAX = 2 ** 24
export const POSTING_SHIFT = 8

/**
 * Posting lists by key. A list with one posting is stored in `heads` itself. A longer list is a chain of chunks, newest
 * first. The sizes of the chunks follow from the length of the list, so a list needs two words and no object.
 */
export interface Postings {
  index: KeyIndex
  /** The posting itself if the list has one, otherwise the address of the newest chunk. */
  heads: Uint32Array
  counts: Uint32Array
  pages: Uint32Array[]
  /** Offset of the first unused word in the last page. */
  top: number
  /** Addresses of unused chunks, by the order of the chunk. */
  free: number[][]
}

/** A chunk of order n has 2^(n+2) words: the address of the next older chunk, then postings. */
const FIRST_ORDER_SHIFT = 2
const ORDER_MAX = 8

/** Number of postings in a chunk of each order. */
const CHUNK_CAPACITIES: readonly number[] = Array.from(
  { length: ORDER_MAX + 1 },
  (_, order) => 2 ** (order + FIRST_ORDER_SHIFT) - 1,
)
const CHUNK_CAPACITY_MAX = CHUNK_CAPACITIES[ORDER_MAX]!
/** Number of postings in all chunks before the first chunk of each order. */
const CAPACITY_BEFORE: readonly number[] = CHUNK_CAPACITIES.map((_, order) =>
  CHUNK_CAPACITIES.slice(0, order).reduce((sum, capacity) => sum + capacity, 0),
)

export function createPostings(): Postings {
  return {
    index: createKeyIndex(),
    heads: new Uint32Array(1),
    counts: new Uint32Array(1),
    pages: [],
    top: 0,
    free: Array.from({ length: ORDER_MAX + 1 }, () => []),
  }
}

function allocateChunk(postings: Postings, order: number): number {
  const unused = postings.free[order]!.pop()
  if (unused !== undefined) return unused
  const words = CHUNK_CAPACITIES[order]! + 1
  postings.top = allocateOnPage(postings.pages, postings.top, words)
  const address = (postings.pages.length - 1) * PAGE_WORDS + postings.top
  postings.top += words
  return address
}

/** Returns the order of the newest chunk of a list with `count` postings. */
function headOrder(count: number): number {
  if (count > CAPACITY_BEFORE[ORDER_MAX]!) return ORDER_MAX
  let order = 0
  while (count > CAPACITY_BEFORE[order + 1]!) order += 1
  return order
}

/** Returns the number of postings in the newest chunk of a list. `order` is the order of that chunk. */
function headUsed(count: number, order: number): number {
  const beyond = count - CAPACITY_BEFORE[order]!
  return order < ORDER_MAX ? beyond : beyond % CHUNK_CAPACITY_MAX || CHUNK_CAPACITY_MAX
}

function write(postings: Postings, address: number, value: number): void {
  postings.pages[address >>> PAGE_SHIFT]![address & PAGE_MASK] = value
}

/** Returns the id of a key's list and creates the list if there is none. */
export function openList(postings: Postings, hash: number): number {
  const id = addKey(postings.index, hash)
  if (id >= postings.heads.length) {
    postings.heads = withCapacity(postings.heads, id + 1)
    postings.counts = withCapacity(postings.counts, id + 1)
  }
  return id
}

/** Returns the id of a key's list, or -1. */
export function findList(postings: Postings, hash: number): number {
  return findKey(postings.index, hash)
}

export function appendPosting(postings: Postings, id: number, posting: Posting): void {
  const count = postings.counts[id]!
  postings.counts[id] = count + 1
  if (count === 0) {
    postings.heads[id] = posting
    return
  }
  if (count === 1) {
    const address = allocateChunk(postings, 0)
    write(postings, address, 0)
    write(postings, address + 1, postings.heads[id]!)
    write(postings, address + 2, posting)
    postings.heads[id] = address
    return
  }
  const order = headOrder(count)
  const used = headUsed(count, order)
  if (used < CHUNK_CAPACITIES[order]!) {
    write(postings, postings.heads[id]! + 1 + used, posting)
    return
  }
  const address = allocateChunk(postings, Math.min(order + 1, ORDER_MAX))
  write(postings, address, postings.heads[id]!)
  write(postings, address + 1, posting)
  postings.heads[id] = address
}

/**
 * Calls `visit` with each contiguous segment of a list: an array, a start and an end index. Newer segments come first.
 * Leaves out the `skipped` oldest postings.
 */
export function eachSegment(
  postings: Postings,
  id: number,
  visit: (page: Uint32Array, from: number, to: number) => void,
  skipped = 0,
): void {
  const count = postings.counts[id]!
  if (count <= skipped) return
  if (count === 1) {
    visit(postings.heads, id, id + 1)
    return
  }
  let rest = count
  let address = postings.heads[id]!
  while (rest > skipped) {
    const used = headUsed(rest, headOrder(rest))
    const page = postings.pages[address >>> PAGE_SHIFT]!
    const at = address & PAGE_MASK
    visit(page, at + 1 + Math.max(0, skipped - (rest - used)), at + 1 + used)
    rest -= used
    address = page[at]!
  }
}

function freeChunks(postings: Postings, id: number): void {
  let rest = postings.counts[id]!
  let address = postings.heads[id]!
  if (rest < 2) return
  while (rest > 0) {
    const order = headOrder(rest)
    const used = headUsed(rest, order)
    const next = postings.pages[address >>> PAGE_SHIFT]![address & PAGE_MASK]!
    postings.free[order]!.push(address)
    rest -= used
    address = next
  }
}

/** Removes the postings for which `keeps` returns false. Returns true if the list is then empty. */
export function filterList(postings: Postings, id: number, keeps: (posting: Posting) => boolean): boolean {
  const remaining: Posting[] = []
  let dropped = 0
  eachSegment(postings, id, (page, from, to) => {
    for (let at = from; at < to; at += 1) {
      if (keeps(page[at]!)) remaining.push(page[at]!)
      else dropped += 1
    }
  })
  if (dropped > 0) {
    freeChunks(postings, id)
    postings.counts[id] = 0
    for (const posting of remaining) appendPosting(postings, id, posting)
  }
  return remaining.length === 0
}

/** Removes an empty list and its key. */
export function closeList(postings: Postings, id: number): void {
  postings.counts[id] = 0
  removeKey(postings.index, id)
}

/** Returns the size of the lists and their table in bytes. */
export function postingsBytes(postings: Postings): number {
  const { index, heads, counts, pages } = postings
  return index.hashes.byteLength + index.slots.byteLength + heads.byteLength + counts.byteLength + pagesBytes(pages)
}
