import { expect, test } from 'vitest'
import { linkingKeys } from './declarations.ts'

const keysOf = (type: string, text: string) => linkingKeys(type, [{ text, key: text }], []).sort()

test('an entity is found by its name with and without stop words', () => {
  expect(keysOf('page', 'The Bank of North Harbour (merchant)')).toEqual([
    'n:bank north harbour',
    'n:bank north harbour merchant',
    'n:the bank of north harbour',
    'n:the bank of north harbour merchant',
  ])
})

test('one word that is left of a name is no name of its own', () => {
  expect(keysOf('page', 'After the Fall')).toEqual(['n:after the fall'])
})
