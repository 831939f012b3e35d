import { expect, test } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { analyseParts } from '../understand/parts.ts'
import { answerQuestion } from './answer.ts'

const ROSTER = [
  ['Harbor', 'Ana Ruiz', '311'],
  ['Harbor', 'Bo | Co', '312'],
  ['Harbor', 'Kim Aalto', '313'],
  ['Hill', 'Per Lund', '320'],
]
const records = ROSTER.map(([post = '', guard = '', phone = ''], at) =>
  story(`rec_${at}`, undefined, {
    type: 'roster',
    title: post,
    text: `- ${post}: Guard: ${guard}; Phone: ${phone}`,
    properties: { Post: post, Guard: guard, Phone: phone, path: 'roster.csv' },
  }),
)
const ask = (query: string) => answerQuestion(asking(query, records, { terms, asked: analyseParts(query, terms, {}) }))

test('rows of a sheet that answer together are one table, with every cell under its column', () => {
  const { brief, statements } = ask('Who is on guard at the Harbor post?')
  expect(statements).toHaveLength(1)
  expect(statements[0]!.recordIds.toSorted()).toEqual(['rec_0', 'rec_1', 'rec_2'])
  const [header, , ...rest] = brief.split('\n')
  expect(header).toBe('| Post | Guard | Phone |')
  expect(rest.slice(0, 3).toSorted()).toEqual([
    '| Harbor | Ana Ruiz | 311 |',
    String.raw`| Harbor | Bo \| Co | 312 |`,
    '| Harbor | Kim Aalto | 313 |',
  ])
  expect(rest.at(-1)).toBe('— roster.csv')
  for (const { recordId, start, end } of statements[0]!.spans) {
    const text = records.find(({ id }) => id === recordId)!.text!
    expect([start, end]).toEqual([text.indexOf('Harbor'), text.length])
  }
})

test('rows that were not counted do not answer how many there are, unless the question names the row', () => {
  expect(ask('How many guards are there with a phone?').outcome).toBe('closest')
  expect(ask('How much does the Hill post guard phone cost?').outcome).toBe('answered')
})
