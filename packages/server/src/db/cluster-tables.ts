import type { Generated } from 'kysely'

/** A process that shares the database with others. */
export interface NodeTable {
  id: string
  /** URL for the other processes. Null if it cannot be a home node. */
  url: string | null
  role: Generated<'all' | 'api' | 'worker'>
  /** Time at which it counts as dead without another heartbeat. */
  beat_until: Date
}

/** The storage of the database's records. There is only one row. */
export interface StorageIdTable {
  is_only: Generated<boolean>
  id: string
  noted_at: Date
}
