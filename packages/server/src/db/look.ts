import type { CompiledQuery } from 'kysely'
import { sha256 } from '../base/digest.ts'
import { type Client, type Engine, withClient } from './engine.ts'
import { literal } from './literal.ts'

/**
 * Runs one statement in its own transaction, in one round trip. The begin, the statement and the end are sent together.
 * The statement is prepared once per connection and then executed. A pooler may assign another connection to every
 * transaction, with statements prepared by others. Therefore a digest of the text is its name, and a missing or
 * conflicting statement is prepared again.
 */
export async function look<T>(engine: Engine, begin: string, query: CompiledQuery<T>, end: End): Promise<T[]> {
  return withClient(engine, async (client) => {
    const names = namesOf(client)
    const isKnown = names.has(query.sql)
    if (!isKnown && names.size >= PREPARED_MAX) return runInSteps(client, begin, query, end)
    const name = names.get(query.sql) ?? nameOf(query.sql)
    names.set(query.sql, name)
    const statement = { name, text: query.sql, values: query.parameters.map(literal) }
    try {
      return await run<T>(client, begin, statement, isKnown ? 'execute' : 'prepare', end)
    } catch (cause) {
      const way = modeAfter(cause)
      if (way === undefined) throw cause
      return await run<T>(client, begin, statement, way, end).catch((again: unknown) => {
        // The second attempt may get yet another connection of the pooler. An unnamed statement always works.
        if (modeAfter(again) === undefined) throw again
        return runInSteps(client, begin, query, end)
      })
    }
  })
}

/** Both commit. PGlite's thread defers the sync for `commit`, while `end` of a read needs no sync. */
type End = 'commit' | 'end'

/** Maximum number of prepared statements per connection. Others run unprepared. */
const PREPARED_MAX = 100
/** SQLSTATEs: a prepared statement is missing, it exists already, or its tables have changed since. */
const MISSING = '26000'
const PRESENT = '42P05'
const OUTDATED = '0A000'
/** Hexadecimal digits of the digest in a name. PostgreSQL uses the first 63 bytes of a name. */
const NAME_DIGITS = 48

/** The way to run a statement: execute a prepared one, prepare it first, or replace one with its name. */
type ExecutionMode = 'execute' | 'prepare' | 'replace'

interface Statement {
  name: string
  text: string
  values: string[]
}

function nameOf(text: string): string {
  return `look_${sha256(text).toString('hex').slice(0, NAME_DIGITS)}`
}

function modeAfter(cause: unknown): ExecutionMode | undefined {
  const code = codeOf(cause)
  if (code === MISSING) return 'prepare'
  return code === PRESENT || code === OUTDATED ? 'replace' : undefined
}

/** Runs the steps. Rolls the transaction back on failure. */
async function run<T>(
  client: Client,
  begin: string,
  statement: Statement,
  mode: ExecutionMode,
  end: End,
): Promise<T[]> {
  const { name, text, values } = statement
  const execute = `execute ${name}${values.length > 0 ? `(${values.join(', ')})` : ''}`
  const steps = [
    begin,
    ...(mode === 'replace' ? [`deallocate ${name}`] : []),
    ...(mode === 'execute' ? [] : [`prepare ${name} as ${text}`]),
    execute,
    end,
  ]
  try {
    // Several statements return a list of results. The last one belongs to the end.
    const results: unknown = await client.query(steps.join('; '), [])
    return (results as { rows: T[] }[]).at(-2)!.rows
  } catch (cause) {
    await rollback(client)
    throw cause
  }
}

/** Runs the statement in three round trips, without a named statement. */
async function runInSteps<T>(client: Client, begin: string, query: CompiledQuery<T>, end: End): Promise<T[]> {
  try {
    await client.query(begin, [])
    const { rows } = await client.query<T>(query.sql, query.parameters)
    await client.query(end, [])
    return rows
  } catch (cause) {
    await rollback(client)
    throw cause
  }
}

/** A connection that cannot roll back is broken and leaves the pool. The first failure is what matters. */
async function rollback(client: Client): Promise<void> {
  await client.query('rollback', []).catch(() => undefined)
}

const namesByClient = new WeakMap<Client, Map<string, string>>()

function namesOf(client: Client): Map<string, string> {
  const names = namesByClient.get(client) ?? new Map<string, string>()
  namesByClient.set(client, names)
  return names
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
