import { expect, test } from 'vitest'
import { newPerson, type Person, SANDBOXES } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'

onEachApp((app) => {
  const start = async () => {
    const person = await newPerson(app())
    const sandbox = await person.newSandbox()
    const root = `${SANDBOXES}/${sandbox}`
    return { person, sandbox, root, path: `${root}/projects` }
  }
  const newSource = async (person: Person, root: string): Promise<string> =>
    (await person.post(`${root}/sources`, { provider: 'slack', name: 'Chat' })).body.data_source_id
  const setSource = (person: Person, id: string, status: 'archived' | 'paused') =>
    app().cairn.app.sql.transact(person.userId, (tx) =>
      tx.updateTable('source').set({ status }).where('id', '=', id).execute(),
    )

  test('a new project shows what was given; a source named twice is linked once', async () => {
    const { person, sandbox, root, path } = await start()
    const source = await newSource(person, root)
    const made = await person.post(path, { name: 'Launch', metadata: { a: 1 }, data_source_ids: [source, source] })
    expect(made.status).toBe(201)
    expect(made.headers.location).toBe(`${path}/${made.body.project_id}`)
    expect(made.body).toEqual({
      project_id: expect.stringMatching(/^prj_/),
      user_id: person.userId,
      sandbox_id: sandbox,
      name: 'Launch',
      status: 'active',
      description: null,
      data_source_ids: [source],
      metadata: { a: 1 },
      created_at: expect.stringMatching(/Z$/),
    })
    expect((await person.get(`${path}/${made.body.project_id}`)).body).toEqual(made.body)
  })

  test('an id that is no live source of the sandbox is named by its place, whatever is wrong with it', async () => {
    const { person, root, path } = await start()
    const [fine, archived] = [await newSource(person, root), await newSource(person, root)]
    await setSource(person, archived, 'archived')
    const elsewhere = await newSource(person, `${SANDBOXES}/${await person.newSandbox()}`)
    const stranger = await newPerson(app())
    const foreign = await newSource(stranger, `${SANDBOXES}/${await stranger.newSandbox()}`)
    for (const wrong of [archived, elsewhere, foreign, 'src_0', 'nonsense']) {
      const refused = await person.post(path, { name: 'x', data_source_ids: [fine, wrong] })
      expect(refused).toMatchObject({ status: 422, body: { error: 'validation_error', reason: 'unknown_source' } })
      expect(refused.body.errors).toEqual([
        { loc: ['body', 'data_source_ids', 1], msg: 'Not a live source of this sandbox.', type: 'unknown_source' },
      ])
    }
    expect((await person.get(path)).body.count).toBe(0)
  })

  test('a paused source is live', async () => {
    const { person, root, path } = await start()
    const source = await newSource(person, root)
    await setSource(person, source, 'paused')
    expect((await person.post(path, { name: 'x', data_source_ids: [source] })).status).toBe(201)
  })

  test('the tier’s projects are never exceeded, however many are created at once', async () => {
    const { person, path } = await start()
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => person.post(path, { name: `p${n}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(403)])
    expect((await person.get(path)).body.count).toBe(20)
  })

  test('a change keeps what is omitted, clears the description with null and keeps all else', async () => {
    const { person, root, path } = await start()
    const source = await newSource(person, root)
    const input = { name: 'Old', description: 'about', metadata: { a: 1 }, data_source_ids: [source] }
    const made = await person.post(path, input)
    const one = `${path}/${made.body.project_id}`
    expect((await person.patch(one, {})).body).toEqual(made.body)
    expect((await person.patch(one, { name: null, metadata: null, data_source_ids: [] })).body).toEqual(made.body)
    expect((await person.patch(one, { description: null })).body).toEqual({ ...made.body, description: null })
    expect((await person.patch(one, { name: 'New', metadata: {} })).body).toMatchObject({ name: 'New', metadata: {} })
  })

  test('links come and go, and are kept as they are when nothing is to change', async () => {
    const { person, root, path } = await start()
    const [first, second] = [await newSource(person, root), await newSource(person, root)]
    const { project_id: id } = (await person.post(path, { name: 'x' })).body
    const linked = async () => (await person.get(`${path}/${id}`)).body.data_source_ids
    for (const source of [second, first, first]) {
      expect((await person.post(`${path}/${id}/sources/${source}`)).body.success).toBe(true)
    }
    expect(await linked()).toEqual([first, second].sort())
    for (let i = 0; i < 2; i += 1) expect((await person.delete(`${path}/${id}/sources/${first}`)).status).toBe(200)
    expect(await linked()).toEqual([second])
    await setSource(person, first, 'archived')
    expect((await person.post(`${path}/${id}/sources/${first}`)).body.reason).toBe('source_not_active')
    const foreign = await newSource(person, `${SANDBOXES}/${await person.newSandbox()}`)
    expect((await person.post(`${path}/${id}/sources/${foreign}`)).status).toBe(404)
  })

  test('an archived project can be read and listed, not changed', async () => {
    const { person, root, path } = await start()
    const source = await newSource(person, root)
    const { project_id: id } = (await person.post(path, { name: 'x' })).body
    await person.post(path, { name: 'y' })
    for (let i = 0; i < 2; i += 1) expect((await person.post(`${path}/${id}/archive`)).body.success).toBe(true)
    expect((await person.get(`${path}/${id}`)).body.status).toBe('archived')
    expect((await person.get(`${path}?status=archived`)).body).toMatchObject({
      count: 1,
      projects: [{ project_id: id }],
    })
    for (const refused of [
      await person.patch(`${path}/${id}`, { name: 'z' }),
      await person.post(`${path}/${id}/sources/${source}`),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: { reason: 'project_archived' } })
    }
  })

  test('deleting a project keeps its sources', async () => {
    const { person, root, path } = await start()
    const source = await newSource(person, root)
    const { project_id: id } = (await person.post(path, { name: 'x', data_source_ids: [source] })).body
    expect((await person.delete(`${path}/${id}`)).body.success).toBe(true)
    expect((await person.get(`${path}/${id}`)).status).toBe(404)
    expect((await person.delete(`${path}/${id}`)).status).toBe(404)
    expect((await person.get(`${root}/sources/${source}`)).status).toBe(200)
  })

  test('a project of another sandbox is not found, also under one’s own', async () => {
    const { person, path } = await start()
    const { project_id: id } = (await person.post(`${SANDBOXES}/${await person.newSandbox()}/projects`, { name: 'x' }))
      .body
    for (const refused of [
      await person.get(`${path}/${id}`),
      await person.patch(`${path}/${id}`, { name: 'y' }),
      await person.delete(`${path}/${id}`),
      await person.post(`${path}/${id}/archive`),
    ]) {
      expect(refused.status).toBe(404)
    }
  })
})
