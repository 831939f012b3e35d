import { expect, test } from 'vitest'
import { codePartsOf, queryPartsOf } from './terms.ts'
import { wordsOfFolded } from './words.ts'

/** Returns the parts that each word of a text is also indexed under. */
function parts(text: string): string[][] {
  return wordsOfFolded(text).map((word) => codePartsOf(text, word))
}

test.each([
  ['PaymentGatewayTimeout', ['payment', 'gateway', 'timeout']],
  ['getUserById', ['get', 'user', 'by', 'id']],
  ['retryPayment', ['retry', 'payment']],
  ['XMLHttpRequest', ['xml', 'http', 'request']],
  ['userIDs', ['user', 'ids']],
  ['IPv4AddressPool', ['ipv4', 'address', 'pool']],
  ['base64Encode', ['base64', 'encode']],
  ['größeÄndern', ['größe', 'ändern']],
])('%s is found by its words', (word, expected) => {
  expect(parts(word)).toEqual([expected])
})

test.each('GitHub YouTube LinkedIn iPhone eBay LaTeX McDonald DeSantis PostgreSQL PhD GmbH URLs USA London'.split(' '))(
  '%s is one word',
  (word) => {
    expect(parts(word)).toEqual([[]])
  },
)

test('a word in mixed case is split if the adjacent characters indicate program code', () => {
  const twoParts = ['payment', 'gateway']
  expect(parts('new PaymentGateway()').at(-1)).toEqual(twoParts)
  expect(parts('see `PaymentGateway`').at(-1)).toEqual(twoParts)
  expect(parts('acme.PaymentGateway').at(-1)).toEqual(twoParts)
  expect(parts('PaymentGateway.charge fails')[0]).toEqual(twoParts)
  expect(parts('We like GitHub.').flat()).toEqual([])
})

test('a question may mean the parts of any word in mixed case, and a number by itself, but of no family name', () => {
  const spoken = (word: string) => wordsOfFolded(word).map((each) => queryPartsOf(word, each))
  expect(spoken('PaymentGateway node20')).toEqual([
    ['payment', 'gateway'],
    ['node', '20'],
  ])
  expect(spoken('McDonald e2 E11000')).toEqual([[], [], []])
})
