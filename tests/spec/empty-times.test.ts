import { beforeAll, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const TODAY = '2026-11-23'
const LAST_WEEK = 'last week (16–22 November 2026)'
const NEWEST = 'the newest is of 31 July 2026.'

function note(id: string, day: string | undefined, text: string, more: object = {}) {
  return { external_id: id, type: 'note', text, ...(day && { occurred_at: `${day}T09:00:00Z` }), ...more }
}

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let project: string
  const asking = async (operation: string, query: string, more: object = {}) => {
    const body = { query, reference_date: TODAY, ...more }
    const reply = await call('POST', `${sandbox.query}/${operation}`, body)
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    project = (await call('POST', `${sandbox.storage}/projects`, { name: 'Pumps' })).body.project_id
    await putRecords(call, sandbox, [
      note('1', '2026-03-10', 'Pump 7 stopped because its filter was full of sand. Ada Berg cleaned it.'),
      note('2', '2026-06-12', 'We change the filters every two weeks now, since pump 7 stopped.'),
      note('3', '2026-07-31', 'The gantry was painted by Ivo Lind. The launch of Harbour is on 18 November.'),
      note('4', '2026-05-02', 'Ines Marker sold the old kettle.', { project_id: project }),
    ])
  })

  it.each([
    ['What happened last week?', LAST_WEEK, NEWEST],
    ['What did Ada Berg clean last week?', LAST_WEEK, NEWEST],
    ['Was the gantry painted in October?', 'October (1–31 October 2026)', NEWEST],
    ['What has been said about pump 7 since September?', 'the time since 1 September 2026 (“since September”)', NEWEST],
    ['What happened to pump 7 in April 2019?', 'April 2019 (1–30 April 2019)', 'the oldest is of 10 March 2026.'],
    [
      'What happened to pump 7 in April?',
      'April (1–30 April 2026)',
      'the nearest are of 10 March 2026 and 2 May 2026.',
    ],
    ['Was ist letzte Woche passiert?', '16–22 November 2026 (“letzte Woche”)', NEWEST],
    ['¿Qué pasó la semana pasada?', '16–22 November 2026 (“la semana pasada”)', NEWEST],
  ])('search says that nothing is of a time that nothing in scope is of: %s', async (query, time, nearest) => {
    const { answered, answer, citations } = await asking('search', query)
    expect([answered, answer, citations]).toEqual([false, `Nothing here is of ${time}; the ${nearest.slice(4)}`, []])
  })

  it('a date without a year is of the latest year with records', async () => {
    const asked = (reference_date: string) => asking('search', 'What happened to pump 7 in March?', { reference_date })
    expect((await asked('2028-02-01')).answer).toContain('full of sand')
    const { answered, answer } = await asking('search', 'What happened on Monday?')
    expect([answered, answer]).toEqual([false, expect.stringContaining('23 November 2026')])
  })

  it('the nearest other results follow', async () => {
    const { nearest } = await asking('search', 'What happened to pump 7 last week?')
    expect(nearest[0].title).toContain('pump 7')
  })

  it('content within the time is answered, including what a record of another day says about it', async () => {
    const july = await asking('search', 'What happened in July?')
    expect([july.answered, july.warnings]).toEqual([true, []])
    expect(july.answer).toContain('gantry')
    const ahead = await asking('search', 'What was to be launched last week?')
    expect(ahead).toMatchObject({ answered: true, warnings: [`Nothing here is of ${LAST_WEEK}; ${NEWEST}`] })
    expect(ahead.answer).toContain('18 November')
  })

  it('a scope counts its own records, and pinned records count themselves', async () => {
    const scoped = await asking('search', 'What was sold in July?', { project_id: project })
    expect(scoped).toMatchObject({
      answered: false,
      answer: 'Nothing here is of July (1–31 July 2026); the newest is of 2 May 2026.',
    })
    const { items } = await asking('discover', 'Why did pump 7 stop?', { limit: 2 })
    const pinned = items.map(({ record_id: id }: { record_id: string }) => [id])
    const brief = await asking('interpret', 'What happened to pump 7 in July?', { items: pinned })
    expect(brief).toMatchObject({ answered: false, citations: [] })
    expect(brief.brief).toMatch(
      /^None of the pinned records is of July \(1–31 July 2026\); the newest is of 12 June 2026\.$/,
    )
    const of = await asking('interpret', 'What happened to pump 7 in June?', { items: pinned })
    expect(of.answered).toBe(true)
  })

  it('discover reports it in its header, and context in its warnings', async () => {
    const notice = `Nothing here is of ${LAST_WEEK}; ${NEWEST}`
    expect((await asking('discover', 'What happened to pump 7 last week?')).header).toContain(notice)
    expect((await asking('context', 'What happened to pump 7 last week?')).warnings).toContain(notice)
    expect((await asking('context', 'What happened to pump 7 in June?')).warnings).toEqual([])
  })

  it('records without a time are not reported as outside it', async () => {
    const other = await newSandbox(call, 'Undated')
    const at = (query: string) => call('POST', `${other.query}/search`, { query, reference_date: TODAY })
    await putRecords(call, other, [
      note('1', undefined, 'Ada Berg repaired the turbine with a new belt.'),
      note('2', '2026-07-31', 'The gantry was painted by Ivo Lind.'),
    ])
    expect((await at('Who repaired the turbine last week?')).body).toMatchObject({ answered: true })
    expect((await at('Who painted the gantry last week?')).body).toMatchObject({
      answered: false,
      answer: `Nothing with a date here is of ${LAST_WEEK}; ${NEWEST}`,
    })
  })
})
