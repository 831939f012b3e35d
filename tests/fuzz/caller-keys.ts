import { createCipheriv, hkdfSync } from 'node:crypto'

const KEY_BYTES = 32
const IV_BYTES = 12
const DATA_KEY = Buffer.alloc(KEY_BYTES, 'fuzz')
const OTHER_KEY = Buffer.alloc(KEY_BYTES, 'other')

/** Encrypts a data key under a bearer token as clients do (contract §8). */
function encryptedKey(dataKey: Buffer, bearer: string): string {
  const wrap = Buffer.from(hkdfSync('sha256', bearer, 'olane-session-wrap-v1', 'olane-wrap', KEY_BYTES))
  const cipher = createCipheriv('aes-256-gcm', wrap, Buffer.alloc(IV_BYTES, 'iv'))
  const text = Buffer.concat([cipher.update(dataKey), cipher.final()])
  return Buffer.concat([Buffer.alloc(IV_BYTES, 'iv'), text, cipher.getAuthTag()]).toString('base64')
}

/** Returns values of the two headers for a customer-managed key: valid ones, foreign ones, and junk. */
export function callerKeyHeaders(bearer: string): Record<string, readonly string[]> {
  const token = encryptedKey(DATA_KEY, bearer)
  const junk = ['junk', '', Buffer.alloc(60).toString('base64'), 'A'.repeat(79), token.slice(0, -4), `${token}AAAA`]
  return {
    'x-encryption-token': [
      token,
      token,
      encryptedKey(OTHER_KEY, bearer),
      encryptedKey(DATA_KEY, `${bearer}x`),
      ...junk,
    ],
    'x-encryption-key': [
      DATA_KEY.toString('base64'),
      DATA_KEY.toString('base64'),
      OTHER_KEY.toString('base64'),
      DATA_KEY.toString('base64url'),
      Buffer.alloc(KEY_BYTES - 1).toString('base64'),
      'junk',
      '',
    ],
  }
}
