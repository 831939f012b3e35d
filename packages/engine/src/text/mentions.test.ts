import { expect, test } from 'vitest'
import { identifiersOf } from './identifiers.ts'
import { MENTIONS_MAX, mentionsOf } from './mentions.ts'
import { foldText, wordsOfFolded } from './words.ts'

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

test('"and" joins two names and stands in none', () => {
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

test('an adjective of a nation may stand for the country', () => {
  expect(mentions('a French film')).toContain('weak n:france')
})

test('a text of nothing but names has bounded candidates', () => {
  expect(mentions('Anna Berg '.repeat(10_000)).length).toBe(MENTIONS_MAX)
})
