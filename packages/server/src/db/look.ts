import type { CompiledQuery } from 'kysely'
import { sha256 } from '../base/digest.ts'
import { type Client, type Engine, withClient } from './engine.ts'
import { literal } from './literal.ts'

/**
 * Runs one statement in a transaction of its own, in one round trip: what begins the transaction, the statement and its
 * end go together. The statement is prepared once on each connection and executed from then on. A pooler between us and
 * the server may give every transaction another of its connections, on which others have prepared what they want: so
 * its name says what the statement is, and one that is missing there or in the way is prepared anew.
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
      const way = wayAfter(cause)
      if (way === undefined) throw cause
      return await run<T>(client, begin, statement, way, end).catch((again: unknown) => {
        // The second try may have met yet another connection of the pooler; without a name it is all one.
        if (wayAfter(again) === undefined) throw again
        return runInSteps(client, begin, query, end)
      })
    }
  })
}

/** Both commit. PGlite's thread puts off the sync that a `commit` asks for; what only reads asks for none. */
type End = 'commit' | 'end'

/** Statements that stay prepared on a connection; others are run without. */
const PREPARED_MAX = 100
/**
 * SQLSTATEs: a prepared statement that should be there is not; one that should not be there is; the tables have
 * changed since it was prepared.
 */
const MISSING = '26000'
const PRESENT = '42P05'
const OUTDATED = '0A000'
/** Hexadecimal digits of a digest in a name, of which PostgreSQL reads 63 bytes: two texts never share so many. */
const NAME_DIGITS = 48

/** How a statement is run: as it is prepared already, or prepared first, in place of what has its name or not. */
type Way = 'execute' | 'prepare' | 'replace'

interface Statement {
  name: string
  text: string
  values: string[]
}

function nameOf(text: string): string {
  return `look_${sha256(text).toString('hex').slice(0, NAME_DIGITS)}`
}

function wayAfter(cause: unknown): Way | undefined {
  const code = codeOf(cause)
  if (code === MISSING) return 'prepare'
  return code === PRESENT || code === OUTDATED ? 'replace' : undefined
}

/** Rejects with nothing left of the transaction. */
async function run<T>(client: Client, begin: string, statement: Statement, way: Way, end: End): Promise<T[]> {
  const { name, text, values } = statement
  const execute = `execute ${name}${values.length > 0 ? `(${values.join(', ')})` : ''}`
  const steps = [
    begin,
    ...(way === 'replace' ? [`deallocate ${name}`] : []),
    ...(way === 'execute' ? [] : [`prepare ${name} as ${text}`]),
    execute,
    end,
  ]
  try {
    // A text of several statements is answered with a list of results, of which the last is the end's.
    const results: unknown = await client.query(steps.join('; '), [])
    return (results as { rows: T[] }[]).at(-2)!.rows
  } catch (cause) {
    await rollback(client)
    throw cause
  }
}

/** The same in three round trips, with nothing prepared under a name. */
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

/** A connection that cannot roll back is broken and leaves the pool; the first failure is what matters. */
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
