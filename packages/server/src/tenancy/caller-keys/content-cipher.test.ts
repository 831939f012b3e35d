import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { DecryptionFailed, encryptTo, openBox, privateKeyOf, publicKeyOf } from '../secrets/encrypt.ts'
import { createContentCipher } from './content-cipher.ts'

const key = randomBytes(32)
const seal = createContentCipher(key, 'sbx_1', 1)
const text = Buffer.from('Priya moved the launch.')

test('content decrypts only with its key, sandbox and context, and only unaltered', () => {
  const sealed = seal.encrypt('records/rec_1', text)
  expect(createContentCipher(key, 'sbx_1', 1).decrypt('records/rec_1', sealed)).toEqual(text)
  expect(sealed.includes(text)).toBe(false)
  expect(seal.encrypt('records/rec_1', text)).not.toEqual(sealed)
  const changed = Buffer.from(sealed)
  changed[20]! ^= 1
  const tries = [
    () => seal.decrypt('records/rec_2', sealed),
    () => seal.decrypt('records/rec_1', changed),
    () => seal.decrypt('records/rec_1', sealed.subarray(0, 20)),
    () => createContentCipher(randomBytes(32), 'sbx_1', 1).decrypt('records/rec_1', sealed),
    () => createContentCipher(key, 'sbx_2', 1).decrypt('records/rec_1', sealed),
  ]
  for (const open of tries) expect(open).toThrow(DecryptionFailed)
})

test('a key is recognized by its stored commitment, which differs between sandboxes', () => {
  expect(seal.matches(createContentCipher(key, 'sbx_1', 2).storedKey)).toBe(true)
  expect(seal.matches(createContentCipher(randomBytes(32), 'sbx_1', 1).storedKey)).toBe(false)
  const elsewhere = createContentCipher(key, 'sbx_2', 1)
  expect(seal.matches(elsewhere.storedKey)).toBe(false)
  expect(elsewhere.fingerprint).not.toBe(seal.fingerprint)
})

test('data received without the key is encrypted to it and decrypts only in its context', () => {
  const box = encryptTo(seal.storedKey.publicKey, 'inbox/src_1', text)
  expect(seal.decryptBox('inbox/src_1', box)).toEqual(text)
  expect(() => seal.decryptBox('inbox/src_2', box)).toThrow(DecryptionFailed)
  expect(() => createContentCipher(randomBytes(32), 'sbx_1', 1).decryptBox('inbox/src_1', box)).toThrow(
    DecryptionFailed,
  )
  expect(() => seal.decryptBox('inbox/src_1', Buffer.alloc(60, 1))).toThrow(DecryptionFailed)
})

test('the key pair is X25519 as in RFC 7748', () => {
  // One-iteration X25519 test vector of RFC 7748, section 5.2: scalar and u-coordinate are both 9.
  const nine = Buffer.alloc(32)
  nine[0] = 9
  const pair = privateKeyOf(nine)
  const expected = '422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079'
  expect(publicKeyOf(pair).toString('hex')).toBe(expected)
  expect(openBox(pair, '', encryptTo(publicKeyOf(pair), '', text))).toEqual(text)
})

test('hashes are 52 bits, equal under one key and unequal under another', () => {
  const other = createContentCipher(randomBytes(32), 'sbx_1', 1)
  const hashes = Array.from({ length: 2_000 }, (_, n) => seal.hash(`n:person ${n}`))
  expect(new Set(hashes).size).toBe(2_000)
  for (const hash of hashes) expect(Number.isSafeInteger(hash) && hash >= 0 && hash < 2 ** 52).toBe(true)
  expect(createContentCipher(key, 'sbx_1', 1).hash('n:person 7')).toBe(hashes[7])
  expect(other.hash('n:person 7')).not.toBe(hashes[7])
})

test('encrypted names reveal only equality, and the type person stays readable', () => {
  const hidden = seal.encryptText('incident_report')
  expect(seal.encryptText('incident_report')).toBe(hidden)
  expect(hidden).not.toContain('incident')
  expect(createContentCipher(key, 'sbx_1', 1).decryptText(hidden)).toBe('incident_report')
  expect([seal.encryptText('person'), seal.encryptText('')]).toEqual(['person', ''])
})

test('an encrypted tie-breaker is a different number below 2^52 for each record and can be decrypted', () => {
  const ties = [0, 1, 2 ** 26, 2 ** 52 - 1, 3_338_908_027_751_811]
  const hidden = ties.map((tie, n) => seal.encryptTieBreaker(`rec_${n}`, tie))
  expect(hidden.map((tie, n) => seal.decryptTieBreaker(`rec_${n}`, tie))).toEqual(ties)
  for (const tie of hidden) expect(tie >= 0 && tie < 2 ** 52 && Number.isInteger(tie)).toBe(true)
  expect(seal.encryptTieBreaker('rec_0', 7)).not.toBe(seal.encryptTieBreaker('rec_1', 7))
})

test('rotated vectors keep their distances, and differ from those rotated with another key', () => {
  const random = (length: number) => Float64Array.from({ length }, () => Math.random() - 0.5)
  const cosine = (one: Float64Array, other: Float64Array) => {
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
    return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
  }
  const other = createContentCipher(randomBytes(32), 'sbx_1', 1)
  for (const length of [8, 384, 1_000, 1_024]) {
    const [one, two] = [random(length), random(length)]
    const [turned, turnedToo] = [seal.rotate(one), seal.rotate(two)]
    expect(cosine(turned, turnedToo)).toBeCloseTo(cosine(one, two), 10)
    expect(createContentCipher(key, 'sbx_1', 1).rotate(one)).toEqual(turned)
    expect(one.some((value, at) => Math.sign(value) !== Math.sign(turned[at]!))).toBe(true)
  }
  const one = random(384)
  for (const elsewhere of [other.rotate(one), createContentCipher(key, 'sbx_2', 1).rotate(one), one]) {
    expect(Math.abs(cosine(seal.rotate(one), elsewhere))).toBeLessThan(0.3)
  }
  // The rotation spreads each component over all dimensions, so that no component can be read separately.
  const unit = seal.rotate(Float64Array.from({ length: 384 }, (_, at) => (at === 7 ? 1 : 0)))
  expect(unit.filter((value) => value !== 0).length).toBeGreaterThan(300)
})
