import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Env } from './env.ts'
import { readJwt } from './jwt.ts'

const who: Env = { CAIRN_JWT_ISSUER: 'https://id.example.org/', CAIRN_JWT_AUDIENCE: 'cairn' }
const secret = 'x'.repeat(32)
const noFile = () => {
  throw new Error('no file')
}
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const ed = generateKeyPairSync('ed25519')
const pem = (key: typeof rsa.publicKey) => key.export({ type: 'spki', format: 'pem' }).toString()

test('without settings no token is accepted', () => {
  expect(readJwt({}, noFile)).toBeNull()
})

test('each kind of key accepts the algorithms that fit it, and has common defaults', () => {
  const algorithmsOf = (env: Env) => readJwt({ ...who, ...env }, noFile)?.algorithms
  expect(algorithmsOf({ CAIRN_JWT_SECRET: secret })).toEqual(['HS256'])
  expect(algorithmsOf({ CAIRN_JWT_JWKS_URL: 'https://id.example.org/keys' })).toEqual(['RS256', 'ES256', 'EdDSA'])
  expect(algorithmsOf({ CAIRN_JWT_PUBLIC_KEY: pem(rsa.publicKey) })).toEqual(['RS256'])
  expect(algorithmsOf({ CAIRN_JWT_PUBLIC_KEY: pem(ec.publicKey) })).toEqual(['ES384'])
  const jwk = JSON.stringify(ed.publicKey.export({ format: 'jwk' }))
  expect(algorithmsOf({ CAIRN_JWT_PUBLIC_KEY: jwk })).toEqual(['EdDSA'])
  const chosen = { CAIRN_JWT_PUBLIC_KEY: pem(rsa.publicKey), CAIRN_JWT_ALGORITHMS: 'PS256, RS512' }
  expect(algorithmsOf(chosen)).toEqual(['PS256', 'RS512'])
})

test('a public key can be in a file', () => {
  const read = (path: string) => (path === '/keys/issuer.pem' ? pem(rsa.publicKey) : noFile())
  expect(readJwt({ ...who, CAIRN_JWT_PUBLIC_KEY: '/keys/issuer.pem' }, read)?.algorithms).toEqual(['RS256'])
})

test('settings that would accept too much, or cannot work, are rejected by name', () => {
  const privatePem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const cases: [Env, RegExp][] = [
    [{ CAIRN_JWT_SECRET: secret }, /CAIRN_JWT_ISSUER and CAIRN_JWT_AUDIENCE/],
    [{ ...who, CAIRN_JWT_SECRET: secret, CAIRN_JWT_JWKS_URL: 'https://x.example' }, /not several/],
    [{ ...who, CAIRN_JWT_SECRET: 'short' }, /at least 32 bytes/],
    [{ ...who, CAIRN_JWT_SECRET: secret, CAIRN_JWT_ALGORITHMS: 'HS256,RS256' }, /CAIRN_JWT_ALGORITHMS/],
    [{ ...who, CAIRN_JWT_JWKS_URL: 'https://x.example', CAIRN_JWT_ALGORITHMS: 'HS256' }, /CAIRN_JWT_ALGORITHMS/],
    [{ ...who, CAIRN_JWT_JWKS_URL: 'https://x.example', CAIRN_JWT_ALGORITHMS: 'none' }, /CAIRN_JWT_ALGORITHMS/],
    [{ ...who, CAIRN_JWT_JWKS_URL: 'http://id.example.org/keys' }, /https/],
    [{ ...who, CAIRN_JWT_JWKS_URL: 'file:///keys' }, /https/],
    [{ ...who, CAIRN_JWT_PUBLIC_KEY: privatePem }, /private key/],
    [{ ...who, CAIRN_JWT_PUBLIC_KEY: JSON.stringify(ed.privateKey.export({ format: 'jwk' })) }, /private key/],
    [{ ...who, CAIRN_JWT_PUBLIC_KEY: pem(weak.publicKey) }, /2048/],
    [{ ...who, CAIRN_JWT_PUBLIC_KEY: '/no/such/file' }, /PEM or JWK/],
    [{ ...who, CAIRN_JWT_PUBLIC_KEY: pem(rsa.publicKey), CAIRN_JWT_ALGORITHMS: 'ES256' }, /CAIRN_JWT_ALGORITHMS/],
  ]
  for (const [env, said] of cases) expect(() => readJwt(env, noFile)).toThrow(said)
})
