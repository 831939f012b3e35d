import { expect, test } from 'vitest'
import { terms } from './terms.ts'

test('words are folded, stemmed and rid of stop words', () => {
  expect(terms('The Café was running; Zürich’s trains ran.')).toEqual(['cafe', 'run', 'zurich', 'train', 'run'])
})

test('letters that Unicode does not decompose are spelt out', () => {
  expect(terms('Łódź straße Ærø')).toEqual(['lodz', 'strass', 'aero'])
})

test('compatibility forms are the same as plain ones', () => {
  expect(terms('ｆｕｌｌｗｉｄｔｈ ﬁle')).toEqual(terms('fullwidth file'))
})

test('identifiers are kept whole and split', () => {
  expect(terms('INC-142')).toEqual(['inc', '142', '~inc142'])
  expect(terms('ledger-api')).toEqual(['ledger', 'api', '~ledgerapi'])
  expect(terms('foo_bar')).toContain('~foobar')
  expect(terms('2027-03-14')).toContain('2027-03-14')
  expect(terms('see src/app.ts.')).toContain('src/app.ts')
  expect(terms('mail priya.raman@example.com')).toContain('priya.raman@example.com')
  expect(terms('@praman in #ops')).toEqual(expect.arrayContaining(['@praman', '#ops', 'praman', 'op']))
})

test('a whole is one term however it is joined, apart from that of one word', () => {
  const whole = '~lineitem'
  for (const text of ['line_items', 'line-items', 'LINE_ITEM', '`LineItems`']) expect(terms(text)).toContain(whole)
  expect(terms('lineitems')).toEqual(['lineitem'])
  expect(terms('she logged in')).toEqual(['log', '~login'])
})

test('scripts without spaces are cut into words', () => {
  expect(terms('東京都に行きました')).toContain('東京')
  expect(terms('ภาษาไทยง่าย').length).toBeGreaterThan(1)
})

test('other scripts keep their letters: voicing marks, vowel signs and syllables', () => {
  expect(terms('ガ')).not.toEqual(terms('カ'))
  expect(terms('हिन्दी भाषा')).toEqual(['हिन्दी', 'भाषा'])
  expect(terms('서울 회의')).toEqual(['서울', '회의'])
  expect(terms('Привет, мир')).toEqual(['привет', 'мир'])
})

test('possessives and contractions leave no letter behind', () => {
  expect(terms("Lothair's mother didn't")).toEqual(['lothair', 'mother', 'didn'])
})

test('an empty or blank text has no terms', () => {
  expect(terms('')).toEqual([])
  expect(terms(' \n—…')).toEqual([])
})

test('long words and runs of separators are read in linear time', () => {
  const chars = 1_000_000
  // Quadratic time would exceed the test timeout.
  for (const text of [`a-b!${'c'.repeat(chars)}`, `@a${'-'.repeat(chars)}b`, `https://a${'-'.repeat(chars)}b`]) {
    expect(terms(text).length).toBeLessThan(10)
  }
})
