import {
  type ChatMessage,
  type Conversation,
  conversationItems,
  currentBranch,
  derivedId,
  fenced,
} from '../assistants/conversation.ts'
import { elementItems } from '../assistants/json-elements.ts'
import {
  type ExportFiles,
  type ExportItem,
  jsonFile,
  NOT_UNDERSTOOD,
  type ReaderTools,
  SAMPLED,
} from '../export-reader.ts'
import { hasObject, list, moment, pick, present, text } from '../pick.ts'
import { type Entity, entity } from '../to-record.ts'

const CONVERSATIONS = /(?:^|\/)conversations(?:[-_ ]?\d+)?\.json$/i
const USER = /(?:^|\/)user\.json$/i
/** File names that distinguish a ChatGPT export from other exports with a conversations file. */
const OTHER_FILES =
  /(?:^|\/)(?:user|message_feedback|shared_conversations|model_comparisons)\.json$|(?:^|\/)chat\.html$/i

/** Returns true if the file names are those of a ChatGPT export. */
export function isChatgptExport(names: readonly string[]): boolean {
  return names.some((name) => CONVERSATIONS.test(name)) && names.some((name) => OTHER_FILES.test(name))
}

/** Returns true if a JSON value is a ChatGPT conversation or a list of them. */
export function isChatgpt(value: unknown): boolean {
  return [value].flat().slice(0, SAMPLED).some(isConversation)
}

function isConversation(value: unknown): boolean {
  const mapping = pick(value, 'mapping')
  const isMapping = typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping)
  return isMapping && ['current_node', 'create_time', 'conversation_id', 'title'].some((name) => hasField(value, name))
}

function hasField(value: unknown, name: string): boolean {
  return pick(value, name) !== undefined
}

/** Yields the messages of the conversations in one JSON value. */
export function* readChatgptValue(value: unknown): Generator<ExportItem> {
  for (const [at, conversation] of [value].flat().entries()) yield* itemsOf(conversation, at + 1, undefined)
}

/**
 * Yields the messages of a ChatGPT export. They are in `conversations.json`, or in numbered files for a large account.
 * `user.json` has the account's name. A conversation is a tree of nodes in `mapping`; `current_node` is the last node
 * of the branch that is shown. Format reference: docs/chatgpt-data-export-format.md of
 * https://github.com/mitkury/chatgpt-export-parser, as of November 2026.
 */
export async function* readChatgpt(files: ExportFiles, tools: ReaderTools): AsyncGenerator<ExportItem> {
  let user: Entity | undefined
  for await (const file of files.files((name) => USER.test(name))) {
    const read = await jsonFile(file, tools)
    if ('value' in read) user = userOf(read.value)
  }
  yield* elementItems(files, tools, CONVERSATIONS, (value, line) => itemsOf(value, line, user))
}

function userOf(value: unknown): Entity | undefined {
  const email = text(value, 'email')
  return entity('person', text(value, 'name') ?? email, { email, id: text(value, 'id') })
}

function itemsOf(value: unknown, line: number, user: Entity | undefined): ExportItem[] {
  if (!hasObject(value) || !hasField(value, 'mapping')) return [{ line, error: NOT_UNDERSTOOD }]
  const nodes = Object.entries(pick(value, 'mapping') ?? {}) as [string, unknown][]
  const parents = new Map(nodes.map(([id, node]) => [id, text(node, 'parent')]))
  const messages = depthFirst(nodes).flatMap(([id, node]) =>
    messageOf(id, node, { parents, nodes: pick(value, 'mapping'), user }),
  )
  const leaf = text(value, 'current_node')
  const branch = currentBranch(leaf !== undefined && parents.has(leaf) ? leaf : lastLeaf(nodes), (id) =>
    parents.get(id),
  )
  return conversationItems(conversationOf(value, nodes), messages, { isCurrent: (id) => branch.has(id), line })
}

function conversationOf(value: unknown, nodes: readonly [string, unknown][]): Conversation {
  const title = text(value, 'title')
  const id = text(value, 'conversation_id') ?? text(value, 'id') ?? derivedId(nodes[0]?.[0], nodes[1]?.[0], title)
  return {
    id,
    title,
    at: moment(value, 'create_time') ?? moment(value, 'update_time'),
    properties: {
      archived: pick(value, 'is_archived') === true ? true : undefined,
      project: text(value, 'conversation_template_id'),
      gpt: text(value, 'gizmo_id'),
    },
  }
}

/** Returns the nodes in depth-first order: each node is followed by its replies. */
function depthFirst(nodes: readonly [string, unknown][]): [string, unknown][] {
  const known = new Map(nodes)
  const children = new Map<string | undefined, string[]>()
  for (const [id, node] of nodes) {
    const parent = text(node, 'parent')
    const under = parent !== undefined && parent !== id && known.has(parent) ? parent : undefined
    const siblings = children.get(under)
    if (siblings) siblings.push(id)
    else children.set(under, [id])
  }
  const seen = new Set<string>()
  const stack = [...(children.get(undefined) ?? [])].reverse()
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    // One by one: a node may have more children than a call has arguments.
    for (const child of (children.get(id) ?? []).toReversed()) stack.push(child)
  }
  // Nodes in a cycle are not reachable from a root, so they are appended.
  return [...seen, ...nodes.map(([id]) => id).filter((id) => !seen.has(id))].map((id) => [id, known.get(id)])
}

/** Returns the latest message without a reply, for an export without `current_node`. */
function lastLeaf(nodes: readonly [string, unknown][]): string | undefined {
  const parents = new Set(nodes.map(([, node]) => text(node, 'parent')))
  const leaves = nodes.filter(([id, node]) => !parents.has(id) && hasObject(node, 'message'))
  const at = ([, node]: [string, unknown]) => moment(node, 'message', 'create_time') ?? ''
  return leaves.toSorted((one, other) => (at(one) < at(other) ? -1 : 1)).at(-1)?.[0]
}

interface Tree {
  parents: ReadonlyMap<string, string | undefined>
  nodes: unknown
  user: Entity | undefined
}

function messageOf(id: string, node: unknown, { parents, nodes, user }: Tree): ChatMessage[] {
  const message = pick(node, 'message')
  const role = text(message, 'author', 'role')
  const body = contentText(pick(message, 'content'))
  const files = list(message, 'metadata', 'attachments').map((one) => text(one, 'name'))
  if (!hasObject(message) || (body === '' && files.length === 0)) return []
  const to = text(message, 'recipient')
  const kind = text(message, 'content', 'content_type')
  const isInstruction = kind === 'user_editable_context'
  const shownRole = isInstruction
    ? 'user'
    : role === 'user' || role === 'tool' || role === 'system'
      ? role
      : 'assistant'
  return [
    {
      id,
      parent: shownParent(id, parents, nodes),
      role: shownRole,
      author: shownRole === 'user' ? user : entity('agent', authorName(shownRole, message)),
      at: moment(message, 'create_time'),
      updatedAt: moment(message, 'update_time'),
      text: withoutMarks(body),
      files,
      links: linksOf(message),
      properties: {
        model: text(message, 'metadata', 'model_slug'),
        to: to === 'all' ? undefined : to,
        content_type: kind === 'text' ? undefined : kind,
      },
    },
  ]
}

function authorName(role: string, message: unknown): string {
  return role === 'tool' ? (text(message, 'author', 'name') ?? 'Tool') : role === 'system' ? 'System' : 'ChatGPT'
}

/** Returns the nearest ancestor with text. Nodes without text are internal to the product. */
function shownParent(id: string, parents: Tree['parents'], nodes: unknown): string | undefined {
  const seen = new Set([id])
  for (let at = parents.get(id); at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (contentText(pick(nodes, at, 'message', 'content')) !== '') return at
    seen.add(at)
  }
  return undefined
}

/** Returns the text of a message's content, by its type. Omits the model's reasoning. */
function contentText(content: unknown): string {
  switch (text(content, 'content_type')) {
    case 'code':
      return fencedOr(text(content, 'text'), text(content, 'language'))
    case 'execution_output':
      return fencedOr(text(content, 'text'))
    case 'tether_quote':
      return present([text(content, 'title'), text(content, 'url'), text(content, 'text')]).join('\n')
    case 'tether_browsing_display':
      return text(content, 'result') ?? text(content, 'summary') ?? ''
    case 'system_error':
      return present([text(content, 'name'), text(content, 'text')]).join(': ')
    case 'user_editable_context':
      return present([text(content, 'user_profile'), text(content, 'user_instructions')]).join('\n\n')
    case 'model_editable_context':
      return text(content, 'model_set_context') ?? ''
    case 'thoughts':
    case 'reasoning_recap':
      return ''
    default: {
      const parts = list(content, 'parts').map(partText)
      return present([
        ...parts,
        parts.length === 0 ? (text(content, 'text') ?? text(content, 'result')) : undefined,
      ]).join('\n')
    }
  }
}

function fencedOr(code: string | undefined, language?: string): string {
  return code === undefined ? '' : fenced(code, language === 'unknown' ? '' : language)
}

/** Returns the text of a message part: text, transcribed speech, or an image's prompt. */
function partText(part: unknown): string | undefined {
  if (typeof part === 'string') return part.trim() === '' ? undefined : part
  const kind = text(part, 'content_type')
  if (kind === 'image_asset_pointer') {
    return `[image: ${text(part, 'metadata', 'dalle', 'prompt') ?? text(part, 'asset_pointer') ?? 'without a name'}]`
  }
  return text(part, 'text') ?? text(part, 'content')
}

/** Citation markers in a text: private-use characters around a reference, and 【12†source】. */
const MARKS = /\ue200[^\ue201]{0,500}\ue201|[\ue200-\ue206]|【[^【】]{0,200}†[^【】]{0,200}】/g

function withoutMarks(body: string): string {
  return body.replace(MARKS, '').replace(/ +([.,;:!?])/g, '$1')
}

/** Returns the citations of a message, each as its title and URL. */
function linksOf(message: unknown): string[] {
  const cited = [
    ...list(message, 'metadata', 'citations').map((one) => pick(one, 'metadata')),
    ...list(message, 'metadata', 'content_references').flatMap((one) => [one, ...list(one, 'items')]),
  ]
  const links = cited.flatMap((one) => {
    const url = text(one, 'url')
    return url === undefined ? [] : [present([text(one, 'title'), url]).join(' ')]
  })
  return [...new Set(links)]
}
