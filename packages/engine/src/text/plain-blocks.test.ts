import { describe, expect, test } from 'vitest'
import { plainBlocks } from './plain-blocks.ts'

function texts(text: string): string[] {
  return plainBlocks(text).map((block) => block.text)
}

describe('the plain text of a Markdown document', () => {
  test.each([
    [
      'an image says nothing in words, and neither does a link that is only an image',
      [
        '# Harbour [![build](https://ci.example/b.svg)](https://ci.example) ![logo][logo]',
        'Harbour moves containers.',
        '[![npm][npm-image]][npm-url]',
        '',
        '[npm-image]: https://badge.example/n.svg',
        '[npm-url]: https://npm.example/harbour',
      ],
      ['Harbour', 'Harbour moves containers.'],
    ],
    [
      'links keep their words however they are written',
      [
        'See [the [old] guide](https://a.example/x_(y)?z=1 "Guide"), [the API][api], [Notes][] and [Setup].',
        '',
        '[api]: ./api.md',
        '[notes]: <https://a.example/notes>',
        '[setup]: https://a.example/setup "Set up"',
      ],
      ['See the [old] guide, the API, Notes and Setup.'],
    ],
    [
      'brackets that are no links stay',
      ['Read `list[0]` or grid[i][j]; [sic] and app[Symbol.iterator]() too.'],
      ['Read list[0] or grid[i][j]; [sic] and app[Symbol.iterator]() too.'],
    ],
    [
      'code in a line is told as it was written',
      ['Use `<select>` or `a_b_c`, never `**`.'],
      ['Use <select> or a_b_c, never **.'],
    ],
    [
      'an item goes on in the lines that stand in under it',
      ['- Retries twice', '  after a pause. Then', '  It gives up.', '- Never blocks', 'The next paragraph.'],
      ['Retries twice after a pause. Then It gives up.', 'Never blocks', 'The next paragraph.'],
    ],
    [
      'an underlined line is a heading',
      ['Limits', '======', 'Ten a minute.', '', 'Costs', '-----', 'None.'],
      ['Limits', 'Ten a minute.', 'Costs', 'None.'],
    ],
    [
      'a table without outer borders is read by its heads',
      ['Log | Kept', '--- | ---', 'Access | 30 days', 'Audit \\| trace | 1 year'],
      ['Access: Kept 30 days', 'Audit | trace: Kept 1 year'],
    ],
    [
      'a list of contents tells nothing',
      ['- [Install](#install)', '- [`use(a, b)`](#use-a-b)', '- [Site](https://a.example)'],
      ['Site'],
    ],
    [
      'HTML is read as the blocks it makes',
      [
        '<h1 align="center">',
        '  <img src="logo.svg"',
        '       width="650">',
        '  Harbour</h1>',
        '<!-- toc',
        'hidden -->',
        '<p>First.</p><p>Second.</p><ul><li>One<li>Two</ul>',
      ],
      ['Harbour', 'First.', 'Second.', 'One', 'Two'],
    ],
    [
      'a code block within a longer fence ends with that fence',
      ['````md', '```js', 'a()', '```', 'inside', '````', 'After.'],
      ['After.'],
    ],
    [
      'quoted lines that were wrapped are one quotation',
      [
        '> [!NOTE]',
        '> The retention of the audit log was raised to a full year in',
        '> March after the review.',
        '> Ask Priya.',
      ],
      ['The retention of the audit log was raised to a full year in March after the review.', 'Ask Priya.'],
    ],
  ])('%s', (_name, lines, expected) => {
    expect(texts(lines.join('\n'))).toEqual(expected)
  })
})

test('in a wrapped text, a short line also continues the paragraph', () => {
  const lines = [
    'As the gateway is built to answer within milliseconds, it uses',
    '[pino](https://pino.example) as its logger. Its level is set for each',
    'route,',
    'NOR-12 says why. The level that is used where none is set is the one',
    'that the settings of the whole installation name, which is `info`.',
  ]
  expect(texts(lines.join('\n'))).toEqual([
    'As the gateway is built to answer within milliseconds, it uses pino as its logger. Its level is set for each ' +
      'route, NOR-12 says why. The level that is used where none is set is the one that the settings of the whole ' +
      'installation name, which is info.',
  ])
})

test('a message with brackets and rules keeps its text', () => {
  expect(texts('[Ana]: yes, deploy it\n[10:32] done\nA | b was chosen')).toEqual([
    '[Ana]: yes, deploy it',
    '[10:32] done',
    'A | b was chosen',
  ])
})

test.each([
  '[',
  '![](',
  '[a](b(',
  '[a](<',
  '<a\n',
  '<a <',
  '<!--',
  '`a',
  '**a',
  '_a',
  '\\*',
  '|-',
  ':-|',
  '[a]: b/\n',
  '- [a](#',
  '[[',
])('a text that repeats %j is read to its end', (sign) => {
  expect(plainBlocks(sign.repeat(100_000 / sign.length))).toBeInstanceOf(Array)
})

describe('the log of a chat', () => {
  const render = (text: string) => plainBlocks(text).map(({ kind, text: said }) => `${kind} ${said}`)

  test('keeps the speaker and separates the lines, whatever their length and ending', () => {
    const log = [
      '[15 Jan 12:55] <mira> tom: Paul changes jobs and will be the new leader of the project from the spring on',
      '[15 Jan 12:56] <@tom> so he is very busy',
      '12:57 <mira> yes',
      '2026-01-15 12:58 - Ana Lima: the gate is open',
    ]
    expect(render(log.join('\n'))).toEqual([
      'item [15 Jan 12:55] mira: tom: Paul changes jobs and will be the new leader of the project from the spring on',
      'item [15 Jan 12:56] tom: so he is very busy',
      'item 12:57 mira: yes',
      'item 2026-01-15 12:58 - Ana Lima: the gate is open',
    ])
  })

  test('is not recognized in a sentence that continues with a time or in a tag', () => {
    const wrapped = 'The people at the gate were told by the office that it would open at\n10:30 and not before.'
    expect(render(wrapped)).toEqual([`paragraph ${wrapped.replace('\n', ' ')}`])
    expect(render('The <b>gate</b> is open.')).toEqual(['paragraph The gate is open.'])
  })
})

test('a row is rendered with its cells, without those that contain only a dash', () => {
  const table =
    '| Work | Permit? | Fee | Time |\n|---|---|---|---|\n| Jetty | yes | – | 5 weeks |\n| Buoy | - | — | – |'
  expect(plainBlocks(table).map(({ text }) => text)).toEqual(['Jetty: Permit yes, Time 5 weeks', 'Buoy'])
})
