import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { readAsked } from '../understand/parts.ts'
import { composeBrief } from './compose-brief.ts'
import { unfaithfulWords } from './faithful.ts'

const records = [
  story('rec_kiln', undefined, {
    type: 'document',
    title: 'kiln',
    text: [
      '# kiln\n\nkiln bakes pages. It bakes one page at a time.',
      '## Install\n\n```sh\nnpm install kiln\n```',
      '## Upkeep\n\n```sh\nkiln backup ./pages # while it is stopped\n```',
      '## Limits\n\nYou limit how many pages kiln bakes by the option `pages`.',
    ].join('\n\n'),
  }),
  story('rec_oven', undefined, { type: 'document', title: 'oven', text: 'oven warms pages that kiln has baked.' }),
]
const ask = (query: string) => composeBrief(asking(query, records, { terms, asked: readAsked(query, terms, {}) }))

describe('a question for how something is done', () => {
  it('is answered by the command for it, under its heading and with its record', () => {
    const brief = ask('How do I install kiln?')
    expect(brief.brief).toBe('Install (kiln):\n\n```sh\nnpm install kiln\n```')
    expect(brief.statements[0]!.recordIds).toEqual(['rec_kiln'])
    expect(unfaithfulWords(brief, records)).toEqual([])
  })

  it('is answered by a command that writes its two words as one', () => {
    expect(ask('How do I back up pages?').brief).toMatch(/^Upkeep: `kiln backup \.\/pages/)
  })

  it('is not answered by the command for something else', () => {
    expect(ask('How do I limit how many pages kiln bakes?').brief).toMatch(/^You limit how many pages kiln bakes/)
    expect(ask('How do I limit how many pages kiln bakes?').brief).not.toContain('npm install')
  })
})

it('a question for anything else is told no code', () => {
  expect(ask('What does kiln bake?').brief).not.toContain('`')
  expect(ask('Does kiln install pages?').brief).not.toContain('npm install')
})
