import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { answerQuestion } from './answer.ts'
import type { BriefRecord } from './brief.ts'

const issue = (key: string, title: string, more: Partial<BriefRecord> = {}): BriefRecord =>
  story(`rec_${key}`, 5, {
    type: 'issue',
    title,
    text: `${title}, as agreed after the outage of the gateway.`,
    properties: { key, status: 'in_progress', assignee: 'Jon Berg' },
    ...more,
  })

const summary = story('rec_chat', 20, {
  author: { name: 'Priya Raman' },
  text: 'After the outage of the gateway two points are still open: NOR-1 (alerts, Jon) and NOR-2 (load test, Ana).',
  score: 1,
})
const times = (brief: string, key: string): number => brief.split(key).length - 1

describe('what is open', () => {
  it('is listed once, by a record that says so or by its status', () => {
    const records = [summary, issue('NOR-1', 'Alerts'), issue('NOR-2', 'Load test'), issue('NOR-3', 'Runbook')]
    for (const query of [
      'What is still open after the outage of the gateway?',
      'Why was the outage of the gateway, and what is still open?',
    ]) {
      const { brief } = answerQuestion(asking(query, records))
      for (const key of ['NOR-1', 'NOR-2', 'NOR-3']) expect([key, times(brief, key)]).toEqual([key, 1])
    }
  })

  it('is listed only for questions that ask for it', () => {
    const records = [summary, issue('NOR-1', 'Alerts'), issue('NOR-2', 'Load test'), issue('NOR-3', 'Runbook')]
    const { brief } = answerQuestion(asking('What is still open after the outage of the gateway?', records))
    expect(brief).toContain('NOR-3 “Runbook” (in progress, Jon Berg)')
    const other = answerQuestion(asking('When was the outage of the gateway?', records))
    expect(other.brief).not.toContain('open is NOR-3')
  })

  it('leaves out records that have little to do with the question', () => {
    const far = issue('NOR-9', 'Translation', { score: 0.2, text: 'Norwegian, for the portal.' })
    const { brief } = answerQuestion(asking('What is open after the gateway outage?', [issue('NOR-1', 'Alerts'), far]))
    expect(brief).toContain('Still open is NOR-1')
    expect(brief).not.toContain('NOR-9')
  })

  it('lists the items of the cycle that the question names, but not the cycle itself', () => {
    const cycle = story('rec_c', 1, { type: 'cycle', title: 'Cycle 24', properties: { state: 'active' }, score: 1 })
    const inside = issue('NOR-1', 'Alerts', { score: 0.2 })
    inside.properties = { ...inside.properties, cycle: 'Cycle 24' }
    const { statements } = answerQuestion(asking('What did we not finish in cycle 24?', [cycle, inside]))
    expect(statements[0]!.text).toBe('Still open is NOR-1 “Alerts” (in progress, Jon Berg).')
  })

  it('is all there is, when nothing more is asked, in whatever language its status is', () => {
    const far = issue('NOR-9', 'Aufzug', {
      score: 0.2,
      text: 'Er bleibt stehen.',
      properties: { key: 'NOR-9', status: 'In Arbeit' },
    })
    const records = [story('rec_1', 1, { text: 'All is well with the gateway.', score: 1 }), far]
    for (const query of ['What is open?', 'What is left to do?'])
      expect(answerQuestion(asking(query, records)).statements[0]!.text).toBe(
        'Still open is NOR-9 “Aufzug” (In Arbeit).',
      )
  })
})
