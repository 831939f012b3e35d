import type { ExportItem } from '../export-reader.ts'
import { present } from '../pick.ts'
import { digestOf, type Entity, entity, type MappedRecord, toRecord } from '../to-record.ts'

/** A conversation with an AI assistant, as exported by its product. */
export interface Conversation {
  id: string
  title: string | undefined
  /** Start time; undefined if unknown. */
  at: string | undefined
  properties?: Record<string, unknown>
}

export interface ChatMessage {
  id: string
  /** The id of the message that it replies to. */
  parent: string | undefined
  role: 'user' | 'assistant' | 'tool' | 'system'
  /** The author. A user message without an author was written by the owner of the sandbox. */
  author: Entity | undefined
  at: string | undefined
  updatedAt?: string | undefined
  text: string
  files?: readonly (string | undefined)[]
  links?: readonly (string | undefined)[]
  properties?: Record<string, unknown>
}

/** Returns the ids on the path from a leaf of the message tree up to its root. */
export function currentBranch(leaf: string | undefined, parentOf: (id: string) => string | undefined): Set<string> {
  const branch = new Set<string>()
  for (let id = leaf; id !== undefined && !branch.has(id); id = parentOf(id)) branch.add(id)
  return branch
}

/**
 * Maps the messages of a conversation to records, in order. A message on a branch that the product does not show has
 * the property `branch: 'other'`. A message without a time gets the time of the previous message. For a conversation
 * without messages, returns one item with the error.
 */
export function conversationItems(
  conversation: Conversation,
  messages: readonly ChatMessage[],
  { isCurrent, line }: { isCurrent: (id: string) => boolean; line: number },
): ExportItem[] {
  const nonEmpty = messages.filter(({ text, files = [] }) => text.trim() !== '' || present(files).length > 0)
  if (nonEmpty.length === 0) return [{ line, error: emptyConversation(conversation.title) }]
  const known = new Set(nonEmpty.map(({ id }) => id))
  let at = conversation.at
  return nonEmpty.map((message) => {
    at = message.at ?? at
    return { line, record: messageRecord(conversation, message, { at, known, isCurrent: isCurrent(message.id) }) }
  })
}

function emptyConversation(title: string | undefined): { reason: string; detail: string } {
  const named = title ? `“${title}”` : 'without a title'
  return { reason: 'empty_conversation', detail: `The conversation ${named} is empty: it has no message.` }
}

function messageRecord(
  { id: session, title, properties }: Conversation,
  message: ChatMessage,
  { at, known, isCurrent }: { at: string | undefined; known: ReadonlySet<string>; isCurrent: boolean },
): MappedRecord {
  const files = present(message.files ?? [])
  const links = present(message.links ?? [])
  return toRecord({
    externalId: messageId(session, message.id),
    type: 'message',
    text: present([message.text.trim() || undefined, ...files.map((name) => `[file: ${name}]`)]).join('\n'),
    occurredAt: at,
    asOf: message.updatedAt ?? message.at,
    author: message.author,
    entities: [entity('conversation', title, { conversation: session })],
    properties: {
      session,
      conversation_title: title,
      role: message.role,
      reply_to:
        message.parent !== undefined && known.has(message.parent) ? messageId(session, message.parent) : undefined,
      branch: isCurrent ? undefined : 'other',
      files,
      links,
      ...properties,
      ...message.properties,
    },
  })
}

function messageId(session: string, id: string): string {
  return `conversation/${session}/message/${id}`
}

/** Returns a digest that serves as the id of a conversation or message without an id. */
export function derivedId(...parts: readonly (string | undefined)[]): string {
  return digestOf(present(parts))
}

const BACKTICKS = /`{3,}/g

/** Returns code as a fenced Markdown block. The fence is longer than any run of backticks in the code. */
export function fenced(code: string, language = ''): string {
  let fence = '```'
  for (const [run] of code.matchAll(BACKTICKS)) if (run.length >= fence.length) fence = `${run}\``
  return `${fence}${language}\n${code}\n${fence}`
}
