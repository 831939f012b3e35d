import { expect, test } from 'vitest'
import { newSealKey, SealBroken, seal, unseal } from './seal.ts'

const key = newSealKey()
const place = ['acct_1', 'sbx_1', 'slack/src_1/auth']
const secret = Buffer.from('xoxb-1')

test('a value decrypts with its key in its context, and its ciphertexts never repeat', () => {
  const sealed = seal(key, place, secret)
  expect(unseal(key, place, sealed)).toEqual(secret)
  expect(sealed.includes(secret)).toBe(false)
  expect(seal(key, place, secret)).not.toEqual(sealed)
})

test('another key, account, sandbox or reference cannot decrypt it, however the parts are split', () => {
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

test('any changed bit is detected', () => {
  const sealed = seal(key, place, secret)
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => unseal(key, place, changed), `byte ${at}`).toThrow(SealBroken)
  }
})

test('a shortened or empty tag is rejected', () => {
  const sealed = seal(key, place, secret)
  for (let cut = 1; cut <= sealed.length; cut++) {
    expect(() => unseal(key, place, sealed.subarray(0, -cut)), `${cut} bytes less`).toThrow(SealBroken)
  }
})
