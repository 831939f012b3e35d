import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scanRuns } from './hamming.ts'
import { allocateRun, createRuns, freeRun, sharedLike } from './number-tables.ts'

/** Returns the number of different bits of two codes, counted one by one. */
function distanceOf(one: Uint32Array, other: Uint32Array): number {
  let count = 0
  for (let at = 0; at < one.length; at += 1) {
    for (let bits = (one[at]! ^ other[at]!) >>> 0; bits !== 0; bits >>>= 1) count += bits & 1
  }
  return count
}

/** Returns a function that returns deterministic 32-bit words. */
function wordsFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state ^ (state << 13)) >>> 0
  }
}

it('the distance of each run is that of its nearest code, in all lengths, after frees and in shared memory', () => {
  const run = (seed: number, words: number, counts: number[], isShared: boolean) => {
    const next = wordsFrom(seed)
    const codeFrom = () => Uint32Array.from({ length: words }, next)
    const runs = createRuns()
    const stored = new Map<number, Uint32Array[]>()
    for (const [at, count] of counts.entries()) {
      const codes = Array.from({ length: count }, codeFrom)
      const { address, page, at: from } = allocateRun(runs, count * words)
      for (const [index, code] of codes.entries()) page.set(code, from + index * words)
      stored.set(address, codes)
      if (at % 3 !== 2) continue
      const [freed] = stored.keys()
      freeRun(runs, freed!)
      stored.delete(freed!)
    }
    if (isShared) {
      runs.pages = runs.pages.map((page) => {
        const copy = sharedLike(page, page.length)
        copy.set(page)
        return copy
      })
    }
    const code = codeFrom()
    const { distances, shift } = scanRuns(runs, code, new Uint16Array(0))
    for (const [address, codes] of stored) {
      expect(distances[address >>> shift]).toBe(Math.min(...codes.map((each) => distanceOf(code, each))))
    }
  }
  const counts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 400 })
  const property = fc.property(fc.integer(), fc.integer({ min: 1, max: 128 }), counts, fc.boolean(), run)
  fc.assert(property, { numRuns: 60 })
})

it('codes that differ in every bit have the distance of all their dimensions', () => {
  for (const words of [1, 3, 4, 12, 127, 128]) {
    const runs = createRuns()
    const { address, page, at } = allocateRun(runs, words)
    page.fill(0xffffffff, at, at + words)
    const { distances, shift } = scanRuns(runs, new Uint32Array(words), new Uint16Array(0))
    expect(distances[address >>> shift]).toBe(words * 32)
  }
})

it('a scan reuses the array of the scan before', () => {
  const runs = createRuns()
  allocateRun(runs, 4)
  const { distances } = scanRuns(runs, new Uint32Array(4), new Uint16Array(0))
  expect(scanRuns(runs, new Uint32Array(4), distances).distances).toBe(distances)
})
