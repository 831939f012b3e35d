import { expect, it } from 'vitest'
import { mergeRelations } from './merge-relations.ts'

const owned = (record_id: string, valid_from: string, name = 'ledger') =>
  ({ predicate: 'owned_by', direction: 'in', name, valid_from, is_current: true, record_id }) as const

it('identical relations of the same day are merged with all their records, latest first', () => {
  const merged = mergeRelations([
    owned('rec_1', '2026-07-01T08:00:00Z'),
    owned('rec_2', '2026-07-20'),
    owned('rec_3', '2026-07-01T09:00:00Z'),
    owned('rec_3', '2026-07-01'),
  ])
  expect(merged.map(({ recordIds }) => recordIds)).toEqual([['rec_2'], ['rec_1', 'rec_3']])
})

it('relations to other entities, or without a date, stay separate; the latter come last', () => {
  const { valid_from: _, ...timeless } = owned('rec_3', '')
  const merged = mergeRelations([timeless, owned('rec_1', '2026-07-01', 'quote'), owned('rec_2', '2026-07-01')])
  expect(merged.map(({ recordIds }) => recordIds)).toEqual([['rec_1'], ['rec_2'], ['rec_3']])
})
