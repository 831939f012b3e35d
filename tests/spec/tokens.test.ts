import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SANDBOXES, withToken } from '../harness/postgres-people.ts'
import { type Call, newSandbox, onEachApp, putRecords, type TestApp } from '../harness/test-app.ts'
import { type SigningKey, sign, startIssuer, type TokenIssuer } from '../harness/token-issuer.ts'

const PROFILE = '/api/v1/users/me/profile'
const ISSUER = 'https://id.example.org/'
const AUDIENCE = 'cairn'
const MINUTE_MS = 60_000
const FRESH_MS = 5 * MINUTE_MS
const COOLDOWN_MS = 10_000
const DAY_MS = 24 * 60 * MINUTE_MS
const FAILED = { status: 500, body: 'down' }

const trust = { CAIRN_JWT_ISSUER: ISSUER, CAIRN_JWT_AUDIENCE: AUDIENCE }

/** Returns the claims of a valid token. `over` replaces claims; undefined removes one. */
function claims({ clock }: TestApp, over: JWTPayload = {}): JWTPayload {
  const now = Math.floor(clock.now().getTime() / 1000)
  const good = { iss: ISSUER, aud: AUDIENCE, sub: 'user|1', iat: now, exp: now + 3600, ...over }
  return Object.fromEntries(Object.entries(good).filter(([, value]) => value !== undefined))
}

const ask = async (app: TestApp, token: string) => withToken(app, token).get(PROFILE)

describe('tokens of an issuer that publishes its keys', async () => {
  const issuer: TokenIssuer = await startIssuer()
  const header = { alg: 'ES256', kid: 'one' }
  let key: SigningKey
  beforeAll(async () => {
    key = await issuer.newKey('one')
  })
  afterAll(() => issuer.close())

  onEachApp(
    (app) => {
      const now = () => Math.floor(app().clock.now().getTime() / 1000)

      it('a valid token authenticates the account of its subject, which is created once on first use', async () => {
        const sub = `Ann Müller|${app().kind}`
        const token = await sign(claims(app(), { sub, name: 'Ann' }), header, key)
        const answers = await Promise.all(Array.from({ length: 8 }, () => ask(app(), token)))
        for (const { status, body } of answers) {
          expect([status, body.user_id, body.display_name]).toEqual([200, sub, 'Ann'])
        }
        const later = await sign(claims(app(), { sub, name: 'Other', jti: '2' }), header, key)
        expect((await ask(app(), later)).body.display_name).toBe('Ann')
        const events = await app().cairn.app.sql.transact(sub, (tx) => tx.selectFrom('audit').select('event').execute())
        expect(events).toEqual([{ event: 'account.created' }])
      })

      it('rejects every invalid token with 401', async () => {
        const { privateKey: secretPair } = generateKeyPairSync('rsa', { modulusLength: 2048 })
        const unpublished = await issuer.newKey('other', 'ES256', false)
        const rsa = secretPair as KeyObject
        const good = await sign(claims(app()), header, key)
        const [head = '', body = '', signature = ''] = good.split('.')
        const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
        const flipped = Buffer.from(body, 'base64url').toString().replace('user|1', 'user|2')
        const publicText = new TextEncoder().encode(JSON.stringify(await (await fetch(issuer.url)).json()))
        const jwk = { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' }
        const cases: Record<string, string> = {
          'alg none': none,
          'alg none, no dot': none.slice(0, -1),
          'HS256 with the public key': await sign(claims(app()), { alg: 'HS256', kid: 'one' }, publicText),
          'wrong audience': await sign(claims(app(), { aud: 'other' }), header, key),
          'no audience': await sign(claims(app(), { aud: undefined }), header, key),
          'wrong issuer': await sign(claims(app(), { iss: 'https://evil.example' }), header, key),
          'no expiry': await sign(claims(app(), { exp: undefined }), header, key),
          'no subject': await sign(claims(app(), { sub: undefined }), header, key),
          'no time of issue': await sign(claims(app(), { iat: undefined }), header, key),
          'issued in an hour': await sign(claims(app(), { iat: now() + 3600, exp: now() + 7200 }), header, key),
          'not valid before an hour': await sign(claims(app(), { nbf: now() + 3600 }), header, key),
          'expired 70 s ago': await sign(claims(app(), { iat: now() - 600, exp: now() - 70 }), header, key),
          'another key under a known kid': await sign(claims(app()), header, unpublished),
          'unknown kid': await sign(claims(app()), { alg: 'ES256', kid: 'other' }, unpublished),
          'its own key in the header': await sign(claims(app()), { ...header, kid: 'other', jwk }, unpublished),
          'an address of keys in the header': await sign(
            claims(app()),
            { alg: 'ES256', kid: 'other', jku: issuer.url, x5u: issuer.url },
            unpublished,
          ),
          'RS256 under an EC kid': await sign(claims(app()), { alg: 'RS256', kid: 'one' }, rsa as never),
          'tampered claims': `${head}.${Buffer.from(flipped).toString('base64url')}.${signature}`,
          'tampered signature': good.slice(0, -4) + (good.endsWith('AAAA') ? 'BBBB' : 'AAAA'),
          'longer than 8 KiB': await sign(claims(app(), { pad: 'x'.repeat(8192) }), header, key),
          'subject empty': await sign(claims(app(), { sub: '' }), header, key),
          'subject of spaces': await sign(claims(app(), { sub: '  ' }), header, key),
          'subject with a control character': await sign(claims(app(), { sub: 'a\nb' }), header, key),
          'subject with a hidden character': await sign(claims(app(), { sub: 'a\u200bb' }), header, key),
          'subject of 256 characters': await sign(claims(app(), { sub: 'x'.repeat(256) }), header, key),
          'subject no text': await sign(claims(app(), { sub: 7 as unknown as string }), header, key),
        }
        const unknown = await withToken(app(), 'unknown').get(PROFILE)
        for (const [what, token] of Object.entries(cases)) {
          const { status, headers, body: said } = await ask(app(), token)
          expect(status, what).toBe(401)
          expect(headers['www-authenticate'], what).toBe('Bearer')
          expect({ ...said, request_id: '' }, what).toEqual({ ...unknown.body, request_id: '' })
        }
      })

      it('allows one minute of clock skew: expired 50 s ago is 200, as is issued in 50 s', async () => {
        const late = await sign(claims(app(), { iat: now() - 600, exp: now() - 50 }), header, key)
        expect((await ask(app(), late)).status).toBe(200)
        const early = await sign(claims(app(), { iat: now() + 50, nbf: now() + 50 }), header, key)
        expect((await ask(app(), early)).status).toBe(200)
        app().clock.advance(11_000)
        expect((await ask(app(), late)).status).toBe(401)
      })

      it('a repeat with a fresh token is the same request, with another account’s token it is not', async () => {
        const body = { name: 'Once', owner_id: app().kind }
        const create = async (sub: string, jti: string) => {
          const token = await sign(claims(app(), { sub, jti }), header, key)
          const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'once' }
          return (await app().anonymous('POST', SANDBOXES, body, headers)).body.sandbox_id
        }
        const [one, again, other] = [await create('u1', '1'), await create('u1', '2'), await create('u2', '3')]
        expect(one).toMatch(/^sbx_/)
        expect(again).toBe(one)
        expect(other).not.toBe(one)
      })

      it('a suspended account’s tokens are 401', async () => {
        const sub = `suspended|${app().kind}`
        const token = await sign(claims(app(), { sub }), header, key)
        expect((await ask(app(), token)).status).toBe(200)
        await app().cairn.app.sql.transact(sub, (tx) =>
          tx.updateTable('account').set({ status: 'suspended' }).execute(),
        )
        app().cairn.app.authenticator.forget({ accountId: sub })
        expect((await ask(app(), token)).status).toBe(401)
      })

      it('an account with any subject can store and find records, and its sandboxes are its own', async () => {
        const subjects = [`../../${app().kind}`, `..|${app().kind}`, `a b/ä:${app().kind}`]
        for (const [at, sub] of subjects.entries()) {
          const token = await sign(claims(app(), { sub }), header, key)
          const call: Call = (method, path, body, headers = {}) =>
            app().anonymous(method, path, body, { authorization: `Bearer ${token}`, ...headers })
          const sandbox = await newSandbox(call)
          await putRecords(call, sandbox, [{ external_id: '1', type: 'note', text: `Harbour ${at} opens.` }])
          const found = await call('POST', `${sandbox.query}/discover`, { query: 'Harbour' })
          expect(found.body.items[0].summary).toContain(`Harbour ${at}`)
          expect((await call('GET', SANDBOXES)).body.sandboxes).toHaveLength(1)
          const { events } = (await call('GET', `${sandbox.storage}/audit`)).body
          expect(events[0]).toMatchObject({
            actor_user_id: sub,
            credential_id: expect.stringMatching(/^jwt_[0-9a-f]{32}$/),
          })
          expect((await call('DELETE', sandbox.storage)).status).toBe(200)
        }
      })

      it('while the issuer is down a known key still works, and an unknown one is 503, not 401', async () => {
        const token = await sign(claims(app(), { sub: 'down' }), header, key)
        expect((await ask(app(), token)).status).toBe(200)
        for (const instead of [
          FAILED,
          null,
          { status: 200, body: 'x'.repeat(300 * 1024) },
          { status: 200, body: '[' },
        ]) {
          issuer.instead = instead
          app().clock.advance(FRESH_MS)
          const known = await sign(claims(app(), { sub: 'down' }), header, key)
          expect((await ask(app(), known)).status).toBe(200)
          const other = await sign(claims(app()), { alg: 'ES256', kid: 'new' }, key)
          const refused = await ask(app(), other)
          expect([refused.status, refused.body.error]).toEqual([503, 'unavailable'])
          expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
        }
        app().clock.advance(DAY_MS)
        const old = await sign(claims(app(), { sub: 'down' }), header, key)
        expect((await ask(app(), old)).status).toBe(503)
        issuer.instead = undefined
        app().clock.advance(COOLDOWN_MS)
        expect((await ask(app(), await sign(claims(app(), { sub: 'down' }), header, key))).status).toBe(200)
      })

      it('an added key works at once, a withdrawn one no longer, and the issuer is not asked too often', async () => {
        const kid = `added-${app().kind}`
        app().clock.advance(COOLDOWN_MS)
        const added = await issuer.newKey(kid)
        expect((await ask(app(), await sign(claims(app()), { alg: 'ES256', kid }, added))).status).toBe(200)
        const before = issuer.asked
        for (let i = 0; i < 5; i += 1) {
          expect((await ask(app(), await sign(claims(app()), { alg: 'ES256', kid: `x${i}` }, added))).status).toBe(401)
        }
        expect(issuer.asked - before).toBeLessThanOrEqual(1)
        issuer.withdraw(kid)
        app().clock.advance(FRESH_MS)
        expect((await ask(app(), await sign(claims(app()), { alg: 'ES256', kid }, added))).status).toBe(401)
      })
    },
    { ...trust, CAIRN_JWT_JWKS_URL: issuer.url },
  )
})

describe('tokens under a public key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  onEachApp(
    (app) => {
      it("accept only the key's algorithm, and the account comes from the configured claim", async () => {
        const account = { account: 'team|7', sub: 'someone' }
        const good = await sign(claims(app(), account), { alg: 'RS256' }, privateKey as never)
        expect((await ask(app(), good)).body.user_id).toBe('team|7')
        const secret = new TextEncoder().encode(pem)
        const bad = [
          await sign(claims(app(), account), { alg: 'HS256' }, secret),
          await sign(claims(app(), account), { alg: 'PS256' }, privateKey as never),
          await sign(claims(app()), { alg: 'RS256' }, privateKey as never),
        ]
        for (const token of bad) expect((await ask(app(), token)).status).toBe(401)
      })
    },
    { ...trust, CAIRN_JWT_PUBLIC_KEY: pem.replaceAll('\n', '\\n'), CAIRN_JWT_ACCOUNT_CLAIM: 'account' },
  )
})

describe('tokens under a shared secret', () => {
  const text = 'a secret of at least thirty-two bytes'
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  onEachApp(
    (app) => {
      it('accept only HS256, never a signature of a key pair', async () => {
        const secret = new TextEncoder().encode(text)
        expect((await ask(app(), await sign(claims(app()), { alg: 'HS256' }, secret))).status).toBe(200)
        expect((await ask(app(), await sign(claims(app()), { alg: 'HS512' }, secret))).status).toBe(401)
        const wrong = new TextEncoder().encode(`${text}!`)
        expect((await ask(app(), await sign(claims(app()), { alg: 'HS256' }, wrong))).status).toBe(401)
        expect((await ask(app(), await sign(claims(app()), { alg: 'ES256' }, privateKey as never))).status).toBe(401)
      })
    },
    { ...trust, CAIRN_JWT_SECRET: text },
  )
})

onEachApp((app) => {
  it('without a configured issuer no token is accepted', async () => {
    const token = await sign(claims(app()), { alg: 'HS256' }, new Uint8Array(32))
    expect((await ask(app(), token)).status).toBe(401)
  })
})
