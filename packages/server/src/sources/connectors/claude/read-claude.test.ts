import { expect, test } from 'vitest'
import { errorsIn, itemsOf, recordsIn } from '../../../../../../tests/harness/exported.ts'

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

test('Claude conversations, projects and people are read', async () => {
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
