import { parseJson } from '../../../base/parse-json.ts'
import {
  type ChatMessage,
  type Conversation,
  conversationItems,
  derivedId,
  fenced,
} from '../assistants/conversation.ts'
import { type ExportItem, itemOf, SAMPLED } from '../export-reader.ts'
import { list, moment, pick, present, text } from '../pick.ts'
import { entity, type MappedRecord, toRecord } from '../to-record.ts'

/** Message types of the API. */
const TYPE =
  /^(?:system|user|assistant|(?:hidden_)?reasoning|tool_(?:call|return)|approval_\w{1,20}|event|summary)_message$/
/** Sequential ids of an agent file. They are not stable: the next export may assign them to other objects. */
const COUNTED = /^[a-z]+-\d{1,9}$/
/** The tool that an agent calls to send a message to its user. */
const SEND_TOOL = 'send_message'

/** Returns true if a JSON value is a Letta agent file of either version, or a message list of its API. */
export function isLetta(value: unknown): boolean {
  return isAgentFile(value) || isAgent(value) || isListed(value)
}

function isAgentFile(value: unknown): boolean {
  return Array.isArray(pick(value, 'agents')) && Array.isArray(pick(value, 'blocks'))
}

function isAgent(value: unknown): boolean {
  const isOne = Array.isArray(pick(value, 'messages')) && pick(value, 'llm_config') !== undefined
  return isOne && (Array.isArray(pick(value, 'core_memory')) || pick(value, 'agent_type') !== undefined)
}

function isListed(value: unknown): boolean {
  return Array.isArray(value) && value.slice(0, SAMPLED).some((one) => TYPE.test(text(one, 'message_type') ?? ''))
}

/**
 * Yields the memory blocks and messages of a Letta export. Format references, as of November 2026:
 * `letta/schemas/agent_file.py` and `letta/schemas/letta_message.py` of https://github.com/letta-ai/letta. The first
 * version of the agent file, with one agent and `core_memory`, is read too.
 */
export function* readLetta(value: unknown): Generator<ExportItem> {
  if (isAgentFile(value)) {
    const blocks = new Map(list(value, 'blocks').map((block) => [text(block, 'id') ?? '', block]))
    for (const agent of list(value, 'agents')) {
      const own = list(agent, 'block_ids').flatMap((id) => blocks.get(text(id) ?? '') ?? [])
      yield* agentItems(agent, [...own, ...list(agent, 'memory_blocks')])
    }
  } else if (isAgent(value)) yield* agentItems(value, list(value, 'core_memory'))
  else yield* listedItems(Array.isArray(value) ? value : [])
}

function* agentItems(agent: unknown, blocks: readonly unknown[]): Generator<ExportItem> {
  const name = text(agent, 'name')
  const given = text(agent, 'id')
  const id = given !== undefined && !COUNTED.test(given) ? given : (name ?? 'agent')
  let line = 0
  for (const block of blocks) {
    line += 1
    yield itemOf(blockRecord(block, id, name), line)
  }
  const conversation = {
    id: `agent/${id}`,
    title: undefined,
    at: moment(agent, 'created_at'),
    properties: { agent: name },
  }
  const messages = list(agent, 'messages').map((message) => messageOf(message, conversation.id, name))
  yield* toItems(conversation, messages.flat(), line + 1)
}

function* listedItems(messages: readonly unknown[]): Generator<ExportItem> {
  const conversations = new Map<string, unknown[]>()
  for (const message of messages) {
    const id = text(message, 'conversation_id') ?? text(message, 'agent_id') ?? 'messages'
    const known = conversations.get(id)
    if (known) known.push(message)
    else conversations.set(id, [message])
  }
  for (const [id, members] of conversations) {
    const conversation = { id: `agent/${id}`, title: undefined, at: undefined }
    yield* toItems(
      conversation,
      members.flatMap((message) => messageOf(message, conversation.id, undefined)),
      1,
    )
  }
}

/** Converts messages in chronological order, because the API lists the newest first. */
function toItems(conversation: Conversation, messages: ChatMessage[], line: number): ExportItem[] {
  const [first, last] = [messages[0]?.at, messages.at(-1)?.at]
  const inOrder = first !== undefined && last !== undefined && first > last ? messages.toReversed() : messages
  return conversationItems(conversation, inOrder, { isCurrent: () => true, line })
}

function blockRecord(block: unknown, agentId: string, agent: string | undefined): MappedRecord | undefined {
  const label = text(block, 'label')
  const value = text(block, 'value')
  if (!label || value === undefined) return undefined
  return toRecord({
    externalId: `agent/${agentId}/memory/${label}`,
    type: 'memory',
    title: present([agent, label]).join(': '),
    text: value,
    occurredAt: moment(block, 'updated_at') ?? moment(block, 'created_at'),
    asOf: moment(block, 'updated_at') ?? moment(block, 'created_at'),
    entities: [entity('agent', agent)],
    properties: { agent, block: label, about: text(block, 'description') },
  })
}

/** Converts a message of an agent file or of the API. Returns nothing for reasoning, events and approvals. */
function messageOf(message: unknown, conversationId: string, agent: string | undefined): ChatMessage[] {
  const kind = text(message, 'message_type')
  if (kind !== undefined && /reasoning|event|approval/.test(kind)) return []
  const role = roleOf(text(message, 'role') ?? kind?.replace('_message', ''))
  const at = moment(message, 'created_at') ?? moment(message, 'date')
  const content = contentText(message, role)
  const given = text(message, 'id')
  const id = given !== undefined && !COUNTED.test(given) ? given : derivedId(conversationId, at, role, content)
  const speaker = { assistant: agent ?? 'Assistant', tool: toolName(message), system: 'System' }
  const author = role === 'user' ? entity('person', text(message, 'name')) : entity('agent', speaker[role])
  // The API splits one message of an agent into several entries with the same id.
  const own = kind === 'tool_call_message' || kind === 'tool_return_message' ? `${id}/${kind}` : id
  return [
    { id: own, parent: undefined, role, author, at, text: content, properties: { model: text(message, 'model') } },
  ]
}

function roleOf(role: string | undefined): ChatMessage['role'] {
  if (role === 'user' || role === 'system') return role
  return role === 'tool' || role === 'tool_return' ? 'tool' : role === 'summary' ? 'system' : 'assistant'
}

function toolName(message: unknown): string {
  return text(message, 'name') ?? text(message, 'tool_returns', 0, 'name') ?? 'Tool'
}

function contentText(message: unknown, role: ChatMessage['role']): string {
  if (role === 'tool') return toolResultText(text(message, 'tool_return') ?? contentOf(message))
  const calls = [...list(message, 'tool_calls'), pick(message, 'tool_call')].flatMap((call) => callText(call) ?? [])
  const content = contentOf(message)
  // Next to a `send_message` call, the content is the agent's reasoning.
  const hasSpoken = role === 'assistant' && calls.some(({ isSpoken }) => isSpoken)
  const own = role === 'user' ? userText(content) : hasSpoken ? undefined : content
  return present([own, ...calls.map((call) => call.text)]).join('\n\n')
}

function contentOf(message: unknown): string | undefined {
  const content = pick(message, 'content')
  if (typeof content === 'string') return text(content)
  const parts = Array.isArray(content) ? content : list(message, 'text')
  return (
    text(present(parts.map((part) => text(part, 'text') ?? text(part, 'content'))).join('\n')) ?? text(message, 'text')
  )
}

/** Unwraps a user message from its JSON envelope. Returns undefined for heartbeats, logins and system alerts. */
function userText(content: string | undefined): string | undefined {
  const packed = jsonIn(content)
  if (packed === undefined) return content
  const kind = text(packed, 'type')
  if (kind === 'heartbeat' || kind === 'login' || kind === 'system_alert') return undefined
  return text(packed, 'message') ?? content
}

/** Returns the result of a tool without its status; '' for a tool without a result, such as `send_message`. */
function toolResultText(content: string | undefined): string {
  const packed = jsonIn(content)
  const value = packed === undefined ? content : (text(packed, 'message') ?? content)
  return value === undefined || value === 'None' || value === 'Sent message successfully.' ? '' : value
}

function callText(call: unknown): { text: string; isSpoken: boolean } | undefined {
  const name = text(call, 'function', 'name') ?? text(call, 'name')
  const given = text(call, 'function', 'arguments') ?? text(call, 'arguments')
  if (name === undefined) return undefined
  const spoken = name === SEND_TOOL ? text(jsonIn(given), 'message') : undefined
  if (spoken !== undefined) return { text: spoken, isSpoken: true }
  return { text: present([name, given && fenced(given, 'json')]).join('\n'), isSpoken: false }
}

function jsonIn(content: string | undefined): object | undefined {
  return content?.trimStart().startsWith('{') ? (parseJson(content) as object | undefined) : undefined
}
