import { expect, test } from 'vitest'
import { itemsOf, recordsIn } from '../../../../../../tests/harness/exported.ts'
import { formatOfJson, readJson } from '../exports.ts'

test('Letta agent files of both versions and API message lists are read', async () => {
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
  // Numbered ids restart with each export, so they must not identify records.
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
