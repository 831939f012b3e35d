import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { dayNumber, MS_PER_DAY } from '../text/civil-date.ts'
import type { BriefRecord } from './brief.ts'
import { composeBrief } from './compose-brief.ts'

const person = (id: string, name: string, aliases: string[] = []) => ({
  canonicalId: id,
  name,
  type: 'person',
  aliases,
})
const priya = person('ent_priya', 'Priya Raman', ['Priya'])
const jon = person('ent_jon', 'Jon Berg', ['Jon'])
const by = ({ canonicalId, name }: typeof priya, more: Partial<BriefRecord> = {}): Partial<BriefRecord> => ({
  author: { name, canonicalId },
  entities: [priya, jon],
  ...more,
})
const brief = (query: string, records: BriefRecord[], more: Parameters<typeof asking>[2] = {}): string =>
  composeBrief(asking(query, records, more)).brief
const juneDay = (day: number) => ({
  fromMs: dayNumber(2026, 6, day) * MS_PER_DAY,
  toMs: dayNumber(2026, 6, day + 1) * MS_PER_DAY,
})

describe('what a brief is made of', () => {
  it('is what a person wrote, when it is asked what that person said', () => {
    const records = [
      story('rec_1', 2, { ...by(jon), text: 'Priya was away, and Priya said nothing about the pager.', score: 1 }),
      story('rec_2', 3, { ...by(priya), text: 'The rack has to be returned in August.' }),
    ]
    expect(brief('What did Priya say?', records)).toMatch(/^On 3 June 2026 Priya Raman wrote/)
  })

  it('takes “I” for the one who writes', () => {
    const records = [
      story('rec_1', 2, { ...by(priya), text: 'Jon wrote the notes of the gateway on 4 May.', score: 1 }),
      story('rec_2', 3, { ...by(jon), text: 'I am on leave from 20 July until 12 October.' }),
    ]
    expect(brief('When is Jon on leave?', records)).toMatch(/^On 3 June 2026 Jon Berg wrote: “I am on leave/)
  })

  it('is of the time asked about, when nothing else is asked', () => {
    const records = [
      story('rec_1', 2, { ...by(jon), text: 'What happened in the gateway is what happened last week.', score: 1 }),
      story('rec_2', 12, { ...by(priya), text: 'The compressor of Bay 12 broke.' }),
    ]
    const told = brief('What happened on 12 June?', records, { times: [juneDay(12)] })
    expect(told).toContain('The compressor of Bay 12 broke')
    expect(told).not.toContain('gateway')
  })

  it('gives a sentence that points back with the one that it points to', () => {
    const records = [
      story('rec_1', 2, {
        ...by(priya),
        text: 'Dele said yes! He starts as our second engineer on Monday 6 July.',
        score: 1,
      }),
      story('rec_2', 3, { ...by(jon), text: 'The second engineer gets the pager in August.' }),
    ]
    expect(brief('When does the second engineer start?', records)).toContain('“Dele said yes! He starts')
  })

  it('tells the same figures once', () => {
    const records = [
      story('rec_1', 2, {
        type: 'document',
        title: 'Report',
        text: 'In all 217 invoices were sent twice to 63 customers, together 48310 euros.',
        score: 1,
      }),
      story('rec_2', 3, { ...by(jon), text: 'Exact now, by the mail log: 217 invoices to 63 customers, 48310 euros.' }),
    ]
    expect(brief('How many invoices were sent twice?', records).match(/217/g)).toHaveLength(1)
  })

  it('tells the later figure beside the one that it changed', () => {
    const told = brief('When do we move?', [
      story('rec_1', 5, { ...by(priya), text: 'We move to the new hall on day 20 of July.', score: 1 }),
      story('rec_2', 9, { ...by(jon), text: 'We move to the new hall from day 20 of July to day 3 of August.' }),
    ])
    expect(told).toContain('day 3 of August')
  })

  it('leaves out what has nothing of the question when enough is there', () => {
    const records = [
      ...[1, 2, 3, 4, 5, 6].map((day) =>
        story(`rec_${day}`, day, { ...by(jon), text: `The gateway is owned by team ${day}, as agreed.`, score: 0.9 }),
      ),
      story('rec_7', 7, {
        ...by(priya),
        text: 'Call with Ingrid Solheim, who runs their computers, on Monday.',
        score: 0.8,
      }),
    ]
    expect(brief('Which team owns the gateway?', records)).not.toContain('Solheim')
  })

  it('answers how it stands now by what came after what', () => {
    const relation = { subject: 'ledger', predicate: 'runs_on', validFromMs: juneDay(4).fromMs }
    const records = [
      story('rec_1', 1, {
        type: 'document',
        title: 'Plan',
        text: 'The ledger is on the old box and has to move.',
        score: 1,
      }),
      story('rec_2', 5, {
        type: 'document',
        title: 'Update',
        text: 'All is well.',
        relations: [
          { ...relation, object: 'old box', validFromMs: juneDay(1).fromMs, validToMs: juneDay(4).fromMs },
          { ...relation, object: 'Tidewell' },
        ],
      }),
    ]
    expect(brief('Is the ledger still on the old box?', records)).toMatch(
      /^ledger runs on Tidewell \(since 4 June 2026\); before that it was old box/,
    )
  })
})
