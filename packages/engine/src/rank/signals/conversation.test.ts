import { expect, test } from 'vitest'
import { analyseRecord } from '../../text/analyse-record.ts'
import { plainKeyHash as hash } from '../../text/names.ts'
import { analyseQuestion } from '../../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from '../record-graph.ts'
import type { Scope } from '../scope-view.ts'

interface Said {
  id: string
  text: string
  author?: string
  conversation?: string
  minute?: number
  sourceId?: string
  position?: number
}

const MINUTE_MS = 60_000
const NOISE = Array.from({ length: 40 }, (_, at) => ({
  id: `noise_${at}`,
  text: `Nothing new about item ${at} today.`,
}))

function graphOf(records: readonly Said[]): RecordGraph {
  const graph = createRecordGraph()
  for (const { id, text, author = 'Ada Quist', conversation, minute, sourceId = 's', position = 0 } of records) {
    const name = author.toLowerCase()
    const turn = {
      conversation,
      isLoose: conversation?.startsWith('channel') ?? false,
      asks: text.includes('?'),
      endsAsking: text.endsWith('?'),
      position,
      author: `name:person:${name}`,
    }
    const declared = [{ keys: [`name:person:${name}`, `n:${name}`, `n:${name.split(' ')[0]}`] }]
    graph.putRecord({
      id,
      sourceId,
      projectId: null,
      type: 'message',
      occurredAtMs: minute === undefined ? null : minute * MINUTE_MS,
      tie: hash(id),
      externalKey: hash(`ref:${id}`),
      analysis: analyseRecord({ text, declared, turn }, hash),
    })
    const keys = [`name:person:${name}`, `n:${name}`, `n:${name.split(' ')[0]}`].map((key) => hash(key))
    graph.putEntity({ id: `ent_${author}`, type: 'person', keys })
  }
  return graph
}

const ranked = (graph: RecordGraph, text: string, scope: Scope | null = null) =>
  graph.rank(analyseQuestion(text, [], hash), scope, 100).map(({ id }) => id)

const TALK = [
  { id: 'ask', text: 'How long does the crane repair take?', minute: 1 },
  { id: 'tell', text: 'Two weeks, the gearbox comes from Oslo.', author: 'Omar Haddad', minute: 2 },
]
const inChannel = (records: readonly Said[]) => records.map((record) => ({ ...record, conversation: 'channel:1' }))

test('an answer is found by the words of what it answers', () => {
  const apart = ranked(graphOf([...TALK, ...NOISE]), 'How long does the crane repair take?')
  expect(apart).not.toContain('tell')
  const together = ranked(graphOf([...inChannel(TALK), ...NOISE]), 'How long does the crane repair take?')
  expect(together.slice(0, 2).sort()).toEqual(['ask', 'tell'])
})

test('a reply belongs to the record that began its thread, however late it comes', () => {
  const [ask, tell] = TALK as [Said, Said]
  const late = { ...tell, minute: 10_000, conversation: 'ref:ask' }
  expect(ranked(graphOf([late, ...NOISE, { ...ask, conversation: 'channel:1' }]), 'crane repair')).toContain('tell')
})

test('in a channel a long pause ends a talk', () => {
  const [ask, tell] = inChannel(TALK) as [Said, Said]
  expect(ranked(graphOf([ask, { ...tell, minute: 10_000 }, ...NOISE]), 'crane repair')).not.toContain('tell')
})

test('of one time, positions say what comes next', () => {
  const lines = ['The crane repair is done.', 'Good.', 'Fine.', 'Yes.', 'Well.', 'Lunch?']
  const records = lines.map((text, at) => ({
    id: `m${at}`,
    text,
    minute: 1,
    position: at + 1,
    conversation: 'channel:1',
  }))
  const found = ranked(graphOf([...records].reverse()), 'crane repair')
  expect(found.slice(0, 4)).toEqual(['m0', 'm1', 'm2', 'm3'])
})

test('what is out of scope is no part of a talk', () => {
  const [ask, tell] = inChannel(TALK) as [Said, Said]
  const graph = graphOf([{ ...ask, sourceId: 'hidden' }, tell, ...NOISE])
  const scope = { projectId: 'prj_1', sourceIds: new Set(['s']) }
  expect(ranked(graph, 'crane repair', scope)).toEqual([])
  expect(ranked(graph, 'crane repair')).toContain('tell')
})

test('a person named in the question is more likely the speaker than the person addressed', () => {
  const talk = [
    { id: 'to', text: 'Omar, the crane is loud today.', author: 'Ada Quist', minute: 1 },
    { id: 'by', text: 'The old crane is slow.', author: 'Omar Haddad', minute: 2 },
    ...NOISE.map(({ id, text }, at) =>
      at % 2 === 0
        ? { id, text: `Omar, ${text}`, author: 'Ada Quist', minute: at + 10 }
        : { id, text, author: 'Omar Haddad', minute: at + 10 },
    ),
  ]
  const question = analyseQuestion('What did Omar say of the crane?', [], hash)
  const graph = graphOf(inChannel(talk))
  expect(graph.rankLexical(question, null, 1)[0]?.id).toBe('to')
  expect(graph.rank(question, null, 1)[0]?.id).toBe('by')
})

test('records that arrive in any order, are replaced and removed leave the talk as it is', () => {
  const lines = Array.from({ length: 300 }, (_, at) => ({
    id: `m${at}`,
    text: at % 10 === 0 ? `Crane ${at} needs a repair.` : `Line ${at} of the talk.`,
    minute: at,
    conversation: 'channel:1',
  }))
  const expected = ranked(graphOf(lines), 'crane repair')
  const order = [...lines].sort((a, b) => hash(a.id) - hash(b.id))
  const others = order.map((line) => ({ ...line, id: `x${line.id}` }))
  const grown = graphOf([...others, ...order])
  for (const { id } of others) grown.removeRecord(id)
  expect(ranked(grown, 'crane repair')).toEqual(expected)
  expect(ranked(graphOf(order), 'crane repair')).toEqual(expected)
})

test('the context of a record is its thread, or its channel until a pause, within the scope', () => {
  const lines = [0, 10, 20, 200, 210].map((minute) => ({ id: `m${minute}`, text: `At ${minute}.`, minute }))
  const channel = graphOf([
    ...inChannel(lines),
    { id: 'other', text: 'Elsewhere.', minute: 11 },
    { id: 'hidden', text: 'Hidden.', minute: 12, conversation: 'channel:1', sourceId: 'other' },
  ])
  const scope = { projectId: null, sourceIds: new Set(['s']) }
  expect(channel.conversationContext('m10', scope, 5)).toEqual(['m0', 'm20'])
  expect(channel.conversationContext('m10', null, 5)).toEqual(['m0', 'hidden', 'm20'])
  expect(channel.conversationContext('m200', scope, 5)).toEqual(['m210'])
  expect(channel.conversationContext('other', null, 5)).toEqual([])
  expect(channel.conversationContext('missing', null, 5)).toEqual([])
  const thread = graphOf(lines.map((line) => ({ ...line, conversation: 'thread' })))
  expect(thread.conversationContext('m10', null, 5)).toEqual(['m0', 'm20', 'm200', 'm210'])
  expect(thread.conversationContext('m20', null, 1)).toEqual(['m10', 'm200'])
})
