import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

/** A Friday. */
const TODAY = '2026-07-31'
const on = (day: string) => `2026-${day}T09:00:00Z`
const crane = (day: string, what: string) => ({
  external_id: `c-${day}`,
  type: 'message',
  text: `Crane 4 ${what}.`,
  occurred_at: on(day),
  author: 'Ana Lima',
})
const message = (id: string, day: string, text: string) => ({
  external_id: id,
  type: 'message',
  text,
  occurred_at: on(day),
  author: 'Omar Haddad',
  properties: { channel: id },
})
const records = [
  crane('03-09', 'was painted yellow'),
  crane('05-12', 'got a new cable'),
  crane('06-16', 'was weighed'),
  crane('07-02', 'lifted the first container'),
  crane('07-22', 'stood still in the wind'),
  crane('07-30', 'lifted forty containers'),
  {
    external_id: 'i1',
    type: 'incident',
    title: 'Flooded depot',
    text: 'Water in the depot.',
    occurred_at: on('06-30'),
  },
  message('m1', '04-10', 'After the road trip I took a nap, to rest from driving.'),
  message('m4', '04-15', 'We decided to buy an anvil.'),
  message('m2', '04-20', 'The road trip! A road trip needs good tyres, and no road trip is cheap.'),
  message(
    'm3',
    '05-02',
    'Half of the crew had to wait for the rest of the cables, which came late and wet from the other yard.',
  ),
]

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox

  const ask = (verb: string, query: string): Promise<Answer> =>
    call('POST', `${sandbox.query}/${verb}`, { query, reference_date: TODAY })
  const firstOf = async (query: string, count: number): Promise<string[]> => {
    const { body } = await ask('discover', query)
    const ids: string[] = body.items.map((item: { external_id: string }) => item.external_id)
    return ids.slice(0, count).sort()
  }

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    await putRecords(call, sandbox, records)
  })

  describe('a question about only a time', () => {
    it('returns everything of that time, in any wording', async () => {
      for (const query of [
        'Summarize the last two weeks.',
        'Give me an overview of the last two weeks',
        'What is new since 17 July?',
      ])
        expect(await firstOf(query, 10), query).toEqual(['c-07-22', 'c-07-30'])
      const { body } = await ask('search', 'Recap the last two weeks.')
      expect(body.answer).toContain('lifted forty containers')
    })

    it('can ask for something specific in that time', async () => {
      expect(await firstOf('What was decided in April?', 1)).toEqual(['m4'])
    })

    it('is not one if it contains an unknown name', async () => {
      expect(await firstOf('What did Zorblaxia do in the last two weeks?', 10)).toEqual([])
    })
  })

  describe('a time in a question', () => {
    it.each([
      ['What did crane 4 do last week?', ['c-07-22']],
      ['What did crane 4 do yesterday?', ['c-07-30']],
      ['What did crane 4 do in March?', ['c-03-09']],
      ['What did crane 4 do between 10 June and 5 July?', ['c-06-16', 'c-07-02']],
      ['What did crane 4 do in March and in June?', ['c-03-09', 'c-06-16']],
      ['What did crane 4 do since the flood?', ['c-07-02', 'c-07-22', 'c-07-30']],
      ['What did crane 4 do since the flooded depot?', ['c-07-02', 'c-07-22', 'c-07-30']],
      ['What did crane 4 do before 6/1/2026?', ['c-03-09', 'c-05-12']],
    ])('%s', async (query, expected) => {
      expect(await firstOf(query, expected.length)).toEqual(expected)
    })

    it("reports the day from which an event's time was counted", async () => {
      const note = '“since the flood” is counted from 30 June 2026, the day of “Flooded depot”.'
      expect((await ask('discover', 'What did crane 4 do since the flood?')).body.header).toContain(note)
      expect((await ask('search', 'What did crane 4 do since the flood?')).body.warnings).toEqual([note])
    })

    it('is only a hint where messages merely mention the event', async () => {
      expect(await firstOf('What did Omar do to rest after the road trip?', 2)).toEqual(['m1', 'm2'])
    })

    it('is answered first from records written at that time', async () => {
      const { answer } = (await ask('search', 'What did crane 4 do in May?')).body
      expect(answer).toMatch(/^“Crane 4 got a new cable[^”]*” — Ana Lima, 12 May 2026/)
    })

    it('has no effect if no record is of it', async () => {
      const plain = (await ask('discover', 'What did crane 4 do?')).body.items
      const { items } = (await ask('discover', 'What did crane 4 do in 2019?')).body
      expect(items.length).toBe(plain.length)
    })
  })

  describe('a fact contradicted by a newer record', () => {
    const owner = (day: string, name: string, more: object = {}) => ({
      external_id: `o-${day}`,
      type: 'note',
      text: `${name} owns the ledger service.`,
      occurred_at: on(day),
      entities: [
        { type: 'service', name: 'Ledger' },
        { type: 'person', name, properties: { desk: day } },
      ],
      relations: [{ subject: name, predicate: 'owns', object: 'Ledger', ...more }],
    })
    const find = async (at: TestSandbox, q: string) => {
      const { body } = await call('GET', `${at.storage}/entities/search?q=${encodeURIComponent(q)}`)
      return (await call('GET', `${at.storage}/entities/${body.results[0].canonical_id}`)).body
    }
    const owners = async (at: TestSandbox) =>
      (await find(at, 'Ledger')).relations
        .map((each: Record<string, unknown>) => [
          each.name,
          each.is_current,
          each.stated_at,
          each.superseded_by !== null,
        ])
        .sort()
    const expected = [
      ['Ana Lima', false, on('03-01').replace('Z', '.000Z'), true],
      ['Ben Katz', true, on('05-01').replace('Z', '.000Z'), false],
      ['Cleo Brandt', false, on('06-01').replace('Z', '.000Z'), false],
    ]
    const all = [
      owner('03-01', 'Ana Lima'),
      owner('05-01', 'Ben Katz'),
      owner('06-01', 'Cleo Brandt', { valid_from: '2099-01-01T00:00:00Z' }),
    ]

    it('is kept as history and is not current, in any order of arrival', async () => {
      const [one, other] = [await newSandbox(call, 'In order'), await newSandbox(call, 'Late')]
      await putRecords(call, one, all)
      for (const record of all.toReversed()) await putRecords(call, other, [record])
      for (const at of [one, other]) {
        expect(await owners(at)).toEqual(expected)
        const ana = await find(at, 'Ana Lima')
        expect(ana.relations).toMatchObject([{ predicate: 'owns', direction: 'out', is_current: false }])
        const asked = { query: 'Who owns Ledger?', reference_date: TODAY }
        const { answer } = (await call('POST', `${at.query}/search`, { ...asked, preset: 'fast' })).body
        expect(answer).toContain('Ben Katz owns Ledger as of 1 May')
        expect(answer).toContain('before that it was Ana Lima')
        expect(answer).not.toMatch(/Ana Lima owns/)
      }
    })

    it('a late older record does not change a property', async () => {
      const at = await newSandbox(call, 'Desks')
      await putRecords(call, at, [owner('05-01', 'Ben Katz')])
      await putRecords(call, at, [{ ...owner('03-01', 'Ben Katz'), external_id: 'older' }])
      expect((await find(at, 'Ben Katz')).properties.desk).toBe('05-01')
    })
  })

  describe("days follow the caller's time zone", () => {
    let zoned: TestSandbox
    const happened = async (fields: Partial<Record<'reference_date' | 'time_zone', string>>): Promise<Answer> =>
      call('POST', `${zoned.query}/discover`, { query: 'What happened on 30 March?', ...fields })
    const externalIds = ({ body }: Answer): string[] =>
      body.items.map((item: { external_id: string }) => item.external_id).sort()

    beforeAll(async () => {
      zoned = await newSandbox(call, 'Zoned')
      const at = (id: string, occurred_at: string) => ({
        external_id: id,
        type: 'note',
        text: `Note ${id}.`,
        occurred_at,
      })
      await putRecords(call, zoned, [
        at('late-29', '2026-03-29T22:30:00Z'),
        at('noon-30', '2026-03-30T10:00:00Z'),
        at('late-30', '2026-03-30T22:30:00Z'),
        at('day-30', '2026-03-30'),
        at('day-31', '2026-03-31'),
      ])
    })

    it('by its name, by the offset of the reference date, and UTC by default', async () => {
      const berlin = ['day-30', 'late-29', 'noon-30']
      expect(externalIds(await happened({ reference_date: '2026-04-02', time_zone: 'Europe/Berlin' }))).toEqual(berlin)
      expect(externalIds(await happened({ reference_date: '2026-04-02T12:00:00+02:00' }))).toEqual(berlin)
      expect(externalIds(await happened({ reference_date: '2026-04-02' }))).toEqual(['day-30', 'late-30', 'noon-30'])
    })

    it('and an invalid day or time zone is rejected with an example', async () => {
      for (const fields of [
        { time_zone: 'Mars/Base' },
        { reference_date: '2026-02-30' },
        { reference_date: 'today' },
      ]) {
        const { status, body } = await happened({ ...fields })
        expect(status).toBe(422)
        expect(JSON.stringify(body)).toContain(Object.keys(fields)[0])
      }
    })
  })
})
