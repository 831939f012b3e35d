import { createHmac, type KeyObject } from 'node:crypto'

/** A tie is a number of 52 bits, in two halves. */
const HALF_BITS = 26
const HALF_SPAN = 2 ** HALF_BITS
/** Four rounds of a Feistel network over a pseudo-random function are a strong permutation (Luby and Rackoff). */
const ROUNDS = 4

/**
 * A permutation of the numbers below 2^52 that the key and the record choose. The order of equal scores is a hash of
 * what a record says, the same in every sandbox, so that rankings are equal too; shown as it is, it would confirm a
 * guess. A hash under the key in its place would order equal scores otherwise than a sandbox without a key.
 */
export function shuffleTie(key: KeyObject, recordId: string, tie: number): number {
  let left = Math.floor(tie / HALF_SPAN)
  let right = tie % HALF_SPAN
  for (let round = 0; round < ROUNDS; round++) {
    const next = left ^ roundOf(key, recordId, round, right)
    left = right
    right = next
  }
  return left * HALF_SPAN + right
}

/** Undoes `shuffleTie`. */
export function unshuffleTie(key: KeyObject, recordId: string, hidden: number): number {
  let left = Math.floor(hidden / HALF_SPAN)
  let right = hidden % HALF_SPAN
  for (let round = ROUNDS - 1; round >= 0; round--) {
    const before = right ^ roundOf(key, recordId, round, left)
    right = left
    left = before
  }
  return left * HALF_SPAN + right
}

function roundOf(key: KeyObject, recordId: string, round: number, half: number): number {
  const digest = createHmac('sha256', key).update(`${recordId}\n${round}\n${half}`).digest()
  return digest.readUInt32LE(0) & (HALF_SPAN - 1)
}
