import { beforeAll, describe, expect, it } from 'vitest'
import { message, person } from '../harness/people-and-messages.ts'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

type Hit = { canonical_id: string; name: string; similarity: number; record_type: string }
type Relation = { predicate: string; direction: string; name: string; record_id: string }

const UNKNOWN = `ent_${'0'.repeat(26)}`
const HANDOVER = '2026-07-20T00:00:00.000Z'

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox

  const addSource = async (provider: string): Promise<TestSandbox> => {
    const { body } = await call('POST', `${sandbox.storage}/sources`, { provider, name: provider })
    return {
      ...sandbox,
      source: body.data_source_id,
      records: `${sandbox.storage}/sources/${body.data_source_id}/records`,
    }
  }
  const search = async (q: string, more = ''): Promise<Hit[]> =>
    (await call('GET', `${sandbox.storage}/entities/search?q=${encodeURIComponent(q)}${more}`)).body.results
  const find = async (q: string): Promise<string> => (await search(q))[0]?.canonical_id ?? 'none'
  const entity = async (id: string, more = ''): Promise<Answer['body']> =>
    (await call('GET', `${sandbox.storage}/entities/${id}${more}`)).body
  const status = async (path: string) => (await call('GET', `${sandbox.storage}/${path}`)).status

  it('an entity has the same name alone and in a list, before and after its records are embedded', async () => {
    const account = await app().newAccount()
    const place = await newSandbox(account.call)
    const quay = (name: string) => ({ type: 'project', name, identifiers: { key: 'QUAY' } })
    await putRecords(account.call, place, [{ ...message('q1', 'One.', 'Ada Berg'), entities: [quay('Quay')] }])
    await putRecords(account.call, place, [{ ...message('q2', 'Two.', 'Bo Dahl', 2), entities: [quay('Quay wall')] }])
    // On this page the newest record of the entity differs from the first one.
    await putRecords(account.call, place, [{ ...message('q1', 'One.', 'Cy Ek'), entities: [quay('Quay')] }])
    const named = async (more: string) => {
      const { body } = await account.call('GET', `${place.storage}/entities?${more}`)
      return (body.entities as Hit[]).find(({ name }) => name.startsWith('Quay'))?.name
    }
    const alone = await named('type=project')
    expect(alone).toBeDefined()
    for (const more of ['', 'limit=3', 'type=project&limit=1', 'q=quay']) expect(await named(more), more).toBe(alone)
  })

  describe('one person in several tools', () => {
    let chat: TestSandbox
    let code: TestSandbox
    let codeProject: string

    beforeAll(async () => {
      call = (await app().newAccount()).call
      sandbox = await newSandbox(call)
      chat = sandbox
      code = await addSource('github')
      const ids = [code.source]
      const { body } = await call('POST', `${sandbox.storage}/projects`, { name: 'Code', data_source_ids: ids })
      codeProject = body.project_id
      await putRecords(call, chat, [
        message(
          'c1',
          'Alex here.',
          person('Alex L', { email: 'alex.l@example.com' }, { role: 'engineer', desk: 4 }),
          1,
        ),
        message('c2', 'The other Alex here.', person('Alex O.', { email: 'alex.o@example.com' }), 2),
        {
          ...message('c3', 'Yuki Tanabe takes over.', person('Yuki Tanabe', { email: 'yuki@example.com' }), 3),
          entities: [{ type: 'service', name: 'ledger-api' }],
          relations: [
            { subject: 'Yuki Tanabe', predicate: 'owns', object: 'ledger-api', valid_from: HANDOVER },
            { subject: 'Alexander Lindqvist', predicate: 'owns', object: 'ledger-api', valid_to: HANDOVER },
          ],
          participants: [person('Alexander Lindqvist', { email: 'alex.l@example.com' })],
        },
      ])
      await putRecords(call, code, [
        message('g1', 'Fix rounding.', person('alindq', { login: 'alindq', email: 'Alex.L@example.com' }), 4),
        message('g2', 'Review.', person('alindq', { login: 'alindq' }, { role: 'lead' }), 5),
        message('g3', 'Docs.', person('Alex Okafor', { url: 'https://code.example/alexo/' }), 6),
        message('g4', 'More docs.', person('Alexandra Okafor', { url: 'https://CODE.example/alexo' }), 7),
      ])
    })

    it('is one entity by address and login, with all its names, the fullest first', async () => {
      const alex = await entity(await find('alex.l@example.com'))
      expect(alex).toMatchObject({ type: 'person', name: 'Alexander Lindqvist', sandbox_id: sandbox.id })
      expect(alex.names.sort()).toEqual(['Alex L', 'Alexander Lindqvist', 'alindq'])
      expect(alex.identifiers.login).toEqual(['alindq'])
      expect(alex.record_count).toBeGreaterThanOrEqual(4)
      const shown = alex.records.map((record: { external_id: string }) => record.external_id)
      expect(shown).toEqual(expect.arrayContaining(['c1', 'c3', 'g1', 'g2']))
    })

    it('is one entity by a web address in any spelling', async () => {
      const okafor = await entity(await find('Alexandra Okafor'))
      expect(okafor.names.sort()).toEqual(['Alex Okafor', 'Alexandra Okafor'])
    })

    it('is not merged with another of the same first name', async () => {
      const ids = await Promise.all(['alex.l@example.com', 'alex.o@example.com', 'Alexandra Okafor'].map(find))
      expect(new Set([...ids, 'none']).size).toBe(4)
      const hits = await search('Alex')
      expect(hits.map((hit) => hit.canonical_id)).toEqual(expect.arrayContaining(ids.slice(0, 2)))
    })

    it('is found by name with similarity from 1 downward, up to the limit', async () => {
      const hits = await search('Yuki Tanabe')
      expect(hits[0]).toMatchObject({ name: 'Yuki Tanabe', similarity: 1, record_type: 'person' })
      const all = (await search('alex')).map((hit) => hit.similarity)
      expect(all).toEqual([...all].sort((a, b) => b - a))
      expect(await search('Alex', '&limit=1')).toHaveLength(1)
      for (const hit of await search('Alex', '&min_similarity=0.6')) expect(hit.similarity).toBeGreaterThanOrEqual(0.6)
      expect(await search('Nobody Atall', '&min_similarity=0.5')).toEqual([])
      const bad = ['limit=0', 'limit=101', 'min_similarity=2', 'limit=x']
      for (const more of bad) expect(await status(`entities/search?q=a&${more}`)).toBe(422)
      for (const path of ['entities/search', 'entities/search?q=']) expect(await status(path)).toBe(422)
    })

    it('has the properties of the latest record', async () => {
      const { properties } = await entity(await find('alindq'))
      expect(properties).toMatchObject({ role: 'lead', desk: 4 })
    })

    it('has relations in both directions with their validity and sources', async () => {
      const ledger = await entity(await find('ledger-api'))
      const owners: Relation[] = ledger.relations
      expect(owners.map(({ predicate, direction }) => [predicate, direction])).toEqual([
        ['owns', 'in'],
        ['owns', 'in'],
      ])
      const yuki = owners.find(({ name }) => name === 'Yuki Tanabe')
      expect(yuki).toMatchObject({ valid_from: HANDOVER, valid_to: null, canonical_id: await find('yuki@example.com') })
      expect(owners.find(({ name }) => name.startsWith('Alex'))).toMatchObject({
        valid_to: HANDOVER,
        canonical_id: await find('alex.l@example.com'),
      })
      expect((await call('GET', `${sandbox.storage}/records/${yuki?.record_id}`)).body.external_id).toBe('c3')
      const [own] = (await entity(await find('Yuki Tanabe'))).relations
      expect(own).toMatchObject({ predicate: 'owns', direction: 'out', name: 'ledger-api' })
    })

    it('shows within a project only what its records state', async () => {
      const scope = `?project_id=${codeProject}`
      const id = await find('alex.l@example.com')
      const alex = await entity(id, scope)
      expect(alex.names).toEqual(['alindq'])
      expect(alex).toMatchObject({ properties: { role: 'lead' }, relations: [], merge_history: [], record_count: 2 })
      expect(JSON.stringify(alex)).not.toMatch(/Lindqvist|Alex L"|\bdesk\b/)
      expect(await status(`entities/${await find('Yuki Tanabe')}${scope}`)).toBe(404)
      expect(await search('Yuki Tanabe', `&project_id=${codeProject}`)).toEqual([])
      expect(JSON.stringify(await search('Alexander Lindqvist', `&project_id=${codeProject}`))).not.toMatch(/Lindqvist/)
      const { body } = await call('GET', `${sandbox.storage}/entities${scope}`)
      expect(body.entities.map(({ name }: Hit) => name).sort()).toEqual(['Alexandra Okafor', 'alindq'])
      expect(await status('entities?project_id=prj_unknown')).toBe(404)
    })

    it('is listed once, newest first, by type, by words and by page', async () => {
      const { body } = await call('GET', `${sandbox.storage}/entities`)
      const ids: string[] = body.entities.map((each: Hit) => each.canonical_id)
      expect(body.count).toBe(ids.length)
      expect(ids).toEqual([...new Set(ids)].sort().reverse())
      const people = (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities
      expect(people.every(({ type }: { type: string }) => type === 'person')).toBe(true)
      expect(people).toHaveLength(ids.length - 1)
      const matching = (await call('GET', `${sandbox.storage}/entities?q=tanabe`)).body.entities
      expect(matching.map(({ name }: Hit) => name)).toEqual(['Yuki Tanabe'])
      const first = (await call('GET', `${sandbox.storage}/entities?limit=2`)).body
      expect(first.entities.map((each: Hit) => each.canonical_id)).toEqual(ids.slice(0, 2))
      const cursor = encodeURIComponent(first.next_cursor)
      const second = (await call('GET', `${sandbox.storage}/entities?limit=2&cursor=${cursor}`)).body
      expect(second.entities.map((each: Hit) => each.canonical_id)).toEqual(ids.slice(2, 4))
      expect(await status(`entities?type=person&cursor=${cursor}`)).toBe(400)
      expect(await status('entities?cursor=forged')).toBe(400)
      for (const limit of ['0', '1001', '1e3', 'x']) expect(await status(`entities?limit=${limit}`)).toBe(422)
    })

    it('is 404 for an unknown or malformed id', async () => {
      for (const id of [UNKNOWN, 'nonsense', sandbox.id]) expect(await status(`entities/${id}`)).toBe(404)
    })
  })

  describe('two entities that are found to be the same', () => {
    let old: string
    let merged: string

    beforeAll(async () => {
      call = (await app().newAccount()).call
      sandbox = await newSandbox(call)
      const mail = person('Bamidele Adeyemi', { email: 'dele@example.com' })
      await putRecords(call, sandbox, [message('1', 'I begin on 6 July.', mail)])
      await putRecords(call, sandbox, [message('2', 'The alarm is fixed.', person('bam', { login: 'bam' }), 2)])
      const ids = [await find('dele@example.com'), await find('bam')]
      expect(new Set(ids).size).toBe(2)
      const both = person('Dele', { login: 'bam', email: 'dele@example.com' })
      await putRecords(call, sandbox, [message('3', 'That is me.', both, 3)])
      merged = await find('dele@example.com')
      old = ids.find((id) => id !== merged) ?? 'none'
    })

    it('are merged with all names and records, and the history gives the reason', async () => {
      const { names, record_count: count, merge_history: history } = await entity(merged)
      expect(names.sort()).toEqual(['Bamidele Adeyemi', 'Dele', 'bam'])
      expect(count).toBe(3)
      expect(history).toMatchObject([{ from: old, into: merged, undone_at: null }])
      expect(history[0].evidence).not.toEqual({})
      const { body } = await call('GET', `${sandbox.storage}/entities?type=person`)
      expect(body.entities.map((each: Hit) => each.canonical_id)).toEqual([merged])
    })

    it('are both found by the old id, which is returned as it was sent', async () => {
      expect(await entity(old)).toEqual(await entity(merged))
      const asked = { query: 'What is fixed?', items: [[old]] }
      const { body } = await call('POST', `${sandbox.query}/interpret`, asked)
      expect(body.items).toEqual([[old]])
      expect(body.brief).toMatch(/alarm|6 July/)
      const cited = body.citations.map((citation: Hit) => citation.canonical_id)
      expect(cited).toContain(merged)
      expect(cited).not.toContain(old)
    })
  })

  describe('an entity', () => {
    beforeAll(async () => {
      call = (await app().newAccount()).call
      sandbox = await newSandbox(call)
    })

    it('is unique regardless of accents, but not because of blank identifiers or names of symbols', async () => {
      await putRecords(call, sandbox, [
        message('1', 'One.', 'Zoë Müller'),
        message('2', 'Two.', 'Zoe Muller'),
        message('3', 'Three.', person('Person Blank', { email: ' ' })),
        message('4', 'Four.', person('Person Empty', { email: ' ' })),
        message('5', 'Five.', '🦀'),
        message('6', 'Six.', '🐙'),
      ])
      const { body } = await call('GET', `${sandbox.storage}/entities`)
      const counts = body.entities.map(({ name, record_count: count }: Answer['body']) => `${name} ${count}`)
      expect(counts.sort()).toEqual(['Person Blank 1', 'Person Empty 1', 'Zoë Müller 2', '🐙 1', '🦀 1'].sort())
    })

    it('loses with a record what only that record stated, and is deleted with its last record', async () => {
      const says = (predicate: string) => ({
        ...message('r', 'Owned.', person('Odile Roy', { email: 'odile@example.com' })),
        relations: [{ subject: 'Odile Roy', predicate, object: 'a dog' }],
      })
      const predicates = async () =>
        (await entity(await find('Odile Roy'))).relations.map((each: Relation) => each.predicate)
      await putRecords(call, sandbox, [says('owns')])
      expect(await predicates()).toEqual(['owns'])
      await putRecords(call, sandbox, [says('sold')])
      expect(await predicates()).toEqual(['sold'])
      const id = await find('Odile Roy')
      await putRecords(call, sandbox, [{ external_id: 'r', type: 'message', deleted: true }])
      expect(await status(`entities/${id}`)).toBe(404)
      expect(await search('Odile Roy')).toEqual([])
    })

    it('is in the project that its record names, else in the projects that its source belongs to now', async () => {
      const create = async (name: string, ids: string[]) =>
        (await call('POST', `${sandbox.storage}/projects`, { name, data_source_ids: ids })).body.project_id
      const own = await create('Own', [])
      const ofSource = await create('Source', [sandbox.source])
      await putRecords(call, sandbox, [
        { ...message('p1', 'Here.', 'Ines Prado'), project_id: own },
        message('p2', 'There.', 'Jon Quist'),
      ])
      const within = async (id: string) =>
        Promise.all(['Ines Prado', 'Jon Quist'].map(async (q) => (await search(q, `&project_id=${id}`)).length))
      expect([await within(own), await within(ofSource)]).toEqual([
        [1, 0],
        [0, 1],
      ])
      await call('DELETE', `${sandbox.storage}/projects/${ofSource}/sources/${sandbox.source}`)
      expect(await within(ofSource)).toEqual([0, 0])
    })
  })
})
