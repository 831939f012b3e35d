import type { Generated } from 'kysely'

/** A process that shares the database with others. */
export interface NodeTable {
  id: string
  /** Where the other processes reach it; null where it has no place for sandboxes. */
  url: string | null
  /** What it does. */
  role: Generated<'all' | 'api' | 'worker'>
  /** When it counts as dead unless it is heard of again. */
  beat_until: Date
}

/** The one storage that the database's records are in. */
export interface StorageIdTable {
  is_only: Generated<boolean>
  id: string
  noted_at: Date
}
