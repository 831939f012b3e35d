import { expect, it } from 'vitest'
import { textKindOf } from './text-kind.ts'

it.each([
  ['email', '> quoted\nBest', {}, 'mail'],
  ['document', 'Total:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |', {}, 'markdown'],
  ['document', 'See **bold** words.', {}, 'markdown'],
  ['issue', 'Steps:\n- one\n- two', {}, 'markdown'],
  ['document', '# not a heading\nx = 1', { properties: { format: 'code' } }, 'code'],
  ['note', 'We met on 3 - 4 May. 5 * 3 = 15 #tag', {}, 'plain'],
  [
    'document',
    'Ana: Hi.',
    {
      locators: [
        { start: 0, locator: '00:00:01' },
        { start: 5, locator: '00:00:04' },
      ],
    },
    'transcript',
  ],
])('a %s with %j is shown by its kind', (type, text, more, kind) => {
  expect(textKindOf({ type, text, ...more })).toBe(kind)
})
