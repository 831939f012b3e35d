import { expect, it } from 'vitest'
import { story } from '../../../../tests/harness/sample-stories.ts'
import { segment } from './statement.ts'

it('the source of a diagram is no statement, other code is', () => {
  const text = [
    'The valve has two states.',
    '',
    '```mermaid\nstateDiagram\n  open --> shut\n```',
    '',
    'Close it by hand:',
    '',
    '```sh\nvalve close\n```',
  ].join('\n')
  const { statements } = segment(story('rec_1', 1, { text }), 0)
  expect(statements.map((each) => each.text)).toEqual(['The valve has two states.', 'Close it by hand:', 'valve close'])
})
