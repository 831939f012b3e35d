import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { adminOperations, featureOperations, type Operation } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { hashOf } from '../../packages/server/src/db/audit.ts'
import { dropReplies } from '../../packages/server/src/tenancy/idempotency/keyed-request.ts'
import { newPerson, type Requests, SANDBOXES, withToken } from '../harness/postgres-people.ts'
import { type Call, newSandbox, onEachApp, putRecords, TEST_ADMIN_KEY } from '../harness/test-app.ts'

const ACCOUNTS = '/api/v1/admin/accounts'
const KEY = TEST_ADMIN_KEY
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const PROFILE = '/api/v1/users/me/profile'

const ids: Record<string, string> = {
  sandbox_id: 'sbx_00000000000000000000000000',
  user_id: 'acct_00000000000000000000000000',
}
const filled = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'x')
const byKey = (operations: object) => Object.values(operations as Record<string, Operation>)

onEachApp((app) => {
  const admin = () => withToken(app(), KEY)
  const newAccount = async (body: object = {}) => {
    const { body: made } = await admin().post(ACCOUNTS, body)
    return { ...made, ...withToken(app(), made.key) } as Requests & { user_id: string; key: string }
  }

  const callOf =
    (key: string): Call =>
    (method, path, body, headers = {}) =>
      app().anonymous(method, path, body, { authorization: `Bearer ${key}`, ...headers })

  it('the admin key is accepted only for the operator’s operations', async () => {
    const account = await newPerson(app())
    for (const { method, path, access } of byKey(featureOperations)) {
      const url = filled(path)
      const call = (key: string) => app().anonymous(method, url, undefined, { authorization: `Bearer ${key}` })
      const { status, body } = await call(KEY)
      if (access === 'public') continue
      if (access === 'admin') expect([200, 201, 404, 422], `${method} ${url}`).toContain(status)
      else expect([status, body.error], `${method} ${url}`).toEqual([401, 'unauthorized'])
      if (access !== 'admin') continue
      expect((await call(account.key)).status, `${method} ${url}`).toBe(403)
      expect((await call(`${KEY}x`)).status, `${method} ${url}`).toBe(401)
      expect((await app().anonymous(method, url)).status, `${method} ${url}`).toBe(401)
    }
    expect(byKey(adminOperations).every(({ access }) => access === 'admin')).toBe(true)
  })

  it('creates another key of an account, in addition to or instead of its keys, and says which', async () => {
    const account = await newAccount({ display_name: 'Locked out' })
    const keysOf = `${ACCOUNTS}/${encodeURIComponent(account.user_id)}/api-keys`
    const status = async (key: string) => (await withToken(app(), key).get(PROFILE)).status
    const beside = await admin().post(keysOf, { name: 'spare', expires_in_days: 2 })
    expect(beside).toMatchObject({
      status: 201,
      body: { user_id: account.user_id, name: 'spare', keys_kept: 1, keys_revoked: 0, warning: expect.any(String) },
    })
    expect(beside.body.key.startsWith(beside.body.key_prefix)).toBe(true)
    expect([await status(account.key), await status(beside.body.key)]).toEqual([200, 200])
    const sole = await admin().post(keysOf, { name: 'sole', revoke_others: true })
    expect(sole.body).toMatchObject({ keys_kept: 0, keys_revoked: 2, expires_at: null })
    expect(await Promise.all([account.key, beside.body.key, sole.body.key].map(status))).toEqual([401, 401, 200])
    const listed = await withToken(app(), sole.body.key).get('/api/v1/api-keys')
    expect(listed.body).toMatchObject([{ id: sole.body.id, name: 'sole' }])
    const { body: log } = await admin().get(`/api/v1/admin/audit?chain=${account.user_id}`)
    expect(log.events.map(({ event, subject_id: id }: Record<string, string>) => [event, id])).toEqual([
      ['api_key.created', sole.body.id],
      ['api_key.created', beside.body.id],
      ['account.created', account.user_id],
    ])
    expect(JSON.stringify(app().logged)).not.toContain(sole.body.key)
    expect((await admin().post(`${ACCOUNTS}/nobody/api-keys`, { name: 'x' })).status).toBe(404)
    expect((await admin().post(keysOf, {})).status).toBe(422)
    expect((await withToken(app(), sole.body.key).post(keysOf, { name: 'x' })).status).toBe(403)
  })

  it('creates an account whose key works at once, under a new or a given id', async () => {
    const made = await admin().post(ACCOUNTS, { display_name: 'Harbour Ltd' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      user_id: expect.stringMatching(/^acct_/),
      display_name: 'Harbour Ltd',
      key: expect.stringMatching(/^cairn_/),
    })
    const profile = await withToken(app(), made.body.key).get(PROFILE)
    expect(profile.body).toMatchObject({ user_id: made.body.user_id, display_name: 'Harbour Ltd' })
    const user_id = `auth0|${app().kind}/1`
    expect((await admin().post(ACCOUNTS, { user_id })).body).toMatchObject({ user_id, display_name: user_id })
    const taken = await admin().post(ACCOUNTS, { user_id })
    expect(taken).toMatchObject({ status: 409, body: { error: 'conflict', reason: 'account_exists' } })
    for (const bad of ['', ' ', 'a\u0007', 'x'.repeat(256), 7]) {
      expect((await admin().post(ACCOUNTS, { user_id: bad })).status, String(bad)).toBe(422)
    }
    const path = `${ACCOUNTS}/${encodeURIComponent(user_id)}/suspend`
    expect((await admin().post(path)).body).toEqual({ success: true, message: 'The account is suspended.' })
  })

  it('a repeated creation returns the first reply without the key, and creates nothing twice', async () => {
    const send = (body: object, key: string) => callOf(KEY)('POST', ACCOUNTS, body, { 'idempotency-key': key })
    const display_name = 'Once'
    const first = await send({ display_name }, 'k-once')
    const again = await send({ display_name }, 'k-once')
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
    expect(again.body).toEqual({ ...first.body, key: null })
    const other = await send({ display_name: 'Other' }, 'k-once')
    expect([other.status, other.body.reason]).toEqual([422, 'idempotency_key_reused'])
    const { user_id } = first.body
    const refused = [await send({ user_id }, 'k-409'), await send({ user_id }, 'k-409')]
    expect(refused.map(({ status, body }) => [status, body.reason])).toEqual(Array(2).fill([409, 'account_exists']))
    expect(refused[1]!.headers['idempotent-replayed']).toBe('true')
    const { sql } = app().cairn.app
    const kept = (scope: Parameters<typeof sql.transact>[0]) =>
      sql.transact(scope, (tx) => tx.selectFrom('admin_idempotency').selectAll().execute())
    const seen = (await kept({ tenant: '', operator: true })).map(({ body }) => String(body)).join()
    expect(seen).toContain(user_id)
    expect(seen).not.toContain(first.body.key)
    expect(await kept(user_id)).toEqual([])
    app().clock.advance(DAY_MS + 1)
    const fresh = await send({ display_name }, 'k-once')
    expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect(fresh.body.user_id).not.toBe(user_id)
    await sql.transact({ tenant: '', operator: true }, (tx) =>
      tx
        .updateTable('admin_idempotency')
        .set({ created_at: new Date(0) })
        .where('key', '=', 'k-409')
        .execute(),
    )
    await dropReplies(app().cairn.app)
    const left = (await kept({ tenant: '', operator: true })).map(({ key }) => key)
    expect([left.includes('k-once'), left.includes('k-409')]).toEqual([true, false])
  })

  it('of concurrent creations with one key one succeeds, and a killed one blocks the key for a minute', async () => {
    const send = (key: string) => callOf(KEY)('POST', ACCOUNTS, { display_name: 'Raced' }, { 'idempotency-key': key })
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('k-race')))
    const made = answers.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed'])
    expect(made).toHaveLength(1)
    for (const { status, body, headers } of answers) {
      if (status === 201) expect(body.user_id).toBe(made[0]!.body.user_id)
      else expect([status, body.reason, headers['retry-after']]).toEqual([409, 'idempotency_key_in_use', '1'])
    }
    await app().cairn.app.sql.transact({ tenant: '', operator: true }, (tx) =>
      tx.updateTable('admin_idempotency').set({ status: null, body: null, claim: 'of a dead process' }).execute(),
    )
    const wait = await send('k-race')
    expect([wait.status, wait.body.reason, wait.headers['retry-after']]).toEqual([409, 'idempotency_key_in_use', '1'])
    app().clock.advance(MINUTE_MS + 1)
    expect((await send('k-race')).status).toBe(201)
  })

  it('lists accounts newest first, in pages, by status', async () => {
    const made: string[] = []
    for (let i = 0; i < 3; i += 1) {
      app().clock.advance(1000)
      made.unshift((await newAccount()).user_id)
    }
    await admin().post(`${ACCOUNTS}/${made[1]}/suspend`)
    const first = await admin().get(`${ACCOUNTS}?limit=2`)
    const next = await admin().get(`${ACCOUNTS}?limit=2&cursor=${first.body.next_cursor}`)
    const listed = [...first.body.accounts, ...next.body.accounts]
    expect(listed.slice(0, 3).map(({ user_id }) => user_id)).toEqual(made)
    expect(listed[1]).toMatchObject({ status: 'suspended', created_at: expect.stringMatching(/Z$/) })
    const active = (await admin().get(`${ACCOUNTS}?status=active`)).body.accounts
    expect(active.map(({ user_id }: { user_id: string }) => user_id)).not.toContain(made[1])
    expect((await admin().get(`${ACCOUNTS}?status=active&cursor=${first.body.next_cursor}`)).status).toBe(400)
  })

  it('a suspended account’s keys are 401 at once, and work again after reactivation', async () => {
    const account = await newAccount()
    expect((await account.get(PROFILE)).status).toBe(200)
    for (let i = 0; i < 2; i += 1) {
      expect((await admin().post(`${ACCOUNTS}/${account.user_id}/suspend`)).status).toBe(200)
      expect((await account.get(PROFILE)).status).toBe(401)
    }
    for (let i = 0; i < 2; i += 1) {
      expect((await admin().post(`${ACCOUNTS}/${account.user_id}/reactivate`)).status).toBe(200)
      expect((await account.get(PROFILE)).status).toBe(200)
    }
    const { events } = (await admin().get(`/api/v1/admin/audit?chain=${account.user_id}`)).body
    expect(events.map(({ event }: { event: string }) => event)).toEqual([
      'account.reactivated',
      'account.suspended',
      'account.created',
    ])
    expect(events[0]).toMatchObject({ actor_user_id: null, credential_id: 'admin_key' })
    for (const verb of ['/suspend', '/reactivate', '']) {
      const url = `${ACCOUNTS}/${ids.user_id}${verb}`
      expect((await (verb ? admin().post(url) : admin().delete(url))).status).toBe(404)
    }
  })

  it('sets the tier of a sandbox, and with it its limits', async () => {
    const owner = await newPerson(app())
    const sandbox = await owner.newSandbox()
    const path = `/api/v1/admin/sandboxes/${sandbox}`
    const set = await admin().patch(path, { tier: 'enterprise' })
    expect(set).toMatchObject({ status: 200, body: { tier: 'enterprise', limits: { max_data_sources: 10_000 } } })
    expect((await owner.get(`${SANDBOXES}/${sandbox}`)).body).toEqual(set.body)
    expect((await admin().patch(path, { tier: 'gold' })).status).toBe(422)
    expect((await admin().patch(filled('/api/v1/admin/sandboxes/:sandbox_id'), { tier: 'pro' })).status).toBe(404)
    expect((await owner.patch(path, { tier: 'pro' })).status).toBe(403)
  })

  it('erasing an account makes all its content unreachable, and keeps its audit log for the operator', async () => {
    const create = { user_id: `erased on ${app().kind}` }
    const make = () => callOf(KEY)('POST', ACCOUNTS, create, { 'idempotency-key': 'k-erased' })
    const { body: made } = await make()
    const [account, friend] = [{ ...made, ...withToken(app(), made.key) }, await newPerson(app())]
    const call = callOf(account.key)
    const sandbox = await newSandbox(call)
    await newSandbox(call, 'Second')
    await putRecords(call, sandbox, [{ external_id: '1', type: 'note', text: 'Harbour opens.' }])
    const shared = await friend.newSandbox()
    const to = (userId: string) => ({ user_id: userId, role: 'viewer' })
    const given = await friend.post(`${SANDBOXES}/${shared}/connections`, to(account.user_id))
    const mine = await account.post(`${sandbox.storage}/connections`, to(friend.userId))
    const minted = await account.post(`${sandbox.storage}/connections/${mine.body.connection_id}/api-keys`)
    expect((await friend.get(sandbox.storage)).status).toBe(200)
    const erased = await admin().delete(`${ACCOUNTS}/${encodeURIComponent(account.user_id)}`)
    expect(erased).toMatchObject({ status: 200, body: { success: true } })
    expect((await account.get(PROFILE)).status).toBe(401)
    expect((await friend.get(sandbox.storage)).status).toBe(404)
    expect((await withToken(app(), minted.body.plaintext_key).get(sandbox.storage)).status).toBe(401)
    const left = (await friend.get(`${SANDBOXES}/${shared}/connections?include_revoked=true`)).body
    expect(left.map((each: { connection_id: string }) => each.connection_id)).not.toContain(given.body.connection_id)
    const { sql } = app().cairn.app
    for (const table of ['account', 'api_key', 'sandbox', 'sandbox_head', 'source', 'connection'] as const) {
      const rows = await sql.transact(account.user_id, (tx) => tx.selectFrom(table).select('user_id').execute())
      expect(rows, table).toEqual([])
    }
    for (const chain of [account.user_id, sandbox.id]) {
      const { events } = (await admin().get(`/api/v1/admin/audit?chain=${encodeURIComponent(chain)}`)).body
      expect(events[0].event).toBe(chain === sandbox.id ? 'sandbox.deleted' : 'account.erased')
      const rows = await sql.transact(account.user_id, (tx) =>
        tx.selectFrom('audit').selectAll().where('chain', '=', chain).orderBy('seq', 'desc').execute(),
      )
      expect(events.map(({ hash }: { hash: string }) => hash)).toEqual(rows.map((row) => hashOf(row).toString('hex')))
    }
    expect((await admin().delete(`${ACCOUNTS}/${encodeURIComponent(account.user_id)}`)).status).toBe(404)
    const anew = await make()
    expect([anew.status, anew.headers['idempotent-replayed']]).toEqual([201, undefined])
  })
})

onEachApp(
  (app) => {
    it('with the embedded engines the admin key is created once and readable only by its owner', async () => {
      const folder = app().folder
      const path = join(folder, 'admin.key')
      expect(statSync(path).mode & 0o777).toBe(0o600)
      const key = readFileSync(path, 'utf8').trim()
      expect(key).toMatch(/^cairnadmin_/)
      expect((await withToken(app(), key).get(ACCOUNTS)).status).toBe(200)
      expect(app().logged.join('')).not.toContain(key)
    })
  },
  { CAIRN_ADMIN_KEY: undefined },
)
