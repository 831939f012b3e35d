import { createCipheriv } from 'node:crypto'

/** Rotates a vector about the origin. The result reveals only the distance to other vectors with the same rotation. */
export type RotateVector = (vector: ArrayLike<number>) => Float64Array

/** Number of rounds. Three approximate a random rotation; the fourth is for blocks shorter than the vector. */
const ROUNDS = 4
const WORD_BYTES = 4
const CIPHER = 'aes-256-ctr'
const COUNTER_BYTES = 16

/**
 * Returns the rotation for vectors of one length, derived from a 32-byte key. Each round permutes the components, flips
 * signs and applies a Hadamard transform to blocks of the largest power of two that divides the length. This preserves
 * angles (Andoni et al., Practical and Optimal LSH for Angular Distance, 2015). All norms grow by the same factor.
 */
export function createRotation(key: Uint8Array, length: number): RotateVector {
  const block = length & -length
  const stream = createCipheriv(CIPHER, key, Buffer.alloc(COUNTER_BYTES))
  const rounds = Array.from({ length: ROUNDS }, () => {
    const drawn = stream.update(Buffer.alloc(2 * length * WORD_BYTES))
    const wordAt = (at: number) => drawn.readUInt32LE(at * WORD_BYTES)
    const order = Array.from({ length }, (_, at) => at)
    return {
      from: Uint32Array.from(order.sort((one, other) => wordAt(one) - wordAt(other) || one - other)),
      sign: Int8Array.from({ length }, (_, at) => (wordAt(length + at) & 1 ? 1 : -1)),
    }
  })
  return (vector) => {
    let rotated = Float64Array.from(vector)
    for (const { from, sign } of rounds) {
      rotated = Float64Array.from(from, (place, at) => sign[at]! * rotated[place]!)
      for (let start = 0; start < length; start += block) transform(rotated.subarray(start, start + block))
    }
    return rotated
  }
}

/** Applies the Walsh–Hadamard transform in place. The length must be a power of two. */
function transform(numbers: Float64Array): void {
  for (let half = 1; half < numbers.length; half *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * half) {
      for (let at = start; at < start + half; at += 1) {
        const [one, other] = [numbers[at]!, numbers[at + half]!]
        numbers[at] = one + other
        numbers[at + half] = one - other
      }
    }
  }
}
