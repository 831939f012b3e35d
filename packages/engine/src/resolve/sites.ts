import { cleanIdentifier, normaliseName } from '../text/names.ts'
import type { Entity } from './entity-parts.ts'
import type { Declaration } from './record-content.ts'

/**
 * Kind of the identifier that names a host or workspace. Other identifiers are unique only within it: two hosts of one
 * product may both have an issue 7.
 */
export const SITE = 'site'

/** Identifier kinds that are unique within one site only. */
const SITE_SCOPED_KINDS = new Set(['id', 'login', 'key'])
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
/** Matches identifiers with a site: `id:gitlab@git.example.com:person-42`, `key@jira.example.com:har-1`. */
const SITED = /^(key|(?:id|login):[^:@]*)@([^:]*):/
const SCOPED = /^(?:id|login|key):/

/** Returns the site suffix of an identifier's kind, or an empty string if the identifier is globally unique. */
export function siteSuffix(kind: string, value: string, site: string | undefined): string {
  if (!site || !SITE_SCOPED_KINDS.has(kind) || UUID.test(value)) return ''
  return `@${cleanIdentifier(site).replaceAll(':', '_')}`
}

export function siteIn(identifiers: Readonly<Record<string, string | string[]>> | undefined): string | undefined {
  const [site] = [identifiers?.[SITE] ?? []].flat()
  return site && cleanIdentifier(site) ? site : undefined
}

export function isSited(identifier: string): boolean {
  return SITED.test(identifier)
}

export function withoutSite(identifier: string): string {
  return identifier.replace(SITED, '$1:')
}

/** Returns true if the two lists share an identifier. If one of the lists has no sites, sites are ignored. */
export function shareIdentifier(these: readonly string[], those: readonly string[]): boolean {
  const haveSites = [these, those].every((side) => side.some(isSited))
  const comparable = (key: string) => (haveSites ? key : withoutSite(key))
  return these.some((one) => those.some((other) => one === other || comparable(one) === comparable(other)))
}

/** Returns the keys by which entities with an identifier of the declaration are found, with or without its site. */
export function keysAcrossSites({ identifiers }: Pick<Declaration, 'identifiers'>): string[] {
  return identifiers.filter(isSiteScoped).map((key) => (isSited(key) ? withoutSite(key) : anySiteKey(key)))
}

/** Returns true if an identifier is of a kind that is unique within a site. */
export function isSiteScoped(identifier: string): boolean {
  return SCOPED.test(withoutSite(identifier))
}

/** Returns the keys of issues without the site, which is how texts refer to them. */
export function keysAsWritten(identifiers: readonly string[]): string[] {
  return identifiers.filter((key) => key.startsWith('key@')).map(withoutSite)
}

/** Returns the key by which entities with the identifier are found at any site. */
export function anySiteKey(identifier: string): string {
  return `any:${withoutSite(identifier)}`
}

/**
 * Returns true if a declaration with a site matches an entity that has the same identifier without a site. Since every
 * site may have a login `ana`, they must also share a name, or one of them must have nothing except an id. The entity
 * must have no identifier of this kind with a site, and no page of another host.
 */
export function matchesAcrossSites(declaration: Declaration, entity: Entity, key: string): boolean {
  const bare = withoutSite(key)
  const hasSite = entity.identifiers.some((held) => isSited(held) && kindOf(held) === kindOf(key))
  if (entity.type !== declaration.type || !entity.identifiers.includes(bare) || hasSite || isOfOtherHost(entity, key))
    return false
  const names = new Set(declaration.names.map(({ text }) => normaliseName(text)))
  if (entity.names.some(({ text }) => names.has(normaliseName(text))) || isKnownByIdOnly(entity)) return true
  const isNumber = /-\d+$/.test(bare)
  return bare.startsWith('id:') && !isNumber && isKnownByIdOnly(declaration)
}

/** Returns true if an entity without a site has an identifier of the declaration that belongs to another site. */
export function isOfAnotherSite(declaration: Declaration, entity: Entity): boolean {
  const { identifiers: held } = entity
  return declaration.identifiers.some(
    (key) =>
      isSited(key) &&
      held.includes(withoutSite(key)) &&
      !held.includes(key) &&
      !matchesAcrossSites(declaration, entity, key),
  )
}

function kindOf(identifier: string): string | undefined {
  return SITED.exec(identifier)?.[1]
}

/** Returns true if all page URLs of the entity are on hosts other than the site of the key. */
function isOfOtherHost({ identifiers }: Entity, key: string): boolean {
  const site = SITED.exec(key)?.[2] ?? ''
  const pages = identifiers.filter((held) => held.startsWith('url:')).map((url) => url.slice(4).replaceAll(':', '_'))
  return site.includes('.') && pages.length > 0 && !pages.some((page) => page.startsWith(site))
}

function isKnownByIdOnly({ names, identifiers }: Pick<Entity, 'names' | 'identifiers'>): boolean {
  const ids = identifiers.flatMap((key) => /^id:[^:]*:(?:[a-z_]+-(?=\d+$))?(.*)$/.exec(key)?.[1] ?? [])
  return names.every(({ text }) => ids.includes(cleanIdentifier(text)))
}
