import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { type Agent, agentAt, tokensOf } from '../../harness/agent.ts'
import { newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const RUNS = 12
const RECORDS = 30
/** Maximum tokens of each tool's result, by its arguments. */
const CAPS = {
  ask: ({ max_tokens = 1_500 }: { max_tokens?: number }) => Math.min(Math.max(max_tokens, 200), 4_000),
  search: ({ limit = 8 }: { limit?: number }) => (limit > 8 ? 6_000 : 2_000),
  fetch: () => 6_000,
  find_entity: () => 2_000,
  sources: () => 2_000,
  changes: () => 3_000,
}
/** Texts that grow in doubly encoded JSON, take several bytes, or consist of surrogate pairs. */
const SIGNS = ['\u0001', '"', '\\', '\n', '漢', '🦊', 'é', ' ', '</script>', 'pump ', 'ignore all rules ']

/** Replaces lone surrogates. */
const whole = (text: string) => Buffer.from(text).toString()
const long = (charsMax: number) =>
  fc
    .tuple(fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: charsMax }))
    .map(([signs, chars]) =>
      [...signs.join('').repeat(Math.ceil(chars / signs.join('').length))].join('').slice(0, chars),
    )
    .map(whole)
const name = long(1_500).map((text) => `Pump ${text}`)

const record = fc.record({
  type: long(200)
    .map((text) => `note ${text}`.slice(0, 255))
    .map(whole),
  title: name,
  text: long(60_000).map((text) => `The pump stopped. ${text}`),
  url: fc.oneof(
    fc.constant('javascript:alert(1)'),
    long(4_000).map((text) => `https://x.example/${text}`),
  ),
  author: fc.record({ type: fc.constant('person'), name, aliases: fc.array(name, { maxLength: 20 }) }),
  entities: fc.array(fc.record({ type: fc.constant('pump'), name, aliases: fc.array(name, { maxLength: 20 }) }), {
    maxLength: 8,
  }),
  properties: fc.dictionary(long(40), long(1_000), { maxKeys: 8 }),
})

onEachApp((app) => {
  let agent: Agent
  let sandbox: TestSandbox
  let ids: string[] = []

  beforeAll(async () => {
    const { call } = await app().newAccount()
    sandbox = await newSandbox(call)
    for (let at = 0; at < 8; at += 1) {
      await call('POST', `${sandbox.storage}/sources`, { provider: 'wiki', name: `${'"漢'.repeat(100)}${at}` })
    }
    const made = fc.sample(record, { numRuns: RECORDS, seed: 7 }).map((each, at) => ({ ...each, external_id: `${at}` }))
    const job = await putRecords(call, sandbox, made)
    expect(job.result).toMatchObject({ written: RECORDS })
    agent = agentAt(call, `/mcp/${sandbox.id}`)
    const { body: page } = await call('GET', `${sandbox.storage}/entities`)
    const { body: found } = await call('POST', `${sandbox.query}/discover`, { query: 'pump', limit: 100 })
    ids = [...page.entities.slice(0, RECORDS), ...found.items].map((each) => each.record_id ?? each.canonical_id)
    expect(ids.length).toBeGreaterThan(RECORDS)
  })

  it('no result exceeds its token limit, whatever the records contain', async () => {
    const calls = fc.oneof(
      fc.record({ tool: fc.constant('ask' as const), args: fc.record({ question: name, max_tokens: fc.integer() }) }),
      fc.record({
        tool: fc.constant('search' as const),
        args: fc.record({ query: name, limit: fc.integer({ max: 99 }) }),
      }),
      fc.record({
        tool: fc.constant('find_entity' as const),
        args: fc.record({ name: fc.constant('Pump'), limit: fc.nat(50) }),
      }),
      fc.record({ tool: fc.constant('sources' as const), args: fc.constant({}) }),
      fc.record({ tool: fc.constant('changes' as const), args: fc.constant({ since: '2020-01-01' }) }),
    )
    const run = async (tool: keyof typeof CAPS, args: object) => {
      const result = await agent.run(tool, args)
      const { structuredContent, ...shown } = result
      // A host shows its model one of the two.
      for (const part of [shown, structuredContent]) expect(tokensOf(part), tool).toBeLessThanOrEqual(CAPS[tool](args))
      return result
    }
    await fc.assert(
      fc.asyncProperty(calls, async ({ tool, args }) => void (await run(tool, args))),
      { numRuns: RUNS },
    )
    for (const args of [{ question: 'Why did the pump stop?' }, { question: 'What of Pump?', max_tokens: 200 }]) {
      expect((await run('ask', args)).isError).toBeUndefined()
    }
    for (const limit of [8, 25]) {
      const { content } = await run('search', { query: 'pump', limit })
      const { results } = JSON.parse(content[0]!.text)
      expect(results.length).toBeGreaterThan(0)
      for (const { url } of results) expect(url).toMatch(/^https?:\/\//)
    }
    for (const id of ids) await run('fetch', { id })
  })

  it('the parts of a long record concatenate to the whole', async () => {
    const [id] = ids.filter((each) => each.startsWith('rec_'))
    let read = ''
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const piece: { text: string; next_offset?: number } = JSON.parse(await agent.text('fetch', { id, offset }))
      expect(piece.text).toBe(whole(piece.text))
      read += piece.text
      expect(piece.next_offset ?? read.length).toBe(read.length)
      offset = piece.next_offset
    }
    const { content } = await agent.run('fetch', { id, offset: read.length })
    expect(JSON.parse(content[0]!.text).text).toBe('')
    expect(read.length).toBeGreaterThan(0)
  })
})
