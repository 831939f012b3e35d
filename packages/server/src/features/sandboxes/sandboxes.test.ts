import { expect, test } from 'vitest'
import { newPerson, SANDBOXES } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'

const LIMITS = {
  max_data_sources: 10,
  max_projects: 20,
  max_storage_bytes: 2 ** 30,
  max_records: 100_000,
  ingest_records_per_minute: 6_000,
  queries_per_minute: 120,
}

onEachApp((app) => {
  test('a new sandbox shows what was given, its tier’s limits and its owner’s access', async () => {
    const person = await newPerson(app())
    const metadata = { list: [1, null, { deep: 'ü' }], flag: true }
    const made = await person.post(SANDBOXES, {
      name: 'Field notes',
      owner_id: 'end-user 7',
      metadata,
      user_id: 'x',
      status: 'x',
    })
    expect(made.status).toBe(201)
    expect(made.headers.location).toBe(`${SANDBOXES}/${made.body.sandbox_id}`)
    expect(made.body).toEqual({
      sandbox_id: expect.stringMatching(/^sbx_/),
      user_id: person.userId,
      owner_id: 'end-user 7',
      name: 'Field notes',
      tier: 'free',
      status: 'active',
      storage_provider_type: 'platform_s3',
      limits: LIMITS,
      metadata,
      created_at: expect.stringMatching(/Z$/),
      access: 'owner',
      is_external: false,
      encrypted: false,
      key_fingerprint: null,
    })
    expect((await person.get(`${SANDBOXES}/${made.body.sandbox_id}`)).body).toEqual(made.body)
  })

  test('a name is taken within one owner_id of one account, compared as given', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const input = { name: 'Notes', owner_id: 'o1' }
    expect((await person.post(SANDBOXES, input)).status).toBe(201)
    expect(await person.post(SANDBOXES, input)).toMatchObject({
      status: 409,
      body: { error: 'conflict', reason: 'duplicate_name' },
    })
    for (const free of [
      { ...input, owner_id: 'o2' },
      { ...input, name: 'notes' },
      { ...input, name: 'Notes ' },
    ]) {
      expect((await person.post(SANDBOXES, free)).status).toBe(201)
    }
    expect((await other.post(SANDBOXES, input)).status).toBe(201)
  })

  test('of twenty that create the same sandbox at once, one does', async () => {
    const person = await newPerson(app())
    const input = { name: 'Race', owner_id: 'o1' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => person.post(SANDBOXES, input)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  })

  test('a change keeps what is omitted or null, and replaces metadata as a whole', async () => {
    const person = await newPerson(app())
    const made = await person.post(SANDBOXES, { name: 'Old', owner_id: 'o', metadata: { a: 1, b: 2 } })
    const path = `${SANDBOXES}/${made.body.sandbox_id}`
    for (const nothing of [{}, { name: null, metadata: null }, { tier: 'pro', user_id: 'x', status: 'archived' }]) {
      expect(await person.patch(path, nothing)).toMatchObject({ status: 200, body: made.body })
    }
    expect((await person.patch(path, { metadata: { c: 3 } })).body).toEqual({ ...made.body, metadata: { c: 3 } })
    expect((await person.patch(path, { name: 'New' })).body).toEqual({ ...made.body, name: 'New', metadata: { c: 3 } })
    await person.post(SANDBOXES, { name: 'Taken', owner_id: 'o' })
    expect(await person.patch(path, { name: 'Taken' })).toMatchObject({
      status: 409,
      body: { reason: 'duplicate_name' },
    })
    expect((await person.get(path)).body.name).toBe('New')
  })

  test('a list is newest first, filtered, in pages that miss and repeat nothing', async () => {
    const person = await newPerson(app())
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) ids.unshift(await person.newSandbox())
    await person.post(SANDBOXES, { name: 'Elsewhere', owner_id: 'someone else' })
    const idsOf = (body: { sandboxes: { sandbox_id: string }[] }) => body.sandboxes.map((each) => each.sandbox_id)
    const all = await person.get(`${SANDBOXES}?owner_id=owner`)
    expect(idsOf(all.body)).toEqual(ids)
    expect(all.body).toMatchObject({ count: 5 })
    expect(all.body).not.toHaveProperty('next_cursor')
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await person.get(`${SANDBOXES}?owner_id=owner&limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...idsOf(page.body))
      cursor = page.body.next_cursor
    } while (cursor)
    expect(seen).toEqual(ids)
  })

  test('a cursor of another account or for other filters is refused', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    await person.newSandbox()
    await person.newSandbox()
    const { next_cursor: cursor } = (await person.get(`${SANDBOXES}?limit=1`)).body
    expect((await person.get(`${SANDBOXES}?limit=1&cursor=${cursor}`)).status).toBe(200)
    for (const refused of [
      await other.get(`${SANDBOXES}?cursor=${cursor}`),
      await person.get(`${SANDBOXES}?owner_id=owner&cursor=${cursor}`),
    ]) {
      expect(refused).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } })
    }
  })

  test('an archived sandbox is listed only when asked for', async () => {
    const person = await newPerson(app())
    const [kept, archived] = [await person.newSandbox(), await person.newSandbox()]
    await app().cairn.app.sql.transact(person.userId, (tx) =>
      tx.updateTable('sandbox').set({ status: 'archived' }).where('id', '=', archived).execute(),
    )
    const listed = async (query: string) =>
      (await person.get(`${SANDBOXES}${query}`)).body.sandboxes.map((each: { sandbox_id: string }) => each.sandbox_id)
    expect(await listed('')).toEqual([kept])
    expect(await listed('?status=archived')).toEqual([archived])
    expect((await person.get(`${SANDBOXES}/${archived}`)).status).toBe(200)
    expect(await person.patch(`${SANDBOXES}/${archived}`, { name: 'x' })).toMatchObject({
      status: 409,
      body: { reason: 'sandbox_not_active' },
    })
  })

  test('another’s sandbox and one that never was are the same 404, whatever is done to them', async () => {
    const [person, other] = [await newPerson(app()), await newPerson(app())]
    const theirs = await other.newSandbox()
    const absent = `${theirs.slice(0, -1)}${theirs.endsWith('0') ? '1' : '0'}`
    const answerTo = async (id: string) => {
      const path = `${SANDBOXES}/${id}`
      const answers = [
        await person.get(path),
        await person.patch(path, { name: 'x' }),
        await person.patch(path, 'not even an object'),
        await person.delete(path),
        await person.get(`${path}/sources`),
        await person.post(`${path}/projects`, {}),
      ]
      return answers.map(({ status, body }) => ({ status, ...body, request_id: '' }))
    }
    const answers = await answerTo(theirs)
    expect(answers).toEqual(await answerTo(absent))
    expect(answers.every(({ status }) => status === 404)).toBe(true)
    expect((await other.get(`${SANDBOXES}/${theirs}`)).status).toBe(200)
  })

  test('a deleted sandbox is gone with what was in it, its name is free, and its audit stays', async () => {
    const person = await newPerson(app())
    const made = await person.post(SANDBOXES, { name: 'Passing', owner_id: 'o' })
    const path = `${SANDBOXES}/${made.body.sandbox_id}`
    const source = await person.post(`${path}/sources`, { provider: 'slack', name: 'Chat', ingestion_mode: 'realtime' })
    await person.post(`${path}/projects`, { name: 'P', data_source_ids: [source.body.data_source_id] })
    await person.post('/api/v1/users/me/profile', { sandbox_id: made.body.sandbox_id })
    const deleted = await person.delete(path)
    expect(deleted).toMatchObject({
      status: 200,
      body: { success: true, deleted: { sql: 6, records: 0, entities: 0, links: 0 } },
    })
    expect((await person.get(path)).status).toBe(404)
    expect((await person.get('/api/v1/users/me/profile')).body.sandbox_id).toBeNull()
    expect((await person.post(SANDBOXES, { name: 'Passing', owner_id: 'o' })).status).toBe(201)
    const left = await app().cairn.app.sql.transact(person.userId, async (tx) => ({
      sources: await tx.selectFrom('source').selectAll().execute(),
      secrets: await tx.selectFrom('source_secret').selectAll().execute(),
      links: await tx.selectFrom('project_source').selectAll().execute(),
      events: await tx
        .selectFrom('audit')
        .select('event')
        .where('chain', '=', made.body.sandbox_id)
        .orderBy('seq')
        .execute(),
    }))
    expect(left).toMatchObject({ sources: [], secrets: [], links: [] })
    expect(left.events.map(({ event }) => event)).toEqual([
      'sandbox.created',
      'source.registered',
      'project.created',
      'sandbox.deleted',
    ])
  })
})
