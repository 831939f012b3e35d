import { expect, test } from 'vitest'
import { errorsIn, itemsOf, recordsIn } from '../../../../../../tests/harness/exported.ts'
import { formatOfJson, readJson } from '../exports.ts'

type Node = { parent: string | null; message?: object }
const node = (
  id: string,
  parent: string | null,
  role: string,
  content: object,
  more: object = {},
): [string, Node & { id: string }] => [
  id,
  { id, parent, message: { id, author: { role }, content, create_time: 1_780_000_000, ...more } },
]
const said = (words: string) => ({ content_type: 'text', parts: [words] })

const GARDEN = {
  title: 'Garden',
  conversation_id: 'c1',
  create_time: 1_779_999_000,
  current_node: 'n6',
  mapping: Object.fromEntries<unknown>([
    ['root', { id: 'root', parent: null, message: null }],
    node('n0', 'root', 'system', said('')),
    node(
      'n1',
      'n0',
      'user',
      {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file://a1' }, 'Which hedge is this?'],
      },
      { metadata: { attachments: [{ name: 'hedge.jpg' }] } },
    ),
    node('n2', 'n1', 'assistant', said('It is privet.')),
    node('n3', 'n1', 'assistant', {
      content_type: 'thoughts',
      thoughts: [{ summary: 'Leaves', content: 'Small ones.' }],
    }),
    node(
      'n4',
      'n3',
      'assistant',
      { content_type: 'code', language: 'python', text: 'print(1)' },
      { recipient: 'python' },
    ),
    node(
      'n5',
      'n4',
      'tool',
      { content_type: 'execution_output', text: '1' },
      { author: { role: 'tool', name: 'python' } },
    ),
    node('n6', 'n5', 'assistant', said('It is hornbeam\u3010\u0034\u2020source\u3011.'), {
      create_time: null,
      metadata: { citations: [{ metadata: { title: 'Hedges', url: 'https://hedges.example/h' } }] },
    }),
  ]),
}

test('ChatGPT conversations become messages in order, with the current branch', async () => {
  const files = {
    'conversations-000.json': [GARDEN, { title: 'Nothing yet', mapping: {} }],
    'conversations-001.json': [
      { title: 'Paint', mapping: Object.fromEntries([node('q', null, 'user', said('The shed is blue.'))]) },
    ],
    'user.json': { id: 'user-7', email: 'ada@berg.example' },
    'chat.html': '<html></html>',
  }
  const [format, items] = await itemsOf(files)
  expect(format).toBe('chatgpt')
  expect(errorsIn(items)).toEqual([['conversations-000.json', 'empty_conversation']])
  const records = recordsIn(items)
  expect(records.map(({ text, properties }) => [properties?.role, properties?.branch, text])).toEqual([
    ['user', undefined, '[image: file://a1]\nWhich hedge is this?\n[file: hedge.jpg]'],
    ['assistant', 'other', 'It is privet.'],
    ['assistant', undefined, '```python\nprint(1)\n```'],
    ['tool', undefined, '```\n1\n```'],
    ['assistant', undefined, 'It is hornbeam.'],
    ['user', undefined, 'The shed is blue.'],
  ])
  const [first, , code, , last] = records
  expect(first).toMatchObject({
    author: { name: 'ada@berg.example' },
    type: 'message',
    occurred_at: '2026-05-28T20:26:40.000Z',
  })
  expect(code?.properties).toMatchObject({ reply_to: first!.external_id, to: 'python' })
  expect(last).toMatchObject({
    author: { type: 'agent', name: 'ChatGPT' },
    occurred_at: first!.occurred_at,
    properties: { session: 'c1', conversation_title: 'Garden', links: ['Hedges https://hedges.example/h'] },
  })
  expect(new Set(records.map((record) => record.external_id)).size).toBe(6)
  expect(recordsIn((await itemsOf(files))[1])).toEqual(records)
  expect(formatOfJson(GARDEN)).toBe('chatgpt')
  expect(recordsIn([...readJson('chatgpt', [GARDEN])])).toHaveLength(5)
})

test('of a truncated file, the entries before the cut are stored and the file is reported', async () => {
  const whole = JSON.stringify([GARDEN, GARDEN])
  const [, items] = await itemsOf({
    'user.json': {},
    'conversations.json': whole.slice(0, -40),
    'a/conversations-2.json': '{"no": "list"',
  })
  expect(recordsIn(items)).toHaveLength(5)
  expect(errorsIn(items)).toEqual([
    ['conversations.json', 'file_damaged'],
    ['a/conversations-2.json', 'malformed_json'],
  ])
})

test('a cyclic conversation and invalid entries do not affect others', async () => {
  const circle = {
    title: 'Loop',
    current_node: 'a',
    mapping: Object.fromEntries([node('a', 'b', 'user', said('One.')), node('b', 'a', 'assistant', said('Two.'))]),
  }
  const [, items] = await itemsOf({ 'user.json': [], 'conversations.json': [circle, 4, null, { mapping: [] }, GARDEN] })
  expect(recordsIn(items)).toHaveLength(7)
  expect(errorsIn(items).map(([, reason]) => reason)).toEqual([
    'not_understood',
    'not_understood',
    'empty_conversation',
  ])
})
