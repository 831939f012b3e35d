import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

type Item = { record_id: string; external_id: string; canonical_ids: string[]; snippet: string }
type Passage = { text: string; record_id: string; score: number; title?: string }

const filling = 'The yard was swept and the gates were painted as every week. '
const HOOK = 'Which crane lost its hook?'
const records = [
  {
    external_id: 'y1',
    type: 'report',
    title: 'Yard',
    url: 'https://yard.example/9',
    text: `${filling.repeat(20)}\n\nThe crane number nine lost its hook in a storm. ${filling.repeat(20)}`,
    author: { name: 'Ana Lima', identifiers: { email: 'ana@example.com' } },
    occurred_at: '2026-05-04T10:00:00Z',
  },
  { external_id: 'y2', type: 'hook', properties: { crane: 'number nine', weight: 40 } },
  {
    external_id: 'y3',
    type: 'message',
    text: 'The crane number nine lost its hook in a storm. Sad!',
    author: 'Ben Katz',
  },
  ...Array.from({ length: 40 }, (_, at) => {
    const text = `Crane ${at} is idle since its driver number ${at} left yard ${at} for good, and nobody took it over.`
    return { external_id: `m${at}`, type: 'message', text }
  }),
]

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let inside: string
  const context = (body: object): Promise<Answer> => call('POST', `${sandbox.query}/context`, body)
  const itemsOf = async (query: string): Promise<Item[]> =>
    (await call('POST', `${sandbox.query}/discover`, { query })).body.items
  const sizeOf = (passages: Passage[]) =>
    passages.reduce((sum, { text, title = '' }) => sum + Buffer.byteLength(text + title) / 4, 0)

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records)
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'github', name: 'Code' })
    const within = { ...sandbox, records: `${sandbox.storage}/sources/${source.data_source_id}/records` }
    await putRecords(call, within, [{ external_id: 'p1', type: 'note', text: 'The hook is behind a flag.' }])
    const project = { name: 'Code', data_source_ids: [source.data_source_id] }
    inside = (await call('POST', `${sandbox.storage}/projects`, project)).body.project_id
  })

  it("a record from a file shows its text and fields, but not the file's location", async () => {
    const file = { path: 'docs/yard.md', owner: 'Ana Lima' }
    const text = 'The weighbridge was calibrated.'
    await putRecords(call, sandbox, [{ external_id: 'f1', type: 'document', title: 'Bridge', text, properties: file }])
    const { passages } = (await context({ query: 'Who owns the weighbridge?' })).body
    const texts = passages.filter(({ title }: Passage) => title === 'Bridge').map(({ text: each }: Passage) => each)
    expect(texts.join('\n')).toMatch(/calibrated[\s\S]*owner: Ana Lima/)
    expect(texts.join('\n')).not.toMatch(/path|yard\.md/)
  })

  it('each item shows its kind, its address, and the passage that matched', async () => {
    const items = await itemsOf(HOOK)
    const item = items.find((each) => each.external_id === 'y1')!
    expect(item).toMatchObject({ title: 'Yard', type: 'report', url: 'https://yard.example/9' })
    expect(item.snippet).toMatch(/^The crane number nine lost its hook in a storm\. The yard was swept/)
    expect(item.snippet.length).toBeLessThanOrEqual(300)
    const bare = items.find((each) => each.external_id === 'y2')
    expect(bare).toMatchObject({ type: 'hook', snippet: 'hook y2' })
    expect(bare).not.toHaveProperty('url')
  })

  describe('context', () => {
    it('packs whole sentences of the results into the token budget, best first, without duplicates', async () => {
      const { status, body } = await context({ query: HOOK, max_tokens: 300 })
      const passages: Passage[] = body.passages
      expect(status).toBe(200)
      expect(body.warnings).toEqual([])
      expect(body.tokens).toBe(Math.ceil(sizeOf(passages)))
      expect(body.tokens).toBeLessThanOrEqual(300)
      expect(body.tokens).toBeGreaterThan(150)
      expect(passages.map(({ score }) => score)).toEqual(passages.map(({ score }) => score).toSorted((a, b) => b - a))
      expect(
        passages
          .map(({ text }) => text)
          .join('\n')
          .match(/lost its hook in a storm/g),
      ).toHaveLength(1)
      const items = await itemsOf(HOOK)
      expect(passages[0]!.record_id).toBe(items[0]!.record_id)
      for (const { text } of passages) expect(text).toMatch(/(?:[.!]|: .+)$/)
      expect((await context({ query: HOOK, max_tokens: 300 })).body).toEqual(body)
    })

    it('shows author, kind, time and place, and cites each record', async () => {
      const { passages, citations } = (await context({ query: HOOK })).body
      const of = (id: string) => passages.find((each: Passage) => each.record_id === id)
      const items = await itemsOf(HOOK)
      const idOf = (externalId: string) => items.find((item) => item.external_id === externalId)!.record_id
      expect(of(idOf('y2'))).toMatchObject({ type: 'hook', text: 'crane: number nine; weight: 40' })
      const report = passages.find(({ title }: Passage) => title === 'Yard')
      expect(report).toMatchObject({
        type: 'report',
        author: 'Ana Lima',
        url: 'https://yard.example/9',
        occurred_at: '2026-05-04T10:00:00.000Z',
      })
      const recordIds = new Set(passages.map(({ record_id }: Passage) => record_id))
      expect(new Set(citations.map((each: { canonical_id: string }) => each.canonical_id))).toEqual(recordIds)
      expect(citations[0]).toMatchObject({ canonical_id: passages[0].record_id, relevance: 1 })
      expect(citations[0].record_ids).toEqual([passages[0].record_id])
    })

    it('uses only pinned items, with or without a question, and names unknown ones', async () => {
      const items = await itemsOf(HOOK)
      const pinned = items.find(({ external_id: id }) => id === 'y1')!
      const unknown = `rec_${'0'.repeat(26)}`
      for (const more of [{}, { query: HOOK }, { query: 'Who swept the yard?' }]) {
        const { status, body } = await context({ ...more, items: [[pinned.record_id], [unknown]] })
        expect(status).toBe(200)
        expect(body.passages.map((each: Passage) => each.record_id)).toContain(pinned.record_id)
        expect(new Set(body.passages.map((each: Passage) => each.record_id)).size).toBe(1)
        expect(body.warnings).toEqual(['1 of the ids are unknown.'])
      }
      const none = (await context({ items: [[unknown]] })).body
      expect(none).toMatchObject({ passages: [], tokens: 0, citations: [] })
      expect(none.warnings).toEqual([expect.stringMatching(/none of the pinned ids/i)])
    })

    it('says if nothing is found or fits, and rejects an empty request', async () => {
      const { body } = await context({ query: 'zyzzyva quokka' })
      expect(body).toMatchObject({ passages: [], tokens: 0, warnings: [expect.stringMatching(/no record/i)] })
      const asks = [
        {},
        { query: '' },
        { items: [] },
        { query: HOOK, max_tokens: 99 },
        { query: HOOK, max_tokens: 16_001 },
      ]
      for (const ask of asks) expect((await context(ask)).status, JSON.stringify(ask)).toBe(422)
      expect((await context({ query: HOOK, preset: 'max' })).status).toBe(403)
    })

    it('returns nothing from outside its project, whatever is pinned', async () => {
      const outside = (await itemsOf(HOOK)).find(({ external_id: id }) => id === 'y1')!
      const scoped = (await context({ query: HOOK, project_id: inside })).body
      expect(scoped.passages.map(({ text }: Passage) => text)).toEqual(['The hook is behind a flag.'])
      const pinned = (await context({ items: [outside.canonical_ids], project_id: inside })).body
      expect(JSON.stringify(pinned)).not.toMatch(/crane|Ana/i)
    })
  })
})
