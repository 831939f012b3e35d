import { expect, test } from 'vitest'
import { newPerson, SANDBOXES, withToken } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'
import { sha256 } from '../../base/digest.ts'
import { openAuthenticator } from './authenticate.ts'
import { newApiKey } from './key-format.ts'
import { bootstrapAccount } from './store.ts'

const KEYS = '/api/v1/api-keys'
const PROFILE = '/api/v1/users/me/profile'
const DAY_MS = 24 * 60 * 60 * 1000

onEachApp((app) => {
  test('the first start creates an account and a key; later starts create nothing', async () => {
    await expect(bootstrapAccount(app().cairn.app, 'cairn_not-a-key')).rejects.toThrow(
      /CAIRN_BOOTSTRAP_API_KEY must be/,
    )
    const given = newApiKey()
    // Several processes may start at the same time on an empty database. The embedded database has only one process.
    const starts = app().cairn.app.sql.kind === 'pglite' ? 1 : 4
    const made = await Promise.all(Array.from({ length: starts }, () => bootstrapAccount(app().cairn.app, given)))
    expect(made.filter((key) => key !== undefined)).toEqual([given])
    expect(await bootstrapAccount(app().cairn.app, null)).toBeUndefined()
    expect((await withToken(app(), given).get(PROFILE)).body.user_id).toMatch(/^acct_/)
  })

  test('a key is shown once, listed without its secret, and stored only as its SHA-256', async () => {
    const person = await newPerson(app())
    const made = await person.post(KEYS, { name: 'laptop', expires_in_days: 2 })
    expect(made).toMatchObject({ status: 201, body: { name: 'laptop', warning: expect.any(String) } })
    const lifeMs = Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)
    expect(lifeMs).toBe(2 * DAY_MS)
    expect((await withToken(app(), made.body.key).get(PROFILE)).status).toBe(200)
    const listed = await person.get(KEYS)
    expect(listed.body.map((key: { name: string }) => key.name)).toEqual(['laptop', 'test'])
    expect(JSON.stringify(listed.body)).not.toContain(made.body.key)
    expect(made.body.key.startsWith(listed.body[0].key_prefix)).toBe(true)
    const rows = await app().cairn.app.sql.transact(person.userId, (tx) =>
      tx.selectFrom('api_key').selectAll().execute(),
    )
    expect(rows.find(({ id }) => id === made.body.id)?.key_hash).toEqual(sha256(made.body.key))
    expect(JSON.stringify(rows)).not.toContain(made.body.key)
  })

  test('a revoked key is rejected, and keys of others cannot be revoked', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const made = await person.post(KEYS, { name: 'short' })
    expect((await other.delete(`${KEYS}/${made.body.id}`)).status).toBe(404)
    const revoked = await person.delete(`${KEYS}/${made.body.id}`)
    expect(revoked).toMatchObject({ status: 200, body: { revoked: true, id: made.body.id, name: 'short' } })
    expect((await withToken(app(), made.body.key).get(PROFILE)).status).toBe(401)
    expect((await person.delete(`${KEYS}/${made.body.id}`)).status).toBe(404)
  })

  test('unknown, malformed, revoked and expired keys and keys of a suspended account get the same error', async () => {
    const person = await newPerson(app())
    const made = await person.post(KEYS, { name: 'brief', expires_in_days: 1 })
    const suspended = await newPerson(app())
    await app().cairn.app.sql.transact(suspended.userId, (tx) =>
      tx.updateTable('account').set({ status: 'suspended' }).execute(),
    )
    const refusals = [
      await withToken(app(), newApiKey()).get(PROFILE),
      await withToken(app(), 'nothing').get(PROFILE),
      await withToken(app(), newApiKey().slice(0, -1)).get(PROFILE),
      await suspended.get(PROFILE),
    ]
    app().clock.advance(DAY_MS + 1000)
    refusals.push(await withToken(app(), made.body.key).get(PROFILE))
    for (const refusal of refusals) {
      expect(refusal.status).toBe(401)
      expect({ ...refusal.body, request_id: '' }).toEqual({ ...refusals[0]?.body, request_id: '' })
    }
    expect((await person.get(KEYS)).body[0]).toMatchObject({ name: 'brief', is_expired: true })
  })

  test('key uses are counted, including simultaneous ones, and written on shutdown', async () => {
    const person = await newPerson(app())
    const authenticator = openAuthenticator(app().cairn.app, { adminKeyHash: null, tokens: null })
    await Promise.all(Array.from({ length: 7 }, () => authenticator.authenticate(person.key, '127.0.0.1')))
    await authenticator.close()
    const { body } = await person.get(KEYS)
    expect(body[0].use_count).toBeGreaterThanOrEqual(7)
    expect(Date.parse(body[0].last_used_at)).toBeGreaterThan(0)
  })

  test('the profile accepts a sandbox with a project, and rejects ones that the caller cannot write to', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const [sandbox, foreign] = [await person.newSandbox(), await other.newSandbox()]
    const elsewhere = await person.newSandbox()
    const project = (await person.post(`${SANDBOXES}/${sandbox}/projects`, { name: 'Launch' })).body.project_id
    expect((await person.post(PROFILE, { project_id: project })).status).toBe(404)
    expect((await person.post(PROFILE, { sandbox_id: foreign })).status).toBe(404)
    const set = await person.post(PROFILE, { display_name: 'Ann', sandbox_id: sandbox, project_id: project })
    expect(set).toMatchObject({ status: 200, body: { display_name: 'Ann', sandbox_id: sandbox, project_id: project } })
    expect((await person.post(PROFILE, { display_name: null })).body).toEqual(set.body)
    expect((await person.post(PROFILE, { sandbox_id: elsewhere })).body.project_id).toBeNull()
    expect((await person.post(PROFILE, { sandbox_id: null })).body).toMatchObject({
      sandbox_id: null,
      project_id: null,
    })
    await person.post(PROFILE, { sandbox_id: sandbox })
    await person.post(`${SANDBOXES}/${sandbox}/projects/${project}/archive`)
    expect((await person.post(PROFILE, { project_id: project })).body.reason).toBe('project_archived')
  })
})
