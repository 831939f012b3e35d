import { expect, test } from 'vitest'
import { renderDates } from '../text/civil-date.ts'
import { terms } from '../text/terms.ts'
import type { BriefRecord } from './brief.ts'
import { expand, render, segment, select, shortlist } from './index.ts'

const HANDBOOK = `# Boats

Everybody checks the **weather** first. From force 6 nobody leaves the harbor. That holds for guests too.

## Blades

These sets are there:

- Croker green, 8 blades
- Macons, 10 blades

| Boat | Seats | Bought |
|---|---|---|
| Dunlin | 2 | 2012 |
| Kittiwake | 4 | 2018 |

To set an erg:

\`\`\`
Menu > New Workout
\`\`\`
`

function record(fields: Partial<BriefRecord>): BriefRecord {
  return { id: 'rec_1', tuples: [], score: 1, type: 'document', entities: [], ...fields }
}

function segmented(text: string, fields: Partial<BriefRecord> = {}, at = 0) {
  return segment(record({ title: 'Handbook', text, ...fields }), at)
}

function find(text: string, { statements }: ReturnType<typeof segmented>) {
  const found = statements.find((statement) => statement.text.includes(text))
  if (!found) throw new Error(`no statement says ${text}`)
  return found
}

test('a text is segmented into sentences, items, rows with their columns and code, each under its headings', () => {
  const { statements } = segmented(HANDBOOK)
  expect(statements.map(({ kind, text }) => [kind, text])).toEqual([
    ['sentence', 'Everybody checks the weather first.'],
    ['sentence', 'From force 6 nobody leaves the harbor.'],
    ['sentence', 'That holds for guests too.'],
    ['sentence', 'These sets are there:'],
    ['item', 'Croker green, 8 blades'],
    ['item', 'Macons, 10 blades'],
    ['row', 'Boat: Dunlin; Seats: 2; Bought: 2012'],
    ['row', 'Boat: Kittiwake; Seats: 4; Bought: 2018'],
    ['sentence', 'To set an erg:'],
    ['code', 'Menu > New Workout'],
  ])
  expect(statements[0]!.context).toBe('Handbook › Boats')
  expect(statements[4]!.context).toBe('Handbook › Boats › Blades')
})

test('the offsets of a statement point at the text that it was taken from', () => {
  const { statements, text } = segmented(HANDBOOK)
  for (const { kind, start, end, text: said } of statements) {
    const words = kind === 'row' ? [said.split(': ')[1]!.split(';')[0]!] : said.match(/[A-Za-z]+/g)!
    for (const word of words) expect(text.slice(start, end)).toContain(word)
  }
})

test('a message is said by its author, without the lines that it quotes', () => {
  const message = { type: 'message', title: '', author: { name: 'Mona Vik' } }
  const own = segmented('> Is the gate open?\n\nYes, until six.', message)
  expect(own.statements.map(({ text, context }) => [text, context])).toEqual([['Yes, until six.', 'Mona Vik']])
  expect(segmented('> Is the gate open?', message).statements.map(({ text }) => text)).toEqual(['Is the gate open?'])
})

test('the shortlist has the statements with query terms first, then their neighbors', () => {
  const text = 'The river log. FLOOD on Sunday. It reached the second step. Nothing else happened. The bus was late.'
  const asked = { terms: terms('flood on Sunday'), idfOf: () => 1, termsOf: terms }
  const found = shortlist(asked, [segmented(text)], 3).map((each) => each.text)
  expect(found[0]).toBe('FLOOD on Sunday.')
  expect(found).toContain('It reached the second step.')
  expect(shortlist(asked, [])).toEqual([])
})

test('a sentence is shown with its paragraph, an item and code with their introduction, a row by itself', () => {
  const own = segmented(HANDBOOK)
  const shown = (text: string) => expand(find(text, own), own).statements.map((statement) => statement.text)
  expect(shown('force 6')).toEqual([
    'Everybody checks the weather first.',
    'From force 6 nobody leaves the harbor.',
    'That holds for guests too.',
  ])
  expect(shown('Macons')).toEqual(['These sets are there:', 'Croker green, 8 blades', 'Macons, 10 blades'])
  expect(shown('These sets')).toEqual(shown('Macons'))
  expect(shown('New Workout')).toEqual(['To set an erg:', 'Menu > New Workout'])
  expect(shown('Dunlin')).toEqual(['Boat: Dunlin; Seats: 2; Bought: 2012'])
})

test('of a long paragraph whole sentences around the answer are shown', () => {
  const sentences = Array.from({ length: 30 }, (_, at) => `Sentence number ${at} tells of the old harbor wall.`)
  const own = segmented(sentences.join(' '))
  const { statements } = expand(find('number 15 ', own), own)
  expect(statements.length).toBeGreaterThan(3)
  expect(statements.length).toBeLessThan(10)
  expect(statements.map(({ text }) => text)).toContain(sentences[15])
})

test('rows are rendered as a table under their header, code in a fence, a message as a quotation', () => {
  const own = segmented(HANDBOOK)
  expect(render(expand(find('Dunlin', own), own), own)).toBe(
    '| Boat | Seats | Bought |\n| --- | --- | --- |\n| Dunlin | 2 | 2012 |\n\n— Handbook',
  )
  expect(render(expand(find('New Workout', own), own), own)).toBe(
    'To set an erg:\n\n```\nMenu > New Workout\n```\n\n— Handbook',
  )
  const message = segmented('I resign in May.', {
    type: 'message',
    title: '',
    author: { name: 'Mona Vik' },
    occurredAtMs: Date.UTC(2026, 4, 3),
  })
  expect(renderDates([render(expand(message.statements[0]!, message), message)])).toEqual([
    '“I resign in May.” — Mona Vik, 3 May 2026',
  ])
})

test('rows that are as likely to answer are shown together; what repeats a shown passage is not', () => {
  const own = segmented(HANDBOOK)
  const other = segmented('From force 6 nobody leaves the harbor.', { title: 'Notice' }, 1)
  const choose = (probabilityOf: (text: string) => number) => {
    const all = [...own.statements, ...other.statements]
    const scored = all.map((each) => ({ ...each, p: probabilityOf(each.text) })).sort((a, b) => b.p - a.p)
    return select(scored, [own, other], { passagesMax: 2, wordsMax: 150, shareMin: 0.3 }, terms)
  }
  const boats = choose((text) => (text.startsWith('Boat:') ? 0.9 : 0.01))
  expect(boats.map(({ statements }) => statements.length)).toEqual([2])
  const force = choose((text) => (text.includes('force 6') ? 0.9 : 0.01))
  expect(force).toHaveLength(1)
})
