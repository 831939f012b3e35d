import type { KeyHash } from './analyser/key-hash.ts'
import { linkingKeys, type Name, searchKeys, type Thing } from './things.ts'

/** A canonical entity as it is kept: what it is called and what identifies it. */
export interface Entity {
  id: string
  type: string
  /** In the order in which they were learnt. */
  names: Name[]
  identifiers: string[]
}

/** The stored form of an entity; its id and type are columns of their own. */
export type EntityContent = Pick<Entity, 'names' | 'identifiers'>

/** What to call the entity: for a person the fullest name, else the first one. */
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

/** Every key that leads to the entity, from a declared thing, from text or from a question. */
export function entityKeys(entity: Pick<Entity, 'type' | 'names' | 'identifiers'>, hash: KeyHash): number[] {
  const keys = [
    ...entity.identifiers,
    ...entity.names.map((name) => name.key),
    ...linkingKeys(entity.type, entity.names, entity.identifiers),
    ...entity.names.flatMap((name) => searchKeys(name.text)),
  ]
  return [...new Set(keys.map(hash))]
}

/** Names, and identifiers, that one entity keeps: what has more is a mistake of its source, and would grow for ever. */
const NAMES_MAX = 256

/** Adds what the thing knows; true when the entity did not know all of it. */
export function enrich(entity: Entity, thing: Pick<Thing, 'names' | 'identifiers'>): boolean {
  const names = thing.names.filter(
    (name) => !entity.names.some((held) => held.text === name.text && held.key === name.key),
  )
  const identifiers = thing.identifiers.filter((identifier) => !entity.identifiers.includes(identifier))
  const known = entity.names.length + entity.identifiers.length
  entity.names = [...entity.names, ...names].slice(0, NAMES_MAX)
  entity.identifiers = [...entity.identifiers, ...identifiers].slice(0, NAMES_MAX)
  return entity.names.length + entity.identifiers.length > known
}

/**
 * Whether two sets of identifiers cannot belong to one thing: both have one of the same kind (two logins at one
 * provider, two issue numbers, two pages of one site) and none of that kind in common.
 */
export function contradict(ours: string[], theirs: string[]): boolean {
  const mine = bySpace(ours)
  for (const [space, values] of bySpace(theirs)) {
    const own = mine.get(space)
    if (own && !values.some((value) => own.includes(value))) return true
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

function identifierSpace(identifier: string): string {
  const [kind = '', rest = ''] = split(identifier, ':')
  if (kind === 'email') return kind
  if (kind === 'url') return `url:${rest.replace(/^[a-z]+:\/\//, '').split('/')[0]}`
  if (kind === 'key') return `key:${rest.replace(/[\d]+$/, '')}`
  return `${kind}:${split(rest, ':')[0]}`
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
