import { expect, it } from 'vitest'
import { boards } from '../harness/boards.ts'
import { mapped } from '../harness/provider-event.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

onEachApp((app) => {
  it("is counted and listed by the tracker's category, whatever a column is called", async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const issues = boards.filter(({ event: [provider] }) => provider === 'jira')
    const records = (await Promise.all(issues.map(async ({ event }) => (await mapped(...event)).records))).flat()
    await putRecords(
      call,
      sandbox,
      records.map(({ as_of: _, site: __, ...record }) => record),
    )
    const answerTo = async (query: string) =>
      (await call('POST', `${sandbox.query}/search`, { query })).body.answer as string
    const unfinished = issues.filter(({ phase }) => phase === 'open' || phase === 'doing')
    expect(await answerTo('How many issues are open?')).toContain(String(unfinished.length))
    for (const asked of ['open', 'doing', 'done', 'dropped']) {
      const { body } = await call('GET', `${sandbox.storage}/records?phase=${asked}`)
      expect([asked, body.count]).toEqual([asked, issues.filter(({ phase }) => phase === asked).length])
    }
  })

  it('answers questions about open items or progress even if no text contains such words', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const ask = async (query: string) => (await call('POST', `${sandbox.query}/search`, { query })).body
    const things = ['Oil the pump', 'Paint the hull', 'Seal the valve', 'Move the mast', 'Buy rope', 'Fix lights']
    const phases = ['open', 'doing', 'done', 'dropped']
    const records = things.map((title, at) => ({
      external_id: `c${at}`,
      type: at % 2 === 0 ? 'card' : 'task',
      title,
      text: 'It came in with the tide.',
      phase: phases[at % phases.length],
      owner: 'Ida',
      occurred_at: `2026-05-0${at + 1}`,
    }))
    await putRecords(call, sandbox, records)
    const unfinished = 'Open are “Fix lights” (in progress, Ida), “Buy rope” (Ida), “Paint the hull” (in progress, Ida)'
    for (const query of ['What is still open?', 'What is blocked?', 'What is left to do?'])
      expect(await ask(query)).toMatchObject({ answered: true, answer: `${unfinished} and “Oil the pump” (Ida).` })
    const done = await ask('What is done?')
    expect(done).toMatchObject({ answered: true, answer: 'Done is “Seal the valve” (Ida).' })
    expect(done.citations).toMatchObject([{ name: 'Seal the valve' }])
    expect((await ask('What was dropped?')).answer).toBe('Dropped is “Move the mast” (Ida).')
    for (const query of ['What is open in the harbour?', 'What was paid?'])
      expect((await ask(query)).answered).toBe(false)
    await putRecords(
      call,
      sandbox,
      records.map((record) => ({ ...record, phase: 'done' })),
    )
    expect((await ask('What is still open?')).answered).toBe(false)
    expect((await ask('What is finished?')).answer).toContain(' and two more.')
  })

  it('reports tasks in texts with the status in the latest text that lists them', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const minutes = (day: string, ...tasks: string[]) => {
      const text = `## To do\n${tasks.map((task) => `- ${task}`).join('\n')}`
      return { external_id: day, type: 'document', title: `Minutes of ${day}`, text, occurred_at: day }
    }
    await putRecords(call, sandbox, [
      minutes('2026-06-01', '[x] Odile: order the marquee', '[ ] Ida: print the flyer', '[ ] buy rope'),
      minutes('2026-05-04', '[ ] Odile: order the marquee', '[ ] Wanda: count the keys', '[x] Jon: seal the valve'),
      { external_id: 'm', type: 'message', text: 'Many tasks are done in the harbour.', occurred_at: '2026-06-02' },
    ])
    const ask = async (query: string) => (await call('POST', `${sandbox.query}/search`, { query })).body
    const open =
      'To do: Ida: print the flyer; buy rope (Minutes of 2026-06-01). ' +
      'To do: Wanda: count the keys (Minutes of 2026-05-04).'
    for (const query of ['What is still to be done?', 'Which tasks are open?', 'What is left to do?'])
      expect([query, (await ask(query)).answer]).toEqual([query, open])
    const done = await ask('Which tasks are done?')
    expect(done.answer).toBe(
      'To do: Odile: order the marquee (Minutes of 2026-06-01). To do: Jon: seal the valve (Minutes of 2026-05-04).',
    )
    expect(done.citations.map(({ name }: { name: string }) => name)).toEqual([
      'Minutes of 2026-06-01',
      'Minutes of 2026-05-04',
    ])
  })

  it('is inferred from fields of other records, and says so', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const card = {
      external_id: 'c1',
      type: 'card',
      title: 'Oil the pump',
      properties: { status: 'In Progress', lead: 'Ida' },
    }
    await putRecords(call, sandbox, [card])
    const { body } = await call('GET', `${sandbox.storage}/records?phase=doing`)
    const { body: shown } = await call('GET', `${sandbox.storage}/records/${body.records[0].record_id}`)
    expect(shown).toMatchObject({ phase: 'doing', owner: 'Ida', basis: { phase: 'guessed', owner: 'guessed' } })
    expect((await putRecords(call, sandbox, [card])).result).toMatchObject({ unchanged: 1 })
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const other = await newSandbox(call, 'Imported')
    await call('POST', `${other.storage}/import`, lines, { 'content-type': 'application/x-ndjson', prefer: 'wait=30' })
    const { body: there } = await call('GET', `${other.storage}/records?phase=doing`)
    const { body: again } = await call('GET', `${other.storage}/records/${there.records[0].record_id}`)
    expect(again.basis).toEqual(shown.basis)
  })
})
