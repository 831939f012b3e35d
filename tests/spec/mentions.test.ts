import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { withKey } from '../harness/keyed.ts'
import { newPerson, SANDBOXES } from '../harness/postgres-people.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson' }
const TEXT = 'Katherine Johnson computed the Friendship 7 trajectory for John Glenn at Langley.'
const note = (external_id: string, text: string, more: object = {}) => ({ external_id, type: 'note', text, ...more })

interface Mention {
  text: string
  start: number
  end: number
  canonical_id: string
  type: string
  confidence: number
}

onEachApp((app) => {
  const open = async (key?: Buffer) => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    return { sandbox, ...on(key ? withKey(account.call, key) : account.call, sandbox) }
  }
  const on = (call: Call, { storage, records }: TestSandbox) => ({
    call,
    put: async (...given: object[]) => {
      const { status, body } = await call('POST', records, { records: given }, WAIT)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.result
    },
    find: async (q: string) => {
      const { body } = await call('GET', `${storage}/entities/search?q=${encodeURIComponent(q)}`)
      return (body.results as { name: string; canonical_id: string; record_type: string }[]) ?? body
    },
    mentions: async (q: string) => {
      const { body } = await call('GET', `${storage}/records?q=${encodeURIComponent(q)}`)
      const { body: record } = await call('GET', `${storage}/records/${body.records[0].record_id}`)
      for (const { text, start, end } of record.mentions) expect(record.text.slice(start, end)).toBe(text)
      return record.mentions as Mention[]
    },
    entity: (id: string) => call('GET', `${storage}/entities/${id}`),
  })

  it('names in plain text become entities with type, location and records', async () => {
    const { sandbox, call, mentions, find, entity } = await open()
    expect((await call('POST', `${sandbox.storage}/ingest`, { text: TEXT }, WAIT)).status).toBe(200)
    const found = await mentions('trajectory')
    expect(found.map(({ text, type }) => [text, type])).toEqual([
      ['Katherine Johnson', 'person'],
      ['Friendship 7', 'thing'],
      ['John Glenn', 'person'],
      ['Langley', 'thing'],
    ])
    const [hit] = await find('Johnson')
    expect(hit).toMatchObject({
      name: 'Katherine Johnson',
      record_type: 'person',
      canonical_id: found[0]?.canonical_id,
    })
    const { body } = await entity(hit!.canonical_id)
    expect(body).toMatchObject({ name: 'Katherine Johnson', type: 'person', record_count: 1 })
    expect(body.records).toHaveLength(1)
    const items = [[hit!.canonical_id]]
    const { body: brief } = await call('POST', `${sandbox.query}/interpret`, { query: 'Who is she?', items })
    expect(JSON.stringify(brief)).toContain('Friendship 7')
  })

  it('a name is one entity per sandbox, and is deleted with the last text that mentions it', async () => {
    const { put, find, mentions, entity } = await open()
    await put(note('1', 'We asked Katherine Johnson.'), note('2', 'Then Katherine Johnson left for Oslo.'))
    const [first, second] = [await mentions('asked'), await mentions('Oslo')]
    expect(first[0]?.canonical_id).toBe(second[0]?.canonical_id)
    const id = first[0]!.canonical_id
    expect((await entity(id)).body.record_count).toBe(2)
    await put(note('1', 'We asked nobody.'))
    expect((await entity(id)).body.record_count).toBe(1)
    expect(await put(note('2', 'Then Katherine Johnson left for Oslo.'))).toMatchObject({ unchanged: 1 })
    await put({ external_id: '2', type: 'note', deleted: true })
    expect(await find('Johnson')).toEqual([])
    expect(await find('Oslo')).toEqual([])
    expect((await entity(id)).status).toBe(404)
  })

  it('a name refers to the only entity declared under it, in any order of arrival', async () => {
    const { put, find, mentions, entity, sandbox, call } = await open()
    await put(note('1', 'We asked Katherine Johnson.'), note('2', 'Hey Tove!'))
    const alone = (await mentions('asked'))[0]!.canonical_id
    await put(note('3', 'Done.', { author: { name: 'Katherine Johnson', email: 'kj@example.com' } }))
    const hits = await find('Katherine Johnson')
    expect(hits).toHaveLength(1)
    const declared = hits[0]!.canonical_id
    expect(declared).not.toBe(alone)
    expect((await mentions('asked'))[0]?.canonical_id).toBe(declared)
    expect((await entity(alone)).body).toMatchObject({ canonical_id: declared, record_count: 2 })
    const { body } = await call('GET', `${sandbox.storage}/entities`)
    expect(body.entities.map(({ name }: { name: string }) => name).sort()).toEqual(['Katherine Johnson', 'Tove'])
    await put({ external_id: '3', type: 'note', deleted: true })
    expect((await mentions('asked'))[0]?.canonical_id).toBe(alone)
  })

  it('an ambiguous name refers to no entity', async () => {
    const { put, mentions, entity } = await open()
    const entities = ['project', 'repository'].map((type) => ({ type, name: 'Harbour' }))
    await put(note('1', 'We sail to Harbour.'), note('2', 'Hello.', { entities }))
    const [mention] = await mentions('sail')
    expect((await entity(mention!.canonical_id)).body).toMatchObject({ name: 'Harbour', record_count: 1 })
  })

  it('a person can assign a name in texts to an entity, and undo it', async () => {
    const { put, mentions, find, sandbox, call } = await open()
    await put(
      note('1', 'We asked Tove Lind.'),
      note('2', 'Hi.', { author: { name: 'T. Lind', email: 't@example.com' } }),
    )
    const from = (await mentions('asked'))[0]!.canonical_id
    const into = (await find('T. Lind'))[0]!.canonical_id
    const merged = await call('POST', `${sandbox.storage}/entities/${from}/merge`, { into })
    expect(merged.status, JSON.stringify(merged.body)).toBe(200)
    expect((await mentions('asked'))[0]?.canonical_id).toBe(into)
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const other = await newSandbox(call, 'Copy')
    expect((await call('POST', `${other.storage}/import`, lines, { ...WAIT, ...NDJSON })).status).toBe(200)
    const copy = on(call, other)
    const [mention] = await copy.mentions('asked')
    expect((await copy.entity(mention!.canonical_id)).body).toMatchObject({ name: 'T. Lind', record_count: 2 })
    const undo = `${sandbox.storage}/entities/${into}/merges/${merged.body.merge_id}/undo`
    expect((await call('POST', undo)).status).toBe(200)
    expect((await mentions('asked'))[0]?.canonical_id).toBe(from)
  })

  it('in an encrypted sandbox a name is found with the key', async () => {
    const { put, find, mentions } = await open(randomBytes(32))
    await put(note('1', TEXT))
    expect((await find('Johnson'))[0]?.name).toBe('Katherine Johnson')
    expect((await mentions('trajectory'))[3]).toMatchObject({ text: 'Langley', type: 'thing' })
  })

  it('a name mentioned only outside the scope does not exist in it', async () => {
    const [owner, guest] = [await newPerson(app()), await newPerson(app())]
    const path = `${SANDBOXES}/${await owner.newSandbox()}`
    const project = (await owner.post(`${path}/projects`, { name: 'Inside' })).body.project_id
    const source = (await owner.post(`${path}/sources`, { provider: 'notes', name: 'Notes' })).body.data_source_id
    const records = [
      note('1', 'We asked Tove Lind.', { project_id: project }),
      note('2', 'We asked Katherine Johnson and Tove Lind.'),
      note('3', 'Hi.', { author: { name: 'Tove Lind', email: 't@example.com' } }),
    ]
    const headers = { authorization: `Bearer ${owner.key}`, prefer: 'wait=30' }
    const sent = await app().anonymous('POST', `${path}/sources/${source}/records`, { records }, headers)
    expect(sent.status, JSON.stringify(sent.body)).toBe(200)
    await owner.post(`${path}/connections`, { user_id: guest.userId, role: 'viewer', project_id: project })
    const names = async (call: (url: string) => Promise<{ body: { entities: { name: string }[] } }>) =>
      (await call(`${path}/entities`)).body.entities.map(({ name }) => name).sort()
    expect(await names(guest.get)).toEqual(['Tove Lind'])
    expect(await names(owner.get)).toEqual(['Katherine Johnson', 'Tove Lind'])
    const idIn = async (who: typeof guest) =>
      (await who.get(`${path}/entities`)).body.entities.find(({ name }: { name: string }) => name === 'Tove Lind')
        .canonical_id
    const [inside, declared] = [await idIn(guest), await idIn(owner)]
    expect(inside).not.toBe(declared)
    expect((await guest.get(`${path}/entities/${inside}`)).body).toMatchObject({ record_count: 1, identifiers: {} })
    expect((await guest.get(`${path}/entities/${declared}`)).status).toBe(404)
    const hidden = (await owner.get(`${path}/entities/search?q=Johnson`)).body.results[0].canonical_id
    expect((await guest.get(`${path}/entities/${hidden}`)).status).toBe(404)
    expect((await guest.get(`${path}/entities/search?q=Johnson`)).body.results).toEqual([])
  })
})
