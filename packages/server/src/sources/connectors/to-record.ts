import {
  type DeclaredEntity,
  type DeclaredRelation,
  type Phase,
  RECORD_LIMITS,
  type RecordInput,
} from '@cairnstore/contract'
import { instantOf } from '../../base/clock.ts'
import { sha256 } from '../../base/digest.ts'
import { text } from './pick.ts'

/** Settings that a source's registration passes to its connector. */
export interface Settings {
  readonly config: Readonly<Record<string, unknown>>
  /** The account at the provider, such as a workspace. */
  readonly accountId: string | null
}

/** A record as the contract defines it, with the time of its version if the provider sends it. */
export interface MappedRecord extends RecordInput {
  /** RFC 3339 timestamp of the version. An older version never replaces a newer one. */
  as_of?: string
  /** The instance (host) of the product, because external ids of another instance may be equal. */
  site?: string
}

/** An entity as connectors declare it: as author, participant, subject or object. */
export type Entity = DeclaredEntity

/** A record as a connector writes it. Unknown fields are undefined. */
export interface RecordDraft {
  /** The id of the record at its provider. A draft without an id gives no record. */
  externalId: string | undefined
  type: string
  /** Set if the item was deleted, which deletes its record. */
  gone?: Gone | false | undefined
  title?: string | undefined
  text?: string | undefined
  url?: string | undefined
  occurredAt?: string | undefined
  /** Time of this version. An older version never replaces a newer one. */
  asOf?: string | undefined
  author?: Entity | undefined
  participants?: readonly (Entity | undefined)[]
  entities?: readonly (Entity | undefined)[]
  relations?: readonly (RelationDraft | undefined)[]
  properties?: Record<string, unknown>
  /** Progress of the work, by the provider's own category. */
  phase?: Phase | undefined
  owner?: Entity | undefined
  /** A date or a timestamp. Other values are dropped. */
  due?: string | undefined
  kind?: string | undefined
  /** Locators in the original document, such as pages, by the offset where each starts in the text. */
  locators?: readonly { start: number; locator: string }[]
}

/** Content of a record, without its identity and version. */
export type RecordFields = Omit<RecordDraft, 'externalId' | 'type' | 'gone' | 'occurredAt' | 'asOf'>

/** Deletion of an item, with its time if it is known. */
export interface Gone {
  asOf?: string | undefined
}

/** A relation as a connector writes it. A relation without both ends is dropped. */
export interface RelationDraft {
  subject: Entity | undefined
  predicate: string
  object: Entity | string | undefined
  validFrom?: string | undefined
  validTo?: string | undefined
}

/** Returns the record of a draft. Parts that exceed the contract's limits are truncated. */
export function toRecord(draft: RecordDraft & { externalId: string }): MappedRecord
export function toRecord(draft: RecordDraft): MappedRecord | undefined
export function toRecord(draft: RecordDraft): MappedRecord | undefined {
  if (draft.externalId === undefined) return undefined
  if (draft.gone) return withdrawal(draft.externalId, draft.type, draft.gone.asOf)
  const relations = (draft.relations ?? []).flatMap(toRelation).slice(0, RECORD_LIMITS.relations)
  const participants = distinct(draft.participants ?? []).slice(0, RECORD_LIMITS.participants)
  const entities = distinct(draft.entities ?? []).slice(0, RECORD_LIMITS.entities)
  const title = truncate(draft.title, RECORD_LIMITS.titleChars)
  const properties = limitProperties(draft.properties ?? {})
  const kind = truncate(draft.kind, RECORD_LIMITS.kindChars)
  return {
    external_id: externalId(draft.externalId),
    type: truncate(draft.type, RECORD_LIMITS.labelChars) ?? 'record',
    ...(title && { title }),
    ...(draft.text?.trim() && { text: wellFormed(draft.text.trim()) }),
    ...(draft.url && draft.url.length <= RECORD_LIMITS.urlChars && { url: draft.url }),
    ...(draft.occurredAt && { occurred_at: draft.occurredAt }),
    ...(draft.asOf && { as_of: draft.asOf }),
    ...(draft.author && { author: draft.author }),
    ...(participants.length > 0 && { participants }),
    ...(entities.length > 0 && { entities }),
    ...(relations.length > 0 && { relations }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(draft.phase && { phase: draft.phase }),
    ...(draft.owner && { owner: draft.owner }),
    ...(draft.due && instantOf(draft.due) && { due: draft.due }),
    ...(kind && { kind }),
    ...(draft.locators && draft.locators.length > 0 && { locators: draft.locators.map(locatorOf) }),
  }
}

function locatorOf({ start, locator }: { start: number; locator: string }): { start: number; locator: string } {
  return { start, locator: truncate(locator, RECORD_LIMITS.locatorChars) ?? '–' }
}

/** A relation that becomes a separate record, with further content. */
interface FactDraft extends Omit<RelationDraft, 'object'>, Pick<RecordDraft, 'text' | 'occurredAt' | 'properties'> {
  externalId: string
  object: Entity | undefined
}

/** Returns a `fact` record for one relation. If no text is given, the text is a sentence made of the relation. */
export function factRecord({ subject, predicate, object, validFrom, validTo, ...rest }: FactDraft): MappedRecord {
  return toRecord({
    type: 'fact',
    text: `${subject?.name} ${predicate.replaceAll('_', ' ')} ${object?.name}.`,
    ...rest,
    entities: [subject, object],
    relations: [{ subject, predicate, object, validFrom, validTo }],
  })
}

/** Returns a hexadecimal digest of a value's JSON, such as for the external id of an item without an id. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value)).toString('hex')
}

/** Length of a short digest. */
export const DIGEST_CHARS = 16

/** Returns a short digest of a value's JSON, to detect that a record changed. */
export function shortDigestOf(value: unknown): string {
  return digestOf(value).slice(0, DIGEST_CHARS)
}

/** Reason why a delivery has no records: a test of the webhook, or an event without content. */
export type Ignored = 'handshake' | 'no_knowledge' | 'unknown_event' | 'incomplete'

/** Result of mapping an event: its records, or the reason why there are none. */
export type MappingResult = MappedRecord | undefined | readonly (MappedRecord | undefined)[] | Ignored

/** Maps one event of a provider by its name. */
export type MapEvent = (payload: unknown, event: string) => MappingResult

export function recordsIn(result: MappingResult): MappedRecord[] {
  return typeof result === 'string' ? [] : [result].flat().filter((record) => record !== undefined)
}

/** Returns an external id composed of its parts; undefined if one of them is unknown. */
export function idOf(...parts: (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('/')
}

/** Returns a name in camel case as one in snake case. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
}

/** Returns a table with the same value for several names, which are separated by spaces. */
export function sameFor<V>(value: V, names: string): Record<string, V> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]))
}

/** Returns a record that deletes the record with an external id. */
export function withdrawal(id: string, type: string, asOf?: string): MappedRecord {
  return { external_id: externalId(id), type, deleted: true, ...(asOf && { as_of: asOf }) }
}

/** Returns an entity without empty aliases and identifiers; undefined without a name. */
export function entity(
  type: string,
  name: string | undefined,
  identifiers: Record<string, string | undefined> = {},
  more: { aliases?: readonly (string | undefined)[]; properties?: Record<string, unknown> } = {},
): Entity | undefined {
  const shortName = truncate(name, RECORD_LIMITS.titleChars)
  if (!shortName) return undefined
  const known = Object.entries(identifiers).flatMap(([kind, value]) =>
    value?.trim() && value.length <= RECORD_LIMITS.urlChars ? [[kind, value.trim()] as const] : [],
  )
  const aliases = (more.aliases ?? []).flatMap((alias) => truncate(alias, RECORD_LIMITS.titleChars) ?? [])
  const others = [...new Set(aliases)].filter((alias) => alias !== shortName).slice(0, RECORD_LIMITS.aliases)
  const properties = limitProperties(more.properties ?? {})
  return {
    type,
    name: shortName,
    ...(others.length > 0 && { aliases: others }),
    ...(known.length > 0 && { identifiers: Object.fromEntries(known) }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

/** Returns `subject predicate object` for each of the objects, without duplicates. */
export function relationsTo(
  subject: Entity | undefined,
  predicate: string,
  objects: readonly (Entity | string | undefined)[],
): RelationDraft[] {
  const seen = new Set<string>()
  return objects.flatMap((object) => {
    const key = JSON.stringify(object)
    if (!object || seen.has(key)) return []
    seen.add(key)
    return [{ subject, predicate, object }]
  })
}

function toRelation(draft: RelationDraft | undefined): DeclaredRelation[] {
  if (!draft?.subject || !draft.object) return []
  const { subject, predicate, object, validFrom, validTo } = draft
  return [
    {
      subject,
      predicate,
      object,
      ...(validFrom && { valid_from: validFrom }),
      ...(validTo && { valid_to: validTo }),
    },
  ]
}

/** Removes duplicate entities, by identifiers or else by name. */
function distinct(entities: readonly (Entity | undefined)[]): Entity[] {
  const seen = new Map<string, Entity>()
  for (const one of entities) {
    if (!one) continue
    const key = JSON.stringify([one.type, one.identifiers ?? one.name])
    if (!seen.has(key)) seen.set(key, one)
  }
  return [...seen.values()]
}

/** Removes empty properties. If the total is too large for the contract, drops the longest properties first. */
function limitProperties(properties: Record<string, unknown>): Record<string, unknown> {
  const filled = Object.entries(properties).filter(([, value]) => !isEmpty(value))
  const sized = filled.map(([key, value]) => ({ key, value, chars: JSON.stringify([key, value]).length }))
  let chars = sized.reduce((sum, one) => sum + one.chars, 0)
  const dropped = new Set<string>()
  for (const { key, chars: own } of sized.toSorted((one, other) => other.chars - one.chars)) {
    if (chars * BYTES_PER_CHAR_MAX <= RECORD_LIMITS.freeFormBytes) break
    chars -= own
    dropped.add(key)
  }
  return Object.fromEntries(filled.filter(([key]) => !dropped.has(key)))
}

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const BYTES_PER_CHAR_MAX = 3

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return Array.isArray(value) && value.length === 0
}

function truncate(value: string | undefined, charsMax: number): string | undefined {
  const trimmed = value?.trim()
  if (!trimmed) return undefined
  if (trimmed.length <= charsMax) return wellFormed(trimmed)
  return `${wellFormed(trimmed.slice(0, charsMax - 1).trimEnd())}…`
}

/** Replaces unpaired surrogates, which truncation can leave. */
function wellFormed(value: string): string {
  return value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

/** Returns the id. If it exceeds the contract's limit, it is truncated and ends in a digest of the whole id. */
function externalId(id: string): string {
  if (id.length <= RECORD_LIMITS.externalIdChars) return id
  const digest = sha256(id).toString('hex')
  return `${wellFormed(id.slice(0, RECORD_LIMITS.externalIdChars - digest.length - 1))}~${digest}`
}

/** Returns the host and port of a URL in lower case. */
export function hostOf(url: string | undefined): string | undefined {
  return /^https?:\/\/(?:[^\s/@]*@)?([^\s/?#@]{1,255})/i.exec(url ?? '')?.[1]?.toLowerCase()
}

/** Returns the host of the first valid URL at these paths. */
export function firstHost(payload: unknown, paths: readonly (readonly (string | number)[])[]): string | undefined {
  for (const path of paths) {
    const host = hostOf(text(payload, ...path))
    if (host) return host
  }
  return undefined
}

/**
 * Adds the site to records of one instance of a product, and to the identifiers that are unique only there.
 * @param isOfSite returns true if an entity's identifiers are unique only within the site
 */
export function assignSite(
  records: readonly MappedRecord[],
  site: string | undefined,
  isOfSite: (identifiers: Readonly<Record<string, unknown>>) => boolean,
): MappedRecord[] {
  if (!site) return [...records]
  const withSite = <T extends MappedRecord['author'] | undefined>(one: T): T =>
    one && typeof one === 'object' && one.identifiers && isOfSite(one.identifiers)
      ? { ...one, identifiers: { ...one.identifiers, site } }
      : one
  return records.map((record) => ({
    ...record,
    site,
    ...(record.author && { author: withSite(record.author) }),
    ...(record.participants && { participants: record.participants.map(withSite) }),
    ...(record.entities && { entities: record.entities.map((entity) => withSite<Entity>(entity as Entity)) }),
    ...(record.relations && {
      relations: record.relations.map((relation) => ({
        ...relation,
        subject: withSite(relation.subject),
        object: withSite(relation.object),
      })),
    }),
  }))
}
