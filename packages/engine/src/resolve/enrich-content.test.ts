import { expect, test } from 'vitest'
import { withFields, withoutFields } from './enrich-content.ts'
import type { RecordContent } from './record-content.ts'

const record = (more: Partial<RecordContent>): RecordContent => ({ external_id: '1', type: 'card', ...more })

test('declared status fields are not guessed', () => {
  const declared = record({
    phase: 'open',
    owner: 'Ida',
    due: '2026-05-04',
    properties: { status: 'Done', assignee: 'Ivo' },
  })
  expect(withFields(declared)).toBe(declared)
})

test('undeclared fields are derived from properties and marked as guessed, and the rest is unchanged', () => {
  const guessed = withFields(
    record({
      kind: 'bug',
      properties: { priority: 'high', Status: 'In Progress', dueDate: '2026-05-04', owner: 'Ida' },
    }),
  )
  const basis = { phase: 'guessed', owner: 'guessed', due: 'guessed' }
  expect(guessed).toMatchObject({ phase: 'doing', owner: 'Ida', due: '2026-05-04', kind: 'bug', basis })
  const { phase: _, owner: __, due: ___, basis: ____, ...said } = guessed
  expect(withoutFields(guessed)).toEqual(said)
})

test.each<[Record<string, unknown>, RecordContent['phase']]>([
  [{ workState: 'closed', state: 'open' }, 'open'],
  [{ stage: 'in progress', phase: 'done' }, 'doing'],
  [{ status: 'Selected for Development', state_type: 'new' }, 'open'],
  [{ status: 'Verified', state_type: 'indeterminate' }, 'doing'],
  [{ status: 7, title: 'closed' }, undefined],
  [{ status: 'Icebox' }, undefined],
])('of the fields %j the phase is %s', (properties, phase) => {
  expect(withFields(record({ properties })).phase).toBe(phase)
})

test('the category that a tracker gave is no guess, and a day that is none is no due day', () => {
  expect(withFields(record({ properties: { state_type: 'started' } }))).not.toHaveProperty('basis')
  expect(withFields(record({ properties: { due: 'next week' } })).due).toBeUndefined()
})
