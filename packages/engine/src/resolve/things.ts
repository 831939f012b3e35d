import { STOP_WORDS } from '../lexicon/languages.ts'
import { isNobodysAddress } from '../lexicon/names.ts'
import { cleanIdentifier, identifierKey, nameKey, normaliseName, titleNames, typedNameKey } from '../text/names.ts'
import { isDigits, withoutStart } from '../text/signs.ts'
import { impliedIdentifiers } from './implied-identifiers.ts'
import type { Name, RecordContent, Thing, ThingReference } from './record-content.ts'
import { SITE, siteIn, siteMark, spokenKeys } from './sites.ts'

/** Where a record came from: its source's id, and the provider within which logins are unique. */
export interface Origin {
  sourceId: string | null
  provider: string
}

/** Types of records that say something rather than are something: a title on them is a subject line. */
const UTTERANCES = new Set(['message', 'comment', 'email', 'reply', 'review', 'event', 'note', 'commit', 'reaction'])

/** Types of records whose title is a name. The title of any other says what it is about, as many others' may. */
const TITLED_BY_NAME = new Set([
  ...['person', 'organisation', 'team', 'project', 'repository', 'channel', 'product', 'service'],
  ...['place', 'event', 'topic', 'cycle'],
])

/** Whether things of the type go by their names, so that an equal name says much. */
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

/** `Pull Request`, `pull-request` and `PR` are one type. */
export function normaliseType(type: string): string {
  const plain = type
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return TYPE_SYNONYMS.get(plain) ?? plain
}

/** The key under which a later version of the same record is found. */
export function recordKey(sourceId: string | null, externalId: string): string {
  return `ref:${sourceId ?? ''}:${externalId}`
}

/** Whether the record is a thing of its own (an issue, a page) rather than an utterance about things. */
export function isThing(content: RecordContent): boolean {
  return Boolean(content.title?.trim()) && !UTTERANCES.has(normaliseType(content.type))
}

/** Everything that a record declares, the record itself first when it is a thing. */
export function declaredThings(content: RecordContent, origin: Origin): Thing[] {
  const things: Thing[] = []
  for (const entity of content.entities ?? []) things.push(toThing(entity, 'topic', 'entity', origin))
  const own = isThing(content) ? ownThing(content, things, origin) : undefined
  const people: Thing[] = []
  if (content.author) people.push(toThing(content.author, 'person', 'author', origin))
  for (const person of content.participants ?? []) people.push(toThing(person, 'person', 'participant', origin))
  if (content.owner && !content.basis?.owner && !findThing(people, content.owner))
    people.push(toThing(content.owner, 'person', 'participant', origin))
  const all = [...(own ? [own] : []), ...people, ...things.filter((thing) => thing !== own)]
  for (const relation of content.relations ?? []) {
    for (const end of [relation.subject, relation.object]) {
      if (typeof end !== 'string' && !findThing(all, end)) all.push(toThing(end, 'topic', 'relation', origin))
    }
  }
  return all.filter((thing) => thing.identifiers.length > 0 || thing.names.length > 0)
}

/** The declared thing that an end of a relation names, when it is one of `things`. */
export function findThing(things: Thing[], end: ThingReference): Thing | undefined {
  const name = normaliseName(typeof end === 'string' ? end : end.name)
  const type = typeof end === 'string' || !end.type ? undefined : normaliseType(end.type)
  return things.find(
    (thing) => (!type || thing.type === type) && thing.names.some((other) => normaliseName(other.text) === name),
  )
}

/** The keys by which text and questions find a thing: its names, its shorter forms, its identifiers and handles. */
export function linkingKeys(type: string, names: Name[], identifiers: string[]): string[] {
  const keys = new Set<string>([...identifiers, ...spokenKeys(identifiers)])
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

/** The login in an identifier's key; undefined for one of another kind. */
export function loginIn(identifier: string): string | undefined {
  return /^login:[^:]*:(.+)$/.exec(identifier)?.[1]
}

/** A name as people type it in a hurry, without the words that say nothing: "bank england". */
function withoutSmallWords(name: string): string[] {
  const words = name.split(' ')
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 1 && telling.length < words.length ? [telling.join(' ')] : []
}

/** The keys by which a search for part of a name finds its thing: each word, and how each word begins. */
export function searchKeys(name: string): string[] {
  return searchKeysOf(normaliseName(name))
}

/** The same for a name that is normalised. */
export function searchKeysOf(normalised: string): string[] {
  const words = normalised.split(' ').filter(Boolean)
  return words.flatMap((word) => [`word:${word}`, `start:${word.slice(0, SEARCH_PREFIX_CHARS)}`])
}

/** So many first letters are what a person types before looking at results. */
const SEARCH_PREFIX_CHARS = 3

function ownThing(content: RecordContent, declared: Thing[], origin: Origin): Thing {
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

function toThing(reference: ThingReference, fallback: string, role: Thing['role'], origin: Origin): Thing {
  const given: Exclude<ThingReference, string> = typeof reference === 'string' ? { name: reference } : reference
  const type = normaliseType(given.type ?? fallback)
  const names = [...new Set([given.name, ...(given.aliases ?? [])].map((name) => name.trim()).filter(Boolean))]
  const at = { provider: origin.provider, site: siteIn(given.identifiers) }
  const identifiers = Object.entries(given.identifiers ?? {}).flatMap(([kind, values]) =>
    [values]
      .flat()
      .filter((value) => kind !== SITE && cleanIdentifier(value) !== '' && !isNobodys(type, kind, value))
      .flatMap((value) => [
        thingIdentifier(kind, value, type, at),
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

/** Returns the identifiers that follow from an address. */
function impliedBy(address: string, names: readonly string[], at: Parameters<typeof thingIdentifier>[3]): string[] {
  return impliedIdentifiers(withoutStart(cleanIdentifier(address), 'mailto:'), names).map(
    ({ kind, value, provider, site }) =>
      thingIdentifier(kind, value, 'person', provider === undefined ? at : { provider, site }),
  )
}

/** Whether an identifier is the address of nobody or of many: it is shown, and makes nobody one with anybody. */
function isNobodys(type: string, kind: string, value: string): boolean {
  return type === 'person' && kind === 'email' && isNobodysAddress(withoutStart(cleanIdentifier(value), 'mailto:'))
}

/** Identifiers that mean the same thing wherever they stand; a login is one only within its provider. */
const GLOBAL_IDENTIFIERS = new Set(['email', 'url', 'key'])

/** Products that number their things count those of each type for themselves, and at each of their sites. */
function thingIdentifier(
  kind: string,
  value: string,
  type: string,
  at: { provider: string; site: string | undefined },
) {
  const mark = siteMark(kind, value.trim(), at.site)
  if (GLOBAL_IDENTIFIERS.has(kind)) return identifierKey(`${kind}${mark}`, value)
  const counted = kind === 'id' && isDigits(value.trim()) ? `${type}-${value.trim()}` : value
  return identifierKey(kind, counted, `${at.provider}${mark}`)
}

function toName(text: string, scope: string): Name {
  // A name of symbols alone has no words, and all such names would be one.
  const key = normaliseName(text) ? typedNameKey(scope, text) : `name:${scope}:${text.trim()}`
  return { text: text.trim(), key }
}

/** One word does not tell two people apart, so a bare first name is the same person within one provider only. */
function nameScope(type: string, name: string, origin: Origin): string {
  return type === 'person' && !normaliseName(name).includes(' ') ? `person@${origin.provider}` : type
}

/** A record whose external id another site of the same product may have given too. */
interface SiteRecord {
  content: RecordContent
  origin: Origin
  things: Thing[]
}

/** The external id of a record whose plain one is another site's. */
export function idAtSite({ external_id: id, site }: RecordContent): string {
  return `${id}@${site}`
}

/**
 * Products that stand at several sites number their things at each of them, and one source may be told by two. The
 * first to come has the plain external ids; those of another site name it. Takes the records of a batch in order.
 * @param storedAt the content that is stored under a record key (`recordKey`)
 */
export function createSiteTeller(storedAt: (key: string) => RecordContent | undefined): (record: SiteRecord) => void {
  const first = new Map<string, string>()
  return (record) => {
    const { content, origin } = record
    if (!content.site) return
    const [plain, own] = [content.external_id, idAtSite(content)]
    const stored = (id: string) => {
      const held = storedAt(recordKey(origin.sourceId, id))
      return held?.external_id === id ? held : undefined
    }
    const key = recordKey(origin.sourceId, plain)
    const site = first.get(key) ?? stored(plain)?.site ?? content.site
    first.set(key, site)
    if (site === content.site && !stored(own)) return
    record.content = { ...content, external_id: own, ...(content.properties && threadAt(content)) }
    record.things = declaredThings(record.content, origin)
  }
}

/** Properties in which the external id of another record stands, which is of the same site. */
const ANSWERED = ['thread', 'reply_to']

function threadAt({ properties, site }: RecordContent): Pick<RecordContent, 'properties'> {
  const told = Object.entries(properties ?? {}).map(([name, value]) =>
    ANSWERED.includes(name) && typeof value === 'string' ? [name, `${value}@${site}`] : [name, value],
  )
  return { properties: Object.fromEntries(told) }
}
