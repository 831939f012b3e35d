import { STOP_WORDS } from '../lexicon/languages.ts'
import { isSharedMailbox } from '../lexicon/names.ts'
import { isDigits, withoutStart } from '../text/characters.ts'
import { cleanIdentifier, identifierKey, nameKey, normaliseName, titleNames, typedNameKey } from '../text/names.ts'
import { impliedIdentifiers } from './implied-identifiers.ts'
import type { Declaration, EntityReference, Name, RecordContent } from './record-content.ts'
import { keysAsWritten, SITE, siteIn, siteSuffix } from './sites.ts'

/** Origin of a record: the id of its source, and the provider within which logins are unique. */
export interface Origin {
  sourceId: string | null
  provider: string
}

/** Types of records that are utterances and not entities. Their title is a subject line and not a name. */
const UTTERANCES = new Set(['message', 'comment', 'email', 'reply', 'review', 'event', 'note', 'commit', 'reaction'])

/** Types of records whose title is a name. Titles of other types are descriptions, which several records may share. */
const TITLED_BY_NAME = new Set([
  ...['person', 'organisation', 'team', 'project', 'repository', 'channel', 'product', 'service'],
  ...['place', 'event', 'topic', 'cycle'],
])

/** Returns true if entities of the type are identified by name, so that an equal name is strong evidence. */
export function isNamedType(type: string): boolean {
  return TITLED_BY_NAME.has(type)
}

const TYPE_SYNONYMS = new Map([
  ['user', 'person'],
  ['member', 'person'],
  ['contact', 'person'],
  ['human', 'person'],
  ['people', 'person'],
  ['repo', 'repository'],
  ['organization', 'organisation'],
  ['company', 'organisation'],
  ['pr', 'pull_request'],
  ['merge_request', 'pull_request'],
])

/** Returns the canonical type: `Pull Request`, `pull-request` and `PR` are one type. */
export function normaliseType(type: string): string {
  const plain = type
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return TYPE_SYNONYMS.get(plain) ?? plain
}

/** Returns a key that is the same for all versions of a record. */
export function recordKey(sourceId: string | null, externalId: string): string {
  return `ref:${sourceId ?? ''}:${externalId}`
}

/** Returns true if the record is an entity itself (an issue, a page) and not an utterance. */
export function isEntityRecord(content: RecordContent): boolean {
  return Boolean(content.title?.trim()) && !UTTERANCES.has(normaliseType(content.type))
}

/** Returns all declarations of a record. The record itself comes first if it is an entity. */
export function declarationsOf(content: RecordContent, origin: Origin): Declaration[] {
  const declarations: Declaration[] = []
  for (const entity of content.entities ?? []) declarations.push(toDeclaration(entity, 'topic', 'entity', origin))
  const own = isEntityRecord(content) ? ownDeclaration(content, declarations, origin) : undefined
  const people: Declaration[] = []
  if (content.author) people.push(toDeclaration(content.author, 'person', 'author', origin))
  for (const person of content.participants ?? []) people.push(toDeclaration(person, 'person', 'participant', origin))
  if (content.owner && !content.basis?.owner && !findDeclaration(people, content.owner))
    people.push(toDeclaration(content.owner, 'person', 'participant', origin))
  const all = [...(own ? [own] : []), ...people, ...declarations.filter((thing) => thing !== own)]
  for (const relation of content.relations ?? []) {
    for (const end of [relation.subject, relation.object]) {
      if (typeof end !== 'string' && !findDeclaration(all, end))
        all.push(toDeclaration(end, 'topic', 'relation', origin))
    }
  }
  return all.filter((thing) => thing.identifiers.length > 0 || thing.names.length > 0)
}

/** Returns the declaration of the entity at one end of a relation, or undefined. */
export function findDeclaration(declarations: Declaration[], end: EntityReference): Declaration | undefined {
  const name = normaliseName(typeof end === 'string' ? end : end.name)
  const type = typeof end === 'string' || !end.type ? undefined : normaliseType(end.type)
  return declarations.find(
    (thing) => (!type || thing.type === type) && thing.names.some((other) => normaliseName(other.text) === name),
  )
}

/** Returns the keys that link texts and questions to an entity: names, short forms, identifiers and handles. */
export function linkingKeys(type: string, names: Name[], identifiers: string[]): string[] {
  const keys = new Set<string>([...identifiers, ...keysAsWritten(identifiers)])
  for (const { text: name } of names) {
    const { full, aliases } = titleNames(name)
    for (const form of [name, full, ...aliases, ...[full, ...aliases].flatMap(withoutSmallWords)]) {
      if (normaliseName(form)) keys.add(nameKey(form))
    }
    if (type === 'person') {
      const [first, ...rest] = normaliseName(name).split(' ')
      if (first && rest.length > 0) keys.add(nameKey(first))
    }
  }
  for (const identifier of identifiers) {
    const login = loginIn(identifier)
    if (login) keys.add(`@${login}`)
  }
  return [...keys]
}

/** Returns the login in an identifier key, or undefined for another kind. */
export function loginIn(identifier: string): string | undefined {
  return /^login:[^:]*:(.+)$/.exec(identifier)?.[1]
}

/** Returns a name without stop words, which people often omit: "bank england". */
function withoutSmallWords(name: string): string[] {
  const words = name.split(' ')
  const contentWords = words.filter((word) => !STOP_WORDS.has(word))
  return contentWords.length > 1 && contentWords.length < words.length ? [contentWords.join(' ')] : []
}

/** Returns the keys for searching entities by a part of the name: each word, and the beginning of each word. */
export function searchKeys(name: string): string[] {
  return searchKeysOf(normaliseName(name))
}

/** Returns the search keys of a normalized name. */
export function searchKeysOf(normalised: string): string[] {
  const words = normalised.split(' ').filter(Boolean)
  return words.flatMap((word) => [`word:${word}`, `start:${word.slice(0, SEARCH_PREFIX_CHARS)}`])
}

/** Length of the indexed beginnings of words: the number of letters after which users expect search results. */
const SEARCH_PREFIX_CHARS = 3

function ownDeclaration(content: RecordContent, declared: Declaration[], origin: Origin): Declaration {
  const type = normaliseType(content.type)
  const ref = recordKey(origin.sourceId, content.external_id)
  const url = content.url ? identifierKey('url', content.url) : undefined
  const scope = TITLED_BY_NAME.has(type) ? type : `${type}@${ref}`
  const title = toName(content.title as string, scope)
  const own = declared.find(
    (thing) =>
      thing.type === type &&
      ((url && thing.identifiers.includes(url)) ||
        thing.names.some((name) => normaliseName(name.text) === normaliseName(title.text))),
  ) ?? { type, names: [], identifiers: [], role: 'own' as const, given: { identifiers: {}, properties: {} } }
  own.role = 'own'
  const others = own.names.filter((name) => name.text !== title.text)
  own.names = [title, ...others.map((name) => toName(name.text, scope))]
  own.identifiers = [...new Set([ref, ...own.identifiers, ...(url ? [url] : [])])]
  own.given.identifiers = { ...(content.url && { url: content.url }), ...own.given.identifiers }
  own.given.properties = { ...content.properties, ...own.given.properties }
  return own
}

function toDeclaration(
  reference: EntityReference,
  fallback: string,
  role: Declaration['role'],
  origin: Origin,
): Declaration {
  const given: Exclude<EntityReference, string> = typeof reference === 'string' ? { name: reference } : reference
  const type = normaliseType(given.type ?? fallback)
  const names = [...new Set([given.name, ...(given.aliases ?? [])].map((name) => name.trim()).filter(Boolean))]
  const at = { provider: origin.provider, site: siteIn(given.identifiers) }
  const identifiers = Object.entries(given.identifiers ?? {}).flatMap(([kind, values]) =>
    [values]
      .flat()
      .filter((value) => kind !== SITE && cleanIdentifier(value) !== '' && !isSharedAddress(type, kind, value))
      .flatMap((value) => [
        identifierKeyFor(kind, value, type, at),
        ...(type === 'person' && kind === 'email' ? impliedBy(value, names, at) : []),
      ]),
  )
  return {
    type,
    names: names.map((name) => toName(name, nameScope(type, name, origin))),
    identifiers: [...new Set(identifiers)],
    role,
    given: { identifiers: { ...given.identifiers }, properties: { ...given.properties } },
  }
}

/** Returns the identifiers that can be derived from an address. */
function impliedBy(address: string, names: readonly string[], at: Parameters<typeof identifierKeyFor>[3]): string[] {
  return impliedIdentifiers(withoutStart(cleanIdentifier(address), 'mailto:'), names).map(
    ({ kind, value, provider, site }) =>
      identifierKeyFor(kind, value, 'person', provider === undefined ? at : { provider, site }),
  )
}

/** Returns true for an address that belongs to nobody or to many people. It is displayed, but never merges entities. */
function isSharedAddress(type: string, kind: string, value: string): boolean {
  return type === 'person' && kind === 'email' && isSharedMailbox(withoutStart(cleanIdentifier(value), 'mailto:'))
}

/** Identifier kinds that are globally unique. A login is unique only within its provider. */
const GLOBAL_IDENTIFIERS = new Set(['email', 'url', 'key'])

/**
 * Returns the key of an identifier. Products number their entities separately for each type and site, so the key of a
 * numeric id includes the type.
 */
function identifierKeyFor(
  kind: string,
  value: string,
  type: string,
  at: { provider: string; site: string | undefined },
) {
  const mark = siteSuffix(kind, value.trim(), at.site)
  if (GLOBAL_IDENTIFIERS.has(kind)) return identifierKey(`${kind}${mark}`, value)
  const counted = kind === 'id' && isDigits(value.trim()) ? `${type}-${value.trim()}` : value
  return identifierKey(kind, counted, `${at.provider}${mark}`)
}

function toName(text: string, scope: string): Name {
  // A name that consists only of symbols has no words. After normalization all such names would be equal.
  const key = normaliseName(text) ? typedNameKey(scope, text) : `name:${scope}:${text.trim()}`
  return { text: text.trim(), key }
}

/** Returns the scope of a name's key: the provider for a first name, which identifies nobody outside it. */
function nameScope(type: string, name: string, origin: Origin): string {
  return type === 'person' && !normaliseName(name).includes(' ') ? `person@${origin.provider}` : type
}

/** A record whose external id may also exist at another site of the same product. */
interface SiteRecord {
  content: RecordContent
  origin: Origin
  things: Declaration[]
}

/** Returns the external id with the site, for a record whose plain id belongs to another site. */
export function idAtSite({ external_id: id, site }: RecordContent): string {
  return `${id}@${site}`
}

/**
 * Creates a function that makes external ids unique across sites. Each site of a product has its own numbering, and one
 * source may receive records of two sites. The first site keeps the plain external ids; ids of other sites include the
 * site. The records of a batch must be passed in order.
 * @param storedAt returns the content stored under a record key (`recordKey`)
 */
export function createSiteResolver(storedAt: (key: string) => RecordContent | undefined): (record: SiteRecord) => void {
  const first = new Map<string, string>()
  return (record) => {
    const { content, origin } = record
    if (!content.site) return
    const [plain, own] = [content.external_id, idAtSite(content)]
    const stored = (id: string) => {
      const found = storedAt(recordKey(origin.sourceId, id))
      return found?.external_id === id ? found : undefined
    }
    const key = recordKey(origin.sourceId, plain)
    const site = first.get(key) ?? stored(plain)?.site ?? content.site
    first.set(key, site)
    if (site === content.site && !stored(own)) return
    record.content = { ...content, external_id: own, ...(content.properties && withSiteInReferences(content)) }
    record.things = declarationsOf(record.content, origin)
  }
}

/** Properties with the external id of another record of the same site. */
const REFERENCE_FIELDS = ['thread', 'reply_to']

/** Adds the site to the external ids in the properties. */
function withSiteInReferences({ properties, site }: RecordContent): Pick<RecordContent, 'properties'> {
  const entries = Object.entries(properties ?? {}).map(([name, value]) =>
    REFERENCE_FIELDS.includes(name) && typeof value === 'string' ? [name, `${value}@${site}`] : [name, value],
  )
  return { properties: Object.fromEntries(entries) }
}
