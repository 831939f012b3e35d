import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createContentCipher } from './content-cipher.ts'
import { createHeldKeys } from './retained-keys.ts'

test('a key is available while it is held, and dropped with its last holder', () => {
  const seals = createHeldKeys()
  const seal = createContentCipher(randomBytes(32), 'sbx_1', 1)
  const first = seals.hold(seal)
  const second = seals.hold(createContentCipher(randomBytes(32), 'sbx_1', 1))
  first()
  first()
  expect(seals.find('sbx_1', 1)).toBe(seal)
  expect(seals.find('sbx_1', 2)).toBeUndefined()
  expect(seals.findAny('sbx_2')).toBeUndefined()
  second()
  expect(seals.find('sbx_1', 1)).toBeUndefined()
  expect(seals.findAny('sbx_1')).toBeUndefined()
})

test('a caller that waits for a key is called once when the key is held', () => {
  const seals = createHeldKeys()
  const calls: unknown[] = []
  seals.whenHeld('sbx_1', 'a', () => calls.push('replaced'))
  seals.whenHeld('sbx_1', 'a', () => calls.push(seals.findAny('sbx_1')))
  const seal = createContentCipher(randomBytes(32), 'sbx_1', 1)
  seals.hold(seal)()
  seals.hold(seal)()
  expect(calls).toEqual([seal])
})
