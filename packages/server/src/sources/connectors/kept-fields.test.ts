import type { StoredContent } from '@cairnstore/engine/resolve'
import { expect, it } from 'vitest'
import { withKeptFields } from './kept-fields.ts'

const issue = {
  external_id: 'issue/a#1',
  type: 'issue',
  provider: 'github',
  relations: [
    { subject: 'a#1', predicate: 'part_of', object: 'a' },
    { subject: 'a#1', predicate: 'assigned_to', object: { name: 'Ida', identifiers: { login: 'ida' } } },
  ],
  properties: { state: 'closed', state_reason: 'not_planned', type: 'Bug', due_on: '2026-05-04T00:00:00.000Z' },
}

it('a tracker’s record has what its connector kept of how it stands, as its connector declares it', () => {
  expect(withKeptFields(issue)).toEqual({
    ...issue,
    phase: 'dropped',
    owner: { name: 'Ida', identifiers: { login: 'ida' } },
    due: '2026-05-04T00:00:00.000Z',
    kind: 'Bug',
  })
})

it('what a record declares stays, and no other record is given anything', () => {
  expect(withKeptFields({ ...issue, phase: 'doing' as const })).toMatchObject({ phase: 'doing' })
  for (const other of [
    { ...issue, provider: 'custom' },
    { ...issue, type: 'comment' },
  ])
    expect(withKeptFields(other)).toBe(other)
  const soon = { ...issue, properties: { state: 'open', due_on: 'soon' } }
  expect(withKeptFields(soon)).not.toHaveProperty('due')
})

it('a document of a folder is of the day in its name or title, unless it has one', () => {
  const note: StoredContent = { external_id: 'log/2026-03-10 standup.md', type: 'document', provider: 'import' }
  const kept = { ...note, title: 'Standup', properties: { path: note.external_id } }
  expect(withKeptFields(kept).occurred_at).toBe('2026-03-10T00:00:00.000Z')
  expect(withKeptFields({ ...kept, occurred_at: '2026-01-01T00:00:00.000Z' }).occurred_at).toContain('2026-01-01')
  expect(withKeptFields({ ...note, title: '2026-03-10' })).not.toHaveProperty('occurred_at')
})
