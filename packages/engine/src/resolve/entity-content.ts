import { withoutLastDigits } from '../text/characters.ts'
import { withoutScheme } from '../text/identifiers.ts'
import type { KeyHash } from '../text/names.ts'
import { linkingKeys, searchKeys } from './declarations.ts'
import { type Entity, type EntityPart, entityOfParts } from './entity-parts.ts'
import { isGeneratedAddress } from './implied-identifiers.ts'
import { isOnlyMentioned, onlyMentionedKeys } from './mentioned.ts'
import { decodeContent, encodeContent } from './record-content.ts'
import { anySiteKey, isSited, shareIdentifier, withoutSite } from './sites.ts'

/** Stored form of an entity: its names and identifiers, or its parts, which hold them. */
type EntityContent = Pick<Entity, 'names' | 'identifiers' | 'isCompared'> | { parts: EntityPart[] }

export function encodeEntity({ names, identifiers, isCompared, parts }: Entity): Uint8Array {
  const whole = { names, identifiers, ...(isCompared && { isCompared }) }
  return encodeContent((parts ? { parts } : whole) satisfies EntityContent)
}

export function decodeEntity({ id, type, content }: { id: string; type: string; content: Uint8Array }): Entity {
  const stored = decodeContent<EntityContent>(content)
  return 'parts' in stored ? entityOfParts(type, stored.parts) : { id, type, ...stored }
}

/** Returns the display name of an entity: the fullest name of a person, otherwise the first name. */
export function displayName(entity: Pick<Entity, 'type' | 'names'>): string {
  const [first = entity.type, ...others] = entity.names.map((name) => name.text)
  if (entity.type !== 'person') return first
  const fullness = (name: string) => [name.split(/\s+/).length, name.length] as const
  return others.reduce((best, name) => {
    const [words, chars] = fullness(name)
    const [bestWords, bestChars] = fullness(best)
    return words > bestWords || (words === bestWords && chars > bestChars) ? name : best
  }, first)
}

/**
 * Returns the hashed keys by which declarations, texts and questions find the entity. The keys of an entity that is
 * only mentioned differ, so that texts and questions do not match them.
 */
export function entityKeys(entity: Pick<Entity, 'type' | 'names' | 'identifiers' | 'parts'>, hash: KeyHash): number[] {
  if (isOnlyMentioned(entity)) return onlyMentionedKeys(entity, hash)
  const keys = [
    ...entity.identifiers,
    ...entity.identifiers.filter(isSited).map(anySiteKey),
    ...entity.names.map((name) => name.key),
    ...linkingKeys(entity.type, entity.names, entity.identifiers),
    ...entity.names.flatMap((name) => searchKeys(name.text)),
  ]
  return [...new Set(keys.map(hash))]
}

/**
 * Returns true if two sets of identifiers cannot belong to one entity: both have identifiers of the same kind (logins
 * at one provider, numbers of one series, pages of one site), and no identifier of this kind is in both sets.
 */
export function contradict(ours: string[], theirs: string[]): boolean {
  const mine = bySpace(ours)
  for (const [space, values] of bySpace(theirs)) {
    const own = mine.get(space)
    if (own && !shareIdentifier(own, values)) return true
  }
  return false
}

function bySpace(identifiers: string[]): Map<string, string[]> {
  const spaces = new Map<string, string[]>()
  for (const identifier of identifiers) {
    const space = identifierSpace(identifier)
    spaces.set(space, [...(spaces.get(space) ?? []), identifier])
  }
  return spaces
}

/**
 * Returns the namespace of an identifier, in which an entity has at most one: a provider's logins, a site's pages, the
 * numbers of a series.
 */
function identifierSpace(identifier: string): string {
  const [kind = '', rest = ''] = split(withoutSite(identifier), ':')
  // A person can have both a personal address and one that a code host generated.
  if (kind === 'email') return isGeneratedAddress(rest) ? `${kind}:made` : kind
  if (kind === 'url') return `url:${withoutScheme(rest).split('/')[0]}`
  if (kind === 'key') return `key:${withoutLastDigits(rest)}`
  return `${kind}:${split(rest, ':')[0]}`
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
