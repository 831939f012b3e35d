import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Block, blocksOf, encodeBlocks } from './block.ts'

/** Returns a summary of each block: kind with details, headings, text. */
function shown(text: string): string[] {
  return blocksOf(text).map((block) => {
    const { kind, start, end, path, level, checked, header, lang } = block
    const known = [level, checked === undefined ? undefined : checked ? 'x' : 'o', lang, header?.join('|')]
    const more = known.filter((each) => each !== undefined).join(' ')
    return `${kind}${more && ` ${more}`} [${path.join(' › ')}] ${text.slice(start, end)}`
  })
}

describe('the blocks of a text', () => {
  test.each<[string, string[], string[]]>([
    [
      'are headings with what stands under them',
      ['# Harbour', 'Moves containers.', '## Limits', 'Ten a minute.', '# Costs', 'None.'],
      [
        'heading 1 [] Harbour',
        'paragraph [Harbour] Moves containers.',
        'heading 2 [Harbour] Limits',
        'paragraph [Harbour › Limits] Ten a minute.',
        'heading 1 [] Costs',
        'paragraph [Costs] None.',
      ],
    ],
    [
      'are underlined lines and lines in bold as headings',
      ['Limits', '======', 'Ten a minute.', '', '**Cause**', 'The disk was full.'],
      [
        'heading 1 [] Limits',
        'paragraph [Limits] Ten a minute.',
        'heading 7 [Limits] **Cause**',
        'paragraph [Limits › Cause] The disk was full.',
      ],
    ],
    [
      'are items, with the state of their box, in lists within lists',
      ['- [x] Shipped', '- [ ] Measured', '  twice', '  1. on paper', '* else'],
      ['item x [] Shipped', 'item o [] Measured\n  twice', 'item [] on paper', 'item [] else'],
    ],
    [
      'are rows of a table under what heads it',
      ['| Log | Kept |', '|---|---|', '| Access | 30 days |', '', 'After.'],
      ['row Log|Kept [] | Access | 30 days |', 'paragraph [] After.'],
    ],
    [
      'are code with its language',
      ['```js', 'listen()', '```', '~~~', 'plain', '~~~'],
      ['code js [] listen()', 'code [] plain'],
    ],
    [
      'are quotations, and lists in quotations',
      ['> He said that the gate is open.', '> - one', '', 'After.'],
      ['quote [] He said that the gate is open.', 'item [] one', 'paragraph [] After.'],
    ],
    [
      'are what HTML makes, without its comments and scripts',
      ['<h2>Limits</h2><!-- no --><p>Ten <b>a</b> minute.</p><ul><li>One<li>Two</ul>', '<script>x</script>'],
      ['heading 2 [] Limits', 'paragraph [Limits] Ten <b>a</b> minute.', 'item [Limits] One', 'item [Limits] Two'],
    ],
    ['end where a signature begins', ['The gate is open.', '', '-- ', 'Ana Lima'], ['paragraph [] The gate is open.']],
    [
      'are quotations below the head of a mail that was forwarded or answered, and not the head',
      [
        'See below.',
        '',
        '____________________',
        'Von: Ana <ana@x.example>',
        'Gesendet: 4. Mai',
        '',
        'It leaks.',
        'A: Yes.',
      ],
      ['paragraph [] See below.', 'quote [] It leaks.', 'item [] A: Yes.'],
    ],
  ])('%s', (_name, lines, expected) => {
    expect(shown(lines.join('\n'))).toEqual(expected)
  })
})

/** Markup fragments, surrogate pairs, and halves of a pair. */
const piece = fc.constantFrom(
  ...['# ', '## ', '- ', '1. ', '> ', '[ ] ', '[x] ', '| a | b |', '|---|---|', '```', '```js', '~~~', '---', '==='],
  ...['<p>', '</p>', '<li>', '<h1>', '<!--', '-->', '<script>', '[a](b)', '**', '_', '\\', '`', '    ', '\t'],
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '\u2028',
    '\ufeff',
    '\u00ad',
    '\ud83d\ude00',
    '\ud83d',
    '\ude00',
    'é',
    'word. ',
    'Ana: ',
    '&amp;',
  ],
)
const hostile = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 60 })

test('blocks of any text lie within it, in order, apart, and are the same when they come from what is stored', () => {
  fc.assert(
    fc.property(hostile, (pieces) => {
      const text = pieces.join('')
      const blocks: Block[] = blocksOf(text)
      let from = 0
      for (const { start, end } of blocks) {
        expect(start).toBeGreaterThanOrEqual(from)
        expect(end).toBeGreaterThan(start)
        from = end
      }
      expect(from).toBeLessThanOrEqual(text.length)
      expect(blocksOf(text, encodeBlocks(text))).toEqual(blocks)
    }),
    { numRuns: 400 },
  )
})

test('what is stored of another text is not believed', () => {
  expect(blocksOf('short', 'p0.zz')).toEqual(blocksOf('short'))
  expect(blocksOf('short', '<script>')).toEqual(blocksOf('short'))
})
