import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBlocks } from '../text/block.ts'
import { readSentences } from '../text/sentences.ts'
import { locate, locatorOf } from './locate.ts'

const TEXT = [
  '# Harbour',
  'The gate opens at six. See [the guide](https://a.example/guide) for _every_ pump.',
  '## Limits',
  '- Ten requests **a minute** &amp; no more',
  '',
  '| Log | Kept |',
  '|---|---|',
  '| Access | 30 days |',
].join('\n')

const content = { text: TEXT, blocks: encodeBlocks(TEXT), title: 'Harbour' }
const read = (statement: string) => locate(statement, content).map(({ start, end }) => TEXT.slice(start, end))

test('a statement is located in the text, including the markup there', () => {
  expect(read('On 4 May Ida wrote: “The gate opens at six.”')).toEqual(['The gate opens at six.'])
  expect(read('See the guide for every pump.')).toEqual(['See [the guide](https://a.example/guide) for _every_ pump.'])
  expect(read('Ten requests a minute & no more')).toEqual(['Ten requests **a minute** &amp; no more'])
  expect(read('Access: Kept 30 days')).toEqual(['| Access | 30 days |'])
})

test('a paraphrase is located where most of its words are, and an unknown text has no location', () => {
  expect(read('The gate will open at six.')).toEqual(['The gate opens at six.'])
  expect(read('HRB-1 is open (Ida Frost).')).toEqual([])
  expect(locate('Anything', { title: 'No text' })).toEqual([])
})

test('a place is what the record declares, else the headings above it without its title', () => {
  expect(locate('Ten requests a minute & no more', content)[0]?.locator).toBe('#limits')
  expect(locate('The gate opens at six.', content)[0]).not.toHaveProperty('locator')
  const locators = [
    { start: 0, locator: 'p. 1' },
    { start: TEXT.indexOf('## Limits'), locator: 'p. 2' },
  ]
  const paged = { ...content, locators }
  expect(locate('The gate opens at six.', paged)[0]?.locator).toBe('p. 1')
  expect(locate('Ten requests a minute & no more', paged)[0]?.locator).toBe('p. 2')
  expect(locatorOf('The gate opens at six. See the guide', { ...paged, text: TEXT })).toBeUndefined()
  expect(locatorOf('The gate opens at six.', paged)).toBe('p. 1')
})

const piece = fc.constantFrom(
  ...[
    '# Part ',
    '- ',
    '- [x] ',
    '1. ',
    '> ',
    '| a | b |\n|---|---|\n| c | d |',
    '```\ncode\n```',
    '\n',
    '\n\n',
    '\r\n',
  ],
  ...[
    'The gate opens. ',
    'Ana wrote it. ',
    '**bold** ',
    '_soft_ ',
    '`code` ',
    '[words](https://a.example/x) ',
    '&amp; ',
  ],
  ...['<p>', '</p>', '<b>', '\u00ad', '\u200b', '\ud83d\ude00', '\ud83d', 'é', '[', '](', '*', '中文句子。'],
)

/** Returns the letters and digits of a text. */
function seen(text: string): string {
  return readSentences(text)
    .map((sentence) => sentence.text)
    .join(' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

test('a sentence of any text has a place within it, in order, cutting no sign in two', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const isPair = (at: number) => /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1))
      const wrong = readSentences(text, { keepsCode: true }).filter(
        ({ start, end }) => start < 0 || end < start || end > text.length || isPair(start) || isPair(end),
      )
      expect(wrong).toEqual([])
    }),
    { numRuns: 150 },
  )
})

const word = fc.constantFrom('gate', '**gate**', '_pump_', '`valve`', '[the guide](https://a.example/g)', 'é', 'NOR-12')
const sentence = fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => `The ${words.join(' ')} opens.`)
const block = fc
  .tuple(fc.constantFrom('', '- ', '> ', '1. '), fc.array(sentence, { minLength: 1, maxLength: 3 }))
  .map(([mark, said]) => `${mark}${said.join(' ')}`)

test("the text at a sentence's location contains the sentence", () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), (blocks) => {
      const text = blocks.join('\n\n')
      const sentences = readSentences(text)
      expect(sentences.length).toBeGreaterThan(0)
      for (const { text: said, start, end } of sentences) {
        const plain = said.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
        expect(seen(text.slice(start, end))).toContain(plain)
      }
    }),
    { numRuns: 100 },
  )
})
