import { expect, test } from 'vitest'
import { plainKeyHash } from './names.ts'

test('the plain hash never changes: it is stored', () => {
  expect(['', 'n:priya raman', 't:東京'].map(plainKeyHash)).toMatchInlineSnapshot(`
    [
      3338908027751811,
      2145988427598023,
      3666484679344236,
    ]
  `)
})

test('the plain hash spreads similar keys over 52 bits without collisions', () => {
  const hashes = new Set<number>()
  let high = 0
  for (let at = 0; at < 50_000; at += 1) {
    const hash = plainKeyHash(`key:abc-${at}`)
    if (!Number.isSafeInteger(hash) || hash < 0 || hash >= 2 ** 52) expect.fail(`${hash} is no 52-bit integer`)
    if (hash >= 2 ** 51) high += 1
    hashes.add(hash)
  }
  expect(hashes.size).toBe(50_000)
  expect(high).toBeGreaterThan(24_000)
  expect(high).toBeLessThan(26_000)
})
