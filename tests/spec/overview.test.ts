import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

type Named = { canonical_id: string; name: string; record_count: number }
type Edge = { from: string; to: string; predicate: string | null; is_current?: boolean; record_count: number }

const person = (name: string) => ({ name, identifiers: { email: `${name.split(' ')[0]!.toLowerCase()}@example.com` } })
const [ana, ben, cleo] = [person('Ana Lima'), person('Ben Katz'), person('Cleo Brandt')]
const harbour = { type: 'project', name: 'Harbour' }
const lead = (who: ReturnType<typeof person>, from: string) => ({
  entities: [harbour, { type: 'person', ...who }],
  relations: [{ subject: who.name, predicate: 'leads', object: 'Harbour', valid_from: from }],
})
const records = [
  ...Array.from({ length: 6 }, (_, at) => ({
    external_id: `m${at}`,
    type: 'message',
    text: `We spoke of Blue Lantern and of gate ${at}.`,
    author: at % 2 === 0 ? ana : ben,
    occurred_at: `2026-05-0${at + 1}T10:00:00Z`,
  })),
  {
    external_id: 'i1',
    type: 'issue',
    title: 'Harbour login fails',
    text: 'It fails.',
    author: ana,
    entities: [harbour, { type: 'person', ...ben, properties: { title: 'Head of engineering' } }],
    occurred_at: '2026-05-20T10:00:00Z',
  },
  {
    external_id: 'd1',
    type: 'decision',
    title: 'Lead of Harbour',
    ...lead(ana, '2026-01-01T00:00:00Z'),
    occurred_at: '2026-01-01T08:00:00Z',
  },
  {
    external_id: 'd2',
    type: 'decision',
    title: 'New lead of Harbour',
    ...lead(ben, '2026-06-01T00:00:00Z'),
    occurred_at: '2026-06-01T08:00:00Z',
  },
]

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let inside: string
  const get = (path: string): Promise<Answer> => call('GET', `${sandbox.storage}${path}`)
  const idOf = async (name: string) =>
    (await get(`/entities/search?q=${encodeURIComponent(name)}`)).body.results[0].canonical_id as string

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records)
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'github', name: 'Code' })
    const within = { ...sandbox, records: `${sandbox.storage}/sources/${source.data_source_id}/records` }
    const pulls = [1, 2, 3].map((at) => ({
      external_id: `p${at}`,
      type: 'pull',
      text: 'Red Kite flies.',
      author: cleo,
    }))
    await putRecords(call, within, [
      ...pulls,
      { external_id: 'p4', type: 'note', text: 'See Ben.', participants: [ben, cleo] },
    ])
    const project = { name: 'Code', data_source_ids: [source.data_source_id] }
    inside = (await call('POST', `${sandbox.storage}/projects`, project)).body.project_id
  })

  describe('overview', () => {
    it('counts records by type and source, with first and last date, entities and recurring names', async () => {
      const { status, body } = await get('/overview')
      expect(status).toBe(200)
      expect(body).toMatchObject({ record_count: 13, project_id: null })
      expect(body.types).toEqual([
        { type: 'message', record_count: 6 },
        { type: 'pull', record_count: 3 },
        { type: 'decision', record_count: 2 },
        { type: 'issue', record_count: 1 },
        { type: 'note', record_count: 1 },
      ])
      expect(body.sources.map((each: { record_count: number }) => each.record_count)).toEqual([9, 4])
      expect(body.sources[0]).toMatchObject({ status: 'active', newest_at: '2026-06-01T08:00:00.000Z' })
      expect(body.sources[1]).toMatchObject({ name: 'Code', provider: 'github', newest_at: null })
      expect(body.newest).toMatchObject({ external_id: 'd2' })
      expect(body.oldest).toMatchObject({ external_id: 'd1' })
      const people = body.entities.find(({ type }: { type: string }) => type === 'person').entities as Named[]
      // Ben wrote three records, and is mentioned in an issue, a decision and a note.
      expect(people[0]).toMatchObject({ name: 'Ben Katz', record_count: 6 })
      expect(people.map(({ name }) => name).sort()).toEqual(['Ana Lima', 'Ben Katz', 'Cleo Brandt'])
      for (const { canonical_id: id, record_count } of people)
        expect((await get(`/entities/${id}`)).body.record_count).toBe(record_count)
      expect(body.topics).toContainEqual({ name: 'Blue Lantern', record_count: 6 })
      expect((await get('/overview')).body).toEqual(body)
    })

    it('of a project counts only its own content', async () => {
      const { body } = await get(`/overview?project_id=${inside}`)
      expect(body).toMatchObject({ record_count: 4, project_id: inside })
      expect(body.types.map(({ type }: { type: string }) => type)).toEqual(['pull', 'note'])
      expect(body.sources).toMatchObject([{ name: 'Code', record_count: 4 }])
      expect(body.topics).toEqual([{ name: 'Red Kite', record_count: 3 }])
      expect(JSON.stringify(body)).not.toMatch(/Ana|Harbour|Lantern|decision/)
    })

    it('says if the sandbox is empty', async () => {
      const empty = await newSandbox(call, 'Empty')
      const { status, body } = await call('GET', `${empty.storage}/overview`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ record_count: 0, types: [], entities: [], topics: [] })
      expect(body).not.toHaveProperty('newest')
    })
  })

  describe('neighbours', () => {
    it('shows who is connected with an entity, stated relations first, with current and former values', async () => {
      const [project, first, second] = [await idOf('Harbour'), await idOf('Ana Lima'), await idOf('Ben Katz')]
      const { status, body } = await get(`/entities/${project}/neighbours`)
      expect(status).toBe(200)
      expect(body.nodes[0]).toMatchObject({ canonical_id: project, name: 'Harbour', type: 'project', depth: 0 })
      const edges: Edge[] = body.edges
      expect(edges[0]).toMatchObject({ from: second, to: project, predicate: 'leads', is_current: true })
      expect(edges[1]).toMatchObject({ from: first, to: project, predicate: 'leads', is_current: false })
      const ids = new Set(body.nodes.map(({ canonical_id }: Named) => canonical_id))
      for (const { from, to } of edges) expect(ids.has(from) && ids.has(to)).toBe(true)
      expect(edges.some(({ predicate, record_count }) => predicate === null && record_count > 0)).toBe(true)
    })

    it('has the requested depth and limit', async () => {
      const project = await idOf('Harbour')
      const one = (await get(`/entities/${project}/neighbours?depth=1`)).body
      const two = (await get(`/entities/${project}/neighbours?depth=2`)).body
      const depths = (body: { nodes: { depth: number }[] }) => new Set(body.nodes.map(({ depth }) => depth))
      expect(depths(one)).toEqual(new Set([0, 1]))
      expect(two.nodes.length).toBeGreaterThan(one.nodes.length)
      expect(depths(two)).toEqual(new Set([0, 1, 2]))
      expect((await get(`/entities/${project}/neighbours?depth=2&limit=2`)).body.nodes).toHaveLength(2)
      for (const bad of ['depth=0', 'depth=3', 'limit=0', 'limit=301'])
        expect((await get(`/entities/${project}/neighbours?${bad}`)).status, bad).toBe(422)
    })
  })

  describe('profile', () => {
    it('summarizes an entity in a few lines with current facts, latest events and their records', async () => {
      const { status, body } = await get(`/entities/${await idOf('Ben Katz')}/profile`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ name: 'Ben Katz', type: 'person' })
      const lines = body.text.split('\n')
      expect(lines.slice(0, 2)).toEqual([
        'Ben Katz: Head of engineering.',
        'Ben Katz leads Harbour (since 1 June 2026).',
      ])
      expect(body.text).toMatch(/^Ben Katz \(person\).*; in 6 records\.$/m)
      expect(lines).toContain('title: Head of engineering')
      expect(body.text).toContain('20 May 2026: Harbour login fails (issue)')
      expect(body.tokens).toBe(Math.ceil(Buffer.byteLength(body.text) / 4))
      expect(body.statements.map(({ text }: { text: string }) => text)).toEqual(lines)
      for (const { record_ids: ids } of body.statements) {
        expect(ids.length).toBeGreaterThan(0)
        for (const id of ids) expect((await get(`/records/${id}`)).status).toBe(200)
      }
      const before = (await get(`/entities/${await idOf('Ana Lima')}/profile`)).body.text
      expect(before).toContain('no longer: leads Harbour (since 1 January 2026)')
    })

    it('stays within max_tokens by omitting whole lines', async () => {
      const id = await idOf('Ben Katz')
      const whole = (await get(`/entities/${id}/profile`)).body
      const short = (await get(`/entities/${id}/profile?max_tokens=50`)).body
      expect(short.tokens).toBeLessThanOrEqual(50)
      expect(short.text.length).toBeLessThan(whole.text.length)
      for (const line of short.text.split('\n')) expect(whole.text.split('\n')).toContain(line)
      expect((await get(`/entities/${id}/profile?max_tokens=49`)).status).toBe(422)
    })

    it('and neighbors of a project have only its own content', async () => {
      const id = await idOf('Ben Katz')
      const profile = await get(`/entities/${id}/profile?project_id=${inside}`)
      const around = await get(`/entities/${id}/neighbours?depth=2&project_id=${inside}`)
      expect([profile.status, around.status]).toEqual([200, 200])
      expect(JSON.stringify([profile.body, around.body])).not.toMatch(/Ana|Harbour|Head of|leads/)
      const outside = await idOf('Ana Lima')
      for (const part of ['profile', 'neighbours'])
        expect((await get(`/entities/${outside}/${part}?project_id=${inside}`)).status).toBe(404)
    })
  })
})
