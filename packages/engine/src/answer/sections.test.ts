import { expect, test } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { analyseParts } from '../understand/parts.ts'
import { answerQuestion } from './answer.ts'

const HANDBOOK = `# Rowing club

The club was founded in 1911.

## Committee

The committee this season:

- Chair: Harriet Boyle
- Treasurer: Sunil Rao
- Captain: Joan Petrie

## To do, boathouse

- [ ] clear the gutter
- [x] new bulb
- [ ] a shelf for the oars

## Spending

| Month | Boats | Coaching |
| --- | --- | --- |
| January | £120 | £640 |
| February | £85 | £640 |
| March | £1,450 | £720 |
`

const ask = (query: string) => {
  const record = story('rec_1', undefined, { type: 'document', title: 'Rowing club', text: HANDBOOK })
  return answerQuestion(asking(query, [record], { terms, asked: analyseParts(query, terms, {}) }))
}

test('a list is shown whole, with the line that introduces it', () => {
  const { brief, statements } = ask('Who is on the committee this season?')
  const list = '- Chair: Harriet Boyle\n- Treasurer: Sunil Rao\n- Captain: Joan Petrie'
  expect(brief).toBe(`The committee this season:\n\n${list}\n\n— Rowing club`)
  const [first] = statements[0]!.spans
  expect(HANDBOOK.slice(first!.start, first!.end)).toBe('The committee this season:')
})

test('a statement counts with the title of its record, like a list', () => {
  const text = `# Club meeting in March

Present: Harriet Boyle, Sunil Rao. Excused: Joan Petrie.

## Decisions

- The boathouse is painted.
- The fee rises to £30.
`
  const record = story('rec_1', undefined, { type: 'document', title: 'Club meeting in March', text })
  const find = (query: string) =>
    answerQuestion(asking(query, [record], { terms, asked: analyseParts(query, terms, {}) })).statements[0]!.text
  expect(find('Who was excused from the club meeting?')).toContain('Joan Petrie')
  expect(find('What did the club meeting decide?')).toContain('The fee rises')
})

test('what is ticked is not still to do', () => {
  const { brief } = ask('What is still to do at the boathouse?')
  expect(brief).toContain('gutter')
  expect(brief).toContain('shelf')
  expect(brief).not.toContain('bulb')
})

test('a sum and an extreme are computed over a column of a table, with the cells that they are computed from', () => {
  const { statements } = ask('What did we spend in total on coaching?')
  expect(statements[0]).toMatchObject({
    text: 'Coaching in total: £2,000 (Spending). — Rowing club',
    computed: 'Coaching in total: £2,000 = £640 + £640 + £720',
  })
  expect(ask('Which month had the highest spending on boats?').brief).toMatch(/^March: Boats £1,450/)
})
