import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { encodeAnalysis } from '../text/analysis-codec.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'

/** Records with the words of other records in another sense, so that words only do not identify those. */
const OTHERS = [
  'The payment of the invoice was late.',
  'The gateway to the car park is stuck.',
  'There was a timeout in the game.',
  'Which user has the card of the lab?',
  'Retry the quiz, and order lunch.',
  'Back to work. We log the hours in the book.',
  'Set the table for the roll call.',
  'Look up the map of the seats.',
  'The cache of food is in the hut.',
  'A lazy afternoon.',
  'The basket holds fruit.',
  'Die Rechnung liegt hier, und wo ist die andere?',
  'La livraison de fleurs est faite. Quand est-elle venue ?',
  'The date of the picnic: pick one.',
]

function put(graph: RecordGraph, id: string, analysis: Uint8Array): void {
  const key = hash(id)
  const record = {
    id,
    sourceId: null,
    projectId: null,
    type: 'message',
    occurredAtMs: null,
    tie: key,
    externalKey: key,
  }
  graph.putRecord({ ...record, analysis })
}

function graphOf(texts: readonly string[]): RecordGraph {
  const graph = createRecordGraph()
  for (const text of texts) put(graph, text, analyseRecord({ text, declared: [] }, hash))
  return graph
}

function firstFor(graph: RecordGraph, query: string): string | undefined {
  return graph.rank(analyseQuestion(query, [], hash), null, 1)[0]?.id
}

test.each([
  ['We see PaymentGatewayTimeout since the deploy.', ['payment gateway timeout', 'timeouts in the payment gateway']],
  ['The refund gateway was unreachable.', ['RefundGateway', 'refundGatewayUnreachable', 'refund_gateway']],
  ['It comes from getUserById, which caches nothing.', ['get user by id', 'GET_USER_BY_ID', 'getUserById()']],
  ['retryPayment() never ends.', ['retry payment', 'retrying payments']],
  ['UserService throws.', ['user service', 'userService', 'user-service']],
  ['FEATURE_LAZY_BASKET is on.', ['feature lazy basket', 'LazyBasket', 'feature-lazy-basket']],
  ['@acme/date-picker was updated.', ['datePicker', 'date picker', '@acme/date-picker']],
  ['The roll-back took four hours.', ['rollback', 'roll back', 'roll-backs', 'RollBack']],
  ['Nobody can log in with passkeys.', ['login', 'log-in', 'passkey log in']],
  ['The setup is done.', ['set up', 'set-up']],
  ['Mint is the favourite flavour of the crew.', ['favorite flavor', 'What is our favourite?']],
  ['The color catalog was organized.', ['colour catalogue', 'organised colours']],
  ['Send an e-mail.', ['email', 'e-mail', 'e mail']],
  ['ORA-01555 again.', ['ORA 01555', 'ora01555']],
  ['Node20 is required.', ['node 20', 'node-20']],
  ['GitHub is down.', ['github', 'git hub', 'GitHub']],
  ['It broke in 3fa9c27b81d04e6655aa90c1e2d7748f0b6ac931.', ['3fa9c27', '3fa9c27b81', 'commit 3fa9c27b']],
  ['Reverted in b7714de.', ['b7714de', 'b7714de90c2a14f5566aa01be8d7340f0b6ac555']],
  ['Image sha256:9e1c7d44a0b5f6a78899aabbccddeeff00112233445566778899aabbccddee01.', ['9e1c7d44a0b5', '9e1c7d4']],
  ['Release v7.3.1 ships.', ['7.3.1', 'v7.3.1', 'version 7.3.1']],
  ['Version 12.4.2 is slow.', ['v12.4.2', '12.4.2']],
  ['The deposit is 14,500 euros.', ['14500', '14.500', '14 500', '14.5k']],
  ['It carries 85k rows.', ['85000', '85,000', '85k']],
  ['The lease ends on March 14, 2027.', ['2027-03-14', '14.03.2027', '14 March 2027']],
  ['Ma\u200brika wraps pal\u00adlets.', ['Marika', 'pallets', 'Mari\u2060ka']],
  ['Die Rechnungen nach Salzburg sind offen.', ['Wo ist die Rechnung nach Salzburg?', 'Rechnungen Salzburg']],
  ['Les livraisons vers Lille sont en retard.', ['Quand vient la livraison pour Lille ?']],
  ['The seat map cache is cold.', ['seatMapCache', 'seat-map-cache', 'seat_map_cache']],
])('%s is found however its words are joined', (text, asked) => {
  const graph = graphOf([...OTHERS, text])
  expect(asked.filter((query) => firstFor(graph, query) !== text)).toEqual([])
})

test('a brand is no mention of its parts, and counts once', () => {
  const [git, github] = ['Tag it in git first, then tell the hub.', 'GitHub sends webhooks.']
  const graph = graphOf([git, github, 'The webhooks of the other hub are late.'])
  expect(firstFor(graph, 'git')).toBe(git)
  expect(firstFor(graph, 'GitHub')).toBe(github)
})

test('words with hyphens in a question count the same as without', () => {
  const graph = graphOf(['the boundary-layer of air', 'the boundary layer of air', ...OTHERS])
  const [one, other] = graph.rank(analyseQuestion('boundary layer', [], hash), null, 2)
  expect([one?.id, other?.id].toSorted()).toEqual(['the boundary layer of air', 'the boundary-layer of air'])
  expect(other!.score).toBeGreaterThan(0.8)
})

test('what was stored under wholes with their joints is found by them still', () => {
  const graph = graphOf(OTHERS)
  const terms = ['t:roll', 't:back', 't:roll-back', 't:paymentgatewaytimeout']
  const turn = { conversation: 0, isLoose: false, asks: false, endsAsking: false, position: 0, author: 0 }
  const analysed = terms.map((term) => ({ hash: hash(term), frequency: 1, isLowerCase: true }))
  put(graph, 'old', encodeAnalysis({ length: 4, terms: analysed, keys: [], entries: [], turn, passages: [] }))
  for (const query of ['roll-back', 'PaymentGatewayTimeout', 'payment gateway timeout']) {
    expect(firstFor(graph, query)).toBe('old')
  }
})
