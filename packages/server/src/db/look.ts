import type { CompiledQuery } from 'kysely'
import { sha256 } from '../base/digest.ts'
import { type Client, type Engine, sqlStateOf, withClient } from './engine.ts'
import { literal } from './literal.ts'

/**
 * Runs one statement in its own transaction, in one round trip: begin, execute and end are sent together. The statement
 * is prepared once per connection. A pooler may use another connection for each transaction. Therefore a statement is
 * named by the digest of its text, and is prepared again if it is missing or conflicts.
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
      const retryMode = modeAfter(cause)
      if (retryMode === undefined) throw cause
      return await run<T>(client, begin, statement, retryMode, end).catch((again: unknown) => {
        // The second attempt may get yet another connection of the pooler. An unnamed statement always works.
        if (modeAfter(again) === undefined) throw again
        return runInSteps(client, begin, query, end)
      })
    }
  })
}

/** SQL synonyms that commit. PGlite's thread defers the disk sync of `commit`. With `end` no sync is needed. */
type End = 'commit' | 'end'

/** Maximum number of prepared statements per connection. Others run unprepared. */
const PREPARED_MAX = 100
/** SQLSTATEs: the prepared statement is missing, exists already, or refers to changed tables. */
const MISSING = '26000'
const PRESENT = '42P05'
const OUTDATED = '0A000'
/** Hexadecimal digits of the digest in a name. PostgreSQL truncates names to 63 bytes. */
const NAME_DIGITS = 48

/** Modes of running a statement: execute a prepared one, prepare it first, or replace one of the same name. */
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
  const code = sqlStateOf(cause)
  if (code === MISSING) return 'prepare'
  return code === PRESENT || code === OUTDATED ? 'replace' : undefined
}

/** Runs the statement in one round trip. Rolls the transaction back on failure. */
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
    // The driver returns one result per statement. The last one is that of `end`.
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

/** Rolls back. Ignores a failure: the broken connection leaves the pool, and the caller throws the first error. */
async function rollback(client: Client): Promise<void> {
  await client.query('rollback', []).catch(() => undefined)
}

const namesByClient = new WeakMap<Client, Map<string, string>>()

function namesOf(client: Client): Map<string, string> {
  const names = namesByClient.get(client) ?? new Map<string, string>()
  namesByClient.set(client, names)
  return names
}
