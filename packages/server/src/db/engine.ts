import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { types } from 'pg'
import type { Listening } from './listen.ts'

/** An open database: connections of the driver `pg`, whatever is behind them. */
export interface Engine {
  readonly kind: 'pglite' | 'postgres'
  readonly pool: PostgresPool
  /** Statements that limit each transaction, without `set local`. */
  readonly limits: readonly string[]
  /** Resolves when everything committed so far survives a power loss. */
  durable(): Promise<void>
  /** Removes the bytes of deleted rows from the database's files, as far as the engine can. */
  scrub(): Promise<void>
  /** Hears what is notified on a channel, where the database has more processes than this one. */
  listen(channel: string, hear: (payload: string) => void): Listening
  connections(): Connections
  close(): Promise<void>
}

/** The connections of a process to its database. */
export interface Connections {
  readonly max: number
  readonly open: number
  readonly idle: number
  /** Transactions that wait for one. */
  readonly waiting: number
}

/** One connection that is out of the pool. */
export type Client = PostgresPoolClient

/** Runs work on a connection of its own and gives it back, or throws it away when the work failed. */
export async function withClient<T>(engine: Engine, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await engine.pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

const BIGINT_OID = 20

/**
 * How values are read: as `pg` does, and bigint as a number. Whatever the service counts stays far below the 2^53 up to
 * which numbers are exact.
 */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    return oid === BIGINT_OID ? Number : types.getTypeParser(oid, format as 'text')
  },
}

/** The tables whose rows hold what tenants wrote. */
export const CONTENT_TABLES = [
  'inbox',
  'job',
  'merge_ledger',
  'merge_suggestion',
  'answer',
  'answer_record',
  'answer_feedback',
  'evaluation',
  'evaluation_question',
  'evaluation_record',
  'connection',
  'idempotency',
  'admin_idempotency',
  'project',
  'source',
  'sealed_secret',
  'data_key',
  'sandbox',
  'api_key',
  'account',
] as const
