import type { Ties } from '@cairnstore/engine/rank'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'

/** Tie-breakers that rankings have decrypted with the key of one epoch, re-encrypted in blocks of ordinals. */
export interface SealedTies {
  readonly epoch: number
  readonly stretches: Map<number, Buffer>
}

/**
 * Number of tie-breakers per block. Decrypting a block costs less than computing one tie-breaker, and a question often
 * needs several of one block.
 */
const STRETCH = 512
/** Numbers per ordinal: the encrypted and the decrypted tie-breaker. */
const NUMBERS = 2

/** Creates an empty cache for the key of this epoch. */
export function noTies(epoch: number): SealedTies {
  return { epoch, stretches: new Map() }
}

/** Decrypts tie-breakers while the key is available. Cached ones are read from their block. */
export function openTies(seal: ContentSeal, { stretches }: SealedTies): Ties {
  const opened = new Map<number, Float64Array>()
  const changed = new Set<number>()
  const open = (stretch: number): Float64Array => {
    const sealed = stretches.get(stretch)
    const numbers = sealed
      ? numbersOf(seal.open(placeOf(stretch), sealed))
      : new Float64Array(STRETCH * NUMBERS).fill(-1)
    opened.set(stretch, numbers)
    return numbers
  }
  return {
    show: (place, hidden, recordId) => {
      const stretch = Math.floor(place / STRETCH)
      const numbers = opened.get(stretch) ?? open(stretch)
      const at = (place % STRETCH) * NUMBERS
      // An ordinal may be reused for another record, which has another tie-breaker.
      if (numbers[at] === hidden) return numbers[at + 1]!
      const shown = seal.openTie(recordId(), hidden)
      numbers[at] = hidden
      numbers[at + 1] = shown
      changed.add(stretch)
      return shown
    },
    keep: () => {
      for (const stretch of changed) {
        stretches.set(stretch, seal.seal(placeOf(stretch), new Uint8Array(opened.get(stretch)!.buffer)))
      }
      changed.clear()
    },
  }
}

/** Returns the bytes in use. */
export function tiesBytes({ stretches }: SealedTies): number {
  return stretches.size * STRETCH * NUMBERS * Float64Array.BYTES_PER_ELEMENT
}

function placeOf(stretch: number): string {
  return `ties/${stretch}`
}

function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
