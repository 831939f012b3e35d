import { expect, test } from 'vitest'
import { identifiersOf } from './identifiers.ts'
import {
  identifierKey,
  joinedName,
  MENTIONS_MAX,
  mentionsOf,
  nameKey,
  normaliseName,
  titleNames,
  typedNameKey,
} from './names.ts'
import { foldText, wordsOfFolded } from './words.ts'

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

test('a title yields the full name, the name without parenthesis and the part before the comma', () => {
  expect(titleNames('Theodred II (Bishop of Elmham)')).toEqual({
    full: 'theodred ii bishop of elmham',
    aliases: ['theodred ii'],
  })
  expect(titleNames('Robert Guiscard Smith, Duke of Apulia').aliases).toContain('robert guiscard smith')
  expect(titleNames('Lambert, Margrave of Tuscany').aliases).toEqual([])
})

function mentions(text: string): string[] {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  return mentionsOf(words, identifiersOf(folded, words)).map(({ key, kind }) => `${kind} ${key}`)
}

test('capitalised spans are candidates with all that they hold', () => {
  const found = mentions('He left the University of North Carolina early.')
  for (const name of ['university of north carolina', 'north carolina']) expect(found).toContain(`span n:${name}`)
  expect(found).toContain('word n:carolina')
})

test('"and" separates two names and is part of neither', () => {
  expect(mentions('with Anna Berg and Carl Dahl')).not.toContain('span n:anna berg and carl dahl')
})

test('a capital at the start of a sentence makes no name by itself', () => {
  expect(mentions('Coffee is here.')).toEqual(['weak n:coffee'])
})

test('a sentence ends a name unless its point ends an abbreviation', () => {
  expect(mentions('we saw Tuscany. Bertha left')).not.toContain('span n:tuscany bertha')
  expect(mentions('the abbey of St. Maurice')).toContain('span n:st maurice')
})

test('identifiers, addresses, handles and paths are candidates', () => {
  const found = mentions('NOR-142 by @praman in #ops: priya@example.com https://example.com/a/ src/app.ts')
  expect(found.filter((mention) => mention.startsWith('identifier'))).toEqual([
    'identifier key:nor-142',
    'identifier @praman',
    'identifier #ops',
    'identifier email:priya@example.com',
    'identifier url:example.com/a',
    'identifier path:src/app.ts',
  ])
})

test('an adjective of a nation can mean the country', () => {
  expect(mentions('a French film')).toContain('weak n:france')
})

test('a text of nothing but names has bounded candidates', () => {
  expect(mentions('Anna Berg '.repeat(10_000)).length).toBe(MENTIONS_MAX)
})

test('the words of a name may be written as one, unless they are few letters', () => {
  expect(['VS Code', 'Git-Hub', 'Kiln', 'Al B'].map(joinedName)).toEqual(['vscode', 'github', '', ''])
})
