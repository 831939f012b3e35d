import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encryptionToken } from '../../../../client/src/keys.ts'
import { readCallerKey } from './caller-key.ts'

/** Test vectors computed with plain HKDF and AES-GCM calls. They use the same constants as the clients. */
const vectors = JSON.parse(
  readFileSync(new URL('../../../../../tests/vectors/caller-keys.json', import.meta.url), 'utf8'),
) as {
  tokens: { bearer: string; data_key: string; token: string }[]
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

test('the tokens and keys of clients contain the data key', () => {
  for (const { bearer, data_key: dataKey, token } of vectors.tokens) expect(read({ token }, bearer)).toBe(dataKey)
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

test('two headers must contain the same key, and no header means no key', async () => {
  const dataKey = randomBytes(32)
  const token = await encryptionToken(dataKey, 'bearer')
  expect(read({ token, key: dataKey.toString('base64') })).toBe(dataKey.toString('hex'))
  expect(refusalOf(() => read({ token, key: randomBytes(32).toString('base64') }))).toEqual(
    expect.objectContaining({ reason: 'encryption_headers_conflict' }),
  )
  expect(read({})).toBeUndefined()
  expect(read({ token: '', key: '' })).toBeUndefined()
})
