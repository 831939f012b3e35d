import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MODEL_FOLDER } from './model-folder.ts'
import { createTokenizer } from './tokenizer.js'

const vocabulary = readFileSync(join(MODEL_FOLDER, 'vocab.txt'), 'utf8')
const TOKENS_MAX = 256
const read = createTokenizer(vocabulary, TOKENS_MAX)
const tokenize = (text: string) => read(text).ids

/** What the tokenizer that the model was trained with makes of texts: written by `training/tokens.py`. */
const trained = JSON.parse(readFileSync(new URL('./tokens.json', import.meta.url), 'utf8')) as {
  text: string
  ids: number[]
}[]

test('texts become the tokens that the model was trained with', () => {
  expect(trained.length).toBeGreaterThan(40)
  for (const { text, ids } of trained) expect([text, tokenize(text)]).toEqual([text, ids])
})

test('a text of any length has a bounded number of tokens, in a time that its length alone decides', () => {
  const hostile = ['a'.repeat(1_000_000), 'a '.repeat(500_000), '['.repeat(1_000_000), '\u0301'.repeat(1_000_000)]
  for (const text of hostile) expect(tokenize(text).length).toBeLessThanOrEqual(TOKENS_MAX)
})

test('half of a surrogate pair is a character that nobody knows, and no failure', () => {
  expect(tokenize('a \ud83d b')).toEqual(tokenize('a b'))
})

test('what looks like a sign of the model is text', () => {
  const [sep] = tokenize('').slice(-1)
  expect(tokenize('stop [SEP] go').filter((id) => id === sep)).toHaveLength(1)
})

test('a vocabulary without the signs of the model is refused', () => {
  expect(() => createTokenizer('[UNK]\nword', TOKENS_MAX)).toThrow('[CLS]')
})

test('a word is told with its pieces, one that is cut off is not', () => {
  const { ids, words } = read('Reindexing Lena’s café')
  expect(words.map(({ text }) => text)).toEqual(['reindexing', 'lena', '’', 's', 'cafe'])
  expect(words.map(({ from }) => from)).toEqual([1, ...words.slice(0, -1).map(({ to }) => to)])
  expect(words.at(-1)!.to).toBe(ids.length - 1)
  const last = read(`${'word '.repeat(TOKENS_MAX - 3)}reindexing`)
  expect(last.words.map(({ text }) => text)).not.toContain('reindexing')
})
