import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CairnError } from './errors.ts'
import { dataKeyOf, deriveDataKey, encryptionToken } from './keys.ts'

interface Vectors {
  data_keys: { master_secret_utf8: string; data_key: string }[]
  tokens: { bearer: string; data_key: string; iv: string; token: string }[]
}
const path = new URL('../../../tests/vectors/caller-keys.json', import.meta.url)
const vectors = JSON.parse(readFileSync(path, 'utf8')) as Vectors
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

it('keys are derived and encrypted identically by every client', async () => {
  for (const { master_secret_utf8: secret, data_key: key } of vectors.data_keys) {
    expect(Buffer.from(await deriveDataKey(secret)).toString('hex')).toBe(key)
  }
  for (const { bearer, data_key: key, iv, token } of vectors.tokens) {
    expect(await encryptionToken(bytes(key), bearer, bytes(iv))).toBe(token)
  }
})

it('an invalid key is rejected with CairnError, also if it is not base64', () => {
  for (const key of ['', 'not base64!', 'ä', btoa('too short'), new Uint8Array(31)]) {
    expect(() => dataKeyOf(key)).toThrow(CairnError)
  }
  expect(dataKeyOf(btoa('x'.repeat(32)))).toHaveLength(32)
})
