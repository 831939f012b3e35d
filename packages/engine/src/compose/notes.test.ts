import { expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { readAsked } from '../understand/parts.ts'
import { composeBrief } from './compose-brief.ts'
import { unfaithfulWords } from './faithful.ts'

const records = [
  story('rec_server', undefined, {
    type: 'document',
    title: 'Server',
    text: [
      '### `bodyLimit`\n\n+ Default: `1048576` (1MiB)',
      'The most that the body of a request may hold under this limit.',
      '### `keepAlive`\n\n+ Default: `72000`\n\nHow long a connection stays open.',
      '|Version|Released|Support ends|\n|-|-|-|\n| 3.0.0 | 2020 | 2023-06-30 |\n| 4.0.0 | 2022 | 2025-06-30 |',
    ].join('\n\n'),
  }),
  story('rec_other', undefined, { type: 'document', title: 'Hooks', text: 'A hook may read the body of a request.' }),
]
const ask = (query: string) => composeBrief(asking(query, records, { terms, asked: readAsked(query, terms) }))

it('a value under its name answers, with the heading that says of what it is', () => {
  const brief = ask('What is the default body limit?')
  expect(brief.brief).toMatch(/^bodyLimit: Default: 1048576 \(1MiB\)\./)
  expect(unfaithfulWords(brief, records)).toEqual([])
  expect(ask('What is the default of keepAlive?').brief).toMatch(/^keepAlive: Default: 72000/)
})

it('a row of a table answers as it stands under its heads', () => {
  expect(ask('When does support of version 4.0.0 end?').brief).toMatch(/4\.0\.0: Released 2022, Support ends 2025/)
})
