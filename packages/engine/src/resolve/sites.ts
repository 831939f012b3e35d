import { cleanIdentifier, normaliseName } from '../text/names.ts'
import type { Entity } from './entity-parts.ts'
import type { Thing } from './record-content.ts'

/**
 * The kind of identifier that names the host or workspace in which the other identifiers of a thing are unique: two
 * hosts of one product may both have an issue 7.
 */
export const SITE = 'site'

/** Kinds that one site gives out without regard to another. */
const OF_A_SITE = new Set(['id', 'login', 'key'])
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
/** `id:gitlab@git.example.com:person-42`, `key@jira.example.com:har-1`. */
const SITED = /^(key|(?:id|login):[^:@]*)@([^:]*):/
const SCOPED = /^(?:id|login|key):/

/** What stands between the kind of an identifier and its value: nothing for one that is one of a kind anywhere. */
export function siteMark(kind: string, value: string, site: string | undefined): string {
  if (!site || !OF_A_SITE.has(kind) || UUID.test(value)) return ''
  return `@${cleanIdentifier(site).replaceAll(':', '_')}`
}

/** The site that identifiers name. */
export function siteIn(identifiers: Readonly<Record<string, string | string[]>> | undefined): string | undefined {
  const [site] = [identifiers?.[SITE] ?? []].flat()
  return site && cleanIdentifier(site) ? site : undefined
}

export function isSited(identifier: string): boolean {
  return SITED.test(identifier)
}

/** The identifier as it is told where its site is not. */
export function withoutSite(identifier: string): string {
  return identifier.replace(SITED, '$1:')
}

/** Whether one of these identifiers is one of those; where one side names no site, that does not matter. */
export function haveOne(these: readonly string[], those: readonly string[]): boolean {
  const areTold = [these, those].every((side) => side.some(isSited))
  const asTold = (key: string) => (areTold ? key : withoutSite(key))
  return these.some((one) => those.some((other) => one === other || asTold(one) === asTold(other)))
}

/** The keys under which entities may be found that have an identifier of the thing, with or without its site. */
export function keysAcrossSites({ identifiers }: Pick<Thing, 'identifiers'>): string[] {
  return identifiers.filter(isOfASite).map((key) => (isSited(key) ? withoutSite(key) : anySiteKey(key)))
}

/** Whether an identifier is of a kind that a site gives out. */
export function isOfASite(identifier: string): boolean {
  return SCOPED.test(withoutSite(identifier))
}

/** The keys of issues as texts spell them, without the site. */
export function spokenKeys(identifiers: readonly string[]): string[] {
  return identifiers.filter((key) => key.startsWith('key@')).map(withoutSite)
}

/** The key under which every entity is found that has the identifier at some site. */
export function anySiteKey(identifier: string): string {
  return `any:${withoutSite(identifier)}`
}

/**
 * Whether a thing that names its site is an entity that has the same identifier and names none: one that is known from
 * what did not tell it. Every site has a login `ana` and a number 42, so another identifier's host must not be of
 * another site, and they must share a name, or one of them must be known by nothing but an id.
 */
export function isOneAcrossSites(thing: Thing, entity: Entity, key: string): boolean {
  const bare = withoutSite(key)
  const isTold = entity.identifiers.some((held) => isSited(held) && kindOf(held) === kindOf(key))
  if (entity.type !== thing.type || !entity.identifiers.includes(bare) || isTold || isElsewhere(entity, key))
    return false
  const names = new Set(thing.names.map(({ text }) => normaliseName(text)))
  if (entity.names.some(({ text }) => names.has(normaliseName(text))) || isKnownByIdAlone(entity)) return true
  const isNumber = /-\d+$/.test(bare)
  return bare.startsWith('id:') && !isNumber && isKnownByIdAlone(thing)
}

/** Whether an entity without a site has an identifier of the thing, which is another site's. */
export function isOfAnotherSite(thing: Thing, entity: Entity): boolean {
  const { identifiers: held } = entity
  return thing.identifiers.some(
    (key) =>
      isSited(key) && held.includes(withoutSite(key)) && !held.includes(key) && !isOneAcrossSites(thing, entity, key),
  )
}

function kindOf(identifier: string): string | undefined {
  return SITED.exec(identifier)?.[1]
}

/** Whether all pages of the entity are of other hosts than the site of the key. */
function isElsewhere({ identifiers }: Entity, key: string): boolean {
  const site = SITED.exec(key)?.[2] ?? ''
  const pages = identifiers.filter((held) => held.startsWith('url:')).map((url) => url.slice(4).replaceAll(':', '_'))
  return site.includes('.') && pages.length > 0 && !pages.some((page) => page.startsWith(site))
}

function isKnownByIdAlone({ names, identifiers }: Pick<Entity, 'names' | 'identifiers'>): boolean {
  const ids = identifiers.flatMap((key) => /^id:[^:]*:(?:[a-z_]+-(?=\d+$))?(.*)$/.exec(key)?.[1] ?? [])
  return names.every(({ text }) => ids.includes(cleanIdentifier(text)))
}
