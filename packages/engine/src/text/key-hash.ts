/** Turns a key into a non-negative integer below 2^52; equal keys give equal numbers for as long as an index lives. */
export type KeyHash = (key: string) => number

/** Bits of a hash that fit above the low 32, so that the whole stays an exact double and 6.5 bytes long. */
const HIGH_BITS = 20
const HIGH_MASK = (1 << HIGH_BITS) - 1
const LOW_SPAN = 2 ** 32

/** The hash of sandboxes without a caller's key: fast, well spread, the same in every process; it hides nothing. */
export const plainKeyHash: KeyHash = (key) => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (b & HIGH_MASK) * LOW_SPAN + (a >>> 0)
}
