import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { deriveDataKey, readCallerKey, wrapToken } from './caller-key.ts'

/** Test vectors computed with plain HKDF and AES-GCM calls. They use the same constants as the clients. */
const vectors = JSON.parse(
  readFileSync(new URL('../../../../../tests/vectors/caller-keys.json', import.meta.url), 'utf8'),
) as {
  data_keys: { master_secret_utf8: string; data_key: string }[]
  tokens: { bearer: string; data_key: string; iv: string; token: string }[]
  refused_tokens: { why: string; bearer: string; token: string }[]
  keys: { key: string; data_key: string }[]
  refused_keys: { why: string; key: string }[]
}

const read = (headers: { token?: string; key?: string }, bearer = 'bearer') =>
  readCallerKey({ token: headers.token, key: headers.key }, bearer)?.toString('hex')
const INVALID = expect.objectContaining({ reason: 'encryption_header_invalid' })

function refusalOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (fault) {
    return fault
  }
}

test('data keys are derived from master secrets as clients do', () => {
  for (const each of vectors.data_keys) {
    expect(deriveDataKey(each.master_secret_utf8).toString('hex')).toBe(each.data_key)
  }
})

test('tokens are wrapped and unwrapped exactly as clients do', () => {
  for (const { bearer, data_key: dataKey, iv, token } of vectors.tokens) {
    expect(wrapToken(Buffer.from(dataKey, 'hex'), bearer, Buffer.from(iv, 'hex'))).toBe(token)
    expect(read({ token }, bearer)).toBe(dataKey)
  }
  for (const { key, data_key: dataKey } of vectors.keys) expect(read({ key })).toBe(dataKey)
})

test('malformed, altered and foreign tokens get the same error', () => {
  for (const { why, bearer, token } of vectors.refused_tokens) {
    expect(
      refusalOf(() => read({ token }, bearer)),
      why,
    ).toEqual(INVALID)
  }
  for (const { why, key } of vectors.refused_keys)
    expect(
      refusalOf(() => read({ key })),
      why,
    ).toEqual(INVALID)
})

test('two headers must contain the same key, and no header means no key', () => {
  const dataKey = randomBytes(32)
  const token = wrapToken(dataKey, 'bearer')
  expect(read({ token, key: dataKey.toString('base64') })).toBe(dataKey.toString('hex'))
  expect(refusalOf(() => read({ token, key: randomBytes(32).toString('base64') }))).toEqual(
    expect.objectContaining({ reason: 'encryption_headers_conflict' }),
  )
  expect(read({})).toBeUndefined()
  expect(read({ token: '', key: '' })).toBeUndefined()
})
