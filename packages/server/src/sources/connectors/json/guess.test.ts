import { expect, test } from 'vitest'
import { openDocumentMapper } from '../documents/map-document.ts'
import { guessRecord } from './guess.ts'

test.each([
  [{ ts: '2026-05-04T07:46:00Z' }, '2026-05-04T07:46:00.000Z'],
  [{ ts: 1_777_880_760 }, '2026-05-04T07:46:00.000Z'],
  [{ ts: '1777880760.000200' }, '2026-05-04T07:46:00.000Z'],
  [{ timestamp: 1_777_880_760_000 }, '2026-05-04T07:46:00.000Z'],
  [{ time: 12, date: '2026-05-04' }, '2026-05-04T00:00:00.000Z'],
  [{ time: '45', ts: 3 }, undefined],
  [{ timestamp: 99_999_999_999_999 }, undefined],
  [{ date: '1823' }, '1823-01-01T00:00:00.000Z'],
  [{ date: '1823-05-04' }, '1823-05-04T00:00:00.000Z'],
])('the moment that %j tells', (fields, at) => {
  expect(guessRecord({ from: 'Ana', text: 'It leaks.', ...fields })?.occurred_at).toBe(at)
})

const typeOf = (path: string, value: object) =>
  openDocumentMapper({ path, id: path, scope: 'scope' })({ kind: 'value', value })?.type

test('what somebody said at some time is a message, and other objects are what their file is called', () => {
  const said = { ts: '2026-05-04T07:46:00Z', from: 'Ana', text: 'It leaks.' }
  expect(typeOf('chat/ana-bo.jsonl', said)).toBe('message')
  expect(typeOf('incidents.jsonl', said)).toBe('incident')
  expect(typeOf('pump.jsonl', { ...said, title: 'Valve 7' })).toBe('pump')
  expect(typeOf('pump.jsonl', { ...said, ts: undefined })).toBe('pump')
})
