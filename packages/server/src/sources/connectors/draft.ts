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

/** What a source's adapter_config and registration say to its connector. */
export interface Settings {
  readonly config: Readonly<Record<string, unknown>>
  /** The account at the provider, such as a workspace. */
  readonly accountId: string | null
}

/** A record as the contract has it, and the moment of the version that it shows, when the provider says it. */
export interface MappedRecord extends RecordInput {
  /** RFC 3339. An older version never replaces a newer one. */
  as_of?: string
  /** The site of the product that tells it, where external ids of another site may be the same. */
  site?: string
}

/** A thing in full: what a connector declares authors, participants, entities and ends of relations as. */
export type Thing = DeclaredEntity

/** A record as a connector writes it, with whatever is not known left undefined. */
export interface RecordDraft {
  /** The id of the record at its provider. A draft without one becomes no record. */
  externalId: string | undefined
  type: string
  /** That the thing is no more, which withdraws its record. */
  gone?: Gone | false | undefined
  title?: string | undefined
  text?: string | undefined
  url?: string | undefined
  occurredAt?: string | undefined
  /** When this version came to be; what is older never replaces it. */
  asOf?: string | undefined
  author?: Thing | undefined
  participants?: readonly (Thing | undefined)[]
  entities?: readonly (Thing | undefined)[]
  relations?: readonly (RelationDraft | undefined)[]
  properties?: Record<string, unknown>
  /** How far its work has come, by the provider's own category. */
  phase?: Phase | undefined
  owner?: Thing | undefined
  /** A date or a time; what is neither is left out. */
  due?: string | undefined
  kind?: string | undefined
  /** Where the text's places in its document begin. */
  locators?: readonly { start: number; locator: string }[]
}

/** What a record says of its thing, beside which thing it is and as of when. */
export type SaidOfThing = Omit<RecordDraft, 'externalId' | 'type' | 'gone' | 'occurredAt' | 'asOf'>

/** Since when a thing is no more, where that is known. */
export interface Gone {
  asOf?: string | undefined
}

/** A relation as a connector writes it; without one of its ends there is none. */
export interface RelationDraft {
  subject: Thing | undefined
  predicate: string
  object: Thing | string | undefined
  validFrom?: string | undefined
  validTo?: string | undefined
}

/** The record that a draft makes, every part within the contract's limits: what is too long is cut, never refused. */
export function toRecord(draft: RecordDraft & { externalId: string }): MappedRecord
export function toRecord(draft: RecordDraft): MappedRecord | undefined
export function toRecord(draft: RecordDraft): MappedRecord | undefined {
  if (draft.externalId === undefined) return undefined
  if (draft.gone) return withdrawal(draft.externalId, draft.type, draft.gone.asOf)
  const relations = (draft.relations ?? []).flatMap(toRelation).slice(0, RECORD_LIMITS.relations)
  const participants = distinct(draft.participants ?? []).slice(0, RECORD_LIMITS.participants)
  const entities = distinct(draft.entities ?? []).slice(0, RECORD_LIMITS.entities)
  const title = cut(draft.title, RECORD_LIMITS.titleChars)
  const properties = tidy(draft.properties ?? {})
  const kind = cut(draft.kind, RECORD_LIMITS.kindChars)
  return {
    external_id: externalId(draft.externalId),
    type: cut(draft.type, RECORD_LIMITS.labelChars) ?? 'record',
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
  return { start, locator: cut(locator, RECORD_LIMITS.locatorChars) ?? '–' }
}

/** A relation that is a record of its own, with what else that says. */
interface FactDraft extends Omit<RelationDraft, 'object'>, Pick<RecordDraft, 'text' | 'occurredAt' | 'properties'> {
  externalId: string
  object: Thing | undefined
}

/** The record of a relation that is one of its own; without a text it is told as a sentence. */
export function factRecord({ subject, predicate, object, validFrom, validTo, ...said }: FactDraft): MappedRecord {
  return toRecord({
    type: 'fact',
    text: `${subject?.name} ${predicate.replaceAll('_', ' ')} ${object?.name}.`,
    ...said,
    entities: [subject, object],
    relations: [{ subject, predicate, object, validFrom, validTo }],
  })
}

/** The hexadecimal digest in the external id of what has no id of its own, by the parts that tell it apart. */
export function digestOf(parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).toString('hex')
}

/** Why a delivery carries no knowledge: it is the provider's own business, or says nothing that a record could hold. */
export type Ignored = 'handshake' | 'no_knowledge' | 'unknown_event' | 'incomplete'

/** What a mapping makes of an event: its records, or why there are none. */
export type MappingResult = MappedRecord | undefined | readonly (MappedRecord | undefined)[] | Ignored

/** Maps one event of a provider, by its name. */
export type MapEvent = (payload: unknown, event: string) => MappingResult

/** The records in what a mapping tells. */
export function recordsIn(told: MappingResult): MappedRecord[] {
  return typeof told === 'string' ? [] : [told].flat().filter((record) => record !== undefined)
}

/** An external id of its parts; undefined when one of them is not known. */
export function idOf(...parts: (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('/')
}

/** The withdrawal of what was written under an external id. */
export function withdrawal(id: string, type: string, asOf?: string): MappedRecord {
  return { external_id: externalId(id), type, deleted: true, ...(asOf && { as_of: asOf }) }
}

/** A thing; undefined without a name. Empty aliases and identifiers are left out. */
export function thing(
  type: string,
  name: string | undefined,
  identifiers: Record<string, string | undefined> = {},
  more: { aliases?: readonly (string | undefined)[]; properties?: Record<string, unknown> } = {},
): Thing | undefined {
  const called = cut(name, RECORD_LIMITS.titleChars)
  if (!called) return undefined
  const known = Object.entries(identifiers).flatMap(([kind, value]) =>
    value?.trim() && value.length <= RECORD_LIMITS.urlChars ? [[kind, value.trim()] as const] : [],
  )
  const aliases = (more.aliases ?? []).flatMap((alias) => cut(alias, RECORD_LIMITS.titleChars) ?? [])
  const others = [...new Set(aliases)].filter((alias) => alias !== called).slice(0, RECORD_LIMITS.aliases)
  const properties = tidy(more.properties ?? {})
  return {
    type,
    name: called,
    ...(others.length > 0 && { aliases: others }),
    ...(known.length > 0 && { identifiers: Object.fromEntries(known) }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

function toRelation(stated: RelationDraft | undefined): DeclaredRelation[] {
  if (!stated?.subject || !stated.object) return []
  const { subject, predicate, object, validFrom, validTo } = stated
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

/** Things named once each, by what identifies them or else by their name. */
function distinct(things: readonly (Thing | undefined)[]): Thing[] {
  const seen = new Map<string, Thing>()
  for (const one of things) {
    if (!one) continue
    const key = JSON.stringify([one.type, one.identifiers ?? one.name])
    if (!seen.has(key)) seen.set(key, one)
  }
  return [...seen.values()]
}

/** Properties that say something. Those that make the whole too large for the contract go, the longest first. */
function tidy(properties: Record<string, unknown>): Record<string, unknown> {
  const told = Object.entries(properties).filter(([, value]) => !isEmpty(value))
  const sized = told.map(([key, value]) => ({ key, value, chars: JSON.stringify([key, value]).length }))
  let chars = sized.reduce((sum, one) => sum + one.chars, 0)
  const dropped = new Set<string>()
  for (const { key, chars: own } of sized.toSorted((one, other) => other.chars - one.chars)) {
    if (chars * BYTES_PER_CHAR_MAX <= RECORD_LIMITS.freeFormBytes) break
    chars -= own
    dropped.add(key)
  }
  return Object.fromEntries(told.filter(([key]) => !dropped.has(key)))
}

/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const BYTES_PER_CHAR_MAX = 3

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return Array.isArray(value) && value.length === 0
}

function cut(value: string | undefined, charsMax: number): string | undefined {
  const trimmed = value?.trim()
  if (!trimmed) return undefined
  if (trimmed.length <= charsMax) return wellFormed(trimmed)
  return `${wellFormed(trimmed.slice(0, charsMax - 1).trimEnd())}…`
}

/** Cutting can split a pair of surrogates, and half of one is no text. */
function wellFormed(value: string): string {
  return value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

/** An id that is too long ends in the digest of its whole, so that it stays one of a kind. */
function externalId(id: string): string {
  if (id.length <= RECORD_LIMITS.externalIdChars) return id
  const digest = sha256(id).toString('hex')
  return `${wellFormed(id.slice(0, RECORD_LIMITS.externalIdChars - digest.length - 1))}~${digest}`
}

/** The host of an address, in lower case, with its port. */
export function hostOf(url: string | undefined): string | undefined {
  return /^https?:\/\/(?:[^\s/@]*@)?([^\s/?#@]{1,255})/i.exec(url ?? '')?.[1]?.toLowerCase()
}

/** The host of the first valid address among these. */
export function firstHost(held: unknown, paths: readonly (readonly (string | number)[])[]): string | undefined {
  for (const path of paths) {
    const host = hostOf(text(held, ...path))
    if (host) return host
  }
  return undefined
}

/**
 * Records that are told by one site of a product: what the site numbers or names for itself says so.
 * @param isOfSite whether a thing's identifiers are the site's own; a login or a number is, when nothing else is said
 */
export function atSite(
  records: readonly MappedRecord[],
  site: string | undefined,
  isOfSite: (identifiers: Readonly<Record<string, unknown>>) => boolean,
): MappedRecord[] {
  if (!site) return [...records]
  const of = <T extends MappedRecord['author'] | undefined>(one: T): T =>
    one && typeof one === 'object' && one.identifiers && isOfSite(one.identifiers)
      ? { ...one, identifiers: { ...one.identifiers, site } }
      : one
  return records.map((record) => ({
    ...record,
    site,
    ...(record.author && { author: of(record.author) }),
    ...(record.participants && { participants: record.participants.map(of) }),
    ...(record.entities && { entities: record.entities.map((entity) => of<Thing>(entity as Thing)) }),
    ...(record.relations && {
      relations: record.relations.map((told) => ({ ...told, subject: of(told.subject), object: of(told.object) })),
    }),
  }))
}
