import type { Generated } from 'kysely'
import type { JsonObject } from './json-object.ts'

/** One merge of two entities, with its evidence; undone when `undone_at` is set. */
export interface MergeLedgerTable {
  user_id: string
  sandbox_id: string
  id: string
  from_entity: string
  into_entity: string
  evidence: Generated<JsonObject>
  merged_at: Date
  undone_at: Date | null
  kind: Generated<'identifier' | 'name' | 'alike' | 'person' | 'split'>
  /** Who decided; null when no person did. */
  actor_user_id: string | null
  undone_by: string | null
}

/** Two entities that may be one, by the parts of them that were compared, and what a person decided about it. */
export interface MergeSuggestionTable {
  user_id: string
  sandbox_id: string
  id: string
  one_part: string
  other_part: string
  likelihood: number
  evidence: Generated<JsonObject>
  state: Generated<'open' | 'accepted' | 'dismissed'>
  suggested_at: Date
  decided_at: Date | null
  decided_by: string | null
  /** The merge that accepting it made. */
  merge_id: string | null
}
