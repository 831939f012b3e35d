import { isAmbiguousPlace, isWellKnown } from '../lexicon/names.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import { MENTION_ONLY_MARK, MENTION_TYPES } from '../mentions/type-of.ts'
import { type KeyHash, normaliseName } from '../text/names.ts'
import { normaliseType, searchKeysOf } from './declarations.ts'
import type { Entity } from './entity-parts.ts'
import type { Declaration, EntityReference, RecordContent } from './record-content.ts'

/** Maximum number of names in a text that become entities. A text with more is a list. */
const NAMES_MAX = 100
const PREFIX = 'mentioned:'

/** Returns the mentions of a record with their names, in order. */
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
 * Returns the key of a name that a text mentions. Within a sandbox, equal names are one entity, whatever type was
 * predicted. The exception is a place whose name is also a person's name, which has a separate key.
 */
export function mentionedKey(name: string, type?: string): string {
  // Most names are plain words separated by single spaces. Normalization only converts them to lower case.
  const plain = PLAIN_NAME.test(name) ? name.toLowerCase() : normaliseName(name)
  return `${PREFIX}${plain}${type === 'place' && isAmbiguousPlace(plain) ? PLACE : ''}`
}

/** Suffix of the key of a place whose name is also a person's name. Normalization removes `@` from names. */
const PLACE = '@place'

/** Returns the normalized name in a key of `mentionedKey`. */
function nameIn(key: string): string {
  return key.slice(PREFIX.length).replace(PLACE, '')
}

const PLAIN_NAME = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/

/** Returns the key of the entity at an end of a relation: a mentioned name, or the sandbox's unnamed user. */
export function relationEndKey(end: EntityReference): string | undefined {
  if (typeof end === 'string') return mentionedKey(end)
  return speakerKey(end)
}

function speakerKey(end: EntityReference): string | undefined {
  if (isUnnamedUser(end)) return UNNAMED_USER_KEY
  return isSomeUser(end) ? `${PREFIX}@user` : undefined
}

/** Key of the unnamed user. `mentionedKey` removes the character `@`, so no name has this key. */
export const UNNAMED_USER_KEY = `${PREFIX}@@user`

/**
 * Returns a mention for each distinct name in a record's text, and one for the unnamed user if a fact is about them.
 * Mentions have other keys than declarations, so that a mention never counts as a declaration.
 */
export function mentionDeclarations({ text = '', mentions = [], facts }: RecordContent): Declaration[] {
  const declarations: Declaration[] = []
  const keys = new Set<string>()
  for (const { subject } of facts ?? []) {
    const key = speakerKey(subject)
    if (key === undefined || keys.has(key)) continue
    keys.add(key)
    declarations.push(mention(normaliseType(UNNAMED_USER.type), UNNAMED_USER.name, key))
  }
  for (const [start, end, type] of mentions) {
    if (declarations.length === NAMES_MAX) break
    const name = text.slice(start, end)
    const key = mentionedKey(name, type)
    if (key === PREFIX || keys.has(key)) continue
    keys.add(key)
    declarations.push(mention(MENTION_ENTITY_TYPES.get(type) ?? normaliseType(type), name, key))
  }
  return declarations
}

const MENTION_ENTITY_TYPES = new Map(MENTION_TYPES.map((type) => [type, normaliseType(type)]))
/** Shared empty values. Mentions are never modified. */
const NONE: string[] = []
const NO_PROPERTIES: Declaration['given'] = { identifiers: {}, properties: {} }

function mention(type: string, name: string, key: string): Declaration {
  return { type, names: [{ text: name, key }], identifiers: NONE, role: 'mention', given: NO_PROPERTIES }
}

/** Returns true if texts mention an entity and no record declares it. */
export function isOnlyMentioned({ names, identifiers, parts }: Omit<Entity, 'id' | 'type'>): boolean {
  return !parts && identifiers.length === 0 && names.length > 0 && names.every(({ key }) => key.startsWith(PREFIX))
}

/** Returns true if the key belongs to a mentioned name. */
export function isMentionedKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

/**
 * Returns the keys of an entity that is only mentioned: a mark, the key of a declared entity with the same name, and
 * the entity's own keys. The entity does not own the second key.
 */
export function onlyMentionedKeys({ type, names }: Pick<Entity, 'type' | 'names'>, hash: KeyHash): number[] {
  const name = nameIn(names[0]!.key)
  const mark = type !== 'person' && isWellKnown(name) ? MENTION_ONLY_MARK.thing : MENTION_ONLY_MARK.anything
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

/** User of an assistant whose messages have no author. In facts this is the person who owns the sandbox. */
export const UNNAMED_USER = { type: 'person', name: 'User', identifiers: { session: 'owner' } } as const

/** Property of a message that was sent by somebody other than the sandbox's owner. Its "I" is not the unnamed user. */
export const SENT_BY = 'sent_by'

/** Returns true if the entity at one end of a fact is the unnamed user. A record cannot declare this user. */
export function isUnnamedUser(end: EntityReference): boolean {
  if (typeof end === 'string' || end.name !== UNNAMED_USER.name) return false
  return end.identifiers?.session === UNNAMED_USER.identifiers.session
}

/**
 * Returns true for the unnamed user. Also returns true for the user in older facts, which were stored without the
 * sender of the record.
 */
export function isSomeUser(end: EntityReference): boolean {
  if (typeof end === 'string' || end.name !== UNNAMED_USER.name) return false
  return isUnnamedUser(end) || end.identifiers?.session === 'user'
}

/** Returns true if a record looks like a session message of an unnamed user. Any sender can send such a record. */
export function isOfUnnamedSpeaker({ type, author, properties }: RecordContent): boolean {
  const { role, session } = properties ?? {}
  return author === undefined && role === 'user' && typeof session === 'string' && normaliseType(type) === 'message'
}

/**
 * Returns true if a record is a message of the unnamed user: it looks like one, and the sandbox's owner was verified as
 * its sender.
 */
export function isOfUnnamedUser(content: RecordContent): boolean {
  return content.from_owner === true && content.properties?.[SENT_BY] === undefined && isOfUnnamedSpeaker(content)
}
