import { expect, test } from 'vitest'
import { parseExactly } from '../../../base/exact-json.ts'
import type { ExportFiles, ExportItem } from '../export-reader.ts'
import { formatOfFiles, formatOfJson, readFiles, readJson } from '../exports.ts'

const tools = { scope: '', json: (bytes: Uint8Array) => parseExactly(Buffer.from(bytes).toString()) }

/** Files in pieces of seven bytes, so that nothing depends on where a piece ends. */
function filesOf(contents: Record<string, unknown>): ExportFiles {
  const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const names = Object.keys(contents)
  return {
    names,
    files: async function* (isWanted) {
      for (const name of names.filter(isWanted)) {
        const whole = bytes(contents[name])
        const open = async function* () {
          for (let at = 0; at < whole.length; at += 7) yield whole.subarray(at, at + 7)
        }
        yield { name, bytes: whole.length, open }
      }
    },
  }
}

async function itemsOf(contents: Record<string, unknown>): Promise<[string | undefined, ExportItem[]]> {
  const files = filesOf(contents)
  const format = await formatOfFiles(files, tools)
  const items: ExportItem[] = []
  if (format) for await (const item of readFiles(format, files, tools)) items.push(item)
  return [format, items]
}

const recordsIn = (items: ExportItem[]) => items.flatMap((item) => ('record' in item ? item.record : []))
const errorsIn = (items: ExportItem[]) =>
  items.flatMap((item) => ('error' in item ? [[item.file, item.error.reason]] : []))

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

test('conversations of ChatGPT are messages in their order, with the branch that is shown', async () => {
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

test('of a file that is cut off, what comes before the cut is kept, and the file is named', async () => {
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

test('what answers itself in a circle, and what is no conversation, harms no other', async () => {
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

const CHAT = {
  uuid: 'k1',
  name: 'Boat',
  created_at: '2026-05-04T07:00:00Z',
  account: { uuid: 'u1' },
  chat_messages: [
    {
      uuid: 'm1',
      sender: 'human',
      created_at: '2026-05-04T07:00:01Z',
      parent_message_uuid: '00000000-0000-4000-8000-000000000000',
      text: 'How long is the boat?',
      content: [{ type: 'text', text: 'How long is the boat?' }],
      attachments: [{ file_name: 'boat.txt', extracted_content: 'Length: 9 m' }],
      files: [{ file_name: 'boat.png' }],
    },
    {
      uuid: 'm2',
      sender: 'assistant',
      created_at: '2026-05-04T07:00:05Z',
      parent_message_uuid: 'm1',
      text: '',
      content: [{ type: 'text', text: 'It is 8 m long.' }],
    },
    {
      uuid: 'm3',
      sender: 'assistant',
      created_at: '2026-05-04T07:01:05Z',
      parent_message_uuid: 'm1',
      text: '',
      content: [
        { type: 'thinking', thinking: 'Let me see.' },
        { type: 'tool_use', name: 'search', input: { query: 'boat' } },
        { type: 'tool_result', name: 'search', content: [{ type: 'text', text: 'Nine metres.' }] },
        { type: 'text', text: 'It is 9 m long.', citations: [{ url: 'https://boats.example', title: 'Boats' }] },
      ],
    },
  ],
}

test('conversations, projects and people of Claude', async () => {
  const [format, items] = await itemsOf({
    'conversations.json': [CHAT, { uuid: 'k2', name: '', chat_messages: [] }],
    'users.json': [{ uuid: 'u1', full_name: 'Ada Berg', email_address: 'ada@berg.example' }],
    'projects.json': [
      {
        uuid: 'p1',
        name: 'Fleet',
        description: 'All boats.',
        creator: { uuid: 'u1' },
        docs: [{ uuid: 'd1', filename: 'hulls.md', content: 'Hulls are oak.' }],
      },
    ],
    'memories.json': [{ account_uuid: 'u1', conversations_memory: 'Ada sails.' }],
  })
  expect(format).toBe('claude')
  expect(errorsIn(items)).toEqual([['conversations.json', 'empty_conversation']])
  const shown = recordsIn(items).map(({ type, text, title, properties }) => [type, properties?.branch, text ?? title])
  expect(shown).toEqual([
    ['person', undefined, 'Ada Berg'],
    ['project', undefined, 'All boats.'],
    ['document', undefined, 'Hulls are oak.'],
    ['memory', undefined, 'Ada sails.'],
    ['message', undefined, 'How long is the boat?\n[file: boat.txt]\n[file: boat.png]'],
    ['message', undefined, 'Length: 9 m'],
    ['message', 'other', 'It is 8 m long.'],
    ['message', undefined, 'search\n```\n{"query":"boat"}\n```\n\nIt is 9 m long.'],
    ['message', undefined, 'Nine metres.'],
  ])
  const asked = recordsIn(items)[4]
  expect(asked).toMatchObject({ author: { name: 'Ada Berg', identifiers: { email: 'ada@berg.example' } } })
  expect(recordsIn(items)[7]?.properties).toMatchObject({
    reply_to: asked!.external_id,
    links: ['Boats https://boats.example'],
  })
  expect((await itemsOf({ 'conversations.json': [CHAT], 'x.txt': 'x' }))[0]).toBe('claude')
})

test('agent files of Letta in both versions, and messages as its API lists them', async () => {
  const messages = [
    {
      id: 'message-0',
      role: 'system',
      content: [{ type: 'text', text: 'You help.' }],
      created_at: '2026-05-04T07:00:00Z',
    },
    {
      id: 'message-1',
      role: 'user',
      content: [{ type: 'text', text: '{"type":"user_message","message":"Where is the key?","time":"now"}' }],
      created_at: '2026-05-04T07:01:00Z',
    },
    {
      id: 'message-2',
      role: 'assistant',
      content: [{ type: 'text', text: 'I should say it.' }],
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'send_message', arguments: '{"message":"Under the mat."}' } },
      ],
      created_at: '2026-05-04T07:02:00Z',
    },
    {
      id: 'message-3',
      role: 'tool',
      content: [{ type: 'text', text: '{"status":"OK","message":"None"}' }],
      created_at: '2026-05-04T07:02:01Z',
    },
    {
      id: 'message-4',
      role: 'user',
      content: [{ type: 'text', text: '{"type":"heartbeat","reason":"go on"}' }],
      created_at: '2026-05-04T07:02:02Z',
    },
  ]
  const block = { id: 'block-0', label: 'human', value: 'Ada keeps bees.' }
  const texts = ['Ada keeps bees.', 'You help.', 'Where is the key?', 'Under the mat.']
  const second = {
    agents: [{ id: 'agent-0', name: 'Butler', block_ids: ['block-0'], messages }],
    blocks: [block],
    tools: [],
  }
  const first = { name: 'Butler', agent_type: 'memgpt_agent', llm_config: {}, core_memory: [block], messages }
  for (const file of [second, first]) {
    const [format, items] = await itemsOf({ 'butler.af': file })
    expect(format).toBe('letta')
    expect(recordsIn(items).map(({ text }) => text)).toEqual(texts)
    expect(recordsIn(items)[0]).toMatchObject({ type: 'memory', title: 'Butler: human' })
    expect(recordsIn(items)[3]).toMatchObject({ author: { name: 'Butler' }, occurred_at: '2026-05-04T07:02:00.000Z' })
  }
  // What a file counts begins anew with the next export, and names nothing.
  const later = {
    ...second,
    agents: [{ ...second.agents[0], messages: messages.slice(1).map((one, at) => ({ ...one, id: `message-${at}` })) }],
  }
  const ids = new Set(recordsIn((await itemsOf({ 'butler.af': second }))[1]).map((record) => record.external_id))
  for (const record of recordsIn((await itemsOf({ 'butler.af': later }))[1])) expect(ids).toContain(record.external_id)
  const listed = [
    { id: 'message-9f2', message_type: 'assistant_message', content: 'By the gate.', date: '2026-05-04T08:02:00Z' },
    {
      id: 'message-9f1',
      message_type: 'tool_return_message',
      tool_return: 'found',
      name: 'look',
      date: '2026-05-04T08:01:30Z',
    },
    {
      id: 'message-9f1',
      message_type: 'tool_call_message',
      tool_call: { name: 'look', arguments: '{"at":"gate"}' },
      date: '2026-05-04T08:01:00Z',
    },
    { id: 'message-9f0', message_type: 'reasoning_message', reasoning: 'Hm.', date: '2026-05-04T08:00:30Z' },
    { id: 'message-9f0', message_type: 'user_message', content: 'Where is the cart?', date: '2026-05-04T08:00:00Z' },
  ]
  expect(formatOfJson(listed)).toBe('letta')
  const records = recordsIn([...readJson('letta', listed)])
  expect(records.map(({ text }) => text)).toEqual([
    'Where is the cart?',
    'look\n```json\n{"at":"gate"}\n```',
    'found',
    'By the gate.',
  ])
})
