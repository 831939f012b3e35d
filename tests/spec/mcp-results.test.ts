import { beforeAll, expect, it } from 'vitest'
import { type Agent, agentAt } from '../harness/agent.ts'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const PUMP = {
  external_id: 'pump',
  type: 'note',
  title: 'Pump 7',
  text: 'Pump 7 stopped because its filter was full of sand.',
  author: { name: 'Ada Berg', email: 'ada@example.com' },
}
const QUARRY = { external_id: 'quarry', type: 'note', title: 'Quarry', text: 'The quarry of Oslo closes in May.' }

onEachApp((app) => {
  let sandbox: TestSandbox
  let agent: Agent
  let holder: Call

  const idsFound = async (by: Agent, query: string) =>
    JSON.parse(await by.text('search', { query })).results.map(({ id }: { id: string }) => id) as string[]

  beforeAll(async () => {
    holder = (await app().newAccount()).call
    sandbox = await newSandbox(holder, 'Acme')
    await putRecords(holder, sandbox, [PUMP, QUARRY])
    agent = agentAt(holder, `/mcp/${sandbox.id}`)
  })

  it('ask returns structured content, accepts earlier turns, and returns no address that needs a key', async () => {
    const question = 'When does it close?'
    const history = [{ role: 'user', content: 'What do you know of the quarry of Oslo?' }]
    const { content, structuredContent } = await agent.run('ask', { question, history })
    expect(structuredContent).toMatchObject({ answered: true, answer: expect.stringMatching(/May/), notes: [] })
    expect(content[0]?.text).toContain(structuredContent.answer)
    const [source] = structuredContent.sources
    expect(source).toEqual({ id: expect.stringMatching(/^rec_/), title: 'Quarry', date: '', type: 'note' })
    expect(content[0]?.text.split(source.id)).toHaveLength(2)
    expect(content[0]?.text).not.toContain('/api/v1/')
  })

  it('ask and search give the location within a document', async () => {
    const text = 'The lock.\n\nThe crane of the lock lifts forty tonnes.'
    const paged = { external_id: 'lock', type: 'document', title: 'Lock', text }
    const locators = [
      { start: 0, locator: 'p. 1' },
      { start: text.indexOf('The crane'), locator: 'p. 2' },
    ]
    await putRecords(holder, sandbox, [{ ...paged, locators }])
    const { content, structuredContent } = await agent.run('ask', { question: 'What does the crane of the lock lift?' })
    expect(content[0]?.text).toMatch(/\[1\] Lock — p\. 2 — rec_/)
    expect(structuredContent.sources[0].locator).toBe('p. 2')
    const { results } = JSON.parse(await agent.text('search', { query: 'crane tonnes' }))
    expect(results[0]).toMatchObject({ title: 'Lock', locator: 'p. 2' })
  })

  it('text content has the same JSON as structured content', async () => {
    const [id] = await idsFound(agent, 'sand')
    const calls = { search: { query: 'sand' }, fetch: { id }, find_entity: { name: 'Ada' }, sources: {} }
    for (const [name, args] of Object.entries(calls)) {
      const { content, structuredContent } = await agent.run(name, args)
      expect(structuredContent, name).toEqual(JSON.parse(content[0]!.text))
    }
  })

  it('remember stores a note once, however often it is called, and it can be queried', async () => {
    const note = { text: 'Ivo Lind owns pump 9.', title: 'Pump 9', occurred_at: '2026-03-12' }
    const kept = await agent.run('remember', note)
    const { job_id: job, record_id: record } = kept.structuredContent
    expect(kept.content[0]?.text).toBe(`Stored; it can be found now. (${record})`)
    expect([job, record]).toEqual([expect.stringMatching(/^job_/), expect.stringMatching(/^rec_/)])
    expect(JSON.parse(await agent.text('fetch', { id: record })).text).toBe(note.text)
    const again = await agent.run('remember', note)
    expect(again.content[0]?.text).toMatch(/^Already stored/)
    expect(again.structuredContent.record_id).toBe(record)
    const { results } = JSON.parse(await agent.text('search', { query: 'Ivo Lind' }))
    expect(results.filter(({ title }: { title: string }) => title === 'Pump 9')).toHaveLength(1)
    expect(results[0].date).toBe('2026-03-12')
  })

  it('forget deletes a note that was stored here, but no record of a source', async () => {
    const note = { text: 'The heron nests at the weir.', occurred_at: '2026-03-12' }
    await agent.text('remember', note)
    const [id] = await idsFound(agent, 'heron')
    const reason = 'It flew away.'
    expect(await agent.text('forget', { id, reason })).toBe(`Deleted: ${note.text} (${id}), because: ${reason}`)
    expect((await agent.run('fetch', { id })).content[0]?.text).toMatch(/^not_found/)
    const other = await agent.run('remember', { text: 'The otter sleeps at the mill.' })
    const { job_id: job, record_id: otter } = other.structuredContent
    expect((await agent.run('forget', { id: job, reason })).structuredContent.record_id).toBe(otter)
    expect(await idsFound(agent, 'otter')).toEqual([])
    expect((await agent.run('forget', { id: 'job_0000000000000000000000000a', reason })).isError).toBe(true)
    expect(await agent.text('remember', note)).toMatch(/^Already stored/)
    const [pump] = await idsFound(agent, 'sand')
    expect((await agent.run('forget', { id: pump, reason })).content[0]?.text).toMatch(/^forbidden/)
    expect(await idsFound(agent, 'sand')).toContain(pump)
  })

  it('a browser gets an explanation of the address, whether or not the sandbox exists', async () => {
    const accept = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const none = `/mcp/sbx_${'0'.repeat(26)}`
    const pages = await Promise.all(
      [`/mcp/${sandbox.id}`, none, '/mcp?tools=read'].map((path) => app().anonymous('GET', path, undefined, accept)),
    )
    for (const { status, headers, body } of pages) {
      expect([status, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', pages[0]?.body])
      expect(headers['content-security-policy']).toMatch(/default-src 'none'/)
    }
    expect(pages[0]?.body).toContain('Model Context Protocol')
    expect((await app().anonymous('GET', '/mcp/a/b', undefined, accept)).status).toBe(404)
    expect((await app().anonymous('DELETE', '/mcp', undefined, accept)).status).toBe(405)
  })

  it('a ping is answered in both protocol versions', async () => {
    const version = '2026-07-28'
    const meta = { 'io.modelcontextprotocol/protocolVersion': version }
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'ping' }
    const pings = [await agent.send('ping'), await agent.send('ping', { _meta: meta }, headers)]
    for (const { status, body } of pings) expect([status, body.error, body.id]).toEqual([200, undefined, 1])
  })
})
