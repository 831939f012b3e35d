import type { TieBreakers } from '@cairnstore/engine/rank'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'

/** Encrypted cache of the tie-breakers that rankings have decrypted with one epoch's key, in blocks of ordinals. */
export interface EncryptedTieBreakers {
  readonly epoch: number
  readonly blocks: Map<number, Buffer>
}

/** Tie-breakers per block. Decrypting a block takes less time than decrypting one uncached tie-breaker. */
const TIES_PER_BLOCK = 512
/** Numbers per ordinal: the encrypted and the decrypted tie-breaker. */
const NUMBERS = 2

/** Creates an empty cache for the key of this epoch. */
export function emptyTieBreakers(epoch: number): EncryptedTieBreakers {
  return { epoch, blocks: new Map() }
}

/** Returns a decrypter of tie-breakers that reads from the cache. Its `keep` adds new results to the cache. */
export function decryptTieBreakers(cipher: ContentCipher, { blocks }: EncryptedTieBreakers): TieBreakers {
  const opened = new Map<number, Float64Array>()
  const changed = new Set<number>()
  const open = (block: number): Float64Array => {
    const encrypted = blocks.get(block)
    const numbers = encrypted
      ? numbersOf(cipher.decrypt(associatedDataOf(block), encrypted))
      : new Float64Array(TIES_PER_BLOCK * NUMBERS).fill(-1)
    opened.set(block, numbers)
    return numbers
  }
  return {
    reveal: (docId, encrypted, recordId) => {
      const block = Math.floor(docId / TIES_PER_BLOCK)
      const numbers = opened.get(block) ?? open(block)
      const at = (docId % TIES_PER_BLOCK) * NUMBERS
      // An ordinal may be reused for another record, which has another tie-breaker.
      if (numbers[at] === encrypted) return numbers[at + 1]!
      const decrypted = cipher.decryptTieBreaker(recordId(), encrypted)
      numbers[at] = encrypted
      numbers[at + 1] = decrypted
      changed.add(block)
      return decrypted
    },
    keep: () => {
      for (const block of changed) {
        blocks.set(block, cipher.encrypt(associatedDataOf(block), new Uint8Array(opened.get(block)!.buffer)))
      }
      changed.clear()
    },
  }
}

/** Returns the size of the cache in bytes. */
export function tieBreakerBytes({ blocks }: EncryptedTieBreakers): number {
  return blocks.size * TIES_PER_BLOCK * NUMBERS * Float64Array.BYTES_PER_ELEMENT
}

function associatedDataOf(block: number): string {
  return `ties/${block}`
}

function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
