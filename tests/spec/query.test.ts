import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

type Item = { record_id: string; external_id: string; score: number; canonical_ids: string[] }

const ENTITY = `ent_${'0'.repeat(26)}`
const RECORD = `rec_${'0'.repeat(26)}`
const NOTHING_KNOWN = /none of the pinned ids is known/i
const LAUNCH = 'When does Harbour launch?'

const ana = { name: 'Ana Lima', identifiers: { email: 'ana@example.com' } }
const harbour = { type: 'project', name: 'Harbour' }
const records = [
  { external_id: 'h1', type: 'message', text: 'The launch of Harbour moved to 17 August.', author: ana },
  { external_id: 'h2', type: 'message', text: 'Harbour needs a login page before the launch.', author: 'Ben Katz' },
  { external_id: 'h3', type: 'issue', title: 'Harbour login fails', text: 'Owned by Ana Lima.', entities: [harbour] },
  { external_id: 'l1', type: 'message', text: 'Lunch is late today.', author: 'Ben Katz' },
  ...Array.from({ length: 20 }, (_, at) => ({
    external_id: `f${at}`,
    type: 'message',
    text: `Freight ${at} was weighed at gate ${at % 3}.`,
    author: `Driver Number${at}`,
  })),
].map((record, at) => ({ ...record, occurred_at: new Date(Date.UTC(2026, 5, 1 + at)).toISOString() }))

/** Parses the events of a streamed reply. */
function eventsOf(stream: string): { event: string; data: Record<string, unknown> }[] {
  const blocks = stream.split('\n\n').filter((block) => block.includes('event:'))
  return blocks.map((block) => ({
    event: /^event: ?(.*)$/m.exec(block)?.[1] ?? '',
    data: JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? 'null'),
  }))
}

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let outsider: Call
  let project: { inside: string; outside: string; archived: string }

  const discover = (more: object = {}, at = sandbox): Promise<Answer> =>
    call('POST', `${at.query}/discover`, { query: LAUNCH, ...more })
  const interpret = (more: object = {}, at = sandbox): Promise<Answer> =>
    call('POST', `${at.query}/interpret`, { query: LAUNCH, items: [[RECORD]], ...more })
  const itemsOf = async (query: string, limit = 10): Promise<Item[]> => (await discover({ query, limit })).body.items
  const tuplesOf = async (query: string, limit = 10) =>
    (await itemsOf(query, limit)).map(({ canonical_ids }) => canonical_ids)

  beforeAll(async () => {
    const account = await app().newAccount()
    call = account.call
    outsider = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records)
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'github', name: 'Code' })
    const inside = { ...sandbox, records: `${sandbox.storage}/sources/${source.data_source_id}/records` }
    const pull = { external_id: 'p1', type: 'message', text: 'Harbour ships behind a flag.', author: 'Cleo Brandt' }
    await putRecords(call, inside, [pull])
    const create = async (at: TestSandbox, name: string, ids: string[] = []) =>
      (await call('POST', `${at.storage}/projects`, { name, data_source_ids: ids })).body.project_id
    const other = await newSandbox(call, 'Other')
    project = {
      inside: await create(sandbox, 'Code', [source.data_source_id]),
      archived: await create(sandbox, 'Old'),
      outside: await create(other, 'Elsewhere'),
    }
    await call('POST', `${sandbox.storage}/projects/${project.archived}/archive`)
  })

  describe('discover', () => {
    it('returns relevant records, best first, each item pinned by its entities and then itself', async () => {
      const { status, body } = await discover({ limit: 100 })
      const items: Item[] = body.items
      expect(status).toBe(200)
      expect(items.slice(0, 3).map((item) => item.external_id)).toContain('h1')
      expect(items.map(({ score }) => score)).toEqual(items.map(({ score }) => score).sort((a, b) => b - a))
      for (const item of items) expect(item.canonical_ids.at(-1)).toBe(item.record_id)
      expect(new Set(items.map((item) => item.record_id)).size).toBe(items.length)
      expect(body).toMatchObject({ count: items.length, sandbox_id: sandbox.id, project_id: null, query: LAUNCH })
      expect(body.header).not.toBe('')
      expect(body.next_steps).toMatch(/interpret/)
    })

    it('prefers records of the time in the question, relative to the reference date', async () => {
      const firstOf = async (query: string, reference_date: string) =>
        (await discover({ query, reference_date })).body.items[0].external_id
      expect(await firstOf('Was freight 3 weighed at gate 0?', '2026-06-26')).toBe('f3')
      expect(await firstOf('Was freight 3 weighed at gate 0 last week?', '2026-06-26')).toMatch(/^f1[0-6]$/)
      expect(await firstOf('Was freight 3 weighed at gate 0 last week?', '2027-06-26')).toBe('f3')
    })

    it('gives the same answer to the same question', async () => {
      expect((await discover()).body).toEqual((await discover()).body)
    })

    it('returns as many items as requested, 1 to 100, 10 by default', async () => {
      const counts = await Promise.all(
        [{}, { limit: null }, { limit: 1 }, { limit: 100 }].map(
          async (more) => (await discover({ query: 'freight gate', ...more })).body.count,
        ),
      )
      expect(counts.slice(0, 3)).toEqual([10, 10, 1])
      expect(counts[3]).toBeGreaterThanOrEqual(20)
      for (const limit of [0, 101, 1.5, '5']) expect((await discover({ limit })).status).toBe(422)
    })

    it('resolves pronouns with earlier turns, but only of the last 20', async () => {
      const turn = (content: string, role = 'user') => ({ role, content })
      const history = [turn('Tell me of Harbour.'), turn('Harbour moved to 17 August.', 'assistant')]
      const { status, body } = await discover({ query: 'Who wrote about it?', history })
      expect(status).toBe(200)
      expect(body.items[0].external_id).toMatch(/^(h|p)/)
      const long = [...Array.from({ length: 5 }, () => turn('Lunch is late.')), ...Array(20).fill(turn('Freight 3?'))]
      const asked = { query: 'And when was it weighed?' }
      const all = (await discover({ ...asked, history: long })).body.items
      expect(all).toEqual((await discover({ ...asked, history: long.slice(-20) })).body.items)
    })

    it('accepts any question, and says if no record is related to it', async () => {
      for (const query of [
        '?',
        ' ',
        'it',
        'the of and',
        '🦀'.repeat(5000),
        "';--",
        '((((',
        '港口什么时候启用',
        'a'.repeat(5000),
      ]) {
        expect((await discover({ query })).status).toBe(200)
      }
      const { body } = await discover({ query: 'zyzzyva quokka' })
      expect(body).toMatchObject({ items: [], count: 0, header: expect.stringMatching(/no record/i) })
      expect(body.next_steps).toMatch(/Rephrase/)
    })

    it('says in an empty sandbox that nothing is stored', async () => {
      const empty = await newSandbox(call, 'Empty')
      const { status, body } = await discover({}, empty)
      expect([status, body.items, body.count]).toEqual([200, [], 0])
      expect(body.header).toMatch(/nothing is stored/i)
      expect((await interpret({}, empty)).body).toMatchObject({ brief: expect.stringMatching(NOTHING_KNOWN) })
    })

    it('returns nothing from outside its project', async () => {
      const { body } = await discover({
        query: 'Harbour launch login Ana Lima',
        project_id: project.inside,
        limit: 100,
      })
      expect(body.items.map((item: Item) => item.external_id)).toEqual(['p1'])
      expect(body.project_id).toBe(project.inside)
      expect(body.header + JSON.stringify(body.items)).not.toMatch(/Ana|Ben|17 August/)
    })
  })

  describe('interpret', () => {
    it('answers from the pinned records and echoes the request', async () => {
      const items = [...(await tuplesOf(LAUNCH, 3)), [ENTITY, 'anything else'], [RECORD, RECORD]]
      const { status, body } = await interpret({ items })
      expect(status).toBe(200)
      expect(body.brief).toContain('17 August')
      expect(body).toMatchObject({ items, sandbox_id: sandbox.id, query: LAUNCH, project_id: null })
      expect((await interpret({ items })).body).toEqual({ ...body, answer_id: expect.any(String) })
    })

    it('treats a tuple as the records with all its ids, and a record id as that record', async () => {
      const search = async (q: string) =>
        (await call('GET', `${sandbox.storage}/entities/search?q=${q}`)).body.results[0].canonical_id
      const both = [await search('Ana%20Lima'), await search('Harbour')]
      expect((await interpret({ query: 'What fails?', items: [both] })).body.brief).toMatch(/login/i)
      const [lunch] = await itemsOf('lunch', 1)
      const { body } = await interpret({ query: 'What is for lunch?', items: [[lunch?.record_id]] })
      expect(body.brief).toMatch(/lunch/i)
      expect(body.brief).not.toMatch(/harbour/i)
      expect((await interpret({ items: [[lunch?.record_id]] })).body).toMatchObject({ answered: false, citations: [] })
    })

    it('cites at most ten known ids, the most relevant first, with a relevance in (0, 1]', async () => {
      const query = 'Which freight was weighed at gate 1?'
      const { citations } = (await interpret({ query, items: await tuplesOf(query, 20), max_tokens: 4000 })).body
      expect(citations.length).toBeGreaterThan(0)
      expect(citations.length).toBeLessThanOrEqual(10)
      const relevance: number[] = citations.map((citation: { relevance: number }) => citation.relevance)
      expect(relevance).toEqual([...relevance].sort((a, b) => b - a))
      expect(Math.min(...relevance)).toBeGreaterThan(0)
      expect(Math.max(...relevance)).toBe(1)
      for (const { canonical_id: id, name, type } of citations) {
        const kind = id.startsWith('rec_') ? 'records' : 'entities'
        const { status, body: cited } = await call('GET', `${sandbox.storage}/${kind}/${id}`)
        expect([status, cited.type, name === '']).toEqual([200, type, false])
      }
    })

    it('echoes unknown ids but never cites them; if all are unknown it says so', async () => {
      const theirs = await newSandbox(outsider)
      await putRecords(outsider, theirs, records)
      const foreign = (await outsider('POST', `${theirs.query}/discover`, { query: LAUNCH })).body.items[0]
      const unknown = [[ENTITY], [RECORD, 'nonsense'], foreign.canonical_ids]
      const none = await interpret({ items: unknown })
      expect(none.status).toBe(200)
      expect(none.body).toMatchObject({ items: unknown, citations: [], brief: expect.stringMatching(NOTHING_KNOWN) })
      const { body } = await interpret({ items: [...unknown, ...(await tuplesOf(LAUNCH, 1))] })
      const cited = body.citations.map((citation: { canonical_id: string }) => citation.canonical_id)
      expect(cited.length).toBeGreaterThan(0)
      for (const id of unknown.flat()) expect(cited).not.toContain(id)
    })

    it('uses nothing from outside its project', async () => {
      const { body } = await interpret({ items: await tuplesOf('Ana Lima launch', 3), project_id: project.inside })
      expect(body.project_id).toBe(project.inside)
      expect(`${body.brief}${JSON.stringify(body.citations)}`).not.toMatch(/Ana|Ben|17 August/)
    })

    it.each([100, 120, 200])('limits a brief to max_tokens of four bytes each: %i', async (tokens) => {
      const items = await tuplesOf('Freight at the gate in Harbour', 50)
      const { brief } = (await interpret({ items, max_tokens: tokens })).body
      expect(brief).not.toBe('')
      expect(Buffer.byteLength(brief) / 4).toBeLessThanOrEqual(tokens)
    })

    it('streams deltas that concatenate to the brief, then the whole reply', async () => {
      const body = { query: LAUNCH, items: await tuplesOf(LAUNCH, 3) }
      const whole = await call('POST', `${sandbox.query}/interpret`, body)
      const reply = await call('POST', `${sandbox.query}/interpret`, body, { accept: 'text/event-stream' })
      expect(reply.headers['content-type']).toContain('text/event-stream')
      const events = eventsOf(reply.body)
      const again = { ...whole.body, answer_id: expect.any(String) }
      expect(events.at(-1)).toEqual({ event: 'result', data: again })
      const deltas = events.slice(0, -1)
      expect(deltas.every(({ event }) => event === 'brief')).toBe(true)
      expect(deltas.map(({ data }) => data.delta).join('')).toBe(whole.body.brief)
    })

    it('rejects an invalid body before it streams', async () => {
      const headers = { accept: 'text/event-stream' }
      const reply = await call('POST', `${sandbox.query}/interpret`, { query: '', items: [] }, headers)
      expect(reply).toMatchObject({ status: 422, body: { error: 'validation_error' } })
    })

    it('accepts items of 1 to 200 tuples of 1 to 50 ids of 1 to 256 characters', async () => {
      const many = (count: number, value: unknown) => Array.from({ length: count }, () => value)
      for (const items of [many(200, [RECORD]), [many(50, RECORD)], [['x'.repeat(256)]]]) {
        expect((await interpret({ items })).status).toBe(200)
      }
      const bad = [[], [[]], [['a'], []], [[1]], [['']], ['a'], 'a', null, many(201, ['a']), [many(51, 'a')]]
      for (const items of [...bad, [['x'.repeat(257)]]]) expect((await interpret({ items })).status).toBe(422)
    })

    it('accepts max_tokens of 100 to 16000', async () => {
      for (const max_tokens of [100, 16_000, null]) expect((await interpret({ max_tokens })).status).toBe(200)
      for (const max_tokens of [99, 16_001, 100.5, '200']) expect((await interpret({ max_tokens })).status).toBe(422)
    })
  })

  describe.each(['discover', 'interpret', 'search'] as const)('%s', (operation) => {
    const items = operation === 'interpret' ? [[RECORD]] : undefined
    const ask = (more: object) => call('POST', `${sandbox.query}/${operation}`, { query: LAUNCH, items, ...more })

    it('accepts a question of 1 to 5000 characters', async () => {
      for (const query of ['a', 'a'.repeat(5000), '🦀'.repeat(5000)]) expect((await ask({ query })).status).toBe(200)
      for (const query of ['', 'a'.repeat(5001), 5, null]) expect((await ask({ query })).status).toBe(422)
      expect((await ask({ query: 'a\u0000b' })).status).toBe(400)
    })

    it('accepts turns of the three roles, also more than 20', async () => {
      const turns = (role: string) => ({ history: Array(25).fill({ role, content: 'Hello.' }) })
      for (const role of ['user', 'assistant', 'system']) expect((await ask(turns(role))).status).toBe(200)
      for (const role of ['tool', 'User', '']) expect((await ask(turns(role))).status).toBe(422)
      expect((await ask({ history: [{ role: 'user', content: 'x'.repeat(100_000) }] })).status).toBe(422)
    })

    it('accepts only existing dates', async () => {
      for (const reference_date of ['2026-02-28', '2028-02-29', null]) {
        expect((await ask({ reference_date })).status).toBe(200)
      }
      for (const reference_date of ['2026-02-30', '2026-1-1', '2026-01-01T00:00', 'today', '']) {
        expect((await ask({ reference_date })).status).toBe(422)
      }
    })

    it('reserves the preset max, after the body is validated', async () => {
      for (const preset of ['fast', 'auto', 'discover', 'sql', null]) expect((await ask({ preset })).status).toBe(200)
      expect(await ask({ preset: 'max' })).toMatchObject({ status: 403, body: { reason: 'preset_reserved' } })
      expect((await ask({ preset: 'max', query: '' })).status).toBe(422)
      expect((await ask({ preset: 'turbo' })).status).toBe(422)
      const stranger = await outsider('POST', `${sandbox.query}/${operation}`, { preset: 'max', query: '' })
      expect(stranger.status).toBe(404)
    })

    it('answers 404 for a foreign project and 409 for an archived one', async () => {
      expect((await ask({ project_id: 'prj_unknown' })).status).toBe(404)
      expect((await ask({ project_id: project.outside })).status).toBe(404)
      expect(await ask({ project_id: project.archived })).toMatchObject({
        status: 409,
        body: { reason: 'project_archived' },
      })
    })
  })
})
