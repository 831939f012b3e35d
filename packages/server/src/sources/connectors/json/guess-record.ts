import { address, list, moment, pick, present, text } from '../pick.ts'
import { digestOf, type Entity, entity, type MappedRecord, toRecord, withdrawal } from '../to-record.ts'
import { isScalar, type Leaf, leafLines, leavesOf, omissionNote } from './leaves.ts'
import { rowText } from './row-text.ts'

const ID = ['external_id', 'id', 'uuid', 'key', 'message_id', 'event_id', 'number']
const TYPE = ['type', 'kind', 'record_type', 'event_type', 'event']
/** Field names for a title and for a text. */
export const TITLE = ['title', 'subject', 'name', 'headline', 'summary']
export const TEXT = ['text', 'body', 'content', 'message', 'description', 'comment', 'note']
const URL_NAMES = ['url', 'html_url', 'link', 'permalink', 'web_url', 'href']
const TIME = [
  ...['occurred_at', 'created_at', 'createdAt', 'timestamp', 'time', 'ts', 'date', 'datetime'],
  ...['sent_at', 'posted_at', 'published_at', 'created'],
]
const UPDATED = ['updated_at', 'updatedAt', 'modified_at', 'updated']
const AUTHOR = ['author', 'user', 'sender', 'from', 'creator', 'created_by', 'actor', 'owner', 'reporter']
const ASSIGNED = ['assignees', 'assignee', 'assigned_to', 'assignedTo']
const PEOPLE = ['participants', 'recipients', 'to', 'cc', 'attendees', 'members']
const LABELS = ['labels', 'tags', 'topics', 'categories']
const COMMENTS = ['comments', 'replies', 'notes']
const DELETED = ['deleted', 'is_deleted', 'removed']

/** Fields of an event that contain its context or its actor. Their content is not part of the event's text. */
export const CONTEXT_FIELDS: ReadonlySet<string> = new Set([
  ...['repository', 'project', 'organization', 'installation', 'enterprise', 'team', 'workspace', 'group'],
  ...['sender', 'user', 'account', 'app', 'authorizations', 'headers', 'context'],
])

/**
 * Returns the record of an object with an unknown schema, based on its field names. A value that no other part of the
 * record contains becomes a property, named by its path. The text includes it too if it is nested, or if the object has
 * a title but no text.
 */
export function guessRecord(item: unknown): MappedRecord | undefined {
  if (item === null || typeof item !== 'object') return undefined
  const id = first(item, ID)?.value ?? `json/${digestOf(item)}`
  const [named, updated] = [first(item, TYPE), first(item, UPDATED)]
  const type = named?.value ?? 'record'
  const asOf = moment(updated?.value)
  if (DELETED.some((name) => pick(item, name) === true)) return withdrawal(id, type, asOf)
  const [title, own, url] = [first(item, TITLE), first(item, TEXT), first(item, URL_NAMES)]
  const time = TIME.find((name) => timeIn(pick(item, name)))
  const author = AUTHOR.find((name) => isPresent(pick(item, name)))
  const assigned = present(ASSIGNED.flatMap((name) => [pick(item, name)].flat().map(person)))
  const comments = commentsOf(item)
  const others = PEOPLE.flatMap((name) => list(item, name)).map(person)
  const used = new Set([named, title, own, url, updated].map((each) => each?.name))
  const rest = restOf(item, new Set([...used, time, ID[0]]))
  const isTextLeaf = ({ field }: Leaf) =>
    !isExcludedFromText(field, author) && (own === undefined || !isScalar(pick(item, field)))
  const subject = assigned.length > 0 ? entity(type, title?.value ?? id, { id }) : undefined
  const lines = [
    rowText(
      title?.value,
      rest.leaves.filter(isTextLeaf).map(({ path, value }) => [path, value]),
    ),
  ]
  if (rest.left > 0) lines.push(omissionNote(rest.left))
  return toRecord({
    externalId: id,
    type,
    title: title?.value,
    text:
      title || own
        ? [own?.value, ...comments.map((each) => each.line), ...lines].filter(Boolean).join('\n\n')
        : leafLines(item),
    url: url?.value,
    occurredAt: time && timeIn(pick(item, time)),
    asOf,
    author: author === undefined ? undefined : person(pick(item, author)),
    participants: [...others, ...assigned, ...comments.map((each) => each.author)],
    entities: [subject],
    relations: assigned.map((one) => ({ subject, predicate: 'assigned_to', object: one })),
    owner: assigned[0],
    properties: {
      ...Object.fromEntries(rest.leaves.map(({ path, value }) => [path, value])),
      ...(assigned.length > 0 && { assignees: assigned.map(({ name }) => name) }),
    },
  })
}

/** Returns true if the text omits a field: people and comments are rendered separately, and context is ignored. */
function isExcludedFromText(field: string, author: string | undefined): boolean {
  return field === author || CONTEXT_FIELDS.has(field) || [...PEOPLE, ...ASSIGNED, ...COMMENTS].includes(field)
}

/** Returns the values of an object that no other part of its record contains. */
function restOf(item: object, used: ReadonlySet<string | undefined>): ReturnType<typeof leavesOf> {
  const fields = Object.entries(item).flatMap(([name, value]) => {
    if (used.has(name) && isScalar(value)) return []
    if (COMMENTS.includes(name)) return [[name, list(item, name).map(withoutText)] as const]
    return [[name, LABELS.includes(name) ? (namesIn(value) ?? value) : value] as const]
  })
  return leavesOf(Object.fromEntries(fields))
}

/** Returns the comments on an item, each as one line that starts with its author. */
function commentsOf(item: object): { line: string; author: Entity | undefined }[] {
  return COMMENTS.flatMap((name) => list(item, name)).flatMap((comment) => {
    const body = first(comment, TEXT)?.value
    if (body === undefined) return []
    const author = person(AUTHOR.map((name) => pick(comment, name)).find(isPresent))
    return [{ line: author ? `${author.name}: ${body}` : body, author }]
  })
}

function withoutText(comment: unknown): unknown {
  const textField = first(comment, TEXT)?.name
  return Object.fromEntries(Object.entries(comment ?? {}).filter(([name]) => name !== textField))
}

/** Returns the names of labels, which are strings or objects; undefined for any other value. */
function namesIn(value: unknown): string[] | undefined {
  const names = Array.isArray(value) ? value.map((one) => text(one) ?? text(one, 'name') ?? text(one, 'title')) : []
  return names.length > 0 && names.every((name) => name !== undefined) ? present(names) : undefined
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A number counts as epoch time only if it falls within these years. */
const [YEAR_MIN, YEAR_MAX] = [1990, 2100]
const NUMBER = /^\d+(?:\.\d+)?$/
const YEAR = /^\d{4}$/

/** Returns the time in a field; undefined for a number that is more likely a duration. */
function timeIn(value: unknown): string | undefined {
  const raw = text(value)
  const at = moment(raw)
  if (at === undefined || !NUMBER.test(raw!) || YEAR.test(raw!)) return at
  const year = moment(Number(raw))?.slice(0, YEAR_CHARS)
  return Number(year) >= YEAR_MIN && Number(year) < YEAR_MAX ? at : undefined
}

const YEAR_CHARS = 4

/** Returns the first of these fields that contains a string or a number. */
function first(item: unknown, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = text(item, name)
    if (value !== undefined) return { name, value }
  }
  return undefined
}

function person(value: unknown): Entity | undefined {
  const name = text(value) ?? first(value, NAME_FIELDS)?.value
  const email = text(value, 'email') ?? address(name)
  const login = text(value, 'login') ?? text(value, 'username')
  return entity('person', name ?? email, { email, login, id: text(value, 'id') })
}

const NAME_FIELDS = ['name', 'display_name', 'displayName', 'full_name', 'login', 'username']
