import type { Generated } from 'kysely'

/** A process that shares the database with others. */
export interface NodeTable {
  id: string
  /** URL for the other processes. Null if it cannot be a home node. */
  url: string | null
  role: Generated<'all' | 'api' | 'worker'>
  /** Time after which it counts as dead, unless a heartbeat extends it. */
  beat_until: Date
}

/** Id of the storage that contains the database's records. The table has one row. */
export interface StorageIdTable {
  is_only: Generated<boolean>
  id: string
  noted_at: Date
}
