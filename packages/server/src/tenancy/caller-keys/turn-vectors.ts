import { createCipheriv } from 'node:crypto'

/** Turns a vector about the origin, to numbers whose signs and sizes tell only how far it is from others so turned. */
export type TurnVector = (vector: ArrayLike<number>) => Float64Array

/** Three make any turn nearly as likely as every other for a whole vector; one more, as blocks are shorter. */
const ROUNDS = 4
const WORD_BYTES = 4
const CIPHER = 'aes-256-ctr'
const COUNTER_BYTES = 16

/**
 * The turn of vectors of one length that a key of 32 bytes says. Each round changes the signs of some numbers, moves
 * all of them, and puts every block through a Hadamard transform, so that angles stay as they are (Andoni et al.,
 * Practical and Optimal LSH for Angular Distance, 2015). Lengths of vectors grow, all by the same factor.
 */
export function createTurn(key: Uint8Array, length: number): TurnVector {
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
    let turned = Float64Array.from(vector)
    for (const { from, sign } of rounds) {
      turned = Float64Array.from(from, (place, at) => sign[at]! * turned[place]!)
      for (let start = 0; start < length; start += block) transform(turned.subarray(start, start + block))
    }
    return turned
  }
}

/** The Walsh–Hadamard transform in place, of as many numbers as a power of two. */
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
