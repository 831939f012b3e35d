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
const changes = story('rec_changes', undefined, {
  type: 'document',
  title: 'Changelog',
  text: [
    '# Changelog',
    '## [4.3.0] - 2026-04-02\n\n### Added\n\nExports to Parquet.',
    '## [4.2.0] - 2026-03-01\n\n### Added\n\nA new version of the importer reads archives.',
    '## [4.1.0] - 2026-02-01\n\nNew in this version is the scheduler, and what is new runs at night.',
  ].join('\n\n'),
})
const ask = (query: string, record = minutes) =>
  composeBrief(asking(query, [record], { terms, asked: readAsked(query, terms, {}) })).brief

it('what stands under a label is told after it', () => {
  expect(ask('What was decided about the fence?')).toContain('Fence: Put off until the autumn, as there is no money.')
})

it('a label is told once for the sentences under it, and never by itself', () => {
  const told = ask('What was decided about the fence?')
  expect(told.split('Fence').length).toBe(2)
  expect(told).not.toMatch(/(?:Water|Plots)\./)
})

it('a version that is asked for is matched whole, and by whatever heading it stands in', () => {
  const told = ask('What is new in version 4.3.0?', changes)
  expect(told).toMatch(/^\[?4\.3\.0\]? - .{4,12}: Exports to Parquet/)
  expect(told).not.toMatch(/importer|scheduler/)
  expect(ask('What is new in version 4.2.0?', changes)).toContain('importer')
  expect(ask('What does the importer read since version 4.1.0?', changes)).toContain('archives')
})

it('a question in bold is the label of its answer', () => {
  expect(ask('Why do forms arrive twice?')).toContain('Why do forms arrive twice? Your script sends them')
})
