import fc from 'fast-check'
import { expect, it } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash, nameKey } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'
import { codeBytes, codeOf, codesOf, cosine, quantized } from './vectors.ts'

const WORDS = 2
const analysis = analyseRecord({ text: 'A note.', declared: [] }, hash)

/** Returns a code with this Hamming distance from the question's code, which is all zeros. */
function codeAt(distance: number): Uint32Array {
  const code = new Uint32Array(WORDS)
  for (let at = 0; at < distance; at += 1) code[at >>> 5]! |= 1 << (at & 31)
  return code
}

/** A vector whose components are all negative, so its code is all zeros. */
const QUESTION = new Int8Array(WORDS * 32).fill(-1)
const NEAREST = codeAt(0)

interface Put {
  id: string
  distance?: number
  projectId?: string
  seq?: number
  occurredAtMs?: number
}

function put(graph: RecordGraph, { id, distance, projectId = 'own', seq = 1, occurredAtMs }: Put): void {
  const place = { sourceId: null, projectId, type: 'note', occurredAtMs: occurredAtMs ?? null }
  graph.putRecord({ ...place, id, seq, tie: hash(id), externalKey: hash(`ref:${id}`), analysis })
  if (distance !== undefined) graph.putVectors({ recordId: id, recordSeq: seq, row: 7, codes: [codeAt(distance)] })
}

const nearest = (graph: RecordGraph, limit = 3, projectId: string | null = null) =>
  graph.nearest(QUESTION, projectId === null ? null : { projectId, sourceIds: null }, limit).map(({ id }) => id)

it('the nearest come first, and what has no more in common than chance gives does not come', () => {
  const graph = createRecordGraph()
  for (const [at, distance] of [20, 31, 3, 32, 60].entries()) put(graph, { id: `r${at}`, distance })
  put(graph, { id: 'without' })
  expect(nearest(graph, 10)).toEqual(['r2', 'r0', 'r1'])
  expect(graph.vectorCount).toBe(5)
  expect(graph.withoutVectors(10)).toEqual(['without'])
})

it('nearer records out of scope are not found and do not displace those in scope', () => {
  const graph = createRecordGraph()
  for (let at = 0; at < 300; at += 1) put(graph, { id: `theirs${at}`, distance: 0, projectId: 'theirs' })
  for (let at = 0; at < 5; at += 1) put(graph, { id: `own${at}`, distance: 20 + at })
  expect(nearest(graph, 3, 'own')).toEqual(['own0', 'own1', 'own2'])
  expect(nearest(graph, 3, 'nobody')).toEqual([])
})

it('the nearest of very many are those that sorting all of them gives, in whatever order they came', () => {
  const distances = Array.from({ length: 2_000 }, (_, at) => (at * 7919) % 29)
  for (const order of [distances, distances.toSorted((one, other) => one - other)]) {
    for (const each of [order, order.toReversed()]) {
      const graph = createRecordGraph()
      for (const [at, distance] of each.entries()) put(graph, { id: `r${at}`, distance })
      const all = nearest(graph, each.length)
      expect(all).toHaveLength(each.length)
      for (const limit of [1, 40, 256]) expect(nearest(graph, limit)).toEqual(all.slice(0, limit))
    }
  }
})

it('records without vectors are counted only in scope', () => {
  const graph = createRecordGraph()
  put(graph, { id: 'read', distance: 0 })
  for (const id of ['one', 'two']) put(graph, { id })
  put(graph, { id: 'other', projectId: 'theirs' })
  const waiting = (projectId: string) => graph.countWithoutVectors({ projectId, sourceIds: null })
  expect([graph.countWithoutVectors(null), waiting('own'), waiting('theirs'), waiting('nobody')]).toEqual([3, 2, 1, 0])
})

it('equal records come in one order, whatever the order of their arrival', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `r${at}`)
  const orderOf = (arrived: string[]) => {
    const graph = createRecordGraph()
    for (const id of arrived) put(graph, { id, distance: 5 })
    return nearest(graph, 10)
  }
  expect(orderOf([...ids].reverse())).toEqual(orderOf(ids))
})

it('vectors go with their version of a record, and those of another version are not taken', () => {
  const graph = createRecordGraph()
  put(graph, { id: 'a', distance: 1, seq: 1 })
  put(graph, { id: 'a', seq: 2 })
  expect(nearest(graph)).toEqual([])
  graph.putVectors({ recordId: 'a', recordSeq: 1, row: 7, codes: [NEAREST] })
  graph.putVectors({ recordId: 'gone', recordSeq: 1, row: 7, codes: [NEAREST] })
  expect([nearest(graph), graph.vectorCount]).toEqual([[], 0])
  graph.putVectors({ recordId: 'a', recordSeq: 2, row: 8, codes: [NEAREST] })
  expect(graph.nearest(QUESTION, null, 3)).toEqual([{ id: 'a', row: 8, weight: 1 }])
  graph.removeRecord('a')
  put(graph, { id: 'b' })
  expect([nearest(graph), graph.vectorCount, graph.seqOf('a')]).toEqual([[], 0, undefined])
})

it('what occurred at another time than the one asked for comes later', () => {
  const graph = createRecordGraph()
  put(graph, { id: 'then', distance: 12, occurredAtMs: 5 })
  put(graph, { id: 'later', distance: 1, occurredAtMs: 50 })
  const found = graph.nearest(QUESTION, null, 3, { ranges: [{ fromMs: 0, toMs: 10 }] })
  expect(found.map(({ id, weight }) => [id, weight])).toEqual([
    ['then', 1],
    ['later', 0.4],
  ])
})

it('a record that the model cannot encode is not requested again and is near nothing', () => {
  const graph = createRecordGraph()
  put(graph, { id: 'a' })
  graph.putVectors({ recordId: 'a', recordSeq: 1, row: 7, codes: [] })
  expect([graph.withoutVectors(10), nearest(graph)]).toEqual([[], []])
})

it('a question about names gets a greater name weight than one about words', () => {
  const graph = createRecordGraph()
  graph.putEntity({ id: 'ent_mira', type: 'person', keys: [hash(nameKey('Mira Holt'))] })
  const declared = [{ keys: [nameKey('Mira Holt')] }]
  const texts = ['Mira Holt was here.', 'The pump is loud.', 'The valve of the pump leaks.', 'Lunch is late.']
  for (const [at, text] of texts.entries()) {
    const place = { sourceId: null, projectId: null, type: 'note', occurredAtMs: null, tie: at, externalKey: at }
    const analysis = analyseRecord({ text, declared: at === 0 ? declared : [] }, hash)
    graph.putRecord({ ...place, id: `r${at}`, seq: 1, analysis })
  }
  const reachOf = (query: string) => graph.nameWeight(analyseQuestion(query, [], hash), null)
  expect(reachOf('Why is the pump loud?')).toBe(0)
  expect(reachOf('Who is Mira Holt?')).toBeGreaterThan(0.5)
})

it('a record counts by the nearest of its vectors, those that came last are wanted first', () => {
  const graph = createRecordGraph()
  for (const id of ['a', 'b', 'c', 'd']) put(graph, { id })
  expect(graph.withoutVectors(3)).toEqual(['d', 'c', 'b'])
  graph.putVectors({ recordId: 'a', recordSeq: 1, row: 4, codes: [codeAt(30), codeAt(2), codeAt(20)] })
  graph.putVectors({ recordId: 'c', recordSeq: 1, row: 5, codes: [codeAt(9)] })
  expect(nearest(graph)).toEqual(['a', 'c'])
  expect(graph.vectorRows(['c', 'b', 'a', 'nobody'])).toEqual(
    new Map([
      ['c', 5],
      ['a', 4],
    ]),
  )
  expect(graph.withoutVectors(3)).toEqual(['d', 'b'])
  graph.removeRecord('a')
  expect(nearest(graph)).toEqual(['c'])
})

/** Returns deterministic numbers around zero. */
function numbers(seed: number, length: number): number[] {
  let state = seed
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  })
}

const exactCosine = (one: number[], other: number[]) => {
  const product = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other))
}

it('signed bytes keep the direction, whatever the length of a vector', () => {
  for (const length of [8, 100, 1_536]) {
    const [one, other] = [numbers(1, length), numbers(1, length).map((value, at) => value + numbers(2, length)[at]!)]
    const exact = exactCosine(one, other)
    for (const scale of [1e-300, 1, 1e300]) {
      const scaled = quantized(one.map((value) => value * scale))
      expect(cosine(scaled, quantized(other))).toBeCloseTo(exact, 1)
    }
  }
  expect(cosine(new Int8Array(8), quantized([1, 0, 0, 0, 0, 0, 0, 0]))).toBe(0)
})

it('a code has one bit for each dimension and comes back from its bytes', () => {
  for (const length of [8, 32, 33, 96, 128, 384]) {
    const vectors = [3, 4, 5].map((seed) => quantized(numbers(seed, length)))
    const codes = vectors.map(codeOf)
    expect(codesOf(codeBytes(codes), length)).toEqual(codes)
  }
})

const DIMENSIONS = WORDS * 32

/** Returns the number of different signs, bit by bit. */
const hammingDistance = (one: Uint32Array, other: Uint32Array) =>
  Array.from({ length: DIMENSIONS }, (_, at) => ((one[at >>> 5]! ^ other[at >>> 5]!) >>> (at & 31)) & 1).reduce(
    (sum, bit) => sum + bit,
    0,
  )

/** Returns the greatest dot product of a vector with the signs of a code. */
const dotProduct = (vector: Int8Array, code: Uint32Array) =>
  vector.reduce((sum, step, at) => sum + ((code[at >>> 5]! >>> (at & 31)) & 1 ? step : -step), 0)

it('a search in a scope returns the same records as a comparison of all codes', () => {
  const codes = fc.uint8Array({ minLength: DIMENSIONS / 8, maxLength: DIMENSIONS / 8 })
  const records = fc.array(
    fc.tuple(fc.constantFrom('own', 'theirs'), fc.array(codes, { minLength: 1, maxLength: 3 })),
    {
      maxLength: 60,
    },
  )
  const vectors = fc.array(fc.integer({ min: -127, max: 127 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  const run = (given: [string, Uint8Array[]][], numbersOf: number[], limit: number, isScoped: boolean) => {
    const graph = createRecordGraph()
    const vector = Int8Array.from(numbersOf)
    const stored = given.map(([projectId, bytes], at) => ({ id: `r${at}`, projectId, codes: bytes.map(toCode) }))
    for (const { id, projectId, codes: own } of stored) {
      put(graph, { id, projectId })
      graph.putVectors({ recordId: id, recordSeq: 1, row: 7, codes: own })
    }
    const asked = codeOf(vector)
    const distanceOf = ({ codes: own }: { codes: Uint32Array[] }) =>
      Math.min(...own.map((code) => hammingDistance(asked, code)))
    const similarityOf = ({ codes: own }: { codes: Uint32Array[] }) =>
      Math.max(...own.map((code) => dotProduct(vector, code)))
    const near = stored
      .filter((record) => (!isScoped || record.projectId === 'own') && distanceOf(record) < DIMENSIONS / 2)
      .sort((one, other) => distanceOf(one) - distanceOf(other) || hash(one.id) - hash(other.id))
      .slice(0, 3 * limit)
      .filter((record) => similarityOf(record) > 0)
      .sort((one, other) => similarityOf(other) - similarityOf(one) || hash(one.id) - hash(other.id))
      .slice(0, limit)
    const scope = isScoped ? { projectId: 'own', sourceIds: null } : null
    expect(graph.nearest(vector, scope, limit).map(({ id }) => id)).toEqual(near.map(({ id }) => id))
  }
  fc.assert(fc.property(records, vectors, fc.integer({ min: 1, max: 10 }), fc.boolean(), run))
})

const toCode = (bytes: Uint8Array) => new Uint32Array(bytes.slice().buffer)
