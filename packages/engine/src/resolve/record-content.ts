import type { Phase } from '@cairnstore/contract'
import type { MentionType } from '../mentions/type-of.ts'

/** A name in a record's text as it is stored: where it starts and ends, of what it is, and how sure that is. */
type StoredMention = readonly [start: number, end: number, type: MentionType, confidence: number]

/** A name, or a thing with its type and identifiers, as records write people, entities and ends of relations. */
export type ThingReference =
  | string
  | {
      type?: string
      name: string
      aliases?: string[]
      identifiers?: Record<string, string | string[]>
      properties?: Record<string, unknown>
    }

export interface Relation {
  subject: ThingReference
  predicate: string
  object: ThingReference
  valid_from?: string
  valid_to?: string
}

/** A relation that a record's text states, with where it does (UTF-16 offsets) and how sure that is. */
export interface ToldFact extends Relation {
  start: number
  end: number
  confidence: number
}

/** The fields that say how a thing stands. */
export const FIELD_NAMES = ['phase', 'owner', 'due', 'kind'] as const
export type FieldName = (typeof FIELD_NAMES)[number]
/** Where one of them came from: the record's source, its text, or a reading of its properties. */
export type FieldBasis = 'source' | 'text' | 'guessed'

/** A place of a document and where it begins in the text; it holds up to the next. */
export interface Locator {
  /** UTF-16 offset. */
  start: number
  /** For people, stable over imports of the same file: "p. 12", "Sheet1!A5:F9". */
  locator: string
}

/** What a record says, in contract §6's shape: stored as JSON in the record's row and given back by export. */
export interface RecordContent {
  external_id: string
  type: string
  title?: string
  text?: string
  url?: string
  occurred_at?: string
  author?: ThingReference
  participants?: ThingReference[]
  entities?: ThingReference[]
  relations?: Relation[]
  properties?: Record<string, unknown>
  /** How far its work has come, who answers for it, until when it is to be done, and what it is to people. */
  phase?: Phase
  owner?: ThingReference
  /** A date alone, or an instant in UTC. */
  due?: string
  kind?: string
  /** Where those of these fields came from that its source does not declare. */
  basis?: Partial<Record<FieldName, Exclude<FieldBasis, 'source'>>>
  /** Where places of a document begin in the text, in order. */
  locators?: readonly Locator[]
  /** The moment of this version at its source; an older version does not replace it. */
  as_of?: string
  /** The site of its product that told it: at another one, the same external id is of another record. */
  site?: string
  /** The text is kept and exported, but never searched. */
  storage_only?: boolean
  /** The sandbox's owner sent it and no author is named: known of who sent it, never of what it says. */
  from_owner?: true
  /** The names that stand in the text, in order. */
  mentions?: readonly StoredMention[]
  /** What the text states, in order. */
  facts?: readonly ToldFact[]
  /** The blocks of the text, as `encodeBlocks` writes them. */
  blocks?: string
}

/** A record as it is kept: with the provider within which its logins are unique. */
export interface StoredContent extends RecordContent {
  provider: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What is written next goes into this, so that small contents, of which there are very many, have no memory each. */
let slab = new Uint8Array(0)
let written = 0
const SLAB_BYTES = 64 * 1024
/** UTF-16 units of a content that stands in a slab with others. */
const SMALL_UNITS = 1_024
/** The most that one takes in UTF-8. */
const BYTES_PER_UNIT = 3

export function encodeContent(content: object): Uint8Array {
  const text = JSON.stringify(content)
  if (text.length > SMALL_UNITS) return encoder.encode(text)
  if (slab.length - written < text.length * BYTES_PER_UNIT) {
    slab = new Uint8Array(SLAB_BYTES)
    written = 0
  }
  const from = written
  written += encoder.encodeInto(text, slab.subarray(from)).written
  return slab.subarray(from, written)
}

export function decodeContent<T>(bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes)) as T
}

/** What a record states of things: what it declares, then what its text says. */
export function relationsIn({ relations = [], facts = [] }: RecordContent): readonly Relation[] {
  return facts.length === 0 ? relations : [...relations, ...facts]
}

/** An entity as some records call it. */
export interface NamedEntity {
  canonicalId: string
  name: string
  type: string
  aliases: string[]
}

/** A record as it is stored, parsed, with what it declares. */
export interface ParsedRecord {
  id: string
  sourceId: string | null
  projectId: string | null
  content: StoredContent
  things: Thing[]
}

/** A parsed record with the canonical entity of each thing, as it resolves now. */
export interface ReadRecord extends Omit<ParsedRecord, 'things'> {
  things: { thing: Thing; entityId: string | undefined }[]
  /** The names in its text, each with the entity of the name alone, where the text states something. */
  mentioned?: { thing: Thing; entityId: string }[]
}

/** A name as it is written, and its key: equal keys are one thing unless something contradicts. */
export interface Name {
  text: string
  key: string
}

/** One thing that a record declares, itself, its author, a participant …, or that its text mentions. */
export interface Thing {
  type: string
  /** Every name that the record gives it, its display name first. */
  names: Name[]
  /** Identifiers as keys (`email:…`, `login:github@github.com:…`): equal keys are the same thing. */
  identifiers: string[]
  role: 'own' | 'author' | 'participant' | 'entity' | 'relation' | 'mention'
  /** Identifiers and properties as the record writes them. */
  given: { identifiers: Record<string, string | string[]>; properties: Record<string, unknown> }
}
