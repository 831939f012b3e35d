import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'
import { type GraphSnapshot, TABLE_TYPES } from './snapshot.ts'
import { codesOf } from './vectors.ts'

const RECORDS = 60
const PEOPLE = ['Priya Raman', 'Tomas Berg', 'Ada Quist']
const WORDS = 'release outage budget invoice review deploy latency database'.split(' ')
const DIMENSIONS = 64
const LONG = 900
const QUESTIONS = ['What did Tomas Berg say about the outage?', 'budget of the release', 'Who is Ada?', 'NOR-3 latency']

const step = fc.record({
  kind: fc.constantFrom('record', 'record', 'record', 'remove', 'entity', 'removeEntity', 'vectors'),
  number: fc.nat(RECORDS - 1),
  /** Selects one of the versions of the record. */
  seed: fc.nat(1_000),
  isLong: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const idOf = (prefix: string, number: number) =>
  number % 7 === 0 ? `${prefix}-odd-${number}` : `${prefix}_${number.toString(32).padStart(26, '0')}`
const wordAt = (number: number) => WORDS[number % WORDS.length]!

function apply(graph: RecordGraph, { kind, number, seed, isLong }: Step): void {
  const person = PEOPLE[number % PEOPLE.length]!
  if (kind === 'remove') graph.removeRecord(idOf('rec', number))
  else if (kind === 'removeEntity') graph.removeEntity(idOf('ent', number % PEOPLE.length))
  else if (kind === 'vectors') {
    const code = Uint8Array.from({ length: DIMENSIONS / 8 }, (_, at) => (seed * 31 + at * 7 + number) % 256)
    const vectors = { recordId: idOf('rec', number), recordSeq: number, row: seed, codes: codesOf(code, DIMENSIONS) }
    graph.putVectors(vectors)
  } else if (kind === 'entity') {
    const keys = [`name:person:${person}`, `n:${person.toLowerCase()}`, `n:${person.split(' ')[0]!.toLowerCase()}`]
    graph.putEntity({ id: idOf('ent', number % PEOPLE.length), type: 'person', keys: keys.map(hash) })
  } else {
    const words = isLong ? LONG : 8
    const said = Array.from({ length: words }, (_, at) => wordAt(seed + at * (number + 1))).join(' ')
    const turn = {
      conversation: `channel:${seed % 3}`,
      isLoose: true,
      asks: false,
      endsAsking: false,
      position: seed,
      author: `name:person:${person}`,
    }
    const declared = [{ keys: [`name:person:${person}`] }]
    const text = isLong
      ? Array.from({ length: 12 }, (_, at) => `# Part ${at}\n\n${said} ${wordAt(at)}.`).join('\n\n')
      : said
    graph.putRecord({
      id: idOf('rec', number),
      seq: number,
      sourceId: `src_${number % 2}`,
      projectId: number % 3 === 0 ? 'prj' : null,
      type: 'note',
      occurredAtMs: number % 5 === 0 ? null : seed * 60_000,
      tie: hash(`${number}`),
      externalKey: hash(`ref:${number}`),
      analysis: analyseRecord({ text: `${text} NOR-${number % 5} by ${person}.`, declared, turn }, hash),
    })
  }
}

/** Returns the snapshot after a round trip through storage: with new buffers and facts parsed from JSON. */
function kept({ format, tables, facts }: GraphSnapshot): GraphSnapshot {
  return {
    format,
    tables: tables.map(({ name, type, segments }) => {
      const whole = new TABLE_TYPES[type](segments.reduce((sum, { length }) => sum + length, 0))
      let at = 0
      for (const segment of segments) {
        whole.set(segment, at)
        at += segment.length
      }
      return { name, type, segments: [whole] }
    }),
    facts: JSON.parse(JSON.stringify(facts)),
  }
}

function seen(graph: RecordGraph) {
  const scopes = [null, { projectId: 'prj', sourceIds: null }, { projectId: null, sourceIds: new Set(['src_1']) }]
  return {
    counts: [graph.recordCount, graph.entityCount, graph.vectorCount],
    ranked: scopes.flatMap((scope) =>
      QUESTIONS.map((question) => graph.rank(analyseQuestion(question, [], hash), scope, 20)),
    ),
    near: graph.nearest(
      Int8Array.from({ length: DIMENSIONS }, (_, at) => (at % 5) - 2),
      null,
      10,
    ),
    listed: graph.list({}, null, undefined, RECORDS),
    overview: graph.overview(null),
    withoutVectors: graph.withoutVectors(RECORDS),
    owned: PEOPLE.map((person) => graph.entitiesWithKey(hash(`n:${person.toLowerCase()}`))),
    found: Array.from({ length: RECORDS }, (_, number) => graph.recordWithKey(hash(`ref:${number}`))),
  }
}

test('a graph from a snapshot ranks like the stored one and like a rebuilt one, also after changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.array(step, { maxLength: 40 }), (before, after) => {
      const graph = createRecordGraph()
      for (const each of before) apply(graph, each)
      const image = kept(graph.toSnapshot())
      const restored = createRecordGraph(image)
      expect(seen(restored)).toEqual(seen(graph))
      for (const each of after) {
        apply(graph, each)
        apply(restored, each)
      }
      expect(seen(restored)).toEqual(seen(graph))
      const anew = createRecordGraph()
      for (const each of [...before, ...after]) apply(anew, each)
      expect(seen(restored)).toEqual(seen(anew))
    }),
    { numRuns: 20 },
  )
})

test('an image of a graph from which much was removed is swept on where it was', () => {
  const graph = createRecordGraph()
  const put = (number: number) =>
    apply(graph, { kind: 'record', number: number % RECORDS, seed: number, isLong: false })
  for (let number = 0; number < 20 * RECORDS; number++) put(number)
  const restored = createRecordGraph(kept(graph.toSnapshot()))
  expect(seen(restored)).toEqual(seen(graph))
  const grown = restored.bytes
  for (let number = 0; number < 20 * RECORDS; number++)
    apply(restored, { kind: 'record', number: number % RECORDS, seed: number, isLong: false })
  expect(restored.bytes).toBeLessThan(grown * 1.5)
})

test('an image of another format, or one that lacks a table, is refused', () => {
  const graph = createRecordGraph()
  apply(graph, { kind: 'record', number: 1, seed: 1, isLong: false })
  const image = kept(graph.toSnapshot())
  expect(() => createRecordGraph({ ...image, format: 'graph-0' })).toThrow(RangeError)
  for (const { name } of image.tables) {
    const tables = image.tables.filter((table) => table.name !== name)
    expect(() => createRecordGraph({ ...image, tables }), name).toThrow(RangeError)
  }
  for (const name of Object.keys(image.facts)) {
    const { [name]: _, ...facts } = image.facts
    expect(() => createRecordGraph({ ...image, facts }), name).toThrow(RangeError)
  }
})
