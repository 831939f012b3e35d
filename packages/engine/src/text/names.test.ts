import { expect, test } from 'vitest'
import { identifierKey, nameKey, normaliseName, titleNames, typedNameKey } from './names.ts'

test('spellings of one name are equal', () => {
  expect(normaliseName('  José  GARCÍA-Márquez ')).toBe('jose garcia marquez')
  expect(normaliseName("St. Maurice's Abbey")).toBe(normaliseName('St Maurice’s abbey'))
  expect(nameKey('Ledger API')).toBe('n:ledger api')
  expect(typedNameKey('Person', 'Priya Raman')).toBe('name:person:priya raman')
})

test('names in scripts without spaces do not depend on how they are cut', () => {
  expect(normaliseName('東京 タワー')).toBe(normaliseName('東京タワー'))
})

test('normalising twice changes nothing', () => {
  for (const name of ['Theodred II (Bishop of Elmham)', 'O’Brien & Sons', 'INC-142', '東京タワー']) {
    expect(normaliseName(normaliseName(name))).toBe(normaliseName(name))
  }
})

test('usual variants of an identifier have one key', () => {
  expect(identifierKey('email', ' Priya@Example.com ')).toBe('email:priya@example.com')
  expect(identifierKey('email', 'priya\u200b@example.com \ufeff')).toBe('email:priya@example.com')
  expect(identifierKey('url', 'https://www.example.com/a/')).toBe(identifierKey('url', 'http://example.com/a#top'))
  expect(identifierKey('handle', '@Praman')).toBe('@praman')
  expect(identifierKey('login', 'Praman', 'GitHub')).toBe('login:github:praman')
})

test('a title names its thing in full, without its parenthesis and before its comma', () => {
  expect(titleNames('Theodred II (Bishop of Elmham)')).toEqual({
    full: 'theodred ii bishop of elmham',
    aliases: ['theodred ii'],
  })
  expect(titleNames('Robert Guiscard Smith, Duke of Apulia').aliases).toContain('robert guiscard smith')
  expect(titleNames('Lambert, Margrave of Tuscany').aliases).toEqual([])
})
