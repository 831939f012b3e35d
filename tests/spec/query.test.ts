import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

onEachApp((app) => {
  it('answers a question about what was just put in', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, [
      { external_id: '1', type: 'message', text: 'The launch of Harbour moved to 17 August.', author: 'Alex Okafor' },
      { external_id: '2', type: 'message', text: 'Lunch is late today.', author: 'Marek' },
    ])
    const found = await call('POST', `${sandbox.query}/discover`, { query: 'When does Harbour launch?' })
    expect(found.status).toBe(200)
    expect(found.body.items[0].external_id).toBe('1')
    const items = [found.body.items[0].canonical_ids]
    const brief = await call('POST', `${sandbox.query}/interpret`, { query: 'When does Harbour launch?', items })
    expect(brief.body.brief).toContain('17 August')
    expect(brief.body.items).toEqual(items)
  })
})
