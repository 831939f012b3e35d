import { emptyLike, type NumberTable } from './number-tables.ts'

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
