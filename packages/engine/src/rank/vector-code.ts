/** A signed byte for each dimension: cosines differ from those of the numbers in the third digit. */
const BYTE_MAX = 127
const WORD_BITS = 32
const WORD_BYTES = 4

/** The vector in signed bytes, which have its direction; its greatest number becomes the greatest byte. */
export function quantised(vector: ArrayLike<number>): Int8Array {
  let greatest = 0
  for (let at = 0; at < vector.length; at += 1) greatest = Math.max(greatest, Math.abs(vector[at]!))
  return Int8Array.from(vector, (value) => Math.round((value / greatest) * BYTE_MAX))
}

/** The signs of a vector, a bit for each dimension, in whole words. */
export function codeOf(vector: Int8Array): Uint32Array {
  const code = new Uint32Array(wordsOf(vector.length))
  for (let at = 0; at < vector.length; at += 1) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31)
  return code
}

/** The words of codes one after the other, as a column of binary keeps them. */
export function codeBytes(codes: readonly Uint32Array[]): Uint8Array {
  return Uint8Array.from(codes.flatMap((code) => [...new Uint8Array(code.buffer)]))
}

/** Undoes codeBytes. */
export function codesOf(bytes: Uint8Array, dimensions: number): Uint32Array[] {
  const each = wordsOf(dimensions) * WORD_BYTES
  return Array.from(
    { length: Math.floor(bytes.length / each) },
    (_, at) => new Uint32Array(bytes.slice(at * each, (at + 1) * each).buffer),
  )
}

/** How alike two vectors are: the cosine of their angle, the same on every machine. */
export function cosine(one: Int8Array, other: Int8Array): number {
  let product = 0
  let square = 0
  let otherSquare = 0
  for (let at = 0; at < one.length; at += 1) {
    product += one[at]! * other[at]!
    square += one[at]! * one[at]!
    otherSquare += other[at]! * other[at]!
  }
  return product === 0 ? 0 : product / Math.sqrt(square * otherSquare)
}

/** In how many signs two codes differ, the second of which stands in `page` from `from` on. */
export function differingSigns(code: Uint32Array, page: Uint32Array, from: number): number {
  let count = 0
  for (let word = 0; word < code.length; word += 1) {
    let bits = code[word]! ^ page[from + word]!
    // The ones of a word, counted in pairs, fours and eights, which the multiplication adds up (Warren, §5-1).
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

function wordsOf(dimensions: number): number {
  return Math.ceil(dimensions / WORD_BITS)
}
