import { type Compilable, type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { Fault, type FaultName } from '../base/fault.ts'
import type { Observe } from '../base/observe.ts'
import type { Connections, Engine } from './engine.ts'
import type { Listening } from './listen.ts'
import { look } from './look.ts'
import { migrate } from './migrate.ts'
import { openPglite } from './pglite.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { beginStatement, type Scope } from './scope.ts'
import type { Tables } from './tables.ts'

/** What a query runs on. It is always inside a transaction that knows whose rows it may see. */
export type Tx = Kysely<Tables>

/** How a transaction differs from others. */
interface TransactOptions {
  /** False: a power loss may undo what was committed, so nobody waits for the disk. For what is only counted. */
  isDurable?: boolean
}

/** The control plane. */
export interface Sql {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Runs work in one transaction and resolves when its effects are committed and on disk. A string is the tenant; null
   * sees no tenant's rows. Work may run again after a deadlock, so it must have no effects elsewhere. Rejects with a
   * Fault when a constraint that is named after one is violated, and when the database cannot be reached.
   */
  transact<T>(scope: string | null | Scope, work: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>
  /**
   * Reads with one statement, in a transaction of its own and in one round trip. Rejects with a Fault when the database
   * cannot be reached. Its parameters are texts and lists of them, whole numbers, booleans, times, bytes, JSON objects
   * and nulls.
   */
  look<T>(scope: string | Scope, ask: (tx: Tx) => Compilable<T>): Promise<T[]>
  /**
   * Writes with one statement, as `look` reads: in a transaction of its own and in one round trip. Resolves to the rows
   * that the statement returns when its effects are on disk. Rejects as `transact` does.
   */
  write<T>(scope: string | Scope, ask: (tx: Tx) => Compilable<T>, options?: TransactOptions): Promise<T[]>
  /**
   * Removes the bytes of deleted rows from the database's files. PGlite's hold none of them afterwards; a server frees
   * their space in its tables, and keeps its log for as long as it is set to.
   */
  scrub(): Promise<void>
  /** Tells every process that listens on the channel; at most once, and not those that do not listen at the moment. */
  tell(channel: string, payload: string): Promise<void>
  /** Hears what is told on a channel, by a connection of its own; through a pooler, and on PGlite, nothing. */
  listen(channel: string, hear: (payload: string) => void): Listening
  /** What of its connections is in use at the moment. */
  connections(): Connections
  close(): Promise<void>
}

/** Where the database is: a folder for PGlite, or the URL of a PostgreSQL server. */
export type SqlTarget = { folder: string } | ({ url: string } & PostgresOptions)

const ATTEMPTS_MAX = 4

/** Opens the database and brings its tables up to date. */
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

/** Opens the database as it is, with no change to it. */
export async function openEngine(target: SqlTarget): Promise<Engine> {
  return 'folder' in target ? openPglite(target.folder) : openPostgres(target.url, target)
}

/** The control plane on an open database. */
export function sqlOn(engine: Engine): Sql {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: engine.pool }) })
  return {
    kind: engine.kind,
    transact: (scope, work, options = {}) => transact(engine, db, toScope(scope), work, options),
    look: (scope, ask) =>
      repeatedly(() => look(engine, beginStatement(toScope(scope), engine.limits), ask(db).compile(), 'end')),
    write: (scope, ask, options = {}) => once(engine, toScope(scope), ask(db).compile(), options),
    scrub: () => engine.scrub(),
    tell: async (channel, payload) => {
      const notify = (tx: Tx) => tx.selectNoFrom(sql`pg_notify(${channel}, ${payload})`.as('told'))
      await repeatedly(() => look(engine, beginStatement(null, engine.limits), notify(db).compile(), 'end'))
    },
    listen: (channel, hear) => engine.listen(channel, hear),
    connections: () => engine.connections(),
    close: () => engine.close(),
  }
}

function toScope(scope: string | null | Scope): Scope | null {
  return typeof scope === 'string' ? { tenant: scope } : scope
}

const NOT_WAITING = 'synchronous_commit = off'

async function once<T>(
  engine: Engine,
  scope: Scope | null,
  query: CompiledQuery<T>,
  { isDurable = true }: TransactOptions,
): Promise<T[]> {
  const begin = beginStatement(scope, limitsOf(engine, isDurable))
  return repeatedly(async () => {
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
  return repeatedly(async () => {
    const result = await db.connection().execute((tx) => inTransaction(tx, begin, work))
    if (isDurable) await engine.durable()
    return result
  })
}

function limitsOf(engine: Engine, isDurable: boolean): readonly string[] {
  return isDurable ? engine.limits : [...engine.limits, NOT_WAITING]
}

/** Tries again what failed only because of others that ran beside it; throws the fault that a failure means. */
async function repeatedly<T>(attempt: () => Promise<T>): Promise<T> {
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
    // A connection that cannot roll back is broken and leaves the pool; the first failure is what matters.
    await sql
      .raw('rollback')
      .execute(tx)
      .catch(() => undefined)
    throw cause
  }
}

/** Tables whose rows can be written while someone else deletes the sandbox that they belong to. */
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

/** Constraints and what it means to the caller that one is violated. */
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

/** SQLSTATEs of a transaction that may simply be run again: serialization failure and deadlock. */
const RETRIABLE = ['40001', '40P01']

/** How SQLSTATEs begin when a database cannot serve now: connection, resources, shutdown, timeout, locks. */
const UNAVAILABLE = ['08', '53', '57', '58', '55P03']

/** Codes of Node's sockets for a server that is not there. */
const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN']

/** What is said, without a code, when a connection cannot be had or kept. */
const LOST = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Client has encountered a connection error',
  'PGlite has ended',
]

/** Whether a transaction failed only because of others that ran beside it. */
function isRetriable(cause: unknown): boolean {
  return RETRIABLE.includes(codeOf(cause) ?? '')
}

/** The fault that a failure of the database means, or the failure itself when it means none. */
function toFault(cause: unknown): unknown {
  if (cause instanceof Fault) return cause
  const constraint = cause instanceof Error && 'constraint' in cause ? String(cause.constraint) : undefined
  const violation = constraint === undefined ? undefined : VIOLATIONS[constraint]
  if (violation) return new Fault(violation, { note: `violates ${constraint}`, cause })
  const code = codeOf(cause)
  const gone =
    code === undefined || isConnecting(cause)
      ? isLost(cause)
      : [...UNAVAILABLE, ...UNREACHABLE].some((start) => code.startsWith(start))
  if (gone || isRetriable(cause)) return new Fault('unavailable', { note: 'the database cannot serve', cause })
  return cause
}

function isLost(cause: unknown): boolean {
  if (isConnecting(cause)) return true
  return cause instanceof Error && LOST.some((start) => cause.message.startsWith(start))
}

/** Whatever keeps a connection from being made, such as a server's socket that is not there. */
function isConnecting(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

/** The same control plane, of which each transaction is measured. */
export function observedSql(sql: Sql, observe: Observe): Sql {
  return {
    ...sql,
    transact: (scope, work, options) => observe('database.transact', () => sql.transact(scope, work, options)),
    look: (scope, ask) => observe('database.look', () => sql.look(scope, ask)),
    write: (scope, ask, options) => observe('database.write', () => sql.write(scope, ask, options)),
  }
}
