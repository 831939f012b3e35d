import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

onEachApp((app) => {
  it('explains each item on request, without changing the results', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const texts = ['The launch of Harbour moved to 17 August.', 'Harbour needs a login page.', 'Lunch is late today.']
    const records = texts.map((text, at) => ({ external_id: `r${at}`, type: 'message', text }))
    await putRecords(call, sandbox, records)
    const ask = async (more: object) =>
      (await call('POST', `${sandbox.query}/discover`, { query: 'When does Harbour launch?', ...more })).body
    const { items: explained, intent } = await ask({ explain: true })
    expect(intent).toMatchObject({ text: 'When does Harbour launch?', parts: [{ kind: 'when' }], times: [] })
    expect(explained[0].why.words).toBeGreaterThan(0)
    expect(Object.values(explained[0].why).every((given) => typeof given === 'number' && given > 0)).toBe(true)
    const plain = await ask({})
    expect(plain.items).toEqual(explained.map((item: object) => ({ ...item, why: undefined })))
    expect(plain).not.toHaveProperty('intent')
  })
})
