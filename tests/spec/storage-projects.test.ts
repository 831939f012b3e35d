import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

const MISSING = `prj_${'0'.repeat(26)}`
const MISSING_SOURCE = `src_${'0'.repeat(26)}`
const FREE_FORM_BYTES = 16 * 1024

/** Invalid values by field, for both creating and updating. */
const REFUSED: [string, unknown[]][] = [
  ['name', ['', ' ', 'x'.repeat(256), '🪨'.repeat(256), 5]],
  ['description', ['x'.repeat(2049), '🪨'.repeat(2049), 5]],
  ['metadata', [[], 'x', 5, { a: 'x'.repeat(FREE_FORM_BYTES) }]],
]

onEachApp((app) => {
  const open = async (tier = 'pro') => {
    const account = await app().newAccount()
    const { call } = account
    const sandbox = await newSandbox(call, 'Sandbox', tier)
    const all = `${sandbox.storage}/projects`
    const create = (body: object) => call('POST', all, { name: 'Launch', ...body })
    const register = async (storage = sandbox.storage) => {
      const { body } = await call('POST', `${storage}/sources`, { provider: 'github', name: 'Code' })
      return body.data_source_id as string
    }
    return { ...account, sandbox, all, create, register }
  }

  it('creates a project with the given sources and fields, and returns its location', async () => {
    const { call, create, register, all, sandbox, userId } = await open()
    const second = await register()
    const readOnly = { project_id: MISSING, user_id: 'x', status: 'archived', sandbox_id: 'x', created_at: null }
    const given = { description: 'All of it', metadata: { a: [1] } }
    const made = await create({ ...readOnly, ...given, data_source_ids: [second, sandbox.source, second] })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      project_id: expect.stringMatching(/^prj_[0-9a-v]{26}$/),
      user_id: userId,
      sandbox_id: sandbox.id,
      name: 'Launch',
      status: 'active',
      ...given,
      data_source_ids: [sandbox.source, second].sort(),
      created_at: app().clock.now().toISOString(),
    })
    expect(made.body.project_id).not.toBe(MISSING)
    const path = `${all}/${made.body.project_id}`
    expect(made.headers.location).toBe(path)
    expect((await call('GET', path)).body).toEqual(made.body)
    const plain = await create({})
    expect(plain.body).toMatchObject({ name: 'Launch', description: null, data_source_ids: [], metadata: {} })
  })

  it('accepts every field up to its limit and not beyond, and names the field', async () => {
    const { call, create, all } = await open()
    const onCreateOnly: [string, unknown[]][] = [
      ['name', [undefined, null]],
      ['metadata', [null]],
      ['data_source_ids', [null, 'x', {}, Array(10_001).fill(MISSING_SOURCE)]],
    ]
    for (const [field, values] of [...onCreateOnly, ...REFUSED]) {
      for (const value of values) {
        const { status, body } = await create({ [field]: value })
        const message = `${field} ${JSON.stringify(value)?.slice(0, 40)}`
        expect([status, body.errors?.[0].loc], message).toEqual([422, ['body', field]])
      }
    }
    const deep = await create({ data_source_ids: ['ok', 5, ''] })
    const places = deep.body.errors.map((each: { loc: unknown[] }) => each.loc)
    expect(places).toEqual([
      ['body', 'data_source_ids', 1],
      ['body', 'data_source_ids', 2],
    ])
    expect((await call('GET', all)).body).toEqual({ projects: [], count: 0 })
    for (const body of [
      { name: 'x'.repeat(255) },
      { name: '🪨'.repeat(255) },
      { description: 'x'.repeat(2048) },
      { description: '🪨'.repeat(2048) },
      { description: '' },
      { description: null },
    ]) {
      expect(await create(body), JSON.stringify(body)).toMatchObject({ status: 201, body })
    }
  })

  it('rejects ids of no live source of the sandbox, each by its position, with the same message', async () => {
    const { call, create, register, all, sandbox, userId } = await open()
    const other = await open()
    const elsewhere = await register((await newSandbox(call, 'Elsewhere')).storage)
    const [archived, disconnected] = [await register(), await register()]
    await call('POST', `${sandbox.storage}/sources/${disconnected}/disconnect`)
    await app().cairn.app.sql.transact(userId, (tx) =>
      tx.updateTable('source').set({ status: 'archived' }).where('id', '=', archived).execute(),
    )
    const foreign = [other.sandbox.source, elsewhere, 'anything', sandbox.id, archived, disconnected]
    const asked = [MISSING_SOURCE, sandbox.source, ...foreign]
    const refused = await create({ data_source_ids: asked })
    expect(refused).toMatchObject({ status: 422, body: { error: 'validation_error', reason: 'unknown_source' } })
    const places = refused.body.errors.map((each: { loc: unknown[] }) => each.loc)
    expect(places).toEqual([0, 2, 3, 4, 5, 6, 7].map((at) => ['body', 'data_source_ids', at]))
    expect(new Set(refused.body.errors.map(({ msg, type }: { msg: string; type: string }) => msg + type)).size).toBe(1)
    expect(JSON.stringify(refused.body)).not.toContain(other.sandbox.source)
    expect((await call('GET', all)).body.count).toBe(0)
    const twice = await create({ data_source_ids: [sandbox.source, sandbox.source] })
    expect(twice.body.data_source_ids).toEqual([sandbox.source])
  })

  it('accepts a paused source as live', async () => {
    const { call, create, register, sandbox } = await open()
    const source = await register()
    expect((await call('POST', `${sandbox.storage}/sources/${source}/pause`)).status).toBe(200)
    expect((await create({ data_source_ids: [source] })).body.data_source_ids).toEqual([source])
  })

  it('changes given fields; null clears the description and keeps the rest', async () => {
    const { call, create, all, sandbox } = await open()
    const { body: made } = await create({ description: 'Old', metadata: { a: 1 }, data_source_ids: [sandbox.source] })
    const path = `${all}/${made.project_id}`
    const ignored = { status: 'archived', data_source_ids: [], user_id: 'x', project_id: MISSING }
    for (const change of [{}, { name: null, metadata: null }, ignored]) {
      expect(await call('PATCH', path, change)).toMatchObject({ status: 200, body: made })
    }
    expect((await call('PATCH', path, { description: null })).body).toEqual({ ...made, description: null })
    const change = { name: 'New', description: 'x'.repeat(2048), metadata: { b: 2 } }
    expect((await call('PATCH', path, change)).body).toEqual({ ...made, ...change })
    for (const [field, values] of REFUSED) {
      for (const value of values) {
        const { status, body } = await call('PATCH', path, { name: 'Other', [field]: value })
        expect([status, body.errors?.[0].loc], field).toEqual([422, ['body', field]])
      }
    }
    expect((await call('GET', path)).body).toEqual({ ...made, ...change })
  })

  it('lists newest first, by status, in pages', async () => {
    const { call, create, all, sandbox } = await open()
    const ids: string[] = []
    for (let at = 0; at < 5; at += 1) {
      ids.unshift((await create({ data_source_ids: at === 0 ? [sandbox.source] : [] })).body.project_id)
    }
    await call('POST', `${all}/${ids[1]}/archive`)
    const listed = async (query: string) => {
      const { body } = await call('GET', `${all}?${query}`)
      expect(body.count, query).toBe(body.projects.length)
      const found = body.projects.map((each: { project_id: string }) => each.project_id)
      return { found, next: body.next_cursor, projects: body.projects }
    }
    const everything = await listed('')
    expect(everything.found).toEqual(ids)
    expect(everything.projects.at(-1).data_source_ids).toEqual([sandbox.source])
    expect((await listed('status=archived')).found).toEqual([ids[1]])
    const active = ids.filter((id) => id !== ids[1])
    expect((await listed('status=active')).found).toEqual(active)
    const first = await listed('status=active&limit=3')
    const second = await listed(`status=active&limit=3&cursor=${first.next}`)
    expect([...first.found, ...second.found]).toEqual(active)
    expect(second.next).toBeUndefined()
    for (const query of ['status=suspended', 'limit=0', 'limit=1001', 'limit=x']) {
      expect((await call('GET', `${all}?${query}`)).status, query).toBe(422)
    }
    for (const cursor of ['forged', first.next]) {
      const refused = await call('GET', `${all}?status=archived&cursor=${cursor}`)
      expect(refused).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } })
    }
  })

  it('archives a project: it is read-only, and archiving it again succeeds', async () => {
    const { call, create, all, sandbox } = await open()
    const { body: made } = await create({ data_source_ids: [sandbox.source] })
    const path = `${all}/${made.project_id}`
    for (let at = 0; at < 2; at += 1) {
      const archived = await call('POST', `${path}/archive`)
      expect(archived).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } })
    }
    expect((await call('GET', path)).body).toEqual({ ...made, status: 'archived' })
    for (const refused of [
      await call('PATCH', path, { name: 'x' }),
      await call('POST', `${path}/sources/${sandbox.source}`),
      await call('DELETE', `${path}/sources/${sandbox.source}`),
      await call('POST', `${sandbox.storage}/ingest`, { text: 'x', project_id: made.project_id }),
      await call('POST', `${sandbox.query}/discover`, { query: 'x', project_id: made.project_id }),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: { error: 'conflict', reason: 'project_archived' } })
    }
    expect((await call('GET', path)).body).toEqual({ ...made, status: 'archived' })
  })

  it('links and unlinks a source idempotently', async () => {
    const { call, create, register, all, sandbox } = await open()
    const { body: made } = await create({})
    const path = `${all}/${made.project_id}`
    const source = await register()
    const linked = async () => (await call('GET', path)).body.data_source_ids
    for (let at = 0; at < 2; at += 1) {
      const done = await call('POST', `${path}/sources/${source}`)
      expect(done).toMatchObject({ status: 200, body: { success: true } })
      expect(await linked()).toEqual([source])
    }
    await Promise.all(Array.from({ length: 5 }, () => call('POST', `${path}/sources/${sandbox.source}`)))
    expect(await linked()).toEqual([sandbox.source, source].sort())
    for (let at = 0; at < 2; at += 1) {
      expect((await call('DELETE', `${path}/sources/${source}`)).status).toBe(200)
      expect(await linked()).toEqual([sandbox.source])
    }
    const foreign = (await open()).sandbox.source
    const elsewhere = await register((await newSandbox(call, 'Elsewhere')).storage)
    for (const id of [foreign, elsewhere, MISSING_SOURCE, 'x']) {
      for (const method of ['POST', 'DELETE'] as const) {
        expect((await call(method, `${path}/sources/${id}`)).status, `${method} ${id}`).toBe(404)
      }
    }
    expect(await linked()).toEqual([sandbox.source])
  })

  it('deletes a project and keeps its sources', async () => {
    const { call, create, all, sandbox } = await open()
    const path = `${all}/${(await create({ data_source_ids: [sandbox.source] })).body.project_id}`
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { success: true } })
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('DELETE', path)).status).toBe(404)
    expect((await call('GET', all)).body.count).toBe(0)
    expect((await call('GET', `${sandbox.storage}/sources/${sandbox.source}`)).status).toBe(200)
  })

  it('finds a project only in its own sandbox', async () => {
    const { call, create, all } = await open()
    const { project_id: id } = (await create({})).body
    const other = await newSandbox(call, 'Other')
    for (const path of [`${other.storage}/projects/${id}`, `${all}/${MISSING}`, `${all}/x`]) {
      for (const [method, tail] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/archive'],
      ] as const) {
        const missing = await call(method, `${path}${tail}`)
        expect(missing, `${method} ${path}`).toMatchObject({ status: 404, body: { error: 'not_found' } })
      }
    }
    for (const path of [`${other.query}/discover`, `${other.storage}/ingest`]) {
      expect((await call('POST', path, { query: 'x', text: 'x', project_id: id })).status, path).toBe(404)
    }
  })

  it('rejects one more than the tier allows, also under concurrency', async () => {
    const { call, create, all } = await open('free')
    const answers = await Promise.all(Array.from({ length: 22 }, () => create({})))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    const over = answers.filter(({ status }) => status === 403)
    expect(new Set(over.map(({ body }) => body.error))).toEqual(new Set(['quota_exceeded']))
    expect((await call('GET', all)).body.count).toBe(20)
  })
})
