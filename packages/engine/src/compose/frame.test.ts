import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { renderDates } from '../text/civil-date.ts'
import type { BriefRecord } from './brief.ts'
import { gatherMaterial } from './candidates.ts'
import { framePiece, type Piece } from './frame.ts'

/** The sentences of each record as one piece, told in the order given. */
function told(...records: BriefRecord[]): string[] {
  const scored = records.map((record, at) => ({ ...record, score: 1 - at / 10 }))
  const { candidates, records: known } = gatherMaterial(asking('?', scored), true)
  const pieces = known.map((_, at): Piece => ({ record: at, candidates: candidates.filter((c) => c.record === at) }))
  return renderDates(pieces.map((piece, at) => framePiece(piece, known, pieces[at - 1]).text))
}
const priya = { author: { name: 'Priya Raman' } }
const issue = { type: 'issue', title: 'Cutover to Tidewell', entities: [] }

describe('framePiece', () => {
  it('has somebody add only to what the same person was quoted with before, and note only what is later', () => {
    const said = told(
      story('rec_1', 9, { ...priya, text: 'The launch moved by a week.' }),
      story('rec_2', 11, { ...priya, text: 'The retry fix is merged.' }),
      story('rec_3', 4, { ...priya, text: 'The gateway is slow.' }),
      story('rec_4', 5, { author: { name: 'Jon Berg' }, text: 'The pool was full.' }),
    )
    expect(said.map((text) => text.slice(0, text.indexOf(':')))).toEqual([
      'On 9 June 2026 Priya Raman wrote',
      'On 11 June Priya Raman added',
      'On 4 June Priya Raman wrote',
      'On 5 June Jon Berg noted',
    ])
  })

  it('puts the name of a document before what points back, and behind what stands by itself', () => {
    const properties = { key: 'NOR-129' }
    expect(
      told(story('rec_1', 2, { ...issue, properties, text: 'It was planned for June, and is planned for July.' })),
    ).toEqual(['NOR-129 “Cutover to Tidewell” (2 June 2026): It was planned for June, and is planned for July.'])
    expect(told(story('rec_1', 2, { ...issue, properties, text: 'The night is planned for July.' }))).toEqual([
      'The night is planned for July (NOR-129, 2 June 2026).',
    ])
  })

  it('tells the day of a document once, where its title has it', () => {
    const dated = { type: 'page', title: '2026-06-02 Committee', entities: [] }
    const text = 'Ada Wren is treasurer.'
    expect(told(story('rec_1', 2, { ...dated, text }))).toEqual(['Ada Wren is treasurer (2026-06-02 Committee).'])
    expect(told(story('rec_1', 3, { ...dated, text }))).toEqual([
      'Ada Wren is treasurer (2026-06-02 Committee, 3 June 2026).',
    ])
    const said = { ...dated, ...priya, title: 'Notes of 2 June 2026', text: 'We chose Ada Wren as treasurer.' }
    expect(told(story('rec_1', 2, said))).toEqual([
      'Priya Raman wrote in “Notes of 2 June 2026”: “We chose Ada Wren as treasurer.”',
    ])
  })

  it('puts no bracket behind a bracket', () => {
    expect(told(story('rec_1', 2, { ...issue, text: 'The upload has to be rebuilt (NOR-144).' }))).toEqual([
      '“Cutover to Tidewell” (2 June 2026): The upload has to be rebuilt (NOR-144).',
    ])
  })

  it('gives no day to a text that was edited later or tells of work that goes on', () => {
    const text = 'The cutover took place on 4 July.'
    expect(told(story('rec_1', 2, { ...issue, text, properties: { updated_at: '2026-07-05T10:00:00Z' } }))).toEqual([
      'The cutover took place on 4 July (Cutover to Tidewell).',
    ])
    expect(told(story('rec_1', 2, { ...issue, text, properties: { status: 'in progress' } }))[0]).toMatch(
      /took place on 4 July \(Cutover to Tidewell\)\./,
    )
  })

  it('says what a comment or a review is on', () => {
    const comment = story('rec_1', 2, {
      ...priya,
      type: 'comment',
      text: 'The alarm works.',
      properties: { issue: 'OPS-4' },
    })
    const review = story('rec_2', 3, {
      ...priya,
      type: 'review',
      text: 'The index is right.',
      properties: { number: 39 },
      entities: [{ canonicalId: 'ent_1', name: 'Add an index', type: 'pull_request', aliases: ['web#39'] }],
    })
    expect(told(comment, review)).toEqual([
      'On 2 June 2026 Priya Raman wrote on OPS-4: “The alarm works.”',
      'On 3 June Priya Raman added on web#39: “The index is right.”',
    ])
  })

  it('calls what has neither title nor is a message by its type and author', () => {
    expect(told(story('rec_1', 2, { ...priya, type: 'commit', text: 'The pool is read-only from now on.' }))).toEqual([
      'The pool is read-only from now on (commit by Priya Raman, 2 June 2026).',
    ])
  })

  it('tells the items of a list plainly, however they begin', () => {
    const text = '- the command in version 3 or newer\n- an approval by the owner'
    expect(told(story('rec_1', 2, { type: 'document', title: 'Deploying', text }))).toEqual([
      'The command in version 3 or newer. An approval by the owner (Deploying, 2 June 2026).',
    ])
  })
})

it('a page that links call by a short name in small letters is told by its title, an issue by its key', () => {
  const page = (name: string) =>
    story('rec_page', undefined, {
      type: 'document',
      title: 'The command line',
      text: 'we say: kiln bakes pages',
      entities: [{ canonicalId: 'ent_page', name, aliases: ['The command line'], type: 'document' }],
    })
  expect(told(page('cli'))).toEqual(['“The command line” says: “we say: kiln bakes pages.”'])
  expect(told(page('CLI-4'))).toEqual(['CLI-4 “The command line” says: “we say: kiln bakes pages.”'])
})

it('tells a message without the lines that it quotes, whatever they hold; one that only quotes says so', () => {
  const quoted = '> The crate costs 742 from March on.\n> 1. Ask the harbour first.'
  const answer = 'Dock fees stay at 690 until December.'
  expect(told(story('rec_1', 2, { ...priya, text: `${quoted}\n${answer}\n\n${quoted}` }))).toEqual([
    'On 2 June 2026 Priya Raman wrote: “Dock fees stay at 690 until December.”',
  ])
  expect(told(story('rec_1', 2, { ...priya, text: '> The crate costs 742 from March on.' }))).toEqual([
    'On 2 June 2026 Priya Raman quoted: “The crate costs 742 from March on.”',
  ])
  const page = { type: 'document', title: 'Fees', text: '> The crate costs 742 from March on.' }
  expect(told(story('rec_1', 2, page))).toEqual(['“Fees” of 2 June 2026 says: “The crate costs 742 from March on.”'])
})
