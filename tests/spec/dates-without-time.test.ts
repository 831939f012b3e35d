import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }

onEachApp((app) => {
  it('a date without a time is midnight UTC of that day, in a record and with a text', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const dated = (id: string, at: string) => ({
      external_id: id,
      type: 'message',
      text: `On ${id}`,
      occurred_at: at,
    })
    const records = [dated('day', '2026-03-10'), dated('leap', '2024-02-29'), dated('none', '2026-02-30')]
    const { body } = await call('POST', sandbox.records, { records: [...records, dated('first', '0000-01-01')] }, WAIT)
    expect(body.result).toMatchObject({ written: 2, failed: 2, errors: [{ line: 3 }, { line: 4 }] })
    const text = { text: 'The crane was oiled.', occurred_at: '2026-03-11' }
    expect((await call('POST', `${sandbox.storage}/ingest`, text, WAIT)).status).toBe(200)
    const wrong = await call('POST', `${sandbox.storage}/ingest`, { ...text, occurred_at: '2026-13-01' })
    expect([wrong.status, wrong.body.errors[0].loc]).toEqual([422, ['body', 'occurred_at']])
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
      .trim()
      .split('\n')
    const times = lines.map((line) => JSON.parse(line)).flatMap(({ occurred_at: at }) => at ?? [])
    expect(times.sort()).toEqual(['2024-02-29', '2026-03-10', '2026-03-11'].map((day) => `${day}T00:00:00.000Z`))
  })
})
