import { expect, it } from 'vitest'
import { withCitations } from './with-citations.ts'

const ANSWER = {
  answer: 'Pump 7 stopped. Ada Berg cleaned it.',
  outcome: 'answered' as const,
  citations: [{ canonical_id: 'rec_2', name: 'Cleaning', relevance: 1, record_ids: ['rec_2'], title: 'Cleaning' }],
  statements: [
    { text: 'Pump 7 stopped.', record_ids: ['rec_1', 'rec_2'] },
    { text: 'Ada Berg cleaned it.', record_ids: ['rec_2'] },
  ],
  records: [
    { record_id: 'rec_1', type: 'note', title: 'Pump 7', url: 'https://notes.example/1', occurred_at: '2026-03-10' },
  ],
}

it('a copied answer numbers the records of each statement, and lists each record once with its address', () => {
  expect(withCitations('What happened?', ANSWER, 'https://cairn.example').split('\n')).toEqual([
    'What happened?',
    '',
    'Pump 7 stopped [1][2]. Ada Berg cleaned it [2].',
    '',
    expect.stringMatching(/^\[1\] Pump 7, .*2026, https:\/\/notes\.example\/1$/),
    '[2] Cleaning, https://cairn.example/console/records/rec_2',
  ])
})

it('a copied answer without statements is its text, and an unsafe address is not copied', () => {
  const { statements: _, ...bare } = ANSWER
  expect(withCitations('What?', bare, 'https://cairn.example')).toBe('What?\n\nPump 7 stopped. Ada Berg cleaned it.')
  const unsafe = { ...ANSWER, records: [{ ...ANSWER.records[0]!, url: 'javascript:alert(1)' }] }
  expect(withCitations('What?', unsafe, 'https://cairn.example')).toContain(
    'https://cairn.example/console/records/rec_1',
  )
})
