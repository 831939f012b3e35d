import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { composeBrief } from './compose-brief.ts'

const SAYS = [
  'The gateway limit was set to 30 seconds by Ana after the vote in the meeting of the northern team.',
  'A gateway limit of 45 seconds was tried in the lab for a while, and everybody there found it far too slow.',
  'Nobody may lift the gateway limit during a freeze, which the people at the front desk have been told as well.',
  'Jon wrote a page on how the gateway limit is counted, with pictures of each of the steps that it takes.',
  'The gateway limit of the old building was printed on paper, and hung beside the door until last winter.',
  'Under load the gateway limit is reached by those first who came last, as the queue is read from its end.',
]
const records = SAYS.map((text, at) => story(`rec_${at}`, at + 1, { type: 'document', text, score: 1 - at / 100 }))
const wordsOf = (query: string, detail?: 'concise' | 'detailed') =>
  composeBrief(asking(query, records, { ...(detail && { detail }) })).brief.split(' ').length

describe('a concise answer', () => {
  it('to a question for one fact has about 60 words at most, and to one for a story about 110', () => {
    const [fact, why] = [wordsOf('What is the gateway limit?', 'concise'), wordsOf('Why the gateway limit?', 'concise')]
    expect(fact).toBeLessThanOrEqual(66)
    expect(why).toBeGreaterThan(fact)
    expect(why).toBeLessThanOrEqual(121)
  })

  it('leaves out what a short note says of other things, though there is room for it', () => {
    const rules =
      'Every employee has 30 days of holiday a year. Requests go to the team lead two weeks ahead. ' +
      'When ill, a note of the doctor goes to the office. The kitchen is cleaned on Fridays.'
    const minutes = 'Present were Ana and Jon. The budget of the training is 12,400 euros. The lift is being repaired.'
    const notes = [rules, minutes].map((text, at) => story(`rec_${at}`, at + 1, { type: 'document', text, score: 1 }))
    const told = (query: string) => composeBrief(asking(query, notes, { detail: 'concise' })).brief
    expect(told('How many days of holiday are there a year?')).toMatch(
      /^Every employee has 30 days of holiday a year[^.]*\.$/,
    )
    expect(told('What is the budget of the training?')).toMatch(/^The budget of the training is 12,400 euros[^.]*\.$/)
  })

  it('to why tells the reason, though it does not name what it is the reason of', () => {
    const text =
      'On 22 July the printer in hall 3 was down for four hours. The cause was a broken fan. Aylin replaced it. ' +
      'The order of a spare one is open.'
    const { brief } = composeBrief(
      asking('Why was the printer down?', [story('rec_1', 1, { type: 'document', title: 'Breakdown', text })], {
        detail: 'concise',
      }),
    )
    expect(brief).toContain('The cause was a broken fan')
  })

  it('has fewer words than one that was asked in detail, or of pinned records', () => {
    const query = 'What is the gateway limit?'
    expect(wordsOf(query, 'concise')).toBeLessThan(wordsOf(query))
    expect(wordsOf(query, 'concise')).toBeLessThan(wordsOf(query, 'detailed'))
  })
})
