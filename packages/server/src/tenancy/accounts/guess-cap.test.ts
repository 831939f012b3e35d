import { describe, expect, it, test } from 'vitest'
import { newPerson } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'
import type { Sql } from '../../db/open.ts'
import { openAuthenticator, openGuessCap } from './authenticate.ts'
import { newApiKey } from './key-format.ts'

const MANY = 150
const AT_ONCE = 100
const BATCHES_MAX = 10
const PROFILE = '/api/v1/users/me/profile'

describe('the limit on wrong keys by address', () => {
  it('recovers over time, and valid keys do not count', () => {
    let nowMs = 0
    const cap = openGuessCap(() => nowMs)
    for (let at = 0; at < MANY; at += 1) cap.count('10.0.0.1')()
    for (let at = 0; at < AT_ONCE; at += 1) cap.count('10.0.0.1')
    expect(() => cap.count('10.0.0.1')).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }))
    cap.count('10.0.0.2')
    nowMs += 1000
    for (let at = 0; at < 5; at += 1) cap.count('::ffff:10.0.0.1')
    expect(() => cap.count('10.0.0.1')).toThrow()
  })

  it('an IPv6 network counts as one address, and the number of stored addresses is bounded', () => {
    const cap = openGuessCap(() => 0)
    for (let at = 0; at < AT_ONCE; at += 1) cap.count(`2001:db8:1:2::${at.toString(16)}`)
    expect(() => cap.count('2001:db8:1:2:ffff::1')).toThrow()
    cap.count('2001:db8:1:3::1')
    for (let at = 0; at < 10_000; at += 1) cap.count(`10.1.${at >> 8}.${at & 255}`)
    cap.count('2001:db8:1:2::1')
  })
})

onEachApp(
  (app) => {
    const getFrom = (address: string, key: string) =>
      app().cairn.http.inject({
        method: 'GET',
        url: PROFILE,
        headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
      })

    test('only the address with wrong keys is limited, but not its keys that worked', async () => {
      const person = await newPerson(app())
      expect((await getFrom('198.51.100.7', person.key)).statusCode).toBe(200)
      const guesses = (count: number) =>
        Promise.all(Array.from({ length: count }, () => getFrom('198.51.100.7', newApiKey())))
      expect(new Set((await guesses(AT_ONCE)).map(({ statusCode }) => statusCode))).toEqual(new Set([401]))
      // On a slow machine the limit refills during the loop.
      let refused = await guesses(MANY)
      for (let batch = 0; batch < BATCHES_MAX && refused.every(({ statusCode }) => statusCode !== 429); batch += 1)
        refused = await guesses(MANY)
      refused = refused.filter(({ statusCode }) => statusCode === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(refused[0]!.headers['retry-after']).toBe('1')
      expect(JSON.parse(refused[0]!.payload)).toMatchObject({ error: 'rate_limited' })
      expect((await getFrom('198.51.100.7', person.key)).statusCode).toBe(200)
      expect((await getFrom('198.51.100.8', newApiKey())).statusCode).toBe(401)
    })

    test('requests over the limit do not reach the database; revoked keys count as wrong', async () => {
      const person = await newPerson(app())
      let looks = 0
      const counted: Sql = {
        ...app().cairn.app.sql,
        look: (...ask) => {
          looks += 1
          return app().cairn.app.sql.look(...ask)
        },
      }
      const authenticator = openAuthenticator(
        { ...app().cairn.app, sql: counted },
        { adminKeyHash: null, tokens: null },
        openGuessCap(() => 0),
      )
      const ask = (key: string) => authenticator.authenticate(key, '10.9.8.7').catch(({ code }) => code)
      const spare = (await person.post('/api/v1/api-keys', { name: 'spare' })).body
      expect(await ask(spare.key)).toMatchObject({ accountId: person.userId })
      await person.delete(`/api/v1/api-keys/${spare.id}`)
      authenticator.forget({ keyId: spare.id })
      for (let at = 0; at < MANY; at += 1) await ask(newApiKey())
      expect(looks).toBeLessThan(MANY)
      const before = looks
      expect(await ask(spare.key)).toBe('rate_limited')
      expect(looks - before).toBeLessThanOrEqual(1)
      await authenticator.close()
    })
  },
  { CAIRN_TRUST_PROXY: 'true' },
)
