import { expect, test } from 'vitest'
import { turnOf } from './conversation.ts'
import { declarationsOf, recordKey } from './declarations.ts'
import type { RecordContent } from './record-content.ts'

const turn = (content: Partial<RecordContent>, sourceId = 'src_1') => {
  const record = { external_id: 'm1', type: 'message', ...content }
  return turnOf(record, sourceId, declarationsOf(record, { sourceId, provider: 'chat' }))
}

test('a reply is in the thread that the record with that external id starts', () => {
  const { conversation, isLoose } = turn({ properties: { channel: '#depot', thread: 'm0' } })
  expect({ conversation, isLoose }).toEqual({ conversation: recordKey('src_1', 'm0'), isLoose: false })
  for (const field of ['thread_id', 'in_reply_to', 'replyTo', 'parent-id']) {
    expect(turn({ properties: { [field]: 'm0' } }).conversation, field).toBe(conversation)
  }
})

test('channel and session together are one place, within its source', () => {
  const place = turn({ properties: { channel: '#depot', session: 3 } })
  expect(place.isLoose).toBe(true)
  expect(turn({ properties: { session: '3', channel: '#depot' } })).toEqual(place)
  expect(turn({ properties: { channel: '#depot', session: 4 } }).conversation).not.toBe(place.conversation)
  expect(turn({ properties: { channel: '#depot', session: 3 } }, 'src_2').conversation).not.toBe(place.conversation)
})

test('what someone said at some time is part of a talk in its source, a page is not', () => {
  const said = { author: 'Ada Quist', occurred_at: '2026-07-01T10:00:00Z', text: 'Done.' }
  expect(turn(said).conversation).toBe(turn({ ...said, text: 'Good.' }).conversation)
  expect(turn(said).conversation).toBeDefined()
  expect(turn({ ...said, title: 'Handbook' }).conversation).toBeUndefined()
  expect(turn({ text: 'Done.' }).conversation).toBeUndefined()
})

test('the last number of an external id orders what has one time', () => {
  const positions = ['D1:9', 'D1:10', 'note', 'a-7-b'].map((id) => turn({ external_id: id }).position)
  expect(positions).toEqual([9, 10, 0, 7])
})

test('a text that ends with a question differs from one that only contains one', () => {
  const asked = (text: string) => {
    const { asks, endsAsking } = turn({ text })
    return [asks, endsAsking]
  }
  expect(asked('Who fixed it? :)')).toEqual([true, true])
  expect(asked('Who fixed it? I did, on Monday.')).toEqual([true, false])
  expect(asked('誰が直した？')).toEqual([true, true])
  expect(asked('I did.')).toEqual([false, false])
})

test('the author is known by the key that joins the record to them', () => {
  expect(turn({ author: { name: 'Ada', identifiers: { email: 'ada@example.com' } } }).author).toBe(
    'email:ada@example.com',
  )
  expect(turn({}).author).toBeUndefined()
})
