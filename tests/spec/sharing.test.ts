import { expect, it } from 'vitest'
import { newId } from '../../packages/server/src/base/id.ts'
import { newPerson, type Person, SANDBOXES, withToken } from '../harness/postgres-people.ts'
import { onEachApp } from '../harness/test-app.ts'

/** The database's clock decides whether a connection has expired, so these dates are absolute. */
const PAST = '2020-01-01T00:00:00Z'
const FUTURE = '9000-01-01T00:00:00Z'
const PROFILE = '/api/v1/users/me/profile'

onEachApp((app) => {
  const start = async () => {
    const [owner, friend] = [await newPerson(app()), await newPerson(app())]
    const sandbox = await owner.newSandbox()
    const path = `${SANDBOXES}/${sandbox}`
    return { owner, friend, sandbox, path, connections: `${path}/connections` }
  }
  const listed = async (person: Pick<Person, 'get'>) =>
    (await person.get(SANDBOXES)).body.sandboxes.map((each: Record<string, unknown>) => [
      each.sandbox_id,
      each.access,
      each.is_external,
    ])
  const change = (userId: string, id: string, set: { expires_at: Date }) =>
    app().cairn.app.sql.transact(userId, (tx) => tx.updateTable('connection').set(set).where('id', '=', id).execute())

  it('lists a shared sandbox while the connection is active, and not before or after', async () => {
    const { owner, friend, sandbox, path, connections } = await start()
    expect(await listed(friend)).toEqual([])
    const made = await owner.post(connections, { user_id: friend.userId, role: 'viewer', label: 'Support' })
    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({
      connection_id: expect.stringMatching(/^con_/),
      sandbox_id: sandbox,
      user_id: friend.userId,
      role: 'viewer',
      project_id: null,
      grantee: null,
      label: 'Support',
      expires_at: null,
      revoked_at: null,
      created_by: owner.userId,
      created_at: expect.stringMatching(/Z$/),
      status: 'active',
    })
    expect(await listed(friend)).toEqual([[sandbox, 'viewer', true]])
    expect((await friend.get(path)).body).toMatchObject({ access: 'viewer', is_external: true })
    expect((await owner.delete(`${connections}/${made.body.connection_id}`)).body.success).toBe(true)
    expect(await listed(friend)).toEqual([])
    expect((await friend.get(path)).status).toBe(404)
  })

  it('shows nothing through an expired connection', async () => {
    const { owner, friend, path, connections } = await start()
    const soon = { user_id: friend.userId, role: 'editor', expires_at: FUTURE }
    const made = await owner.post(connections, soon)
    expect(made.body).toMatchObject({ expires_at: '9000-01-01T00:00:00.000Z', status: 'active' })
    expect((await friend.get(path)).status).toBe(200)
    await change(owner.userId, made.body.connection_id, { expires_at: new Date(PAST) })
    expect((await friend.get(path)).status).toBe(404)
    expect(await listed(friend)).toEqual([])
    expect((await owner.get(connections)).body).toMatchObject([{ status: 'expired' }])
  })

  it('rejects a connection with nobody, oneself or an address, with a past end or a foreign project', async () => {
    const { owner, friend, sandbox, connections } = await start()
    const other = await start()
    const foreign = (await other.owner.post(`${other.path}/projects`, { name: 'P' })).body.project_id
    const own = (await owner.post(`${SANDBOXES}/${sandbox}/projects`, { name: 'P' })).body.project_id
    await owner.post(`${SANDBOXES}/${sandbox}/projects/${own}/archive`)
    const to = { user_id: friend.userId, role: 'viewer' }
    const cases: [object, number, object][] = [
      [{ role: 'viewer', user_id: newId('account', app().clock) }, 422, { reason: 'unknown_grantee' }],
      [{ role: 'viewer', user_id: owner.userId }, 422, { reason: 'unknown_grantee' }],
      [{ role: 'viewer', email: 'a@example.org' }, 501, { error: 'not_implemented' }],
      [{ role: 'viewer' }, 422, { errors: [{ loc: ['body', 'user_id'], type: 'missing' }] }],
      [{ ...to, role: 'owner' }, 422, { errors: [{ loc: ['body', 'role'] }] }],
      [{ ...to, role: undefined }, 422, { errors: [{ loc: ['body', 'role'] }] }],
      [{ ...to, expires_at: PAST }, 422, { errors: [{ loc: ['body', 'expires_at'] }] }],
      [{ ...to, expires_at: 'tomorrow' }, 422, { errors: [{ loc: ['body', 'expires_at'] }] }],
      [{ ...to, project_id: newId('project', app().clock) }, 404, { error: 'not_found' }],
      [{ ...to, project_id: foreign }, 404, { error: 'not_found' }],
      [{ ...to, project_id: own }, 409, { reason: 'project_archived' }],
    ]
    for (const [body, status, expected] of cases) {
      const refused = await owner.post(connections, body)
      expect(refused.body, JSON.stringify(body)).toMatchObject(expected)
      expect(refused.status, JSON.stringify(body)).toBe(status)
    }
    expect((await owner.get(connections)).body).toEqual([])
  })

  it('only the owner can see, create and revoke connections and read the audit log', async () => {
    const { owner, friend, path, connections } = await start()
    const stranger = await newPerson(app())
    const made = await owner.post(connections, { user_id: friend.userId, role: 'editor' })
    const one = `${connections}/${made.body.connection_id}`
    const tries = (person: Person) =>
      Promise.all([
        person.get(connections),
        person.post(connections, { user_id: stranger.userId, role: 'viewer' }),
        person.delete(one),
        person.post(`${one}/api-keys`),
        person.get(`${path}/audit`),
        person.patch(path, { name: 'x' }),
      ])
    for (const { status, body } of await tries(friend)) expect([status, body.error]).toEqual([403, 'forbidden'])
    const viewer = await newPerson(app())
    await owner.post(connections, { user_id: viewer.userId, role: 'viewer' })
    for (const { status, body } of await tries(viewer)) expect([status, body.error]).toEqual([403, 'forbidden'])
    for (const { status, body } of await tries(stranger)) expect([status, body.error]).toEqual([404, 'not_found'])
    expect((await owner.get(connections)).body).toHaveLength(2)
  })

  it('lists connections newest first, revoked ones on request, and revoking is idempotent', async () => {
    const { owner, friend, connections } = await start()
    const first = (await owner.post(connections, { user_id: friend.userId, role: 'viewer' })).body.connection_id
    const second = (await owner.post(connections, { user_id: friend.userId, role: 'editor' })).body.connection_id
    const ids = async (query: string) =>
      (await owner.get(`${connections}${query}`)).body.map((each: { connection_id: string }) => each.connection_id)
    expect(await ids('')).toEqual([second, first])
    expect((await owner.delete(`${connections}/${first}`)).status).toBe(200)
    const revoked = (await owner.get(`${connections}?include_revoked=true`)).body[1]
    expect(revoked).toMatchObject({ connection_id: first, status: 'revoked', revoked_at: expect.any(String) })
    app().clock.advance(1000)
    expect((await owner.delete(`${connections}/${first}`)).status).toBe(200)
    expect((await owner.get(`${connections}?include_revoked=true`)).body[1]).toEqual(revoked)
    expect(await ids('')).toEqual([second])
    expect((await owner.delete(`${connections}/${newId('connection', app().clock)}`)).status).toBe(404)
  })

  const withKey = async (role: 'viewer' | 'editor') => {
    const started = await start()
    const { owner, friend, connections } = started
    const made = await owner.post(connections, { user_id: friend.userId, role })
    const connection = made.body.connection_id as string
    const minted = await owner.post(`${connections}/${connection}/api-keys`)
    return { ...started, connection, minted, holder: withToken(app(), minted.body.plaintext_key) }
  }

  it("a connection’s key acts as its account only in that sandbox, with the connection's role", async () => {
    const { owner, friend, sandbox, path, minted, holder } = await withKey('viewer')
    expect(minted).toMatchObject({ status: 201, body: { expires_at: null, warning: expect.any(String) } })
    expect(minted.body.plaintext_key).toMatch(/^cairnshare_/)
    expect(minted.body.key_prefix).toBe(minted.body.plaintext_key.slice(0, 17))
    const [own, granted] = [await friend.newSandbox(), await owner.newSandbox()]
    await owner.post(`${SANDBOXES}/${granted}/connections`, { user_id: friend.userId, role: 'editor' })
    expect(await listed(holder)).toEqual([[sandbox, 'viewer', true]])
    expect((await holder.get(path)).body).toMatchObject({ access: 'viewer', is_external: true })
    expect((await holder.get(`${SANDBOXES}/${own}`)).status).toBe(404)
    expect((await holder.get(`${SANDBOXES}/${granted}`)).status).toBe(404)
    expect((await holder.post(`${path}/projects`, { name: 'x' })).status).toBe(403)
    await owner.post(`${path}/connections`, { user_id: friend.userId, role: 'editor' })
    expect((await friend.get(path)).body.access).toBe('editor')
    expect((await holder.get(path)).body.access).toBe('viewer')
  })

  it('a connection’s key is rejected for account operations, with the reason', async () => {
    const { holder, friend } = await withKey('editor')
    const tries = [
      await holder.get('/api/v1/api-keys'),
      await holder.post('/api/v1/api-keys', { name: 'x' }),
      await holder.get(PROFILE),
      await holder.post(PROFILE, { display_name: 'x' }),
      await holder.post(SANDBOXES, { name: 'x', owner_id: 'x' }),
    ]
    for (const { status, body } of tries) expect([status, body.reason]).toEqual([403, 'connection_key_limits'])
    expect((await holder.get('/api/v1/admin/accounts')).status).toBe(403)
    expect((await friend.get('/api/v1/api-keys')).body).toHaveLength(1)
  })

  it('an editor’s key writes in its sandbox, and so does the shorthand for the primary sandbox', async () => {
    const { owner, friend, path, sandbox, holder, minted } = await withKey('editor')
    await friend.post(PROFILE, { sandbox_id: await friend.newSandbox() })
    expect((await holder.post(`${path}/projects`, { name: 'Ours' })).status).toBe(201)
    const taken = await holder.post('/api/v1/storage/ingest', { text: 'By a key.' })
    expect(taken).toMatchObject({ status: 202, body: { sandbox_id: sandbox } })
    const { events } = (await owner.get(`${path}/audit`)).body
    expect(events[0]).toMatchObject({
      event: 'content.ingested',
      actor_user_id: friend.userId,
      credential_id: minted.body.api_key_id,
    })
  })

  it('a connection’s keys end with it, with its sandbox, and with the access of its account', async () => {
    const revoked = await withKey('viewer')
    const expired = await withKey('viewer')
    const deleted = await withKey('viewer')
    const suspended = await withKey('viewer')
    for (const { holder, path } of [revoked, expired, deleted, suspended]) {
      expect((await holder.get(path)).status).toBe(200)
    }
    await revoked.owner.delete(`${revoked.connections}/${revoked.connection}`)
    await change(expired.owner.userId, expired.connection, { expires_at: new Date(PAST) })
    await deleted.owner.delete(deleted.path)
    await app().cairn.app.sql.transact(suspended.friend.userId, (tx) =>
      tx.updateTable('account').set({ status: 'suspended' }).execute(),
    )
    expect((await revoked.holder.get(revoked.path)).status).toBe(401)
    expect([401, 404]).toContain((await expired.holder.get(expired.path)).status)
    await expect.poll(async () => (await expired.holder.get(expired.path)).status).toBe(401)
    await expect.poll(async () => (await deleted.holder.get(deleted.path)).status).toBe(401)
    await expect.poll(async () => (await suspended.holder.get(suspended.path)).status).toBe(401)
    const more = await revoked.owner.post(`${revoked.connections}/${revoked.connection}/api-keys`)
    expect(more).toMatchObject({ status: 409, body: { reason: 'connection_not_active' } })
    const late = await expired.owner.post(`${expired.connections}/${expired.connection}/api-keys`)
    expect(late.body.reason).toBe('connection_not_active')
  })

  it('a repeated connection returns the same one, without its key', async () => {
    const { owner, friend, connections } = await start()
    const keyed = (url: string, body?: unknown) =>
      app().anonymous('POST', url, body, { authorization: `Bearer ${owner.key}`, 'idempotency-key': 'once' })
    const made = await keyed(connections, { user_id: friend.userId, role: 'viewer' })
    const again = await keyed(connections, { user_id: friend.userId, role: 'viewer' })
    expect([again.status, again.body]).toEqual([201, made.body])
    expect((await owner.get(connections)).body).toHaveLength(1)
    const keys = `${connections}/${made.body.connection_id}/api-keys`
    const minted = await keyed(keys)
    expect(minted.body.plaintext_key).toMatch(/^cairnshare_/)
    expect((await keyed(keys)).body).toEqual({ ...minted.body, plaintext_key: null })
  })

  it('the owner can revoke a single key of a connection', async () => {
    const { owner, friend, path, connections, connection, minted, holder } = await withKey('viewer')
    const other = await owner.post(`${connections}/${connection}/api-keys`)
    const keys = (await owner.get('/api/v1/api-keys')).body
    expect(keys.map(({ id }: { id: string }) => id)).toContain(minted.body.api_key_id)
    const one = `/api/v1/api-keys/${minted.body.api_key_id}`
    expect((await friend.delete(one)).status).toBe(404)
    expect((await owner.delete(one)).status).toBe(200)
    expect((await holder.get(path)).status).toBe(401)
    expect((await withToken(app(), other.body.plaintext_key).get(path)).status).toBe(200)
  })

  it('only the digest of a connection’s key is stored', async () => {
    const { owner, minted } = await withKey('viewer')
    const rows = await app().cairn.app.sql.transact(owner.userId, (tx) =>
      tx.selectFrom('api_key').selectAll().execute(),
    )
    const row = rows.find(({ id }) => id === minted.body.api_key_id)
    expect(row?.key_hash).toHaveLength(32)
    expect(JSON.stringify(row)).not.toContain(minted.body.plaintext_key.slice(20))
  })

  it('a suspended sandbox accepts no new connection, and its connections can be revoked', async () => {
    const { owner, friend, sandbox, connections } = await start()
    const made = await owner.post(connections, { user_id: friend.userId, role: 'viewer' })
    await app().cairn.app.sql.transact(owner.userId, (tx) =>
      tx.updateTable('sandbox').set({ status: 'suspended' }).where('id', '=', sandbox).execute(),
    )
    const refused = await owner.post(connections, { user_id: friend.userId, role: 'viewer' })
    expect(refused).toMatchObject({ status: 409, body: { reason: 'sandbox_not_active' } })
    expect((await owner.delete(`${connections}/${made.body.connection_id}`)).status).toBe(200)
  })

  it('the audit log has actor and credential of each event, newest first, in pages, and no content', async () => {
    const { owner, friend, sandbox, path, connections } = await start()
    await owner.post(`${path}/projects`, { name: 'Canary Project' })
    await owner.post(connections, { user_id: friend.userId, role: 'viewer', label: 'Canary Label' })
    const { body } = await owner.get(`${path}/audit`)
    expect(body.count).toBe(3)
    expect(body.events.map(({ event }: { event: string }) => event)).toEqual([
      'connection.created',
      'project.created',
      'sandbox.created',
    ])
    expect(body.events[2]).toMatchObject({ seq: 1, subject_id: sandbox, actor_user_id: owner.userId })
    expect(body.events[2].previous_hash).toBe('0'.repeat(64))
    for (const at of [0, 1]) expect(body.events[at].previous_hash).toBe(body.events[at + 1].hash)
    expect(JSON.stringify(body)).not.toContain('Canary')
    const first = await owner.get(`${path}/audit?limit=2`)
    const next = await owner.get(`${path}/audit?limit=2&cursor=${first.body.next_cursor}`)
    expect([...first.body.events, ...next.body.events]).toEqual(body.events)
    expect(next.body).not.toHaveProperty('next_cursor')
  })
})
