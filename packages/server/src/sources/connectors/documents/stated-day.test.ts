import { expect, test } from 'vitest'
import type { DocumentHead } from '../../../documents/document.ts'
import { openDocumentMapper } from './map-document.ts'
import { statedDay } from './stated-day.ts'

const MAY_4 = '2026-05-04T00:00:00.000Z'

test.each([
  '# Harbour report\n\n4 May 2026\n\nThe pier is open.',
  'Harbour report\n\n**Date:** 2026-05-04',
  'Kiel, den 4. Mai 2026\n\nSehr geehrte Frau Lima,',
  'Nantes, le 4 mai 2026',
  'Stand: 04.05.2026, 14:30 Uhr',
  'Monday, May 4th, 2026',
  'Fecha: 4 de mayo de 2026',
  '4 мая 2026',
  '4 maja 2026',
  '4. května 2026',
  '2026年5月4日',
  'As of 4 May 2026 (Monday)',
])('the date that a document states as its own is found: %j', (text) => {
  expect(statedDay(text)).toBe(MAY_4)
})

test('month names are recognized in every spelling', () => {
  expect(statedDay('4. Maerz 2026')).toBe('2026-03-04T00:00:00.000Z')
  expect(statedDay('4. Okt. 2026')).toBe('2026-10-04T00:00:00.000Z')
})

test('an ambiguous month name is not guessed', () => {
  expect(statedDay('4. listopada 2026')).toBeUndefined()
})

test.each([
  'Due: 4 May 2026',
  'Next meeting: 4 May 2026',
  'The pier closed on 4 May 2026.',
  'Valid until 04.05.2026',
  '04/05/2026',
  `${'A line.\n'.repeat(20)}4 May 2026`,
])('the date of something else is not used: %j', (text) => {
  expect(statedDay(text)).toBeUndefined()
})

function occurredAt(head: Partial<DocumentHead>, text: string, path = 'report.pdf') {
  const read = openDocumentMapper({ path, id: path, scope: 'scope' })
  read({ kind: 'head', format: 'pdf', within: [], ...head })
  return read({ kind: 'part', text, locators: [] })?.occurred_at
}

test('the date in a document or its name takes precedence over the file’s creation date', () => {
  const printed = { at: '2026-07-01T09:00:00Z' }
  expect(occurredAt(printed, 'Report\n\n4 May 2026\n\nAll is well.')).toBe(MAY_4)
  expect(occurredAt(printed, 'All is well.', '2026-05-04 report.pdf')).toBe(MAY_4)
  expect(occurredAt(printed, 'All is well.')).toBe('2026-07-01T09:00:00.000Z')
  expect(occurredAt({}, 'All is well.')).toBeUndefined()
})
