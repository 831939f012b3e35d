import { expect, test } from 'vitest'
import { mailFromText } from './mail-from-text.ts'

test('a text with mail headers becomes a mail, with author and date', () => {
  const text = 'From: Ana Sol (Pumps Ltd)\nTo: bo@x.example\nDate: 22 May 2026\nSubject: Valve 7\n\nIt leaks.\n\nAna'
  expect(mailFromText(text, 'mail/valve.txt')).toMatchObject([
    {
      external_id: 'mail/valve.txt',
      type: 'email',
      title: 'Valve 7',
      text: 'It leaks.\n\nAna',
      occurred_at: '2026-05-22T00:00:00.000Z',
      author: { type: 'person', name: 'Ana Sol' },
      participants: [{ name: 'bo@x.example' }],
      properties: { path: 'mail/valve.txt', to: ['bo@x.example'] },
    },
  ])
})

test.each([
  ['Mon, 4 May 2026 17:05:00 +0200', '2026-05-04T15:05:00.000Z'],
  ['Monday, May 4, 2026 5:05 PM', '2026-05-04T17:05:00.000Z'],
  ['2026-05-04 17:05', '2026-05-04T17:05:00.000Z'],
  ['4.5.2026', undefined],
  ['soon', undefined],
])('a mail of %j', (date, at) => {
  expect(mailFromText(`From: a@x.example\nSent: ${date}\n\nYes.`, 'a.md')?.[0]?.occurred_at).toBe(at)
})

test.each([
  'From: Lisbon\nTo: Porto\nDate: 4 May 2026\n\nBy train.',
  'From: Ana\nSubject: Valve',
  'Subject: Valve\n\nFrom: Ana',
  'From: Ana\nwho wrote\nSubject: Valve\n\nYes.',
  `From: Ana\nSubject: ${'a'.repeat(9_000)}\n\nYes.`,
  '',
])('a text without mail headers is not a mail: %#', (text) => {
  expect(mailFromText(text, 'a.md')).toBeUndefined()
})
