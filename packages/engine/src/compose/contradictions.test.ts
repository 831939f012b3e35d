import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import type { BriefRecord } from './brief.ts'
import { gatherMaterial } from './candidates.ts'
import type { Contradiction } from './contradiction.ts'
import { findContradictions } from './contradictions.ts'

function among(...texts: [day: number | undefined, text: string][]): Contradiction[] {
  const records = texts.map(([day, text], at): BriefRecord => story(`rec_${at}`, day, { text, score: 1 - at / 10 }))
  const material = gatherMaterial(asking('?', records), true)
  return findContradictions(material.candidates, material)
}

describe('findContradictions', () => {
  it('lets the newer value stand', () => {
    const [found] = among([1, 'The budget of Atlas is 40 000 euros.'], [5, 'The budget of Atlas is 55 000 euros.'])
    expect(found).toMatchObject({ dated: true, values: { stands: '55 000 euros', fallen: '40 000 euros' } })
  })

  it('sees a date that the newer record takes back', () => {
    const [found] = among([1, 'Atlas goes live on 12 June.'], [5, 'Atlas goes live on 26 June, not on 12 June.'])
    expect(found?.values).toEqual({ stands: '26 June', fallen: '12 June' })
  })

  it('calls it a disagreement when no record is newer', () => {
    const [found] = among([undefined, 'The limit is 30 seconds today.'], [undefined, 'The limit is 45 seconds today.'])
    expect(found?.dated).toBe(false)
  })

  it('takes no document for wrong because another says other things of itself', () => {
    const records = ['The Ape is a 2005 American film.', 'It is a 2011 American film.'].map(
      (text, at): BriefRecord =>
        story(`rec_${at}`, undefined, { type: 'document', title: ['The Ape', 'Apes'][at]!, text }),
    )
    const material = gatherMaterial(asking('?', records), true)
    expect(findContradictions(material.candidates, material)).toEqual([])
  })

  it('takes the limits of two pages for two limits, unless one says that its own has changed', () => {
    const pages = (first: string, second: string, days: [number?, number?] = []) => {
      const records = [first, second].map(
        (text, at): BriefRecord =>
          story(`rec_${at}`, days[at], { type: 'document', title: ['Travel', 'Meals and trips'][at]!, text }),
      )
      const material = gatherMaterial(asking('?', records), true)
      return findContradictions(material.candidates, material)
    }
    const [trips, meals] = ['The limit for a hotel night is 180 euros.', 'The limit for meals on a trip is 60 euros.']
    expect(pages(trips, meals)).toEqual([])
    expect(pages(trips, meals, [1, 5])).toEqual([])
    expect(pages('By train second class is used.', 'Flight economy is used on short trips.')).toEqual([])
    expect(pages(trips, trips.replace('180', '150'))).toHaveLength(1)
    expect(pages(trips, 'The limit for a hotel night is now 150 euros.', [1, 5])).toHaveLength(1)
  })

  it('takes a fuller form of a document’s title for that title', () => {
    const people = [
      ['Rob Margo', 'Rob Margo (born 28 February 1983) is an American film producer and director.'],
      ['Sean Marlow (director)', 'Sean Patrick Marlow (born 9 May 1962) is an American film producer and director.'],
    ]
    const records = people.map(([title, text], at) =>
      story(`rec_${at}`, undefined, { type: 'document', title: title!, text: text! }),
    )
    const material = gatherMaterial(asking('?', records), true)
    expect(findContradictions(material.candidates, material)).toEqual([])
  })

  it('sees no common matter in one name alone, however many terms it is', () => {
    const records = [
      story('rec_1', 1, { text: "There's now a template in ledger-app, “duplicate of 16 June”." }),
      story('rec_2', 5, { text: 'ledger-app 5.8.0, since 8 July.' }),
    ]
    const material = gatherMaterial(asking('?', records, { terms }), true)
    expect(findContradictions(material.candidates, material)).toEqual([])
  })

  it('takes documents about like things for documents about different things', () => {
    const records = ['British', 'Canadian'].map((people, at) =>
      story(`rec_${at}`, undefined, {
        type: 'document',
        title: `Visas of ${people} citizens`,
        text: `${people} citizens have access to ${100 + at} countries.`,
      }),
    )
    const material = gatherMaterial(asking('?', records), true)
    expect(findContradictions(material.candidates, material)).toEqual([])
  })

  it('takes a day before which nothing happens for no day taken back', () => {
    expect(
      among(
        [1, 'The old box is switched off on 7 August.'],
        [5, 'The old box is not off before 7 August: the report still reads from it until 5 August.'],
      ),
    ).toEqual([])
  })

  it('lets a sentence stand that tells the whole course of a value', () => {
    const at = (day: number): number => story('rec', day, {}).occurredAtMs!
    const launch = { subject: 'Atlas', predicate: 'launch_date' }
    const relations = [
      { ...launch, object: '2026-06-22', validFromMs: at(1), validToMs: at(9) },
      { ...launch, object: '2026-07-13', validFromMs: at(9) },
    ]
    const records = [
      story('rec_1', 1, { type: 'document', title: 'Atlas', relations, text: 'Atlas launches on 22 June.' }),
      story('rec_2', 2, { text: 'Atlas launch: planned for 22 June, moved on 9 June to 13 July.' }),
    ]
    const material = gatherMaterial(asking('?', records), true)
    const fallen = findContradictions(material.candidates, material).map((each) => each.fallen.text)
    expect(fallen).toContain('Atlas launches on 22 June.')
    expect(fallen).not.toContain('Atlas launch: planned for 22 June, moved on 9 June to 13 July.')
  })

  it('does not confuse different things or repeated events', () => {
    expect(among([1, 'Invoice 12 was paid with 300 euros.'], [5, 'Invoice 13 was paid with 400 euros.'])).toEqual([])
    expect(
      among([1, 'Stardust Films released Aurora in 1961.'], [5, 'Moonlit Films released Borealis in 1946.']),
    ).toEqual([])
    expect(among([1, 'We met the auditors on 3 June.'], [5, 'We met the auditors on 10 June.'])).toEqual([])
    expect(among([1, 'NOR-12 needs 3 days.'], [5, 'NOR-13 needs 5 days.'])).toEqual([])
  })
})
