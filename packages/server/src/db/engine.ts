import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { types } from 'pg'
import type { Subscription } from './listen.ts'

/** An open database, accessed by connections of the driver `pg`. */
export interface Engine {
  readonly kind: 'pglite' | 'postgres'
  readonly pool: PostgresPool
  /** Settings that limit each transaction, without `set local`. */
  readonly limits: readonly string[]
  /** Resolves when everything committed so far survives a power loss. */
  durable(): Promise<void>
  /** Removes the bytes of deleted rows from the database's files, to the extent that the engine can. */
  scrub(): Promise<void>
  /** Subscribes to a channel, if the database has other processes. */
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

/** A connection that was taken from the pool. */
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

const BIGINT_OID = 20

/** Parsers of column values: those of `pg`, except that bigint becomes a number, because counts stay below 2^53. */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    return oid === BIGINT_OID ? Number : types.getTypeParser(oid, format as 'text')
  },
}

/** The tables with tenants' content. */
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
