import { isAmbiguousPlace, isWellKnown } from '../lexicon/names.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import { MENTION_TYPES, MENTIONED_MARK } from '../mentions/type-of.ts'
import { type KeyHash, normaliseName } from '../text/names.ts'
import type { Entity } from './entity-parts.ts'
import type { RecordContent, Thing, ThingReference } from './record-content.ts'
import { normaliseType, searchKeysOf } from './things.ts'

/** Different names of one text that become entities; a text with more is a list. */
const NAMES_MAX = 100
const PREFIX = 'mentioned:'

/** The mentions of a record in full, in order. */
export function mentionsIn({ text = '', mentions = [] }: RecordContent): FoundMention[] {
  return mentions.map(([start, end, type, confidence]) => ({
    name: text.slice(start, end),
    type,
    start,
    end,
    confidence,
  }))
}

/**
 * Returns the key of a name mentioned in text. Equal names are one entity in a sandbox, whatever their assumed type.
 * The exception is a place whose name is also a person's name: it gets its own key.
 */
export function mentionedKey(name: string, type?: string): string {
  // Most names are plain words with a space between two, which normalising only writes in lower case.
  const plain = PLAIN_NAME.test(name) ? name.toLowerCase() : normaliseName(name)
  return `${PREFIX}${plain}${type === 'place' && isAmbiguousPlace(plain) ? PLACE : ''}`
}

/** Marks the key of a place. No name contains `@`, since normalization removes it. */
const PLACE = '@place'

/** Returns the name in a key of a mentioned name. */
function nameIn(key: string): string {
  return key.slice(PREFIX.length).replace(PLACE, '')
}

const PLAIN_NAME = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/

/** The key of an end of a relation that a text states: of the name alone, or of the sandbox's unnamed user. */
export function toldKey(end: ThingReference): string | undefined {
  if (typeof end === 'string') return mentionedKey(end)
  return speakerKey(end)
}

function speakerKey(end: ThingReference): string | undefined {
  if (isUnnamedUser(end)) return UNNAMED_USER_KEY
  return isSomeUser(end) ? `${PREFIX}@user` : undefined
}

/** No name has it, as `mentionedKey` leaves out marks: so nobody who is named is ever this person. */
export const UNNAMED_USER_KEY = `${PREFIX}@@user`

/**
 * A thing for each different name that a record's text mentions, and for the unnamed user of whom it states something.
 * A name that a record declares has its keys beside these, so that what is only mentioned never counts as declared.
 */
export function mentionedThings({ text = '', mentions = [], facts }: RecordContent): Thing[] {
  const things: Thing[] = []
  const keys = new Set<string>()
  for (const { subject } of facts ?? []) {
    const key = speakerKey(subject)
    if (key === undefined || keys.has(key)) continue
    keys.add(key)
    things.push(mention(normaliseType(UNNAMED_USER.type), UNNAMED_USER.name, key))
  }
  for (const [start, end, type] of mentions) {
    if (things.length === NAMES_MAX) break
    const name = text.slice(start, end)
    const key = mentionedKey(name, type)
    if (key === PREFIX || keys.has(key)) continue
    keys.add(key)
    things.push(mention(THING_TYPES.get(type) ?? normaliseType(type), name, key))
  }
  return things
}

const THING_TYPES = new Map(MENTION_TYPES.map((type) => [type, normaliseType(type)]))
/** Shared by all, as nothing is ever learnt of a name alone. */
const NONE: string[] = []
const NOTHING: Thing['given'] = { identifiers: {}, properties: {} }

function mention(type: string, name: string, key: string): Thing {
  return { type, names: [{ text: name, key }], identifiers: NONE, role: 'mention', given: NOTHING }
}

/** Whether texts mention an entity and nothing declares it. */
export function isOnlyMentioned({ names, identifiers, parts }: Omit<Entity, 'id' | 'type'>): boolean {
  return !parts && identifiers.length === 0 && names.length > 0 && names.every(({ key }) => key.startsWith(PREFIX))
}

/** Whether the key belongs to a name that texts mention and nothing declares. */
export function isMentionedKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

/**
 * The keys of an entity that is only mentioned: first what says so, then the name by which text finds what is declared,
 * which it does not own, then its own.
 */
export function onlyMentionedKeys({ type, names }: Pick<Entity, 'type' | 'names'>, hash: KeyHash): number[] {
  const name = nameIn(names[0]!.key)
  const mark = type !== 'person' && isWellKnown(name) ? MENTIONED_MARK.thing : MENTIONED_MARK.anything
  const keys = [mark, hash(`n:${name}`)]
  const add = (key: number) => {
    if (!keys.includes(key, 2)) keys.push(key)
  }
  for (const { key } of names) {
    add(hash(key))
    for (const each of searchKeysOf(nameIn(key).replace(/^@+/, ''))) add(hash(each))
  }
  return keys
}

/** A user of an assistant whom a message does not name, as facts have them: the person whose sandbox it is. */
export const UNNAMED_USER = { type: 'person', name: 'User', identifiers: { session: 'owner' } } as const

/** The property of a message of somebody else than the sandbox's holder: it is not that of the sandbox's person. */
export const SENT_BY = 'sent_by'

/** Whether an end of a fact is that person. What a record declares itself never is, whatever it writes. */
export function isUnnamedUser(end: ThingReference): boolean {
  if (typeof end === 'string' || end.name !== UNNAMED_USER.name) return false
  return end.identifiers?.session === UNNAMED_USER.identifiers.session
}

/** The same, and whoever was taken for that person before it was kept who had sent a record. */
export function isSomeUser(end: ThingReference): boolean {
  if (typeof end === 'string' || end.name !== UNNAMED_USER.name) return false
  return isUnnamedUser(end) || end.identifiers?.session === 'user'
}

/** Whether a record looks like a message that an unnamed user wrote in a session. Anybody can write one. */
export function isOfUnnamedSpeaker({ type, author, properties }: RecordContent): boolean {
  const { role, session } = properties ?? {}
  return author === undefined && role === 'user' && typeof session === 'string' && normaliseType(type) === 'message'
}

/** Whether a record is what that person says: such a message, proven to be sent by the sandbox's owner. */
export function isOfUnnamedUser(content: RecordContent): boolean {
  return content.from_owner === true && content.properties?.[SENT_BY] === undefined && isOfUnnamedSpeaker(content)
}
