import { expect, test } from 'vitest'
import { DecryptionFailed, decrypt, encrypt, newDataKey } from './encrypt.ts'

const key = newDataKey()
const place = ['acct_1', 'sbx_1', 'slack/src_1/auth']
const secret = Buffer.from('xoxb-1')

test('a value decrypts with its key in its context, and its ciphertexts never repeat', () => {
  const sealed = encrypt(key, place, secret)
  expect(decrypt(key, place, sealed)).toEqual(secret)
  expect(sealed.includes(secret)).toBe(false)
  expect(encrypt(key, place, secret)).not.toEqual(sealed)
})

test('another key, account, sandbox or reference cannot decrypt it, however the parts are split', () => {
  const sealed = encrypt(key, place, secret)
  expect(() => decrypt(newDataKey(), place, sealed)).toThrow(DecryptionFailed)
  const elsewhere = [
    ['acct_2', 'sbx_1', 'slack/src_1/auth'],
    ['acct_1', 'sbx_2', 'slack/src_1/auth'],
    ['acct_1', 'sbx_1', 'slack/src_1/signing'],
    ['acct_1","sbx_1', 'slack/src_1/auth'],
    ['acct_1', 'sbx_1', 'slack', 'src_1/auth'],
  ]
  for (const other of elsewhere) expect(() => decrypt(key, other, sealed)).toThrow(DecryptionFailed)
})

test('any changed bit is detected', () => {
  const sealed = encrypt(key, place, secret)
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => decrypt(key, place, changed), `byte ${at}`).toThrow(DecryptionFailed)
  }
})

test('a shortened or empty tag is rejected', () => {
  const sealed = encrypt(key, place, secret)
  for (let cut = 1; cut <= sealed.length; cut++) {
    expect(() => decrypt(key, place, sealed.subarray(0, -cut)), `${cut} bytes less`).toThrow(DecryptionFailed)
  }
})
