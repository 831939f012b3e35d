import { expect, test } from 'vitest'
import { newSealKey, SealBroken, seal, unseal } from './seal.ts'

const key = newSealKey()
const place = ['acct_1', 'sbx_1', 'slack/src_1/auth']
const secret = Buffer.from('xoxb-1')

test('what was sealed opens with its key at its place, and is never written alike twice', () => {
  const sealed = seal(key, place, secret)
  expect(unseal(key, place, sealed)).toEqual(secret)
  expect(sealed.includes(secret)).toBe(false)
  expect(seal(key, place, secret)).not.toEqual(sealed)
})

test('another key, account, sandbox or reference opens nothing, however the parts are cut', () => {
  const sealed = seal(key, place, secret)
  expect(() => unseal(newSealKey(), place, sealed)).toThrow(SealBroken)
  const elsewhere = [
    ['acct_2', 'sbx_1', 'slack/src_1/auth'],
    ['acct_1', 'sbx_2', 'slack/src_1/auth'],
    ['acct_1', 'sbx_1', 'slack/src_1/signing'],
    ['acct_1","sbx_1', 'slack/src_1/auth'],
    ['acct_1', 'sbx_1', 'slack', 'src_1/auth'],
  ]
  for (const other of elsewhere) expect(() => unseal(key, other, sealed)).toThrow(SealBroken)
})

test('one changed bit anywhere is refused', () => {
  const sealed = seal(key, place, secret)
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => unseal(key, place, changed), `byte ${at}`).toThrow(SealBroken)
  }
})

test('a tag that was cut short is refused, also to nothing', () => {
  const sealed = seal(key, place, secret)
  for (let cut = 1; cut <= sealed.length; cut++) {
    expect(() => unseal(key, place, sealed.subarray(0, -cut)), `${cut} bytes less`).toThrow(SealBroken)
  }
})
