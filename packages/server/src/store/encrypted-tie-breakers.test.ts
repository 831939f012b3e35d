import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { type ContentCipher, createContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import { DecryptionFailed } from '../tenancy/secrets/encrypt.ts'
import { decryptTieBreakers, emptyTieBreakers, tieBreakerBytes } from './encrypted-tie-breakers.ts'

const PLACES = [0, 1, 511, 512, 90_000]
const TIE = 123_456_789_012

const key = createContentCipher(randomBytes(32), 'sbx_1', 1)
const hiddenAt = (place: number) => key.encryptTieBreaker(`rec_${place}`, TIE + place)

/** A key that counts the tie-breakers that it decrypts. */
function counting(): { seal: ContentCipher; shown: () => number } {
  let count = 0
  const openTie = (id: string, hidden: number) => {
    count += 1
    return key.decryptTieBreaker(id, hidden)
  }
  return { seal: { ...key, decryptTieBreaker: openTie }, shown: () => count }
}

it('tie-breakers that a ranking has decrypted are not decrypted again by the next one', () => {
  const kept = emptyTieBreakers(1)
  for (const expected of [PLACES.length, 0]) {
    const { seal, shown } = counting()
    const ties = decryptTieBreakers(seal, kept)
    for (const place of [...PLACES, ...PLACES]) {
      expect(ties.reveal(place, hiddenAt(place), () => `rec_${place}`)).toBe(TIE + place)
    }
    ties.keep()
    expect(shown()).toBe(expected)
  }
  expect(tieBreakerBytes(kept)).toBe(3 * 8192)
})

it('a reused docId returns the tie-breaker of the new record', () => {
  const kept = emptyTieBreakers(1)
  const ties = decryptTieBreakers(key, kept)
  ties.reveal(7, hiddenAt(7), () => 'rec_7')
  ties.keep()
  expect(decryptTieBreakers(key, kept).reveal(7, hiddenAt(8), () => 'rec_8')).toBe(TIE + 8)
})

it('the stored tie-breakers are encrypted, and another key cannot decrypt them', () => {
  const kept = emptyTieBreakers(1)
  const ties = decryptTieBreakers(key, kept)
  for (const place of PLACES) ties.reveal(place, hiddenAt(place), () => `rec_${place}`)
  expect(kept.blocks.size).toBe(0)
  ties.keep()
  const bytes = Buffer.concat([...kept.blocks.values()])
  for (const place of PLACES) {
    expect(bytes.includes(Buffer.from(Float64Array.of(TIE + place).buffer))).toBe(false)
  }
  const other = createContentCipher(randomBytes(32), 'sbx_1', 2)
  expect(() => decryptTieBreakers(other, kept).reveal(0, hiddenAt(0), () => 'rec_0')).toThrow(DecryptionFailed)
})
