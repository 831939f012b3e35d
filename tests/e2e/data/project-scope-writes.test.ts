import { beforeAll, expect, it } from 'vitest'
import { newPerson, type Person, SANDBOXES, withToken } from '../../harness/postgres-people.ts'
import { onEachApp } from '../../harness/test-app.ts'

/** Writes to a source shared by two projects, by a caller limited to one of them. */
onEachApp((app) => {
  let owner: Person
  let editor: Person
  let connectionKey: string
  let path: string
  let source: string
  let [own, other] = ['', '']

  const send = (key: string, url: string, body: unknown, headers = {}) =>
    app().anonymous('POST', url, body, { authorization: `Bearer ${key}`, prefer: 'wait=30', ...headers })
  const put = async (key: string, ...records: object[]) =>
    (await send(key, `${path}/sources/${source}/records`, { records })).body.result
  const note = (id: string, text: string, more: object = {}) => ({ external_id: id, type: 'note', text, ...more })
  /** Returns the texts of the sandbox by external id. */
  const texts = async () => {
    const { body } = await owner.get(`${path}/export`)
    const lines = String(body).split('\n').filter(Boolean)
    const found = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'record')
    return Object.fromEntries(found.map(({ external_id, text }) => [external_id, text]))
  }

  beforeAll(async () => {
    ;[owner, editor] = [await newPerson(app()), await newPerson(app())]
    path = `${SANDBOXES}/${await owner.newSandbox()}`
    source = (await owner.post(`${path}/sources`, { provider: 'slack', name: 'Both' })).body.data_source_id
    const project = async (name: string) =>
      (await owner.post(`${path}/projects`, { name, data_source_ids: [source] })).body.project_id
    ;[own, other] = [await project('Own'), await project('Other')]
    const grant = { user_id: editor.userId, role: 'editor', project_id: own }
    const { connection_id } = (await owner.post(`${path}/connections`, grant)).body
    connectionKey = (await owner.post(`${path}/connections/${connection_id}/api-keys`)).body.plaintext_key
    await put(owner.key, note('hidden-1', 'salary is 100', { project_id: other }), note('seen', 'first', {}))
    await put(owner.key, note('hidden-2', 'bonus is 7', { project_id: other }))
  })

  it('records of another project are neither replaced nor removed, and fail individually with a reason', async () => {
    for (const key of [editor.key, connectionKey]) {
      const result = await put(
        key,
        note('hidden-1', 'salary is 1'),
        { external_id: 'hidden-2', type: 'memo', deleted: true },
        note('seen', `by ${key}`),
      )
      expect(result).toMatchObject({ received: 3, written: 1, removed: 1, failed: 1 })
      expect(result.errors).toMatchObject([{ line: 1, external_id: 'hidden-1', reason: 'outside_project' }])
      expect(await texts()).toMatchObject({ 'hidden-1': 'salary is 100', 'hidden-2': 'bonus is 7', seen: `by ${key}` })
    }
  })

  it('removing a record of another project gives the same reply as removing a missing one', async () => {
    const withdrawn = (id: string) => ({ external_id: id, type: 'note', deleted: true })
    const answers = async (id: string) => {
      const alone = await put(editor.key, withdrawn(id))
      const twice = await put(editor.key, withdrawn(id), withdrawn(id), note('seen', `beside ${id}`))
      const line = JSON.stringify(withdrawn(id))
      const ndjson = { 'content-type': 'application/x-ndjson' }
      const imported = await send(editor.key, `${path}/import?data_source_id=${source}`, line, ndjson)
      return [alone, twice, imported.status, imported.body.result]
    }
    expect(await answers('hidden-2')).toEqual(await answers('nowhere2'))
    expect((await texts())['hidden-2']).toBe('bonus is 7')
  })

  it('imports of any form follow the same rules', async () => {
    const lines = [note('hidden-1', 'salary is 2'), { external_id: 'hidden-2', type: 'memo', deleted: true }]
    const url = `${path}/import?data_source_id=${source}`
    const ndjson = lines.map((line) => JSON.stringify(line)).join('\n')
    const forms = [
      await send(editor.key, url, { records: lines }),
      await send(editor.key, url, ndjson, { 'content-type': 'application/x-ndjson' }),
      await send(editor.key, `${path}/sources/${source}/records`, ndjson, { 'content-type': 'application/x-ndjson' }),
    ]
    for (const { status, body } of forms) {
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.result).toMatchObject({ failed: 1, written: 0, removed: 1 })
    }
    expect(await texts()).toMatchObject({ 'hidden-1': 'salary is 100', 'hidden-2': 'bonus is 7' })
  })

  it('the state when a write is applied counts, in one yieldPoint with the owner’s and after it', async () => {
    const both = await Promise.all(
      Array.from({ length: 12 }, (_, at) => [
        put(owner.key, note(`race-${at}`, 'theirs', { project_id: other })),
        put(editor.key, note(`race-${at}`, 'mine')),
      ]).flat(),
    )
    for (let at = 0; at < 12; at += 1) {
      // The owner's write wins in either order, because an owner can replace anything.
      expect((await texts())[`race-${at}`]).toBe('theirs')
      expect(both[2 * at].written).toBe(1)
    }
    await put(owner.key, note('loose', 'theirs'))
    expect((await put(editor.key, note('loose', 'mine'))).written).toBe(1)
    await owner.delete(`${path}/projects/${own}/sources/${source}`)
    const moved = await withToken(app(), editor.key).post(`${path}/sources/${source}/records`, { records: [] })
    expect(moved.status).toBe(404)
    await owner.post(`${path}/projects/${own}/sources/${source}`)
  })

  it('a limited caller cannot rotate the secret of a source shared with other projects', async () => {
    await owner.patch(`${path}/sources/${source}`, { ingestion_mode: 'realtime' })
    const rotate = `${path}/sources/${source}/rotate-webhook-secret`
    expect((await editor.post(rotate, {})).status).toBe(403)
    const signs = { provider_signing_secret: 'known to the editor' }
    expect((await editor.patch(`${path}/sources/${source}`, signs)).status).toBe(403)
    expect((await owner.post(rotate, {})).status).toBe(200)
    const mine = { provider: 'slack', name: 'Mine', ingestion_mode: 'realtime' }
    const { data_source_id: id } = (await editor.post(`${path}/sources`, mine)).body
    expect((await editor.post(`${path}/sources/${id}/rotate-webhook-secret`, {})).status).toBe(200)
  })
})
