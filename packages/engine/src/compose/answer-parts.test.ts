import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import type { BriefRecord } from './brief.ts'
import { composeBrief } from './compose-brief.ts'
import { unfaithfulWords } from './faithful.ts'

const review = story('rec_review', 12, {
  type: 'document',
  title: 'Review of the Atlas outage',
  text: [
    '**Summary.** Atlas was down for two hours and nine orders were lost.',
    '**Cause.** Two things met. The cache was full. A worker retried every order without a limit.',
    '**Timeline.** 08:10 first alert. 08:40 Jon Berg finds the cause.',
    '**Fix.** Jon Berg rolled the worker back and doubled the cache.',
    '**Follow-ups.** 1 limit on retries, Jon Berg. 2 alert on the cache, Ana Silva.',
  ].join('\n\n'),
})
const told: BriefRecord[] = [
  story('rec_note', 12, {
    author: { name: 'Ana Silva' },
    text: 'Review of the Atlas outage is in the wiki, with two follow-ups.',
    score: 0.95,
  }),
  review,
  story('rec_task', 14, {
    type: 'issue',
    title: 'Alert on the cache',
    text: 'Warn the team before the cache of Atlas is full.',
    properties: { key: 'ATL-9', status: 'todo', assignee: 'Ana Silva' },
  }),
  story('rec_lunch', 15, { author: { name: 'Priya Raman' }, text: 'Lunch moves to noon on Friday.', score: 0.1 }),
]
const QUESTION = 'What caused the Atlas outage, how was it fixed, who owns the follow-ups, and what is still open?'

describe('a question of several parts', () => {
  const brief = composeBrief(asking(QUESTION, told))
  const at = (text: string): number => brief.brief.indexOf(text)

  it('opens with the answer to its first part, told with its section', () => {
    expect(brief.brief).toMatch(/^Cause: Two things met\. The cache was full\. A worker retried every order/)
  })

  it('tells the parts in the order asked', () => {
    const order = [at('Cause:'), at('Fix: Jon Berg rolled'), at('Follow-ups: limit on retries'), at('Still open is')]
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order[0]).toBe(0)
  })

  it('does not open with where something is written, and leaves out what is not asked', () => {
    expect(at('is in the wiki')).not.toBe(0)
    expect(brief.brief).not.toContain('Lunch')
    expect(brief.brief).not.toContain('08:40')
  })

  it('says nothing that its records do not hold, whatever their order', () => {
    expect(unfaithfulWords(brief, told)).toEqual([])
    expect(composeBrief(asking(QUESTION, [...told].reverse()))).toEqual(brief)
  })

  it('skips a part that nothing answers', () => {
    const some = composeBrief(asking('What caused the Atlas outage, and where was the party?', told))
    expect(some.brief).toMatch(/^Cause: /)
    expect(some.brief).not.toContain('party')
  })

  it('tells the section whose label has another word of the idea that is asked for', () => {
    const text = '**Suspected first.** A worn cable.\n\n**Cause.** A full cache, which a worker had filled.'
    const report = story('rec_report', 12, { type: 'document', title: 'Atlas was down', text })
    const noise = story('rec_noise', 13, { author: { name: 'Jon Berg' }, text: 'Blame me for the Atlas cake.' })
    const { brief } = composeBrief(asking('What was Atlas being down first blamed on?', [report, noise]))
    expect(brief).toMatch(/^Suspected first: A worn cable/)
  })

  it('tells the section that answers a question of one part', () => {
    expect(composeBrief(asking('What caused the Atlas outage?', told)).brief).toMatch(/^Cause: Two things met\./)
  })
})
