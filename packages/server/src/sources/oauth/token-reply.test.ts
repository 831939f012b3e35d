import { describe, expect, it } from 'vitest'
import { toTokenSet } from './token-reply.ts'

const NOW = new Date('2026-07-31T12:00:00Z')
const reply = { access_token: 'access', token_type: 'Bearer', refresh_token: 'refresh' }
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const timesOf = (change: object) => {
  const { expiresAt, refreshAt } = toTokenSet({ ...reply, ...change }, NOW)!
  return [expiresAt, refreshAt]
}

describe('the reply of a token endpoint', () => {
  it('sets the refresh time to 80% of the token lifetime', () => {
    expect(timesOf({ expires_in: 3_600 })).toEqual(['2026-07-31T13:00:00.000Z', '2026-07-31T12:48:00.000Z'])
  })

  it('without a usable lifetime uses that of the JWT, or none', () => {
    const exp = NOW.getTime() / 1_000 + 600
    const fromJwt = ['2026-07-31T12:10:00.000Z', '2026-07-31T12:08:00.000Z']
    for (const expires_in of [undefined, 0, -5, Number.NaN]) {
      expect(timesOf({ expires_in })).toEqual([undefined, undefined])
      expect(timesOf({ expires_in, access_token: jwt({ exp }) })).toEqual(fromJwt)
    }
    for (const access_token of [jwt({ exp: 1 }), jwt({ exp: 'x' }), jwt([]), 'a.b.c', 'a..', `.${'A'.repeat(9)}.`]) {
      expect(timesOf({ access_token })).toEqual([undefined, undefined])
    }
    expect(timesOf({ expires_in: 1e300 })[0]).toBe('2036-07-28T12:00:00.000Z')
  })

  it('is rejected for another token type, or a token that is not valid in a header', () => {
    const bad = [
      { token_type: 'mac' },
      { access_token: 'a b' },
      { access_token: 'a\r\nx-other: 1' },
      { access_token: '' },
      { access_token: 'a'.repeat(6_001) },
      { refresh_token: 'a\n' },
    ]
    for (const change of bad) expect(toTokenSet({ ...reply, ...change }, NOW), JSON.stringify(change)).toBeUndefined()
    expect(toTokenSet({ ...reply, token_type: 'bearer' }, NOW)?.accessToken).toBe('access')
  })
})
