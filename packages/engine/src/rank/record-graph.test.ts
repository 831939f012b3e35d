import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash, nameKey, titleNames } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import type { RankedRecord } from './rank-documents.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'
import type { Scope } from './scope-view.ts'

interface Example {
  id: string
  title: string
  text: string
  author: string
  sourceId: string
  projectId: string | null
  occurredAtMs?: number
  /** Key of the thread or channel of the record. */
  conversation?: string
}

const PEOPLE = ['Priya Raman', 'Tomas Berg', 'Priya Nolan', 'Ada Quist', 'Omar Haddad', 'Lena Fors']
const THINGS = ['Ledger API', 'Harbor Gateway', 'Falcon Migration', 'North Office', 'Quill Editor', 'Tide Scheduler']
const WORDS = 'release outage budget invoice review deploy latency database meeting customer contract metric'.split(' ')

/** Returns a deterministic number generator. */
function sequence(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function makeExamples(count: number): Example[] {
  const next = sequence(7)
  const pick = (from: readonly string[]) => from[next(from.length)] as string
  return Array.from({ length: count }, (_, at) => ({
    id: `rec_${at}`,
    title: at % 3 === 0 ? `${pick(THINGS)} ${pick(WORDS)} ${at}` : '',
    text:
      `Yesterday ${pick(PEOPLE)} spoke about the ${pick(THINGS)} and the ${pick(WORDS)} ${pick(WORDS)}. ` +
      `The ${pick(WORDS)} of Team ${pick(WORDS).toUpperCase()} concerns NOR-${next(9)} and ${pick(PEOPLE)}.`,
    author: pick(PEOPLE),
    sourceId: `src_${at % 3}`,
    projectId: at % 4 === 0 ? 'prj_a' : at % 4 === 1 ? 'prj_b' : null,
    // Some records share the time of the previous one, some are replies, the rest follow each other in channels.
    occurredAtMs: Math.floor(at / 2) * 60_000,
    conversation: at % 5 === 0 ? `ref:rec_${Math.floor(at / 3)}` : `channel:${at % 2}`,
  }))
}

const personKey = (name: string) => `name:person:${name.toLowerCase()}`

/** Returns the keys of a person's full name and of the first name. */
const calledBy = (name: string) => [name, name.split(' ')[0]!].map((form) => `n:${form.toLowerCase()}`)

/** Cache of analyses by content, because many tests use the same records. */
const analyses = new Map<string, Uint8Array>()

function analysed(input: Parameters<typeof analyseRecord>[0]): Uint8Array {
  const key = JSON.stringify(input)
  const analysis = analyses.get(key) ?? analyseRecord(input, hash)
  analyses.set(key, analysis)
  return analysis
}

function put(graph: RecordGraph, example: Example): void {
  const { id, title, text, author, sourceId, projectId, occurredAtMs = null, conversation } = example
  const own = title === '' ? undefined : `ref:${id}`
  const declared = [{ keys: [personKey(author), ...calledBy(author)] }]
  const turn = {
    conversation,
    isLoose: conversation?.startsWith('channel') ?? false,
    asks: text.includes('?'),
    endsAsking: text.endsWith('?'),
    position: 0,
    author: personKey(author),
  }
  graph.putRecord({
    id,
    sourceId,
    projectId,
    type: 'note',
    occurredAtMs,
    tie: hash(text + title + author),
    externalKey: hash(`ref:${id}`),
    analysis: analysed({ title, text, declared, own, turn }),
  })
}

function putEntities(graph: RecordGraph, examples: readonly Example[]): void {
  for (const name of PEOPLE) {
    const keys = [personKey(name), ...calledBy(name)].map(hash)
    graph.putEntity({ id: `ent_${name}`, type: 'person', keys })
  }
  for (const { id, title } of examples) {
    if (title === '') continue
    const { full, aliases } = titleNames(title)
    const keys = [`ref:${id}`, ...[full, ...aliases].map((name) => `n:${name}`)].map(hash)
    graph.putEntity({ id: `ent_${id}`, type: 'note', keys })
  }
}

function load(examples: readonly Example[], entitiesOf = examples): RecordGraph {
  const graph = createRecordGraph()
  for (const example of examples) put(graph, example)
  putEntities(graph, entitiesOf)
  return graph
}

const QUESTIONS = [
  'What did Tomas Berg say about the Ledger API outage?',
  'who wrote about NOR-3 and the budget',
  'release of the Falcon Migration',
  'What did Ada say about invoices?',
  'customer contract',
  'Team DEPLOY metric',
]

function answers(graph: RecordGraph, scope: Scope | null = null, limit = 60): RankedRecord[][] {
  return QUESTIONS.map((question) => graph.rank(analyseQuestion(question, [], hash), scope, limit))
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = sequence(seed)
  const result = [...items]
  for (let at = result.length - 1; at > 0; at -= 1) {
    const other = next(at + 1)
    ;[result[at], result[other]] = [result[other] as T, result[at] as T]
  }
  return result
}

test('equal records and an equal question give equal scores and order, whatever the order of arrival', () => {
  const examples = makeExamples(400)
  const expected = answers(load(examples))
  expect(expected.every((list) => list.length > 0)).toBe(true)
  for (const seed of [1, 2]) {
    const graph = createRecordGraph()
    putEntities(graph, shuffled(examples, seed))
    for (const example of shuffled(examples, seed)) put(graph, example)
    expect(answers(graph)).toEqual(expected)
  }
})

test('every score is above 0 and at most 1, also of records that share nothing but a word of the question', () => {
  const graph = createRecordGraph()
  for (let at = 0; at < 80; at += 1) {
    const alone = { title: '', author: `Author ${at}`, sourceId: 'src_0', projectId: null }
    put(graph, { ...alone, id: `rec_${at}`, text: `harbour ${'x'.repeat(at)}` })
  }
  const ranked = graph.rank(analyseQuestion('harbour', [], hash), null, 80)
  expect(ranked).toHaveLength(80)
  for (const { score } of ranked) expect(score > 0 && score <= 1, String(score)).toBe(true)
})

test('asking between arrivals changes nothing', () => {
  const examples = makeExamples(200)
  const graph = createRecordGraph()
  putEntities(graph, examples)
  for (const [at, example] of examples.entries()) {
    put(graph, example)
    if (at % 20 === 0) answers(graph)
  }
  expect(answers(graph)).toEqual(answers(load(examples)))
})

test('records that were replaced or removed leave no trace', () => {
  const examples = makeExamples(400)
  const others = makeExamples(1_500).slice(400)
  const graph = load([...examples, ...others])
  for (const { id } of others) graph.removeEntity(`ent_${id}`)
  for (const example of examples) put(graph, { ...example, text: 'Something about the Quill Editor and Ada Quist.' })
  for (const { id } of shuffled(others, 3)) graph.removeRecord(id)
  for (const example of shuffled(examples, 4)) put(graph, example)
  expect(graph.recordCount).toBe(400)
  expect(answers(graph)).toEqual(answers(load(examples)))
})

test('room of removed records is used again', () => {
  const examples = makeExamples(1_500)
  const graph = load(examples)
  for (let turn = 0; turn < 2; turn += 1) for (const example of examples) put(graph, example)
  const { bytes } = graph
  for (let turn = 0; turn < 6; turn += 1) for (const example of examples) put(graph, example)
  expect(graph.bytes).toBeLessThan(bytes * 1.3)
})

test('a scoped ranking is the ranking of a graph that holds only what is in scope', () => {
  const examples = makeExamples(600)
  const graph = load(examples)
  const scopes: Scope[] = [
    { projectId: 'prj_a', sourceIds: new Set() },
    { projectId: 'prj_b', sourceIds: new Set(['src_1']) },
    { projectId: 'prj_none', sourceIds: new Set(['src_0', 'src_2']) },
  ]
  for (const scope of scopes) {
    const inScope = examples.filter(({ projectId, sourceId }) =>
      projectId === null ? scope.sourceIds?.has(sourceId) : projectId === scope.projectId,
    )
    expect(inScope.length).toBeGreaterThan(50)
    expect(answers(graph, scope)).toEqual(answers(load(inScope, examples)))
    expect(answers(graph, scope)).toEqual(answers(load(inScope)))
  }
})

test('an empty scope answers nothing and says nothing of what is outside', () => {
  const graph = load(makeExamples(50))
  const scope = { projectId: 'prj_none', sourceIds: new Set<string>() }
  expect(answers(graph, scope).every((list) => list.length === 0)).toBe(true)
  expect(graph.countRecordsOf('ent_Priya Raman', scope)).toBe(0)
  expect(graph.hasRecord('rec_1', scope)).toBe(false)
  expect(graph.countDeclaring(hash(personKey('Priya Raman')), scope)).toBe(0)
})

test('scores lie in (0, 1] and never rise', () => {
  for (const list of answers(load(makeExamples(300)), null, 200)) {
    expect(list[0]?.score).toBe(1)
    for (const [at, { score }] of list.entries()) {
      expect(score).toBeGreaterThan(0)
      expect(score).toBeLessThanOrEqual(list[at - 1]?.score ?? 1)
    }
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length)
  }
})

test('a first name links when one person bears it and not when several do', () => {
  const graph = load(makeExamples(200))
  const named = (text: string) => graph.entitiesNamed(analyseQuestion(text, [], hash), null)
  expect(named('what did tomas say')).toEqual(['ent_Tomas Berg'])
  expect(named('what did Priya say')).toEqual([])
  expect(named('what did priya nolan say')).toEqual(['ent_Priya Nolan'])
})

test('a second record is found through the name that joins it to the first', () => {
  const graph = createRecordGraph()
  const notes: [string, string][] = [
    ['Harbor Gateway', 'The Harbor Gateway is maintained by Lena Fors.'],
    ['Lena Fors', 'She works in the Uppsala building.'],
    ...Array.from({ length: 60 }, (_, at): [string, string] => [
      `Memo ${at}`,
      'Who works in which building is unknown.',
    ]),
  ]
  for (const [at, [title, text]] of notes.entries()) {
    put(graph, { id: `rec_${at}`, title, text, author: 'Ada Quist', sourceId: 's', projectId: null })
    graph.putEntity({ id: `ent_${at}`, type: 'note', keys: [hash(`ref:rec_${at}`), hash(nameKey(title))] })
  }
  const question = analyseQuestion('In which building works the maintainer of the Harbor Gateway?', [], hash)
  expect(graph.rank(question, null, 2).map(({ id }) => id)).toEqual(['rec_0', 'rec_1'])
})

test('pinned tuples give the records that hold all ids, then those that hold most', () => {
  const graph = load(makeExamples(300))
  const question = analyseQuestion('outage', [], hash)
  const pair = ['ent_Ada Quist', 'ent_Tomas Berg']
  const tuples = [pair, [pair[0] as string], ['rec_5'], ['ent_x']]
  const [both, single, record, nothing] = graph.rankPinned(question, null, tuples, 300)
  const holds = (id: string) => graph.entitiesOf(id, null).filter((entity) => pair.includes(entity)).length
  const counts = (both as RankedRecord[]).map(({ id }) => holds(id))
  expect(counts[0]).toBe(2)
  expect(counts).toEqual([...counts].sort((a, b) => b - a))
  expect(single?.length).toBe(graph.countRecordsOf(pair[0] as string, null))
  expect(record?.map(({ id }) => id)).toEqual(['rec_5'])
  expect(nothing).toEqual([])
})

test('an analysis of another version is refused and changes nothing', () => {
  const graph = load(makeExamples(30))
  const before = answers(graph)
  const unread = { occurredAtMs: null, tie: 0, externalKey: 0, analysis: new Uint8Array([250, 0, 0]) }
  const record = { ...unread, id: 'rec_1', sourceId: null, projectId: null, type: 'note' }
  expect(() => graph.putRecord(record)).toThrow(RangeError)
  expect(answers(graph)).toEqual(before)
})

test('an entity that every record holds costs a question no more than the records it shows', () => {
  const graph = createRecordGraph()
  const examples = makeExamples(500)
  for (let at = 0; at < 20_000; at += 1)
    put(graph, { ...examples[at % 500]!, id: `rec_${at}`, title: '', author: 'Ada Quist' })
  putEntities(graph, [])
  const question = analyseQuestion('What did Ada Quist say about NOR-3?', [], hash)
  graph.rank(question, null, 10)
  const found = graph.rank(question, null, 10)
  expect(found).toHaveLength(10)
  expect(graph.countRecordsOf('ent_Ada Quist', null)).toBe(20_000)
})

test('a graph that rests takes no more than before it was asked, and answers as it did', () => {
  const graph = load(makeExamples(100))
  const bytes = graph.bytes
  const first = answers(graph)
  expect(graph.bytes).toBeGreaterThan(bytes)
  graph.clearCaches()
  expect(graph.bytes).toBeLessThanOrEqual(bytes)
  expect(answers(graph)).toEqual(first)
})
