import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { analyseRecord, rankedPassagesOf } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { addRecordAt, topDocs, topDocsExactly } from './record-doc-ids.ts'
import { createRecordGraph } from './record-graph.ts'
import { createStore } from './store.ts'

const LIMIT = 5

/** Creates a store whose tie-breakers order the ordinals by number. */
function storeOf(places: number) {
  const store = createStore()
  store.recordTies = Float64Array.from({ length: places }, (_, place) => place)
  store.recordNumbers = new Uint32Array(places)
  for (let place = 0; place < places; place++) addRecordAt(store, `rec_${place}`, [place])
  return store
}

test('what is looked at closely is the best of all, as long as a bound is an upper one', () => {
  const scores = fc.array(fc.record({ bound: fc.nat(9), part: fc.nat(9) }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(scores, (list) => {
      const store = storeOf(list.length)
      const places = list.map((_, place) => place)
      const exact = Float64Array.from(list, ({ bound, part }) => Math.min(bound, part))
      const bounds = Float64Array.from(list, ({ bound }) => bound)
      const best = topDocsExactly(store, places, bounds, LIMIT, (place) => exact[place]!)
      expect(best).toEqual(topDocs(store, places, places.length, exact, LIMIT))
    }),
  )
})

test('of very many that only seem to count, few are looked at', () => {
  const count = 100_000
  const store = storeOf(count)
  let looks = 0
  const best = topDocsExactly(store, [...store.recordTies], new Float64Array(count).fill(1), LIMIT, (place) => {
    looks += 1
    return place === 3 ? 1 : 0
  })
  expect(best.map(({ docId }) => docId)).toEqual([3])
  expect(looks).toBeLessThan(count / 50)
})

const filler = 'Every morning the crew washes the deck and counts the ropes. '.repeat(12)
const long = (fact: string) =>
  Array.from({ length: 30 }, (_, at) => `## Part ${at}\n\n${filler}${at === 17 ? fact : ''}\n\n`).join('')

function put(graph: ReturnType<typeof createRecordGraph>, id: string, text: string, keys: string[] = []) {
  const analysis = analyseRecord({ title: `Log ${id}`, text, declared: keys.map((key) => ({ keys: [key] })) }, hash)
  const place = { sourceId: 's', projectId: null, type: 'document', occurredAtMs: null }
  graph.putRecord({ ...place, id, tie: id.charCodeAt(0), externalKey: hash(id), analysis })
}

const ask = (graph: ReturnType<typeof createRecordGraph>, query: string) =>
  graph.rank(analyseQuestion(query, [], hash), null, 10).map(({ id }) => id)

it('a long record is found by any of its passages before short ones that say less, and once', () => {
  const graph = createRecordGraph()
  put(graph, 'a', long('The Marigold lost her starboard lantern near Skagen.'))
  for (const id of 'bcdefgh') put(graph, id, `The crew of ship ${id} has a lantern.`)
  expect(ask(graph, 'Where was the starboard lantern of the Marigold lost?')[0]).toBe('a')
  expect(ask(graph, 'Where does the crew count the ropes?').filter((id) => id === 'a')).toHaveLength(1)
  expect(graph.recordCount).toBe(8)
})

it('a long record is ranked with its best passages, pinned as well, and a short one with none', () => {
  const graph = createRecordGraph()
  const fact = 'The Marigold lost her starboard lantern near Skagen.'
  put(graph, 'a', long(fact))
  put(graph, 'b', 'The crew of another ship has a lantern.')
  const question = analyseQuestion('Where was the starboard lantern of the Marigold lost?', [], hash)
  const [first, second] = graph.rank(question, null, 10)
  const { from, to } = rankedPassagesOf(long(fact))[first!.passages![0]!.index]!
  expect(long(fact).slice(from, to)).toContain(fact)
  const scores = first!.passages!.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  expect(scores[0]).toBe(1)
  expect(second!.passages).toBeUndefined()
  const [pinned] = graph.rankPinned(question, null, [['a']], 10)
  expect(pinned![0]!.passages).toEqual(first!.passages)
})

it('what replaces or removes a long record takes all of its passages', () => {
  const graph = createRecordGraph()
  put(graph, 'a', long('The Marigold lost her lantern.'))
  put(graph, 'b', 'The harbour is closed.')
  put(graph, 'a', long('The Petrel lost her compass.'))
  expect(ask(graph, 'lantern Marigold')).toEqual([])
  expect(ask(graph, 'compass')).toEqual(['a'])
  graph.removeRecord('a')
  expect(ask(graph, 'compass ropes deck')).toEqual([])
  expect(graph.recordCount).toBe(1)
})

it('an entity that several passages name has the record once, pinned or listed', () => {
  const graph = createRecordGraph()
  graph.putEntity({ id: 'e', type: 'person', keys: ['person:ana', 'n:ana lima'].map(hash) })
  put(graph, 'a', `${long('Ana Lima was here.')}${filler}Ana Lima left.`, ['person:ana'])
  put(graph, 'b', 'Ana Lima wrote this.', ['person:ana'])
  expect(graph.countRecordsOf('e', null)).toBe(2)
  expect(graph.recordsOf('e', null, 10).sort()).toEqual(['a', 'b'])
  expect(graph.countDeclaring(hash('person:ana'), null)).toBe(2)
  const pinned = graph.rankPinned(analyseQuestion('Who was here?', [], hash), null, [['e'], ['a']], 10)
  expect(pinned[0]?.map(({ id }) => id).sort()).toEqual(['a', 'b'])
  expect(pinned[1]?.map(({ id }) => id)[0]).toBe('a')
})
