import { describe, expect, it } from 'vitest'
import { type CitedRecord, citeRecords } from './cite-records.ts'

const entity = (id: string) => ({ canonicalId: id, name: id, type: 'project' })
const record = (id: string, entities: string[], more: Partial<CitedRecord> = {}): CitedRecord => ({
  id,
  type: 'note',
  entities: entities.map(entity),
  ...more,
})
const citation = (id: string) => ({ canonical_id: id, name: id, relevance: 1 })
const records = [
  record('rec_1', ['ent_a']),
  record('rec_2', ['ent_b'], { title: 'Two', url: 'https://two.example' }),
  record('rec_3', ['ent_b', 'ent_a'], { own: 'ent_b', title: 'Three' }),
  record('rec_4', []),
]
const statementsOf = (...ids: string[][]) => ids.map((recordIds) => ({ recordIds }))

describe('citations of an answer', () => {
  it('are as relevant as the statements that they support, which weigh 1, ½, ¼ … in order', () => {
    const cited = citeRecords(
      [citation('ent_b'), citation('ent_a')],
      statementsOf(['rec_1'], ['rec_2'], ['rec_3']),
      records,
    )
    // ent_a: 1 + ¼, ent_b: ½ + ¼.
    expect(cited.map(({ canonical_id: id, relevance }) => [id, relevance])).toEqual([
      ['ent_a', 1],
      ['ent_b', 0.6],
    ])
  })

  it('begin, among equals, with the entity that the first statement’s record describes', () => {
    const cited = citeRecords([citation('ent_a'), citation('ent_b')], statementsOf(['rec_3']), records)
    expect(cited.map(({ canonical_id: id, relevance }) => [id, relevance])).toEqual([
      ['ent_b', 1],
      ['ent_a', 1],
    ])
  })

  it('list the supporting records, their own first, then in answer order, with their URLs', () => {
    const [b] = citeRecords([citation('ent_b')], statementsOf(['rec_1'], ['rec_2'], ['rec_3']), records)
    expect(b).toEqual({
      canonical_id: 'ent_b',
      name: 'ent_b',
      type: 'project',
      relevance: 1,
      record_ids: ['rec_3', 'rec_2'],
      title: 'Three',
      url: 'https://two.example',
    })
    const [itself] = citeRecords([citation('rec_4')], statementsOf(['rec_4']), records)
    expect(itself).toMatchObject({ type: 'note', record_ids: ['rec_4'] })
    expect(itself).not.toHaveProperty('url')
  })

  it('stay above 0 without a supported statement, and keep their order among equals', () => {
    const cited = citeRecords(
      [citation('rec_1'), citation('ent_b'), citation('rec_4')],
      statementsOf(['rec_1']),
      records,
    )
    expect(cited.map(({ canonical_id }) => canonical_id)).toEqual(['rec_1', 'ent_b', 'rec_4'])
    expect(cited.map(({ relevance }) => relevance)).toEqual([1, 0.001, 0.001])
    const [alone] = citeRecords([citation('rec_4')], [], records)
    expect(alone!.relevance).toBeGreaterThan(0)
    expect(alone!.relevance).toBeLessThanOrEqual(1)
  })
})
