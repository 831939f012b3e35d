import { expect, it } from 'vitest'
import { agentAt } from '../harness/agent.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const SCRIPT = 'javascript:alert(document.domain)'
const RECORDS = [
  { external_id: 'a', type: 'note', title: 'Kiln', text: 'The kiln of Delft was repaired by Ada Berg.', url: SCRIPT },
  { external_id: 'b', type: 'note', title: 'Oven', text: 'The oven of Delft is new.', url: 'https://a.example/oven' },
]

onEachApp((app) => {
  it('an address that runs a script is stored, but never becomes a link of an answer', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, RECORDS)
    const query = 'Who repaired the kiln of Delft?'
    const { body: found } = await call('POST', `${sandbox.query}/discover`, { query })
    expect(found.items[0]).toMatchObject({ title: 'Kiln' })
    const items = found.items.map((item: { canonical_ids: string[] }) => item.canonical_ids)
    const answers = [
      found,
      (await call('POST', `${sandbox.query}/search`, { query, explain: true })).body,
      (await call('POST', `${sandbox.query}/interpret`, { query, items, explain: true })).body,
      (await call('POST', `${sandbox.query}/context`, { query })).body,
      (await call('GET', `${sandbox.storage}/changes`)).body,
    ]
    for (const answer of answers) {
      expect(JSON.stringify(answer)).toContain('Kiln')
      expect(JSON.stringify(answer)).not.toContain('javascript:')
    }
    expect(JSON.stringify(found)).toContain('https://a.example/oven')
    const agent = agentAt(call, `/mcp/${sandbox.id}`)
    expect(await agent.text('ask', { question: query })).not.toContain('javascript:')
    const [{ id, url }] = JSON.parse(await agent.text('search', { query })).results
    expect(url).toMatch(/^http.*\/records\/rec_/)
    expect((await call('GET', `${sandbox.storage}/records/${id}`)).body.url).toBe(SCRIPT)
  })
})
