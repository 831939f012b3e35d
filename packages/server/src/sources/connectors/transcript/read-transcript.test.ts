import { expect, test } from 'vitest'
import { transcriptRecords } from './read-transcript.ts'

const said = (text: string, path = 'chat/crew.md') =>
  transcriptRecords(text, path, 'scope')?.map((record) => [
    (record.author as { name: string } | undefined)?.name,
    record.occurred_at?.slice(0, 16),
    record.text,
  ])

test('a chat in Markdown becomes messages with date and author', () => {
  const text = [
    '# #pumps – Monday 4 May 2026\n\n**Ana** 07:46\nThe valve leaks.\n\nBadly.\n',
    '**Bo Lind** 07:50\nDrain it.\n\n**Ana** 19:05\nDone.\n',
  ].join('\n')
  expect(said(text)).toEqual([
    ['Ana', '2026-05-04T07:46', 'The valve leaks.\n\nBadly.'],
    ['Bo Lind', '2026-05-04T07:50', 'Drain it.'],
    ['Ana', '2026-05-04T19:05', 'Done.'],
  ])
  expect(transcriptRecords(text, 'chat/crew.md', 'scope')![1]).toMatchObject({
    external_id: 'chat/crew.md#2',
    type: 'message',
    properties: { path: 'chat/crew.md', folder: 'chat' },
  })
})

test.each([
  ['[07:46] Ana: It leaks.\n[07:50] Bo: Drain it.\n[07:51] Ana: Done.', undefined],
  ['[04/05/2026, 07:46:12] Ana: It leaks.\n[13/05/2026, 07:50] Bo: Drain it.\n[13/05/2026, 07:51] Ana: Done.', '05-04'],
  ['5/4/26, 7:46 AM - Ana: It leaks.\n5/13/26, 7:50 AM - Bo: Drain it.\n5/13/26, 7:51 PM - Ana: Done.', '05-04'],
  ['[2026-05-04 07:46] <ana> It leaks.\n[2026-05-04 07:50] <bo> Drain it.\n[2026-05-05 07:51] <ana> Done.', '05-04'],
  ['Ana (07:46): It leaks.\nBo (07:50): Drain it.\nAna (7:51 pm): Done.', undefined],
  ['Ana 07:46\nIt leaks.\nBo 07:50\nDrain it.\nAna 07:51\nDone.', undefined],
])('a transcript is recognized by speakers and times: %#', (text, day) => {
  const [first, second, third] = said(text)!
  expect(first).toEqual([expect.stringMatching(/^ana$/i), day && `2026-${day}T07:46`, 'It leaks.'])
  expect([second![2], third![2]]).toEqual(['Drain it.', 'Done.'])
})

test('a role is separated from the name, wherever it is written', () => {
  const text =
    '[07:46] Ana Lima (Host): It leaks.\n[07:47] Bo Lind - Ship Master: Drain it.\n' +
    '[07:48] Cai Rau, Deck Hand: Done.\n' +
    '[07:49] Moss, Dee [external]: Good.\n[07:50] Eva-Maria Olsen – Pilot: Yes: at last.'
  expect(said(text)!.map(([name]) => name)).toEqual(['Ana Lima', 'Bo Lind', 'Cai Rau', 'Dee Moss', 'Eva-Maria Olsen'])
  expect(transcriptRecords(text, 'a.txt', 'scope')!.map(({ properties }) => properties?.role)).toEqual([
    'Host',
    'Ship Master',
    'Deck Hand',
    'external',
    'Pilot',
  ])
  expect(said('Ana (Host) 07:46\nIt leaks.\nBo – Master [07:47]:\nDrain it.\nAna (Host) 07:51\nDone.')![1]![0]).toBe(
    'Bo',
  )
})

test('a role after a comma is separated if the name also occurs without it', () => {
  const text =
    '[07:46] Bo, Captain: It leaks.\n[07:47] Moss, Dee: Drain it.\n[07:48] Bo: Done.\n' +
    'Cai, Pilot: Good.\n[07:49] Cai: Yes.\nCai, Pilot: At last.'
  expect(said(text)!.map(([name, , line]) => [name, line])).toEqual([
    ['Bo', 'It leaks.'],
    ['Dee Moss', 'Drain it.'],
    ['Bo', 'Done.\nCai, Pilot: Good.'],
    ['Cai', 'Yes.'],
    ['Cai', 'At last.'],
  ])
  expect(transcriptRecords(text, 'a.txt', 'scope')![0]!.properties).toMatchObject({ role: 'Captain' })
})

test('a line without a speaker is not attributed to the previous speaker', () => {
  const text =
    '[07:46] Ana: It leaks.\nBadly.\n[07:47] 2 guests joined\n(laughter)\n' +
    '[07:48] Bo: Drain it.\nAna: I did.\n[07:49] Bo: Good.'
  expect(said(text)!.map(([name, , line]) => [name, line])).toEqual([
    ['Ana', 'It leaks.\nBadly.'],
    [undefined, '2 guests joined'],
    [undefined, '(laughter)'],
    ['Bo', 'Drain it.'],
    ['Ana', 'I did.'],
    ['Bo', 'Good.'],
  ])
})

test('a transcript gets the date of its file unless its lines or headings have one', () => {
  const text = 'Ana 07:46\nIt leaks.\n## 2026-05-09\nBo 07:50\nDrain it.\nAna 07:51\nDone.'
  expect(said(text, '2026-05-04.txt')!.map(([, at]) => at)).toEqual([
    '2026-05-04T07:46',
    '2026-05-09T07:50',
    '2026-05-09T07:51',
  ])
})

test.each([
  '**Breakfast** 07:30\nIn the hall.\n\n**Talk** 09:00\nOn pumps.\n\n**Break** 10:15\nTea.',
  'We met.\n\nAna 07:46\nIt leaks.\nBo 07:50\nDrain it.\nAna 07:51\nDone.',
  'Ana: It leaks.\nBo: Drain it.\nAna: Done.',
  'Ferry 07:46\nFerry 08:16\nFerry 08:46',
  `Ana 07:46\n${'It leaks.\n'.repeat(20)}Bo 07:50\nDrain it.\nAna 07:51\nDone.`,
  '',
])('a schedule, minutes and a page are not a transcript: %#', (text) => {
  expect(said(text)).toBeUndefined()
})

test('hostile lines are parsed in linear time', () => {
  for (const piece of ['a '.repeat(50), '[1:11'.repeat(30), '**a.-', '0:00 ', 'A (', '1/1/1 '])
    expect(said(`${piece}\n`.repeat(100_000 / piece.length))).toBeUndefined()
})
