import { type ChatMessage, conversationItems, currentBranch, derivedId, fenced } from '../assistants/conversation.ts'
import { elementItems } from '../assistants/json-elements.ts'
import {
  type ExportFiles,
  type ExportItem,
  itemOf,
  NOT_UNDERSTOOD,
  type ReaderTools,
  SAMPLED,
} from '../export-reader.ts'
import { hasObject, list, moment, pick, present, text } from '../pick.ts'
import { type Entity, entity, type MappedRecord, toRecord } from '../to-record.ts'

const CONVERSATIONS = /(?:^|\/)conversations(?:[-_ ]?\d+)?\.json$/i
const USERS = /(?:^|\/)users\.json$/i
const PROJECTS = /(?:^|\/)projects(?:\.json$|\/[^/]+\.json$)/i
const MEMORIES = /(?:^|\/)memories\.json$/i
/** Placeholder parent id of a conversation's first message. */
const ROOT = /^0{8}-/

/** Returns true if the file names are those of a Claude export. */
export function isClaudeExport(names: readonly string[]): boolean {
  const has = (form: RegExp) => names.some((name) => form.test(name))
  return has(CONVERSATIONS) && (has(USERS) || has(PROJECTS) || has(MEMORIES))
}

/** Returns true if a JSON value is a Claude conversation or a list of them. */
export function isClaude(value: unknown): boolean {
  return [value].flat().slice(0, SAMPLED).some(isConversation)
}

function isConversation(value: unknown): boolean {
  return Array.isArray(pick(value, 'chat_messages'))
}

/** Yields the messages of the conversations in one JSON value. */
export function* readClaudeValue(value: unknown): Generator<ExportItem> {
  for (const [at, conversation] of [value].flat().entries()) yield* itemsOf(conversation, at + 1, new Map())
}

/**
 * Yields the people, projects, memories and conversations of a Claude export. Format references, as of November 2026:
 * the schema of https://github.com/brandtcormorant/claude-json-schema, and docs/providers/claude-ai.md of
 * https://github.com/Sinity/polylogue.
 */
export async function* readClaude(files: ExportFiles, tools: ReaderTools): AsyncGenerator<ExportItem> {
  const users = new Map<string, Entity>()
  yield* elementItems(files, tools, USERS, (user, line) => {
    const [id, email] = [text(user, 'uuid'), text(user, 'email_address')]
    const own = entity('person', text(user, 'full_name') ?? email, {
      id,
      email,
      phone: text(user, 'verified_phone_number'),
    })
    if (id && own) users.set(id, own)
    return [
      itemOf(toRecord({ externalId: id && `user/${id}`, type: 'person', title: own?.name, entities: [own] }), line),
    ]
  })
  yield* elementItems(files, tools, PROJECTS, (value, line) => itemsOfEntry(projectRecords(value, users), line))
  yield* elementItems(files, tools, MEMORIES, (value, line) => itemsOfEntry(memoryRecords(value), line))
  yield* elementItems(files, tools, CONVERSATIONS, (value, line) => itemsOf(value, line, users))
}

/** Returns the items of an entry's records, or an error if it has no records. */
function itemsOfEntry(records: readonly (MappedRecord | undefined)[], line: number): ExportItem[] {
  const items = present(records).map((record) => itemOf(record, line))
  return items.length > 0 ? items : [itemOf(undefined, line)]
}

function projectRecords(project: unknown, users: ReadonlyMap<string, Entity>): (MappedRecord | undefined)[] {
  const id = text(project, 'uuid')
  const own = entity('project', text(project, 'name'), { id })
  if (!id || !own) return []
  const creator = users.get(text(project, 'creator', 'uuid') ?? '') ?? personOf(pick(project, 'creator'))
  const documents = list(project, 'docs').map((doc) =>
    toRecord({
      externalId: `project/${id}/document/${text(doc, 'uuid') ?? text(doc, 'filename')}`,
      type: 'document',
      title: text(doc, 'filename'),
      text: text(doc, 'content'),
      occurredAt: moment(doc, 'created_at'),
      asOf: moment(doc, 'created_at'),
      entities: [own],
      properties: { project: own.name },
    }),
  )
  const described = present([text(project, 'description'), text(project, 'prompt_template')]).join('\n\n')
  return [
    toRecord({
      externalId: `project/${id}`,
      type: 'project',
      title: own.name,
      text: described,
      occurredAt: moment(project, 'created_at'),
      asOf: moment(project, 'updated_at'),
      author: creator,
      entities: [own],
    }),
    ...documents,
  ]
}

function personOf(value: unknown): Entity | undefined {
  return entity('person', text(value, 'full_name'), { id: text(value, 'uuid') })
}

/** Returns Claude's memories about an account: one for all conversations and one per project. */
function memoryRecords(value: unknown): (MappedRecord | undefined)[] {
  const account = text(value, 'account_uuid') ?? 'account'
  const projects = Object.entries((pick(value, 'project_memories') ?? {}) as Record<string, unknown>)
  const parts = [['conversations', pick(value, 'conversations_memory')] as const, ...projects]
  return parts.map(([scopeName, memory]) =>
    text(memory) === undefined
      ? undefined
      : toRecord({
          externalId: `memory/${account}/${scopeName}`,
          type: 'memory',
          title: 'Memory of Claude',
          text: text(memory),
        }),
  )
}

function itemsOf(value: unknown, line: number, users: ReadonlyMap<string, Entity>): ExportItem[] {
  if (!isConversation(value)) return [{ line, error: NOT_UNDERSTOOD }]
  const written = list(value, 'chat_messages')
  const title = text(value, 'name')
  const at = moment(value, 'created_at')
  const id = text(value, 'uuid') ?? derivedId(text(written[0], 'uuid'), title, at)
  const user = users.get(text(value, 'account', 'uuid') ?? '')
  const parents = new Map(written.map((message) => [text(message, 'uuid'), parentOf(message)]))
  const isTree = written.some((message) => parentOf(message) !== undefined)
  const leaf = text(value, 'current_leaf_message_uuid') ?? text(written.at(-1), 'uuid')
  const branch = currentBranch(leaf, (each) => parents.get(each))
  const messages = written.flatMap((message, index) =>
    messagesOf(message, { user, before: written[index - 1], isTree }),
  )
  const isCurrent = (each: string) => !isTree || branch.has(each.split('#', 1)[0]!)
  return conversationItems({ id, title, at, properties: { summary: text(value, 'summary') } }, messages, {
    isCurrent,
    line,
  })
}

function parentOf(message: unknown): string | undefined {
  const parent = text(message, 'parent_message_uuid')
  return parent === undefined || ROOT.test(parent) ? undefined : parent
}

/** Returns a message, its tool results, and the text of its attachments. */
function messagesOf(
  message: unknown,
  { user, before, isTree }: { user: Entity | undefined; before: unknown; isTree: boolean },
): ChatMessage[] {
  const id = text(message, 'uuid') ?? derivedId(text(message, 'text'), text(message, 'created_at'))
  const isUser = text(message, 'sender') === 'human'
  const at = moment(message, 'created_at')
  const blocks = list(message, 'content')
  const own = {
    id,
    parent: isTree ? parentOf(message) : text(before, 'uuid'),
    role: isUser ? ('user' as const) : ('assistant' as const),
    author: isUser ? user : entity('agent', 'Claude'),
    at,
    updatedAt: moment(message, 'updated_at'),
    text: blocks.length > 0 ? present(blocks.map(blockText)).join('\n\n') : (text(message, 'text') ?? ''),
    files: [...list(message, 'attachments'), ...list(message, 'files')].map((file) => text(file, 'file_name')),
    links: blocks.flatMap((block) => list(block, 'citations')).map(linkOf),
  }
  const results = blocks.flatMap((block, index) => resultOf(block, { id: `${id}#${index}`, parent: id, at }))
  const attached = list(message, 'attachments').flatMap((file, index) => {
    const content = text(file, 'extracted_content')
    const name = text(file, 'file_name') ?? 'attachment'
    return content === undefined
      ? []
      : [
          {
            ...own,
            id: `${id}#attachment ${index}`,
            parent: id,
            text: content,
            files: [],
            links: [],
            properties: { file: name },
          },
        ]
  })
  return [own, ...results, ...attached]
}

/** Returns the text of a content block. Omits thinking and tool results, which become separate messages. */
function blockText(block: unknown): string | undefined {
  const kind = text(block, 'type')
  if (kind === 'text' || kind === 'voice_note') return text(block, 'text') ?? text(block, 'title')
  if (kind !== 'tool_use') return undefined
  const input = pick(block, 'input')
  const content = text(input, 'content') ?? text(input, 'code') ?? text(input, 'new_str')
  const named = present([text(input, 'title') ?? text(block, 'name')])
  const body = content ?? (hasObject(input) ? JSON.stringify(input) : undefined)
  return present([...named, body && fenced(body, text(input, 'language'))]).join('\n')
}

function resultOf(block: unknown, place: Pick<ChatMessage, 'id' | 'parent' | 'at'>): ChatMessage[] {
  if (text(block, 'type') !== 'tool_result') return []
  const output =
    text(block, 'content') ??
    present(list(block, 'content').map((one) => text(one, 'text') ?? text(one, 'title'))).join('\n')
  const links = list(block, 'content').map(linkOf)
  return [{ ...place, role: 'tool', author: entity('agent', text(block, 'name') ?? 'Tool'), text: output, links }]
}

function linkOf(cited: unknown): string | undefined {
  const url = text(cited, 'url') ?? text(cited, 'details', 'url')
  return url && present([text(cited, 'title'), url]).join(' ')
}
