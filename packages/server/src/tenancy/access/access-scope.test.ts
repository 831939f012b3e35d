import { expect, test } from 'vitest'
import { newPerson, type Person, SANDBOXES } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp, type TestApp } from '../../../../../tests/harness/test-app.ts'
import { newId } from '../../base/id.ts'
import type { Row } from '../../db/tables.ts'

/** A past date. The database's clock decides whether a grant has expired. */
const PAST = new Date('2020-01-01T00:00:00Z')
const FUTURE = new Date('9000-01-01T00:00:00Z')

/** Grants one user's sandbox to another user. */
async function grant(app: TestApp, owner: Person, sandbox: string, to: Person, how: Partial<Row<'connection'>> = {}) {
  const now = app.clock.now()
  await app.cairn.app.sql.transact(owner.userId, (tx) =>
    tx
      .insertInto('connection')
      .values({
        user_id: owner.userId,
        sandbox_id: sandbox,
        id: newId('connection', app.clock),
        grantee_user_id: to.userId,
        role: 'viewer',
        project_id: null,
        label: null,
        created_by: owner.userId,
        created_at: now,
        expires_at: null,
        revoked_at: null,
        ...how,
      })
      .execute(),
  )
}

onEachApp((app) => {
  const start = async () => {
    const [owner, friend] = [await newPerson(app()), await newPerson(app())]
    const sandbox = await owner.newSandbox()
    return { owner, friend, sandbox, path: `${SANDBOXES}/${sandbox}` }
  }
  const listed = async (person: Person) =>
    (await person.get(SANDBOXES)).body.sandboxes.map((each: Record<string, unknown>) => [
      each.sandbox_id,
      each.access,
      each.is_external,
    ])

  test('a viewer can only read; other operations are 403, because it knows the sandbox', async () => {
    const { owner, friend, sandbox, path } = await start()
    expect((await friend.get(path)).status).toBe(404)
    await grant(app(), owner, sandbox, friend)
    expect((await friend.get(path)).body).toMatchObject({ access: 'viewer', is_external: true, user_id: owner.userId })
    expect(await listed(friend)).toEqual([[sandbox, 'viewer', true]])
    expect(await listed(owner)).toEqual([[sandbox, 'owner', false]])
    expect((await friend.post(`${path}/projects`, { name: 'x' })).status).toBe(403)
    expect((await friend.patch(path, { name: 'x' })).status).toBe(403)
    expect((await friend.delete(path)).status).toBe(403)
  })

  test('an editor changes sources and projects, not the sandbox', async () => {
    const { owner, friend, sandbox, path } = await start()
    await grant(app(), owner, sandbox, friend, { role: 'editor' })
    const made = await friend.post(`${path}/projects`, { name: 'Ours' })
    expect(made).toMatchObject({ status: 201, body: { user_id: owner.userId } })
    expect((await friend.post(`${path}/sources`, { provider: 'slack', name: 'Chat' })).status).toBe(201)
    expect((await friend.patch(path, { name: 'x' })).status).toBe(403)
    expect((await owner.get(`${path}/projects`)).body.projects[0].project_id).toBe(made.body.project_id)
  })

  test('a revoked or expired grant gives no access from the next request on', async () => {
    const { owner, friend, sandbox, path } = await start()
    await grant(app(), owner, sandbox, friend, { expires_at: PAST })
    await grant(app(), owner, sandbox, friend, { revoked_at: PAST })
    expect((await friend.get(path)).status).toBe(404)
    expect(await listed(friend)).toEqual([])
    await grant(app(), owner, sandbox, friend, { expires_at: FUTURE })
    expect((await friend.get(path)).status).toBe(200)
    await app().cairn.app.sql.transact(owner.userId, (tx) =>
      tx.updateTable('connection').set({ revoked_at: PAST }).execute(),
    )
    expect((await friend.get(path)).status).toBe(404)
  })

  test('the widest of several grants applies', async () => {
    const { owner, friend, sandbox, path } = await start()
    await grant(app(), owner, sandbox, friend, { role: 'viewer' })
    await grant(app(), owner, sandbox, friend, { role: 'editor' })
    expect((await friend.get(path)).body.access).toBe('editor')
    expect(await listed(friend)).toEqual([[sandbox, 'editor', true]])
  })

  test('a grant on one project shows only that project and its sources', async () => {
    const { owner, friend, sandbox, path } = await start()
    const inside = (await owner.post(`${path}/sources`, { provider: 'slack', name: 'In' })).body.data_source_id
    const outside = (await owner.post(`${path}/sources`, { provider: 'slack', name: 'Out' })).body.data_source_id
    const ours = (await owner.post(`${path}/projects`, { name: 'Ours', data_source_ids: [inside] })).body.project_id
    const theirs = (await owner.post(`${path}/projects`, { name: 'Theirs', data_source_ids: [outside] })).body
      .project_id
    await grant(app(), owner, sandbox, friend, { role: 'editor', project_id: ours })
    const projects = (await friend.get(`${path}/projects`)).body.projects
    expect(projects.map((each: { project_id: string }) => each.project_id)).toEqual([ours])
    const sources = (await friend.get(`${path}/sources`)).body.sources
    expect(sources.map((each: { data_source_id: string }) => each.data_source_id)).toEqual([inside])
    expect((await friend.get(`${path}/projects/${theirs}`)).status).toBe(404)
    expect((await friend.get(`${path}/sources/${outside}`)).status).toBe(404)
    expect((await friend.patch(`${path}/sources/${outside}`, { name: 'x' })).status).toBe(404)
    expect((await friend.post(`${path}/projects/${ours}/sources/${outside}`)).status).toBe(404)
    expect((await friend.post(`${path}/projects`, { name: 'x' })).status).toBe(403)
    const made = await friend.post(`${path}/sources`, { provider: 'slack', name: 'New' })
    expect((await friend.get(`${path}/sources/${made.body.data_source_id}`)).status).toBe(200)
  })

  test('concurrent requests of one credential are decided separately for each sandbox', async () => {
    const { owner, friend, path } = await start()
    const [lent, kept, theirs] = [await owner.newSandbox(), await owner.newSandbox(), await friend.newSandbox()]
    await grant(app(), owner, lent, friend, { role: 'editor' })
    const missing = newId('sandbox', app().clock)
    const asked = [lent, kept, theirs, missing, lent].map((id) => `${SANDBOXES}/${id}`)
    const rounds = Array.from({ length: 10 }, () => asked).flat()
    const access = (person: Person) => Promise.all(rounds.map(async (each) => (await person.get(each)).body.access))
    const [seenByOwner, seenByFriend] = await Promise.all([access(owner), access(friend)])
    expect(seenByOwner).toEqual(rounds.map((_, at) => ['owner', 'owner', undefined, undefined, 'owner'][at % 5]))
    expect(seenByFriend).toEqual(rounds.map((_, at) => ['editor', undefined, 'owner', undefined, 'editor'][at % 5]))
    expect((await friend.get(path)).status).toBe(404)
  })

  test('a grant that ends during a look-up gives no access to later requests', async () => {
    const { owner, friend, sandbox, path } = await start()
    await grant(app(), owner, sandbox, friend)
    const busy = Array.from({ length: 30 }, () => friend.get(path))
    await app().cairn.app.sql.transact(owner.userId, (tx) =>
      tx.updateTable('connection').set({ revoked_at: PAST }).execute(),
    )
    expect((await friend.get(path)).status).toBe(404)
    await Promise.all(busy)
  })

  test('without a primary sandbox, the shorthand is rejected with a reason', async () => {
    const person = await newPerson(app())
    expect(await person.post('/api/v1/storage/ingest', { text: 'x' })).toMatchObject({
      status: 404,
      body: { reason: 'no_primary_sandbox' },
    })
  })
})
