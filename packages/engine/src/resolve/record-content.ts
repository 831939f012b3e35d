import type { Phase } from '@cairnstore/contract'
import type { MentionType } from '../mentions/type-of.ts'

/** A mention as stored: start and end offset, type and confidence. */
type StoredMention = readonly [start: number, end: number, type: MentionType, confidence: number]

/** Reference to a person or an entity: a name, or a type with name and identifiers. */
export type EntityReference =
  | string
  | {
      type?: string
      name: string
      aliases?: string[]
      identifiers?: Record<string, string | string[]>
      properties?: Record<string, unknown>
    }

export interface Relation {
  subject: EntityReference
  predicate: string
  object: EntityReference
  valid_from?: string
  valid_to?: string
}

/** A relation in a record's text, with UTF-16 offsets and confidence. */
export interface TextFact extends Relation {
  start: number
  end: number
  confidence: number
}

export const FIELD_NAMES = ['phase', 'owner', 'due', 'kind'] as const
export type FieldName = (typeof FIELD_NAMES)[number]
/** Origin of a status field: the record's source, its text, or derived from its properties. */
type FieldBasis = 'source' | 'text' | 'guessed'

/** Location in a document with its start in the text. It extends to the next location. */
export interface Locator {
  /** UTF-16 offset. */
  start: number
  /** Human-readable location, stable across imports of the same file: "p. 12", "Sheet1!A5:F9". */
  locator: string
}

/** Content of a record in the format of the API. It is stored as JSON in the record's row and returned by exports. */
export interface RecordContent {
  external_id: string
  type: string
  title?: string
  text?: string
  url?: string
  occurred_at?: string
  author?: EntityReference
  participants?: EntityReference[]
  entities?: EntityReference[]
  relations?: Relation[]
  properties?: Record<string, unknown>
  /** Phase of the work. Further fields are the owner, the due date and the kind. */
  phase?: Phase
  owner?: EntityReference
  /** A date without time, or an instant in UTC. */
  due?: string
  kind?: string
  /** Origins of the fields that the source does not declare. */
  basis?: Partial<Record<FieldName, Exclude<FieldBasis, 'source'>>>
  /** Offsets in the text at which the pages, slides or cells of the original document begin, in order. */
  locators?: readonly Locator[]
  /** Time of this version at its source. A version with an earlier time does not replace this one. */
  as_of?: string
  /** Site of the product that sent the record. The same external id at another site is another record. */
  site?: string
  /** True if the text is stored and exported, but never searched. */
  storage_only?: boolean
  /**
   * Set if the sandbox's owner sent the record without an author. It follows from the sender's authentication and not
   * from the content.
   */
  from_owner?: true
  /** Mentions in the text, in order. */
  mentions?: readonly StoredMention[]
  /** Facts in the text, in order. */
  facts?: readonly TextFact[]
  /** Blocks of the text, encoded by `encodeBlocks`. */
  blocks?: string
}

/** Content of a stored record, with the provider within which its logins are unique. */
export interface StoredContent extends RecordContent {
  provider: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Shared buffer for small contents. There are very many, and a separate allocation for each would be expensive. */
let slab = new Uint8Array(0)
let written = 0
const SLAB_BYTES = 64 * 1024
/** Maximum length of a content in the shared buffer, in UTF-16 code units. */
const SMALL_UNITS = 1_024
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
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

/** Maximum number of bytes in which an external id is searched. */
const ID_BYTES_MAX = 8_192
const LEADING_ID = /^\{"external_id":("(?:[^"\\]|\\.)*")/

/** Returns the external id of an encoded content without decoding the rest; undefined if it is not the first field. */
export function encodedExternalId(bytes: Uint8Array): string | undefined {
  const written = LEADING_ID.exec(decoder.decode(bytes.subarray(0, ID_BYTES_MAX)))?.[1]
  return written === undefined ? undefined : JSON.parse(written)
}

/** Returns the relations of a record: declared ones, then those from its text. */
export function relationsIn({ relations = [], facts = [] }: RecordContent): readonly Relation[] {
  return facts.length === 0 ? relations : [...relations, ...facts]
}

/** An entity with its display name and its other names. */
export interface NamedEntity {
  canonicalId: string
  name: string
  type: string
  aliases: string[]
}

/** A parsed stored record with its declarations. */
export interface ParsedRecord {
  id: string
  sourceId: string | null
  projectId: string | null
  content: StoredContent
  things: Declaration[]
}

/** A parsed record with the current canonical entity of each declaration. */
export interface ReadRecord extends Omit<ParsedRecord, 'things'> {
  things: { thing: Declaration; entityId: string | undefined }[]
  /** Mentions in its text with their entities, if the text states facts. */
  mentioned?: { thing: Declaration; entityId: string }[]
}

/** A name as written, with its key. Equal keys mean the same entity, unless other evidence contradicts. */
export interface Name {
  text: string
  key: string
}

/** A declaration or mention: the record itself, its author, a participant and so on, or a name in its text. */
export interface Declaration {
  type: string
  /** All names in the record, the display name first. */
  names: Name[]
  /** Identifiers as keys (`email:…`, `login:github@github.com:…`). Equal keys mean the same entity. */
  identifiers: string[]
  role: 'own' | 'author' | 'participant' | 'entity' | 'relation' | 'mention'
  /** Identifiers and properties as written in the record. */
  given: { identifiers: Record<string, string | string[]>; properties: Record<string, unknown> }
}
