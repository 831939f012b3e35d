import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { newSandbox, onEachApp, type TestAccount } from '../harness/test-app.ts'

const KEYS = '/api/v1/api-keys'
const PROFILE = '/api/v1/users/me/profile'
const DAY_MS = 24 * 60 * 60 * 1000
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns the API key for a 43-character secret, with the checksum that the contract defines. */
function keyOf(secret: string): string {
  let rest = crc32(secret)
  let checksum = ''
  for (let at = 0; at < 6; at += 1) {
    checksum = DIGITS.charAt(rest % 62) + checksum
    rest = Math.floor(rest / 62)
  }
  return `cairn_${secret}${checksum}`
}

onEachApp((app) => {
  const made = async ({ call }: TestAccount, body: object = { name: 'laptop' }) => {
    const { status, body: key } = await call('POST', KEYS, body)
    expect(status).toBe(201)
    return key
  }
  const withKey = (key: string) => app().anonymous('GET', PROFILE, undefined, { authorization: `Bearer ${key}` })

  it('creates a key of 32 random bytes with their CRC32, which authenticates the account', async () => {
    const account = await app().newAccount()
    const { key, ...rest } = await made(account)
    expect(key).toMatch(/^cairn_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/)
    expect(key).toBe(keyOf(key.slice(6, 49)))
    expect(key.startsWith(rest.key_prefix)).toBe(true)
    expect(rest).toMatchObject({ id: expect.stringMatching(/^key_/), name: 'laptop', expires_at: null })
    expect(rest.warning).toEqual(expect.any(String))
    expect((await withKey(key)).body.user_id).toBe(account.userId)
    expect((await made(account)).key).not.toBe(key)
  })

  it('shows a key once: the list has its prefix and never its secret', async () => {
    const account = await app().newAccount()
    const { id, key } = await made(account, { name: 'one', expires_in_days: 90 })
    const second = await made(account, { name: 'two' })
    const { status, body } = await account.call('GET', KEYS)
    expect(status).toBe(200)
    expect(body.map((each: { id: string }) => each.id).slice(0, 2)).toEqual([second.id, id])
    expect(Object.keys(body[1]).sort()).toEqual(
      [
        'created_at',
        'expires_at',
        'id',
        'is_expired',
        'key_prefix',
        'last_used_at',
        'member_id',
        'name',
        'use_count',
      ].sort(),
    )
    expect(body[1]).toMatchObject({ name: 'one', is_expired: false, use_count: 0, key_prefix: key.slice(0, 12) })
    expect(JSON.stringify(body)).not.toContain(key.slice(12, 49))
    expect(app().logged.join()).not.toContain(key.slice(12, 49))
  })

  it('accepts names and lifetimes within their bounds', async () => {
    const account = await app().newAccount()
    for (const body of [
      {},
      { name: '' },
      { name: ' ' },
      { name: 'x'.repeat(256) },
      { name: 7 },
      ...[0, -1, 1.5, '30', 3651].map((days) => ({ name: 'x', expires_in_days: days })),
    ]) {
      const refused = await account.call('POST', KEYS, body)
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 422, body: { error: 'validation_error' } })
      expect(refused.body.errors[0].loc[0]).toBe('body')
    }
    for (const days of [1, 3650]) {
      const { created_at, expires_at } = await made(account, { name: 'x'.repeat(255), expires_in_days: days })
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(days * DAY_MS)
    }
    expect((await made(account, { name: 'x', expires_in_days: null })).expires_at).toBeNull()
  })

  it('revokes a key permanently, and only one of its own account', async () => {
    const [account, other] = [await app().newAccount(), await app().newAccount()]
    const { id, key } = await made(account)
    const missing = `key_${'0'.repeat(26)}`
    const foreign = await other.call('DELETE', `${KEYS}/${id}`, undefined, { 'x-request-id': 'one' })
    expect(foreign.status).toBe(404)
    const never = await other.call('DELETE', `${KEYS}/${missing}`, undefined, { 'x-request-id': 'one' })
    expect(foreign.body).toEqual(never.body)
    expect((await withKey(key)).status).toBe(200)
    const revoked = await account.call('DELETE', `${KEYS}/${id}`)
    expect(revoked).toMatchObject({ status: 200, body: { revoked: true, id, name: 'laptop' } })
    expect((await withKey(key)).status).toBe(401)
    expect((await account.call('DELETE', `${KEYS}/${id}`)).status).toBe(404)
    expect(JSON.stringify((await account.call('GET', KEYS)).body)).not.toContain(id)
  })

  it('rejects revoked, expired, unknown and mistyped keys with the same message', async () => {
    const account = await app().newAccount()
    const [revoked, expired, good] = [
      await made(account),
      await made(account, { name: 'short', expires_in_days: 1 }),
      await made(account),
    ]
    await account.call('DELETE', `${KEYS}/${revoked.id}`)
    expect((await withKey(expired.key)).status).toBe(200)
    app().clock.advance(DAY_MS)
    const last = good.key.at(-1) === 'a' ? 'b' : 'a'
    const refused = [
      revoked.key,
      expired.key,
      keyOf('A'.repeat(43)),
      good.key.slice(0, -1) + last,
      good.key.slice(0, -1),
      `${good.key}a`,
      good.key.replace('cairn_', 'cairnhook_'),
      `x${good.key}`,
    ]
    for (const key of refused) {
      const { status, body, headers } = await withKey(key)
      expect(status, key).toBe(401)
      expect(headers['www-authenticate']).toBe('Bearer')
      const { request_id, ...rest } = body
      expect(rest).toEqual({ error: 'unauthorized', detail: expect.any(String) })
      expect(rest.detail).toBe((await withKey('nonsense')).body.detail)
      expect(JSON.stringify(body)).not.toContain(key)
    }
    expect((await withKey(good.key)).status).toBe(200)
    const listed = (await account.call('GET', KEYS)).body as { id: string; is_expired: boolean }[]
    expect(listed.find(({ id }) => id === expired.id)?.is_expired).toBe(true)
  })

  it('shows and changes the profile; null keeps the name and clears the defaults', async () => {
    const { call, userId } = await app().newAccount()
    const { id } = await newSandbox(call)
    const { body: project } = await call('POST', `/api/v1/storage/sandboxes/${id}/projects`, { name: 'P' })
    await newSandbox(call, 'Second')
    const blank = { user_id: userId, display_name: 'Test account', member_id: null, sandbox_id: null, project_id: null }
    expect((await call('GET', PROFILE)).body).toEqual(blank)
    const place = { sandbox_id: id, project_id: project.project_id }
    const changed = await call('POST', PROFILE, { display_name: 'Ada', ...place, user_id: 'acct_x' })
    expect(changed).toMatchObject({ status: 200, body: { user_id: userId, display_name: 'Ada', ...place } })
    expect((await call('POST', PROFILE, { display_name: null })).body).toEqual(changed.body)
    expect((await call('POST', PROFILE, {})).body).toEqual(changed.body)
    expect((await call('POST', PROFILE, { project_id: null })).body).toEqual({ ...changed.body, project_id: null })
    const cleared = await call('POST', PROFILE, { sandbox_id: null })
    expect(cleared.body).toEqual({ ...blank, display_name: 'Ada' })
    for (const display_name of ['', ' ', 'x'.repeat(256), 5]) {
      expect((await call('POST', PROFILE, { display_name })).status).toBe(422)
    }
    expect((await call('GET', PROFILE)).body).toEqual(cleared.body)
  })

  it('has the only active sandbox as its primary one until it sets another', async () => {
    const [{ call }, other] = [await app().newAccount(), await app().newAccount()]
    const primary = async () => (await call('GET', PROFILE)).body.sandbox_id
    const share = async ({ storage }: { storage: string }) => {
      const { body: me } = await call('GET', PROFILE)
      await other.call('POST', `${storage}/connections`, { user_id: me.user_id, role: 'editor' })
    }
    await share(await newSandbox(other.call))
    expect(await primary()).toBeNull()
    const first = await newSandbox(call)
    expect(await primary()).toBe(first.id)
    const took = await call('POST', '/api/v1/storage/ingest', { text: 'The lighthouse is red.' })
    expect(took).toMatchObject({ status: 202, body: { sandbox_id: first.id, project_id: null } })
    const second = await newSandbox(call, 'Second')
    expect(await primary()).toBeNull()
    await call('POST', `${first.storage}/archive`)
    expect(await primary()).toBe(second.id)
    const { body: project } = await call('POST', `${second.storage}/projects`, { name: 'P' })
    const place = { sandbox_id: second.id, project_id: project.project_id }
    expect((await call('POST', PROFILE, { project_id: project.project_id })).body).toMatchObject(place)
    await newSandbox(call, 'Third')
    expect((await call('GET', PROFILE)).body).toMatchObject(place)
  })

  it('accepts as defaults only what the account can write to', async () => {
    const [{ call }, other] = [await app().newAccount(), await app().newAccount()]
    const [mine, second, theirs] = [
      await newSandbox(call),
      await newSandbox(call, 'Second'),
      await newSandbox(other.call),
    ]
    const { body: project } = await call('POST', `${second.storage}/projects`, { name: 'P' })
    const { body: archived } = await call('POST', `${mine.storage}/projects`, { name: 'Old' })
    await call('POST', `${mine.storage}/projects/${archived.project_id}/archive`)
    const before = (await call('GET', PROFILE)).body
    const cases: [object, number, string][] = [
      [{ sandbox_id: theirs.id }, 404, 'not_found'],
      [{ sandbox_id: `sbx_${'0'.repeat(26)}` }, 404, 'not_found'],
      [{ sandbox_id: 'anything' }, 404, 'not_found'],
      [{ project_id: project.project_id }, 404, 'not_found'],
      [{ sandbox_id: mine.id, project_id: project.project_id }, 404, 'not_found'],
      [{ sandbox_id: mine.id, project_id: archived.project_id }, 409, 'conflict'],
    ]
    for (const [body, status, error] of cases) {
      expect(await call('POST', PROFILE, body), JSON.stringify(body)).toMatchObject({ status, body: { error } })
    }
    expect((await call('GET', PROFILE)).body).toEqual(before)
  })

  it('clears the defaults when their object is deleted', async () => {
    const { call } = await app().newAccount()
    const { id, storage } = await newSandbox(call)
    const { body: project } = await call('POST', `${storage}/projects`, { name: 'P' })
    await call('POST', PROFILE, { sandbox_id: id, project_id: project.project_id })
    await call('DELETE', `${storage}/projects/${project.project_id}`)
    expect((await call('GET', PROFILE)).body).toMatchObject({ sandbox_id: id, project_id: null })
    await call('DELETE', storage)
    expect((await call('GET', PROFILE)).body).toMatchObject({ sandbox_id: null, project_id: null })
    const lost = await call('POST', '/api/v1/storage/ingest', { text: 'Hello' })
    expect(lost).toMatchObject({ status: 404, body: { error: 'not_found', reason: 'no_primary_sandbox' } })
  })
})
