import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { isApiKey, keyPrefix, newApiKey } from './key-format.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a new key is cairn_, 43 base64url characters and six base62 characters of their CRC32', () => {
  for (let i = 0; i < 200; i += 1) {
    const [, secret = '', sum = ''] = /^cairn_([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})$/.exec(newApiKey()) ?? []
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect([...sum].reduce((value, digit) => value * 62 + DIGITS.indexOf(digit), 0)).toBe(crc32(secret))
  }
})

test('a key with any character changed is invalid', () => {
  const key = newApiKey()
  for (let at = 0; at < key.length; at += 1) {
    const other = key[at] === 'x' ? 'y' : 'x'
    expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
  }
})

test('text without the form of a key is invalid', () => {
  for (const text of ['', 'cairn_', newApiKey().slice(1), `${newApiKey()}x`, ` ${newApiKey()}`, 'a.b.c']) {
    expect(isApiKey(text)).toBe(false)
  }
})

test('the part stored in plaintext does not make the secret guessable', () => {
  expect(keyPrefix(newApiKey())).toMatch(/^cairn_.{6}$/)
})
