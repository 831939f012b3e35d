import { type Compilable, type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { Fault, type FaultName } from '../base/fault.ts'
import type { Observe } from '../base/observe.ts'
import type { Connections, Engine } from './engine.ts'
import type { Subscription } from './listen.ts'
import { look } from './look.ts'
import { migrate } from './migrate.ts'
import { openPglite } from './pglite.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { beginStatement, type Scope } from './scope.ts'
import type { Tables } from './tables.ts'

/** Query builder of a transaction. The transaction's scope limits the visible rows. */
export type Tx = Kysely<Tables>

interface TransactOptions {
  /** If false, does not wait for the disk, so a power loss may undo the commit. For counters only. */
  isDurable?: boolean
}

/** The control plane's SQL database. */
export interface Sql {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Runs work in a transaction. Resolves once it is committed and on disk. A string as scope is a tenant. With null no
   * tenant's rows are visible. Work may run again after a deadlock, so it must have no side effects. Rejects with a
   * Fault if a constraint in `VIOLATIONS` is violated or the database cannot be reached.
   */
  transact<T>(scope: string | null | Scope, work: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>
  /**
   * Reads with one statement, in its own transaction and one round trip. Rejects with a Fault if the database cannot be
   * reached. Parameters may be texts and lists of them, integers, booleans, dates, bytes, JSON objects and null.
   */
  look<T>(scope: string | Scope, ask: (tx: Tx) => Compilable<T>): Promise<T[]>
  /** Writes with one statement in one round trip. Resolves to its rows once on disk. Rejects like `transact`. */
  write<T>(scope: string | Scope, ask: (tx: Tx) => Compilable<T>, options?: TransactOptions): Promise<T[]>
  /**
   * Removes the bytes of deleted rows from the database's files. PGlite removes all of them. A PostgreSQL server only
   * frees the space in its tables and keeps its write-ahead log as configured.
   */
  scrub(): Promise<void>
  /** Notifies the processes that listen on the channel now, each at most once. */
  notify(channel: string, payload: string): Promise<void>
  /** Subscribes to a channel on a separate connection. Receives nothing through a pooler or on PGlite. */
  listen(channel: string, onPayload: (payload: string) => void): Subscription
  /** Returns the current connection counts. */
  connections(): Connections
  close(): Promise<void>
}

/** Location of the database: a folder for PGlite, or the URL of a PostgreSQL server. */
export type SqlTarget = { folder: string } | ({ url: string } & PostgresOptions)

const ATTEMPTS_MAX = 4

/** Opens the database and updates its tables. */
export async function openSql(target: SqlTarget): Promise<Sql> {
  const engine = await openEngine(target)
  try {
    await migrate(engine)
  } catch (cause) {
    await engine.close()
    throw cause
  }
  return sqlOn(engine)
}

/** Opens the database without running migrations. */
export async function openEngine(target: SqlTarget): Promise<Engine> {
  return 'folder' in target ? openPglite(target.folder) : openPostgres(target.url, target)
}

/** Returns the control plane on an open database. */
export function sqlOn(engine: Engine): Sql {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: engine.pool }) })
  return {
    kind: engine.kind,
    transact: (scope, work, options = {}) => transact(engine, db, toScope(scope), work, options),
    look: (scope, ask) =>
      withRetries(() => look(engine, beginStatement(toScope(scope), engine.limits), ask(db).compile(), 'end')),
    write: (scope, ask, options = {}) => writeOnce(engine, toScope(scope), ask(db).compile(), options),
    scrub: () => engine.scrub(),
    notify: async (channel, payload) => {
      const notify = (tx: Tx) => tx.selectNoFrom(sql`pg_notify(${channel}, ${payload})`.as('told'))
      await withRetries(() => look(engine, beginStatement(null, engine.limits), notify(db).compile(), 'end'))
    },
    listen: (channel, onPayload) => engine.listen(channel, onPayload),
    connections: () => engine.connections(),
    close: () => engine.close(),
  }
}

function toScope(scope: string | null | Scope): Scope | null {
  return typeof scope === 'string' ? { tenant: scope } : scope
}

const ASYNC_COMMIT = 'synchronous_commit = off'

async function writeOnce<T>(
  engine: Engine,
  scope: Scope | null,
  query: CompiledQuery<T>,
  { isDurable = true }: TransactOptions,
): Promise<T[]> {
  const begin = beginStatement(scope, limitsOf(engine, isDurable))
  return withRetries(async () => {
    const rows = await look<T>(engine, begin, query, isDurable ? 'commit' : 'end')
    if (isDurable) await engine.durable()
    return rows
  })
}

async function transact<T>(
  engine: Engine,
  db: Tx,
  scope: Scope | null,
  work: (tx: Tx) => Promise<T>,
  { isDurable = true }: TransactOptions,
): Promise<T> {
  const begin = beginStatement(scope, limitsOf(engine, isDurable))
  return withRetries(async () => {
    const result = await db.connection().execute((tx) => inTransaction(tx, begin, work))
    if (isDurable) await engine.durable()
    return result
  })
}

function limitsOf(engine: Engine, isDurable: boolean): readonly string[] {
  return isDurable ? engine.limits : [...engine.limits, ASYNC_COMMIT]
}

/** Retries failures that are due to concurrent transactions. Maps other failures to faults. */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (cause) {
      if (attempts >= ATTEMPTS_MAX || !isRetriable(cause)) throw toFault(cause)
    }
  }
}

async function inTransaction<T>(tx: Tx, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  await sql.raw(begin).execute(tx)
  try {
    const result = await work(tx)
    await sql.raw('commit').execute(tx)
    return result
  } catch (cause) {
    // A connection that cannot roll back is broken and leaves the pool. Only the first error is thrown.
    await sql
      .raw('rollback')
      .execute(tx)
      .catch(() => undefined)
    throw cause
  }
}

/** Tables whose rows may be written while another transaction deletes their sandbox. */
const IN_SANDBOX = [
  'sandbox_head',
  'connection',
  'source',
  'project',
  'inbox',
  'job',
  'merge_ledger',
  'merge_suggestion',
  'rate',
  'source_tombstone',
]

/** Faults for violated constraints, by constraint name. */
const VIOLATIONS: Record<string, FaultName> = {
  sandbox_duplicate_name: 'duplicate_name',
  team_group_duplicate_name: 'duplicate_name',
  team_group_duplicate_claim: 'duplicate_name',
  connection_grantee: 'unknown_grantee',
  connection_not_own: 'unknown_grantee',
  connection_project: 'not_found',
  api_key_connection: 'not_found',
  account_pkey: 'account_exists',
  account_rate_account: 'not_found',
  delivery_source: 'gone',
  answer_feedback_answer: 'not_found',
  evaluation_job: 'not_found',
  evaluation_question_evaluation: 'not_found',
  evaluation_record_question: 'not_found',
  ...Object.fromEntries(IN_SANDBOX.map((table) => [`${table}_sandbox`, 'not_found' as const])),
}

/** SQLSTATEs after which a transaction is retried: serialization failure and deadlock. */
const RETRIABLE = ['40001', '40P01']

/** Prefixes of SQLSTATEs for an unavailable database: connection, resources, shutdown, timeout, locks. */
const UNAVAILABLE = ['08', '53', '57', '58', '55P03']

/** Node's socket error codes for an unreachable server. */
const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN']

/** Messages of connection failures without an error code. */
const LOST = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Client has encountered a connection error',
  'PGlite has ended',
]

/** Returns true if a transaction failed only because of concurrent ones. */
function isRetriable(cause: unknown): boolean {
  return RETRIABLE.includes(codeOf(cause) ?? '')
}

/** Maps a database failure to a fault. Returns other failures unchanged. */
function toFault(cause: unknown): unknown {
  if (cause instanceof Fault) return cause
  const constraint = cause instanceof Error && 'constraint' in cause ? String(cause.constraint) : undefined
  const violation = constraint === undefined ? undefined : VIOLATIONS[constraint]
  if (violation) return new Fault(violation, { note: `violates ${constraint}`, cause })
  const code = codeOf(cause)
  const isGone =
    code === undefined || isConnecting(cause)
      ? isLost(cause)
      : [...UNAVAILABLE, ...UNREACHABLE].some((start) => code.startsWith(start))
  if (isGone || isRetriable(cause)) return new Fault('unavailable', { note: 'the database is not available', cause })
  return cause
}

function isLost(cause: unknown): boolean {
  if (isConnecting(cause)) return true
  return cause instanceof Error && LOST.some((start) => cause.message.startsWith(start))
}

/** Returns true for any failure to connect, such as a missing socket. */
function isConnecting(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

/** Wraps the control plane so that each transaction is measured. */
export function observedSql(sql: Sql, observe: Observe): Sql {
  return {
    ...sql,
    transact: (scope, work, options) => observe('database.transact', () => sql.transact(scope, work, options)),
    look: (scope, ask) => observe('database.look', () => sql.look(scope, ask)),
    write: (scope, ask, options) => observe('database.write', () => sql.write(scope, ask, options)),
  }
}
