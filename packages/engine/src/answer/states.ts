import { anyOf } from '../lexicon/entries.ts'
import {
  FIELD_ROLES,
  isMessageType,
  isMessenger,
  isPersonType,
  isStateWord,
  isUnfinished,
  isWorkType,
  phaseOfState,
} from '../lexicon/work.ts'
import { dateToken, dayOf, parseIsoDay, writeDay } from '../text/civil-date.ts'
import { bareTitle, plainLine } from '../text/clean-text.ts'
import type { BriefEntity, BriefRecord } from './brief.ts'

/** A sentence rendered from fields, with these fields. */
export interface ComputedSentence {
  text: string
  computed: string
}

export function isMessage(record: BriefRecord): boolean {
  return isMessageType(record.type) || (isMessenger(record.provider) && !record.title)
}

/** Progress of work. It is unknown if the record does not state it. */
export type Phase = 'open' | 'done' | 'unknown'

const STATUS_KEYS = [...FIELD_ROLES.state, ...FIELD_ROLES.outcome]

const VALUE_CHARS_MAX = 120
const KEY_CHARS_MAX = 40
// Minimum number of words of an entity name that is a title. Titles are written in quotation marks.
const TITLE_WORDS_MIN = 5
const FIELDS_MAX = 6
// Technical identifier fields, which are not shown.
const TECHNICAL_FIELD = new RegExp(`(?:^|_)${anyOf(FIELD_ROLES.mute)}$`)

// Cache of properties, which an answer reads many times. Its records are private copies that never change.
const PROPERTIES_CACHE = new WeakMap<BriefRecord, Map<string, string>>()

/** Returns a record's properties as plain texts, with keys in snake case. Cached, so records must not change. */
export function readProperties(record: BriefRecord): Map<string, string> {
  const known = PROPERTIES_CACHE.get(record)
  if (known) return known
  const fields = new Map<string, string>()
  for (const [key, value] of Object.entries(record.properties ?? {})) {
    const text = valueText(value)
    if (text !== undefined && text !== '') fields.set(snakeCase(plainLine(key)), text)
  }
  const declared = { phase: record.phase && PHASE_WORDS[record.phase], owner: record.owner, due: record.due }
  for (const [name, value] of Object.entries(declared))
    if (value !== undefined && !hasAny(fields, DECLARED[name]!)) fields.set(name, plainLine(value))
  PROPERTIES_CACHE.set(record, fields)
  return fields
}

/** Display names of phases. */
export const PHASE_WORDS = { open: 'open', doing: 'in progress', done: 'done', dropped: 'dropped' } as const
/** Property names for each field that a record can also declare directly. */
const DECLARED: Readonly<Record<string, readonly string[]>> = {
  phase: STATUS_KEYS,
  owner: FIELD_ROLES.owner,
  due: FIELD_ROLES.due,
}

function hasAny(fields: ReadonlyMap<string, string>, names: readonly string[]): boolean {
  return names.some((name) => fields.has(name))
}

function valueText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') {
    const line = plainLine(value)
    return line.length <= VALUE_CHARS_MAX ? line : undefined
  }
  if (Array.isArray(value)) {
    const parts = value.map(valueText).filter((part) => part !== undefined && part !== '')
    const line = parts.join(', ')
    return line.length <= VALUE_CHARS_MAX ? line : undefined
  }
  if (value !== null && typeof value === 'object') {
    const named = value as Record<string, unknown>
    return valueText(named.name ?? named.title ?? named.label ?? named.value ?? named.login)
  }
  return undefined
}

function snakeCase(key: string): string {
  return key
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

function first(fields: Map<string, string>, keys: readonly string[]): [key: string, value: string] | undefined {
  for (const key of keys) {
    const value = fields.get(key)
    if (value !== undefined) return [key, value]
  }
  return undefined
}

/** Returns the status of a record as written there. */
export function statusOf(record: BriefRecord): string | undefined {
  const status = first(readProperties(record), STATUS_KEYS)?.[1]
  return status === undefined ? undefined : statusWords(status)
}

/** Returns the time of the record's last edit in milliseconds, from its fields. */
export function editedAtMs(record: BriefRecord): number | undefined {
  const text = first(readProperties(record), FIELD_ROLES.edited)?.[1]
  const ms = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isFinite(ms) ? ms : undefined
}

/** Returns the phase of the work, by the declared phase or the status. */
export function phaseOf(record: BriefRecord): Phase {
  const phase = record.phase ?? (isWorkType(record.type) ? phaseOfState(statusOf(record) ?? '') : undefined)
  return phase === undefined ? 'unknown' : isUnfinished(phase) ? 'open' : 'done'
}

/** Returns the person in charge, from the record's fields. */
export function assigneeOf(record: BriefRecord): string | undefined {
  return first(readProperties(record), FIELD_ROLES.owner)?.[1]
}

function statusWords(status: string): string {
  return status.replace(/_/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
}

/** Returns the display name of a record: its key and its title in quotation marks. */
export function recordLabel(record: BriefRecord): string | undefined {
  const title = record.title ? plainLine(record.title) : ''
  const shown = recordKey(record)
  if (title === '') return shown
  return shown === undefined || title.includes(shown.replace(/^#/, '')) ? `“${title}”` : `${shown} “${title}”`
}

const SMALL = /^[\p{Ll}\s_./-]*$/u

/** Returns the short name of a record: the name of the entity that its title names, or a key from its fields. */
export function recordKey(record: BriefRecord): string | undefined {
  const title = record.title ? plainLine(record.title) : ''
  const own = title === '' ? undefined : ownEntity(record)
  // The title is more informative than a lower-case name, such as a page's name in links.
  const isShort = own && own.name.length <= KEY_CHARS_MAX && own.name.length < title.length && !SMALL.test(own.name)
  if (isShort) return plainLine(own.name)
  const key = (own && keyOf(own)) ?? first(readProperties(record), FIELD_ROLES.key)?.[1]
  return key === undefined ? undefined : /^\d+$/.test(key) ? `#${key}` : key
}

function ownEntity({ title, entities }: BriefRecord): BriefEntity | undefined {
  return title === undefined ? undefined : entities.find((entity) => namesOf(entity).includes(title))
}

function namesOf({ name, aliases = [] }: BriefEntity): string[] {
  return [name, ...aliases]
}

/** Returns an entity name in the form of a key: one word with a number, "NOR-142" or "ledger-api#419". */
function keyOf(entity: BriefEntity): string | undefined {
  return namesOf(entity).find((name) => name.length <= KEY_CHARS_MAX && /^\p{L}[^\s]*[#-]\d+$/u.test(name))
}

/** Returns the display name of an entity: a quoted title with its key, or a name without its parenthesis. */
export function entityLabel(entity: BriefEntity): string {
  const name = plainLine(entity.name)
  if (isPersonType(entity.type)) return name
  const key = keyOf(entity)
  if (key === name) return name
  if (key !== undefined) return name.includes(key) ? `“${name}”` : `${key} “${name}”`
  return name.split(' ').length < TITLE_WORDS_MIN && !name.includes(': ') ? bareTitle(name) : `“${name}”`
}

/** Returns a sentence with status, owner and due date of work; for a record without a text, with other fields. */
export function stateSentence(record: BriefRecord): ComputedSentence | undefined {
  const fields = readProperties(record)
  const label = recordLabel(record)
  if (label === undefined && fields.size === 0) return undefined
  const isPerson = isPersonType(record.type)
  const subject = (isPerson && plainLine(record.title ?? '')) || (label ?? `The ${typeWords(record.type)}`)
  const status = first(fields, STATUS_KEYS)
  const person = first(fields, FIELD_ROLES.owner)
  const due = first(fields, FIELD_ROLES.due)
  // A person's status is that of an account and does not answer questions about work.
  if (!isPerson && label !== undefined && (status || person || due))
    return workSentence(record, subject, { status, person, due })
  if ((record.text ?? '').trim() !== '') return undefined
  const rest = [...fields]
    .filter(([key]) => !TECHNICAL_FIELD.test(key) && !FIELD_ROLES.key.includes(key))
    .slice(0, FIELDS_MAX)
  const values = rest.map(([key, value]) => `${key.replace(/_/g, ' ')} ${value}`)
  const shown = rest.map(([key, value]) => `, ${key.replace(/_/g, ' ')} = ${value}`)
  const computed = `fields of ${record.id}: type = ${typeWords(record.type)}${shown.join('')}`
  if (values.length > 0) return { text: `${subject} is recorded with ${joinAnd(values)}.`, computed }
  // A record with relations needs no sentence that only says that it exists.
  return (record.relations ?? []).length > 0 ? undefined : { text: bareSentence(record, subject), computed }
}

type Field = [key: string, value: string] | undefined

function workSentence(
  record: BriefRecord,
  subject: string,
  { status, person, due }: Record<'status' | 'person' | 'due', Field>,
): ComputedSentence {
  const shown = [status, person, due].flatMap((field) => (field ? [`${field[0]} = ${field[1]}`] : []))
  const details: string[] = []
  if (person) details.push(person[1])
  const day = due ? parseIsoDay(due[1]) : undefined
  // The due date matters only for unfinished work.
  if (due && phaseOf(record) !== 'done') details.push(`due ${day === undefined ? due[1] : dateToken(day)}`)
  if (day !== undefined) shown.push(`due day = ${writeDay(day)}`)
  const computed = `fields of ${record.id}: ${shown.join(', ')}`
  if (!status) return { text: `${subject} is with ${details.join(', ')}.`.replace('is with due', 'is due'), computed }
  const bracket = details.length > 0 ? ` (${details.join(', ')})` : ''
  return { text: `${subject} ${statusPhrase(statusWords(status[1]))}${bracket}.`, computed }
}

function bareSentence(record: BriefRecord, subject: string): string {
  const on = record.occurredAtMs === undefined ? '' : ` of ${dateToken(dayOf(record.occurredAtMs))}`
  const by = record.author ? ` by ${plainLine(record.author.name)}` : ''
  return record.title
    ? `${subject} is on record as ${withArticle(typeWords(record.type))}${by}${on}.`
    : `${subject}${by}${on} is on record.`
}

function statusPhrase(status: string): string {
  return isStateWord(status) ? `is ${status.toLowerCase().replaceAll('-', ' ')}` : `has the status “${status}”`
}

/** Returns the words of a record type: "pull_request" is "pull request". */
export function typeWords(type: string): string {
  const words = plainLine(type)
    .replace(/[_.:/-]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .trim()
  return words === '' ? 'record' : words
}

/** Adds an article: "an issue", "a page". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

/** Joins parts: "a", "a and b", "a, b and c". */
export function joinAnd(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`
}
