import { sha256 } from '../../../base/digest.ts'
import { type MappedRecord, type Thing, thing, toRecord, withdrawal } from '../draft.ts'
import { address, list, moment, pick, text } from '../pick.ts'

const ID = ['external_id', 'id', 'uuid', 'key', 'message_id', 'event_id', 'number']
const TYPE = ['type', 'kind', 'record_type', 'event_type', 'event']
/** Names of fields that hold a title, and of fields that hold a text. */
export const TITLE = ['title', 'subject', 'name', 'headline', 'summary']
export const TEXT = ['text', 'body', 'content', 'message', 'description', 'comment', 'note']
const URL_NAMES = ['url', 'html_url', 'link', 'permalink', 'web_url', 'href']
const TIME = [
  'occurred_at',
  'created_at',
  'createdAt',
  'timestamp',
  'time',
  'ts',
  'date',
  'datetime',
  'sent_at',
  'posted_at',
  'published_at',
  'created',
]
const UPDATED = ['updated_at', 'updatedAt', 'modified_at', 'updated']
const AUTHOR = ['author', 'user', 'sender', 'from', 'creator', 'created_by', 'actor', 'owner', 'reporter']
const PEOPLE = ['participants', 'assignees', 'recipients', 'to', 'cc', 'attendees', 'members']
const DELETED = ['deleted', 'is_deleted', 'removed']

/** A record of an object whose shape nobody has described, by the names that its fields have. */
export function guessRecord(item: unknown): MappedRecord | undefined {
  if (item === null || typeof item !== 'object') return undefined
  const id = first(item, ID) ?? `json/${sha256(JSON.stringify(item)).toString('hex')}`
  const type = first(item, TYPE) ?? 'record'
  const asOf = moment(first(item, UPDATED))
  if (DELETED.some((name) => pick(item, name) === true)) return withdrawal(id, type, asOf)
  const title = first(item, TITLE)
  return toRecord({
    externalId: id,
    type,
    title,
    text: first(item, TEXT) ?? (title ? undefined : leaves(item)),
    url: first(item, URL_NAMES),
    occurredAt: TIME.map((name) => timeIn(pick(item, name))).find(Boolean),
    asOf,
    author: person(AUTHOR.map((name) => pick(item, name)).find((value) => value !== undefined && value !== null)),
    participants: PEOPLE.flatMap((name) => list(item, name)).map(person),
    properties: plainFields(item),
  })
}

/** A number counts from another beginning than 1970 where it tells a moment outside of these years. */
const [YEAR_MIN, YEAR_MAX] = [1990, 2100]
const NUMBER = /^\d+(?:\.\d+)?$/
const YEAR = /^\d{4}$/

/** A moment as fields tell it; seconds of a film and minutes of an hour are none. */
function timeIn(value: unknown): string | undefined {
  const told = text(value)
  const at = moment(told)
  if (at === undefined || !NUMBER.test(told!) || YEAR.test(told!)) return at
  const year = moment(Number(told))?.slice(0, YEAR_CHARS)
  return Number(year) >= YEAR_MIN && Number(year) < YEAR_MAX ? at : undefined
}

const YEAR_CHARS = 4

function first(item: unknown, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = text(item, name)
    if (found !== undefined) return found
  }
  return undefined
}

function person(value: unknown): Thing | undefined {
  const name = text(value) ?? first(value, ['name', 'display_name', 'displayName', 'full_name', 'login', 'username'])
  const email = text(value, 'email') ?? address(name)
  const login = text(value, 'login') ?? text(value, 'username')
  return thing('person', name ?? email, { email, login, id: text(value, 'id') })
}

const TOLD = new Set([...ID.slice(0, 1), ...TITLE, ...TEXT, ...URL_NAMES, ...TIME, ...UPDATED, ...TYPE])

/** Fields of one value that no other part of the record tells. */
function plainFields(item: object): Record<string, unknown> {
  const plain = Object.entries(item).filter(
    ([name, value]) => !TOLD.has(name) && ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(plain)
}

const LEAVES_MAX = 200
const DEPTH_MAX = 8

/** Every value with the way to it, a line each, for an object that has no text. */
function leaves(item: unknown): string {
  const lines: string[] = []
  const walk = (value: unknown, path: string, depth: number) => {
    if (lines.length >= LEAVES_MAX || depth > DEPTH_MAX || value === null) return
    if (typeof value !== 'object') lines.push(`${path}: ${String(value)}`)
    else for (const [key, inner] of Object.entries(value)) walk(inner, path ? `${path}.${key}` : key, depth + 1)
  }
  walk(item, '', 0)
  return lines.join('\n')
}
