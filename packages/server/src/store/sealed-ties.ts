import type { Ties } from '@cairnstore/engine/rank'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'

/** The ties that rankings have computed under the key of one epoch, sealed in ranges of places. */
export interface SealedTies {
  readonly epoch: number
  readonly stretches: Map<number, Buffer>
}

/**
 * How many neighbouring ties are sealed together. Opening such a block costs less than computing one tie anew, and a
 * question often needs several ties of one block.
 */
const STRETCH = 512
/** For each place the hidden tie and what it shows. */
const NUMBERS = 2

/** No tie was shown with the key of this epoch yet. */
export function noTies(epoch: number): SealedTies {
  return { epoch, stretches: new Map() }
}

/** Shows hidden ties as long as the key is there; those that were shown before are opened, not worked out anew. */
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
      // A place is used again for another record, whose tie is another.
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

/** Bytes that are held. */
export function tiesBytes({ stretches }: SealedTies): number {
  return stretches.size * STRETCH * NUMBERS * Float64Array.BYTES_PER_ELEMENT
}

function placeOf(stretch: number): string {
  return `ties/${stretch}`
}

function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
