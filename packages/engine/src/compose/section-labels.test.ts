import { expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { readAsked } from '../understand/parts.ts'
import { composeBrief } from './compose-brief.ts'

const minutes = story('rec_minutes', undefined, {
  type: 'document',
  title: 'Minutes',
  text: [
    '**Fence.** Put off until the autumn, as there is no money. Wood was looked at.',
    '1. **Water.** The tap drips.\n2. **Plots.** Nine are let.',
    '**Why do forms arrive twice?** Your script sends them and the browser does too.',
  ].join('\n\n'),
})
const ask = (query: string) =>
  composeBrief(asking(query, [minutes], { terms, asked: readAsked(query, terms, {}) })).brief

it('what stands under a label is told after it', () => {
  expect(ask('What was decided about the fence?')).toContain('Fence: Put off until the autumn, as there is no money.')
})

it('a label is told once for the sentences under it, and never by itself', () => {
  const told = ask('What was decided about the fence?')
  expect(told.split('Fence').length).toBe(2)
  expect(told).not.toMatch(/(?:Water|Plots)\./)
})

it('a question in bold is the label of its answer', () => {
  expect(ask('Why do forms arrive twice?')).toContain('Why do forms arrive twice? Your script sends them')
})
