import { withCapacity } from '@cairnstore/engine/rank'

const SLOTS_MIN = 64
/** Maximum load factor. Probing is slow above it. */
const LOAD_MAX = 0.7
/** Ids are stored in pages, so that growth does not copy them. */
const PAGE_SHIFT = 16
const PAGE_BYTES = 2 ** PAGE_SHIFT
/** 32-bit FNV-1a, with a final step that mixes the high bits into the low ones. */
const HASH_START = 0x811c9dc5
const HASH_PRIME = 0x01000193
const HASH_SHIFT = 15

export function createIdNumbers() {
  const pages: Uint8Array[] = []
  let used = PAGE_BYTES
  let count = 0
  /** An open-addressing hash table. Each slot holds the number of an id plus 1, or 0 if it is free. */
  let slots = new Uint32Array(SLOTS_MIN)
  let hashes = new Uint32Array(0)
  /** Address of each id (page and offset), and its length. */
  let addresses = new Uint32Array(0)
  let lengths = new Uint32Array(0)

  const isAt = (number: number, bytes: Uint8Array, from: number, to: number): boolean => {
    if (lengths[number] !== to - from) return false
    const address = addresses[number]!
    const page = pages[address >>> PAGE_SHIFT]!
    const shift = (address & (PAGE_BYTES - 1)) - from
    for (let at = from; at < to; at += 1) if (page[at + shift] !== bytes[at]) return false
    return true
  }

  const store = (bytes: Uint8Array, from: number, to: number): number => {
    const length = to - from
    if (used >= PAGE_BYTES || used + length > PAGE_BYTES) {
      // An id longer than a page gets a page of its own length.
      pages.push(new Uint8Array(Math.max(PAGE_BYTES, length)))
      used = 0
    }
    pages.at(-1)!.set(bytes.subarray(from, to), used)
    const address = (pages.length - 1) * PAGE_BYTES + used
    used += length
    return address
  }

  const rehash = (): void => {
    const mask = slots.length * 2 - 1
    slots = new Uint32Array(mask + 1)
    for (let number = 0; number < count; number += 1) {
      let slot = hashes[number]! & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
  }

  return {
    /** Returns the number of the id in `bytes` from `from` to `to`. Assigns the next number to a new id. */
    numberOf(bytes: Uint8Array, from: number, to: number) {
      const hash = hashOf(bytes, from, to)
      if (count + 1 > slots.length * LOAD_MAX) rehash()
      const mask = slots.length - 1
      let slot = hash & mask
      for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const number = slots[slot]! - 1
        if (hashes[number] === hash && isAt(number, bytes, from, to)) return number
      }
      const number = count
      hashes = withCapacity(hashes, number + 1)
      addresses = withCapacity(addresses, number + 1)
      lengths = withCapacity(lengths, number + 1)
      hashes[number] = hash
      addresses[number] = store(bytes, from, to)
      lengths[number] = to - from
      slots[slot] = number + 1
      count += 1
      return number
    },
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_START
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ bytes[at]!, HASH_PRIME)
  return (hash ^ (hash >>> HASH_SHIFT)) >>> 0
}
