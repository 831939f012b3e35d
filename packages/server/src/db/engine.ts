import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { types } from 'pg'
import type { Subscription } from './listen.ts'

/** An open database with connections of the `pg` driver. */
export interface Engine {
  readonly kind: 'pglite' | 'postgres'
  readonly pool: PostgresPool
  /** SQL settings that limit each transaction, as `name = value`. */
  readonly limits: readonly string[]
  /** Resolves once all commits so far are on disk. */
  durable(): Promise<void>
  /** Removes the bytes of deleted rows from the database's files. `Sql.scrub` lists the limits of each engine. */
  scrub(): Promise<void>
  /** Subscribes to a channel. PGlite has no other processes, so its subscriptions receive nothing. */
  listen(channel: string, onPayload: (payload: string) => void): Subscription
  connections(): Connections
  close(): Promise<void>
}

/** Connection counts of a process. */
export interface Connections {
  readonly max: number
  readonly open: number
  readonly idle: number
  /** Transactions that wait for a connection. */
  readonly waiting: number
}

/** A connection from the pool. */
export type Client = PostgresPoolClient

/** Runs work on a connection from the pool and releases the connection. */
export async function withClient<T>(engine: Engine, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await engine.pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

/** Returns the SQLSTATE or system error code of a failure. Empty if it has none. */
export function sqlStateOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

const BIGINT_OID = 20

/** The column parsers of `pg`, but with bigint as a number. All counts stay below 2^53. */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    return oid === BIGINT_OID ? Number : types.getTypeParser(oid, format as 'text')
  },
}

/** Tables with tenants' content, from which `scrub` removes deleted rows. */
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
