import { expect, test } from 'vitest'
import type { BriefRecord } from './brief.ts'
import { unfaithfulWords } from './faithful.ts'
import { renderContents } from './render-contents.ts'
import { type KnownEntity, type KnownRelation, renderEntities } from './render-entities.ts'

const DAY = Date.UTC(2026, 5, 1)
const record = (id: string, fields: Partial<BriefRecord>): BriefRecord => ({
  id,
  tuples: [],
  score: 1,
  type: 'issue',
  entities: [],
  ...fields,
})
const work = (id: string, title: string, state: string): KnownRelation => ({
  predicate: 'assigned to',
  isOut: false,
  other: { name: title, canonicalId: `ent_${id}` },
  recordIds: [id],
  own: record(id, { title, properties: { state, key: id } }),
})
const own = record('rec_own', { type: 'user', title: 'Mira Holt', text: 'I look after the gate. Ask me early.' })
const MIRA: KnownEntity = {
  canonicalId: 'ent_mira',
  name: 'Mira Holt',
  type: 'person',
  aliases: ['Mira', 'mholt'],
  fields: [
    { key: 'title', value: 'Head of gates', recordIds: ['rec_own'] },
    { key: 'team', value: 'Yard', recordIds: ['rec_own'] },
  ],
  relations: [
    { predicate: 'reports to', isOut: true, other: { name: 'Jon Berg' }, fromMs: DAY, recordIds: ['rec_own'] },
    { predicate: 'reports to', isOut: false, other: { name: 'Ada Roy' }, recordIds: ['rec_a'] },
    { predicate: 'reports to', isOut: false, other: { name: 'Ivo Lind' }, recordIds: ['rec_b'] },
    { predicate: 'reviewed', isOut: true, other: { name: 'gate#7' }, recordIds: ['rec_c'] },
    work('G-1', 'Oil the hinges', 'In Progress'),
    work('G-2', 'Paint the gate', 'Done'),
  ],
  own,
}
const render = (thing: KnownEntity, asksWork = false, maxTokens = 1_000) =>
  renderEntities([thing], { asksWork, isDetailed: false, maxTokens })

test('what a person is comes first, then what holds and what is open', () => {
  const brief = render(MIRA)!
  expect(brief.brief).toBe(
    'Mira Holt: Head of gates, team Yard. “I look after the gate.” “Ask me early.” ' +
      'Mira reports to Jon Berg (since 1 June 2026). Ada Roy and Ivo Lind report to Mira. ' +
      'Open with Mira: G-1 “Oil the hinges” (In Progress).',
  )
  const names = [MIRA, { canonicalId: 'x', type: 'person', name: 'Jon Berg, Ada Roy, Ivo Lind' }]
  const records = ['rec_a', 'rec_b'].map((id) => record(id, { entities: names }))
  expect(unfaithfulWords(brief, [{ ...own, entities: names }, ...records, MIRA.relations[4]!.own!])).toEqual([])
  expect(brief.citations.map(({ name }) => name)).toEqual(['Mira Holt', 'Oil the hinges'])
})

test('asked what they work on, what is open comes first', () => {
  expect(render(MIRA, true)!.brief).toMatch(/^Open with Mira: G-1 “Oil the hinges” \(In Progress\)\. Mira Holt: Head/)
})

test('an entity is described by the beginning of its own record, otherwise by its fields', () => {
  const gate: KnownEntity = {
    canonicalId: 'ent_g',
    name: 'Gate 7',
    type: 'service',
    aliases: [],
    fields: [],
    relations: [],
  }
  const described = { ...gate, own: record('rec_g', { text: 'Lets lorries in.\n\nIs it open? Yes.' }) }
  expect(render(described)!.brief).toBe('Gate 7 (service): Lets lorries in.')
  const placed = { ...gate, fields: [{ key: 'yard', value: 'North', recordIds: ['rec_g'] }] }
  expect(render(placed)!.brief).toBe('Gate 7 is a service (yard North).')
  expect(render(gate)).toBeUndefined()
})

test('what does not fit is left out from the end', () => {
  const brief = render(MIRA, false, 20)!
  expect(brief.brief).toMatch(/^Mira Holt: Head of gates, team Yard\./)
  expect(Buffer.byteLength(brief.brief) / 4).toBeLessThanOrEqual(20)
})

test('the contents are counted, and a greeting gets a hint what to ask', () => {
  const entities = [[{ canonicalId: 'ent_mira', name: 'Mira Holt', type: 'person' }]]
  const sources = [{ name: 'Chat', records: 9 }]
  const end = { id: 'rec_1', atMs: DAY }
  const holdings = {
    records: 9,
    sources,
    oldest: end,
    newest: { ...end, title: 'Gates' },
    entities,
    topics: ['Blue Lantern'],
  }
  expect(renderContents(holdings, false, 1_000).brief).toBe(
    'There are 9 records here, most about Mira Holt. They come from Chat (9) of 1 June 2026. ' +
      'Names that recur: Blue Lantern. The latest is “Gates”.',
  )
  expect(renderContents(holdings, true, 1_000).brief).toBe(
    'Ask a question and it is answered from 9 records, most about Mira Holt.',
  )
})
