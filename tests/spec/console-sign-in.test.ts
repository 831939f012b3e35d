import { createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { newId } from '../../packages/server/src/base/id.ts'
import { toConfig } from '../../packages/server/src/config/config.ts'
import { readSecrets } from '../../packages/server/src/config/secrets.ts'
import { readCode, writeCode } from '../../packages/server/src/tenancy/accounts/console-sign-in.ts'
import { newPerson, withToken } from '../harness/postgres-people.ts'
import { onEachApp, openTestApp, TEST_ADMIN_KEY, TEST_MASTER_KEY } from '../harness/test-app.ts'

const SIGN_IN = '/api/v1/console/sign-in'
const CODES = '/api/v1/console/codes'
const KEYS = '/api/v1/api-keys'
const PROFILE = '/api/v1/users/me/profile'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** More attempts than the rate limit per address allows. They are sent at once, because the limit refills over time. */
const GUESSES = 150

onEachApp((app) => {
  const signIn = (code: unknown) => app().anonymous('POST', SIGN_IN, { code })
  const refused = { status: 401, body: { error: 'unauthorized', detail: expect.stringContaining('cairn console') } }
  const codeOf = async (person: { post: (path: string) => Promise<{ body: { code: string } }> }) =>
    (await person.post(CODES)).body.code
  const from = (address: string, code: string) =>
    app().cairn.http.inject({
      method: 'POST',
      url: SIGN_IN,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ code }),
      remoteAddress: address,
    })

  it('a code becomes a key of its account once, for twelve hours, which is listed, audited and revocable', async () => {
    const person = await newPerson(app())
    const made = await person.post(CODES)
    const now = app().clock.now().getTime()
    expect(made).toMatchObject({ status: 200, body: { expires_at: new Date(now + 10 * MINUTE_MS).toISOString() } })
    expect((await person.get(KEYS)).body).toHaveLength(1)
    const signedIn = await signIn(made.body.code)
    expect(signedIn).toMatchObject({
      status: 200,
      body: { api_key: expect.stringMatching(/^cairn_/), expires_at: new Date(now + 12 * HOUR_MS).toISOString() },
    })
    const keyed = withToken(app(), signedIn.body.api_key)
    expect((await keyed.get(PROFILE)).body.user_id).toBe(person.userId)
    const [key] = (await person.get(KEYS)).body
    expect(key).toMatchObject({ name: 'Console, by a link', expires_at: signedIn.body.expires_at })
    const { body: log } = await app().admin('GET', `/api/v1/admin/audit?chain=${person.userId}`)
    expect(log.events).toMatchObject([
      { event: 'console.signed_in', subject_id: key.id, actor_user_id: person.userId, credential_id: key.id },
    ])
    expect(await signIn(made.body.code)).toMatchObject(refused)
    await person.delete(`${KEYS}/${key.id}`)
    expect((await keyed.get(PROFILE)).status).toBe(401)
    expect(await signIn(made.body.code)).toMatchObject(refused)
    const lines = JSON.stringify(app().logged)
    expect(lines).not.toContain(made.body.code)
    expect(lines).not.toContain(signedIn.body.api_key)
  })

  it('of many concurrent exchanges one returns a key', async () => {
    const person = await newPerson(app())
    const code = await codeOf(person)
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(401)])
    expect((await person.get(KEYS)).body).toHaveLength(2)
  })

  it('a code exchanged by one process is rejected by every other', async () => {
    const person = await newPerson(app())
    const code = await codeOf(person)
    const second = await openTestApp(app().cairn.app.sql, app().kind, { CAIRN_DATA: app().folder })
    try {
      const answers = await Promise.all([signIn(code), second.anonymous('POST', SIGN_IN, { code })])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    } finally {
      await second.cairn.close()
    }
  })

  it('a code is valid for ten minutes while its account is active and none of its keys is revoked', async () => {
    const person = await newPerson(app())
    const late = await codeOf(person)
    app().clock.advance(10 * MINUTE_MS)
    expect(await signIn(late)).toMatchObject(refused)
    const leaked = await person.post(KEYS, { name: 'leaked' })
    const left = await codeOf(withToken(app(), leaked.body.key))
    await person.delete(`${KEYS}/${leaked.body.id}`)
    expect(await signIn(left)).toMatchObject(refused)
    app().clock.advance(1)
    const paused = await codeOf(person)
    const account = `/api/v1/admin/accounts/${person.userId}`
    await app().admin('POST', `${account}/suspend`)
    expect(await signIn(paused)).toMatchObject(refused)
    await app().admin('POST', `${account}/reactivate`)
    expect((await signIn(paused)).status).toBe(200)
    const last = await codeOf(person)
    await app().admin('DELETE', account)
    expect(await signIn(last)).toMatchObject(refused)
  })

  it('a forged, changed or truncated code is rejected like a used one', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const code = await codeOf(person)
    const [said = '', mac = ''] = code.split('.')
    const said2 = Buffer.from(Buffer.from(said, 'base64url').toString().replace(person.userId, other.userId))
    const expiresAt = new Date(app().clock.now().getTime() + MINUTE_MS)
    const foreign = writeCode(randomBytes(32), { keyId: newId('key', app().clock), userId: person.userId, expiresAt })
    const cursors = createHmac('sha256', secrets().cursorKey).update(said).digest('base64url')
    const forged = [
      `${said2.toString('base64url')}.${mac}`,
      `${said}.`,
      `.${mac}`,
      said,
      `${code}.`,
      `${said}.${cursors}`,
    ]
    for (const each of [...forged, foreign, code.slice(0, -2), `${code}A`, '.', 'x', '\u{1f511}.\u{1f511}']) {
      expect(await signIn(each), each).toMatchObject(refused)
    }
    for (const each of ['', 'x'.repeat(2049), 7, null, undefined]) expect((await signIn(each)).status).toBe(422)
    expect((await person.get(KEYS)).body).toHaveLength(1)
    expect((await signIn(code)).status).toBe(200)
  })

  it('only the operator creates codes for any account, others only for their own', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const codes = `/api/v1/admin/accounts/${person.userId}/console-codes`
    const { body } = await withToken(app(), TEST_ADMIN_KEY).post(codes)
    const signedIn = await signIn(body.code)
    expect((await withToken(app(), signedIn.body.api_key).get(PROFILE)).body.user_id).toBe(person.userId)
    expect((await other.post(codes)).status).toBe(403)
    expect((await app().anonymous('POST', CODES)).status).toBe(401)
    const missing = '/api/v1/admin/accounts/acct_00000000000000000000000000/console-codes'
    expect((await withToken(app(), TEST_ADMIN_KEY).post(missing)).status).toBe(404)
    const sandbox = await other.newSandbox()
    const grant = { user_id: person.userId, role: 'viewer' }
    const { body: made } = await other.post(`/api/v1/storage/sandboxes/${sandbox}/connections`, grant)
    const connection = `/api/v1/storage/sandboxes/${sandbox}/connections/${made.connection_id}`
    const { body: shared } = await other.post(`${connection}/api-keys`)
    expect(shared.plaintext_key).toMatch(/^cairnshare_/)
    expect((await withToken(app(), shared.plaintext_key).post(CODES)).status).toBe(403)
  })

  it('after too many wrong codes an address is rejected unread, and others are not', async () => {
    const code = await codeOf(await newPerson(app()))
    const sent = [...Array.from({ length: GUESSES }, (_, at) => `guess.${at}`), code]
    const statuses = await Promise.all(sent.map(async (each) => (await from('203.0.113.7', each)).statusCode))
    expect([...new Set(statuses)]).toEqual([401, 429])
    expect(statuses.at(-1)).toBe(429)
    expect((await from('198.51.100.9', code)).statusCode).toBe(200)
  })

  it('decodes what it encoded, whatever the account id', () => {
    const expiresAt = new Date('2026-03-01T10:00:00.123Z')
    const { signInKey } = secrets()
    for (const userId of ['acct_1', 'a b  c ', 'auth0|x.y', '\u{1f511}'.repeat(255)]) {
      const said = { keyId: newId('key', app().clock), userId, expiresAt }
      const code = writeCode(signInKey, said)
      expect(readCode(signInKey, code)).toEqual(said)
      expect(code.length).toBeLessThanOrEqual(2048)
      expect(readCode(randomBytes(32), code)).toBeUndefined()
    }
  })
})

function secrets() {
  const env = { CAIRN_MASTER_KEY: TEST_MASTER_KEY }
  return readSecrets(env, toConfig(env))
}
