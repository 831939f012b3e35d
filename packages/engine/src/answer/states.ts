import { anyOf } from '../lexicon/entries.ts'
import {
  FIELD_ROLES,
  isMessageType,
  isMessenger,
  isPersonType,
  isSaidState,
  isUnfinished,
  isWorkType,
  phaseOfState,
} from '../lexicon/work.ts'
import { dateToken, dayOf, parseIsoDay, writeDay } from '../text/civil-date.ts'
import { bareTitle, plainLine } from '../text/clean-text.ts'
import type { BriefEntity, BriefRecord } from './brief.ts'

/** A sentence made from fields, with the fields it was made from. */
export interface Made {
  text: string
  computed: string
}

/** Whether the record is something that somebody said to others. */
export function isMessage(record: BriefRecord): boolean {
  return isMessageType(record.type) || (isMessenger(record.provider) && !record.title)
}

/** How far a record says that work has come; it need not say. */
export type Phase = 'open' | 'done' | 'unknown'

const STATUS_KEYS = [...FIELD_ROLES.state, ...FIELD_ROLES.outcome]

const VALUE_CHARS_MAX = 120
const KEY_CHARS_MAX = 40
// A name of so many words is a title, which is told in quotation marks.
const TITLE_WORDS_MIN = 5
const FIELDS_MAX = 6
// Fields for machines: they identify, they do not tell.
const MUTE = new RegExp(`(?:^|_)${anyOf(FIELD_ROLES.mute)}$`)

// Fields are read many times for one brief, whose records are its own copies and never change.
const READ = new WeakMap<BriefRecord, Map<string, string>>()

/** A record's properties as plain texts, keys in snake case; the record must not change afterwards. */
export function readProperties(record: BriefRecord): Map<string, string> {
  const known = READ.get(record)
  if (known) return known
  const fields = new Map<string, string>()
  for (const [key, value] of Object.entries(record.properties ?? {})) {
    const text = valueText(value)
    if (text !== undefined && text !== '') fields.set(snakeCase(plainLine(key)), text)
  }
  const declared = { phase: record.phase && PHASE_WORDS[record.phase], owner: record.owner, due: record.due }
  for (const [name, value] of Object.entries(declared))
    if (value !== undefined && !isToldIn(fields, DECLARED[name]!)) fields.set(name, plainLine(value))
  READ.set(record, fields)
  return fields
}

/** What a phase is called in prose. */
export const PHASE_WORDS = { open: 'open', doing: 'in progress', done: 'done', dropped: 'dropped' } as const
/** Under which names properties tell what a record declares. */
const DECLARED: Readonly<Record<string, readonly string[]>> = {
  phase: STATUS_KEYS,
  owner: FIELD_ROLES.owner,
  due: FIELD_ROLES.due,
}

function isToldIn(fields: ReadonlyMap<string, string>, names: readonly string[]): boolean {
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

/** The status of a record as it is written there. */
export function statusOf(record: BriefRecord): string | undefined {
  const status = first(readProperties(record), STATUS_KEYS)?.[1]
  return status === undefined ? undefined : statusWords(status)
}

/** When the record was last edited, by its fields. */
export function editedAtMs(record: BriefRecord): number | undefined {
  const text = first(readProperties(record), FIELD_ROLES.edited)?.[1]
  const ms = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isFinite(ms) ? ms : undefined
}

/** The key of what a comment or a review is on; undefined for a record that stands for itself. */
export function parentOf(record: BriefRecord): string | undefined {
  const fields = readProperties(record)
  const key = first(fields, FIELD_ROLES.parent)?.[1]
  if (key !== undefined && !/^\d+$/.test(key)) return key.length <= KEY_CHARS_MAX ? key : undefined
  const number = key ?? (record.title ? undefined : first(fields, FIELD_ROLES.key)?.[1])
  if (number === undefined || !/^\d+$/.test(number)) return undefined
  return record.entities.map(keyOf).find((each) => each?.endsWith(`#${number}`) || each?.endsWith(`-${number}`))
}

/** Whether the work is unfinished or not, as the record declares or its status says. */
export function phaseOf(record: BriefRecord): Phase {
  const phase = record.phase ?? (isWorkType(record.type) ? phaseOfState(statusOf(record) ?? '') : undefined)
  return phase === undefined ? 'unknown' : isUnfinished(phase) ? 'open' : 'done'
}

/** The person that the record names as in charge. */
export function assigneeOf(record: BriefRecord): string | undefined {
  return first(readProperties(record), FIELD_ROLES.owner)?.[1]
}

function statusWords(status: string): string {
  return status.replace(/_/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
}

/** What the record is called in prose: its key and its title in quotation marks. */
export function recordLabel(record: BriefRecord): string | undefined {
  const title = record.title ? plainLine(record.title) : ''
  const shown = recordKey(record)
  if (title === '') return shown
  return shown === undefined || title.includes(shown.replace(/^#/, '')) ? `“${title}”` : `${shown} “${title}”`
}

const SMALL = /^[\p{Ll}\s_./-]*$/u

/** The short name of a record: the name of the entity that its title is a name of, or a key among its fields. */
export function recordKey(record: BriefRecord): string | undefined {
  const title = record.title ? plainLine(record.title) : ''
  const own = title === '' ? undefined : ownEntity(record)
  // A name in small letters, as links give a page, tells readers less than its title.
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

/** The name of an entity that is written as keys are: one word with a number, "NOR-142" or "ledger-api#419". */
function keyOf(entity: BriefEntity): string | undefined {
  return namesOf(entity).find((name) => name.length <= KEY_CHARS_MAX && /^\p{L}[^\s]*[#-]\d+$/u.test(name))
}

/** An entity as sentences name it: a title in quotation marks with its key, a name without its parenthesis. */
export function entityLabel(entity: BriefEntity): string {
  const name = plainLine(entity.name)
  if (isPersonType(entity.type)) return name
  const key = keyOf(entity)
  if (key === name) return name
  if (key !== undefined) return name.includes(key) ? `“${name}”` : `${key} “${name}”`
  return name.split(' ').length < TITLE_WORDS_MIN && !name.includes(': ') ? bareTitle(name) : `“${name}”`
}

/** How work stands, by whom and until when, as one sentence; other fields when the record has no text. */
export function stateSentence(record: BriefRecord): Made | undefined {
  const fields = readProperties(record)
  const label = recordLabel(record)
  if (label === undefined && fields.size === 0) return undefined
  const isPerson = isPersonType(record.type)
  const subject = (isPerson && plainLine(record.title ?? '')) || (label ?? `The ${typeWords(record.type)}`)
  const status = first(fields, STATUS_KEYS)
  const person = first(fields, FIELD_ROLES.owner)
  const due = first(fields, FIELD_ROLES.due)
  // Of a person an account's state tells nothing that is asked of work.
  if (!isPerson && label !== undefined && (status || person || due))
    return workSentence(record, subject, { status, person, due })
  if ((record.text ?? '').trim() !== '') return undefined
  const rest = [...fields].filter(([key]) => !MUTE.test(key) && !FIELD_ROLES.key.includes(key)).slice(0, FIELDS_MAX)
  const told = rest.map(([key, value]) => `${key.replace(/_/g, ' ')} ${value}`)
  const shown = rest.map(([key, value]) => `, ${key.replace(/_/g, ' ')} = ${value}`)
  const computed = `fields of ${record.id}: type = ${typeWords(record.type)}${shown.join('')}`
  if (told.length > 0) return { text: `${subject} is recorded with ${joinAnd(told)}.`, computed }
  // That it is there needs no saying where its relations are told.
  return (record.relations ?? []).length > 0 ? undefined : { text: bareSentence(record, subject), computed }
}

type Field = [key: string, value: string] | undefined

function workSentence(
  record: BriefRecord,
  subject: string,
  { status, person, due }: Record<'status' | 'person' | 'due', Field>,
): Made {
  const shown = [status, person, due].flatMap((field) => (field ? [`${field[0]} = ${field[1]}`] : []))
  const details: string[] = []
  if (person) details.push(person[1])
  const day = due ? parseIsoDay(due[1]) : undefined
  // Only what is not finished has a due day that matters.
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
  return isSaidState(status) ? `is ${status.toLowerCase().replaceAll('-', ' ')}` : `has the status “${status}”`
}

/** The words of a record type: "pull_request" is "pull request". */
export function typeWords(type: string): string {
  const words = plainLine(type)
    .replace(/[_.:/-]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .trim()
  return words === '' ? 'record' : words
}

/** "an issue", "a page". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

/** "a", "a and b", "a, b and c". */
export function joinAnd(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`
}
