import { expect, test } from 'vitest'
import { addKey, createKeyIndex, findKey, removeKey } from './number-tables.ts'

test('keys are found after any order of additions and removals', () => {
  const index = createKeyIndex()
  const known = new Map<number, number>()
  for (let turn = 0; turn < 20_000; turn += 1) {
    const hash = ((turn * 7_919) % 3_001) * 2 ** 33 + (turn % 5)
    const id = known.get(hash)
    if (turn % 3 === 0 && id !== undefined) {
      removeKey(index, id)
      known.delete(hash)
    } else known.set(hash, addKey(index, hash))
  }
  for (const [hash, id] of known) expect(findKey(index, hash)).toBe(id)
  expect(new Set(known.values()).size).toBe(known.size)
  expect(findKey(index, 2 ** 51)).toBe(-1)
})
