import type { TieBreakers } from '@cairnstore/engine/rank'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'

/** Tie-breakers that rankings have decrypted with the key of one epoch, re-encrypted in blocks of ordinals. */
export interface EncryptedTieBreakers {
  readonly epoch: number
  readonly blocks: Map<number, Buffer>
}

/** Tie-breakers per block. Decrypting a block costs less than computing one tie-breaker. */
const TIES_PER_BLOCK = 512
/** Numbers per ordinal: the encrypted and the decrypted tie-breaker. */
const NUMBERS = 2

/** Creates an empty cache for the key of this epoch. */
export function emptyTieBreakers(epoch: number): EncryptedTieBreakers {
  return { epoch, blocks: new Map() }
}

/** Decrypts tie-breakers while the key is available. Cached ones are read from their block. */
export function decryptTieBreakers(cipher: ContentCipher, { blocks: stretches }: EncryptedTieBreakers): TieBreakers {
  const opened = new Map<number, Float64Array>()
  const changed = new Set<number>()
  const open = (stretch: number): Float64Array => {
    const sealed = stretches.get(stretch)
    const numbers = sealed
      ? numbersOf(cipher.decrypt(associatedDataOf(stretch), sealed))
      : new Float64Array(TIES_PER_BLOCK * NUMBERS).fill(-1)
    opened.set(stretch, numbers)
    return numbers
  }
  return {
    reveal: (place, hidden, recordId) => {
      const stretch = Math.floor(place / TIES_PER_BLOCK)
      const numbers = opened.get(stretch) ?? open(stretch)
      const at = (place % TIES_PER_BLOCK) * NUMBERS
      // An ordinal may be reused for another record, which has another tie-breaker.
      if (numbers[at] === hidden) return numbers[at + 1]!
      const decrypted = cipher.decryptTieBreaker(recordId(), hidden)
      numbers[at] = hidden
      numbers[at + 1] = decrypted
      changed.add(stretch)
      return decrypted
    },
    keep: () => {
      for (const stretch of changed) {
        stretches.set(stretch, cipher.encrypt(associatedDataOf(stretch), new Uint8Array(opened.get(stretch)!.buffer)))
      }
      changed.clear()
    },
  }
}

/** Returns the bytes in use. */
export function tieBreakerBytes({ blocks: stretches }: EncryptedTieBreakers): number {
  return stretches.size * TIES_PER_BLOCK * NUMBERS * Float64Array.BYTES_PER_ELEMENT
}

function associatedDataOf(stretch: number): string {
  return `ties/${stretch}`
}

function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
