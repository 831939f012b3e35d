import type { StoredContent } from './record-content.ts'
import type { Thing } from './thing.ts'

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
