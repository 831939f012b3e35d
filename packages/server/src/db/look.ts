import type { CompiledQuery } from 'kysely'
import { type Client, type Engine, withClient } from './engine.ts'

/**
 * Runs one statement in a transaction of its own, in one round trip: what begins the transaction, the statement and its
 * end go together. The statement is prepared once on each connection and executed from then on.
 */
export async function look<T>(engine: Engine, begin: string, query: CompiledQuery<T>, end: End): Promise<T[]> {
  const values = query.parameters.map(literal)
  return withClient(engine, async (client) => {
    const names = namesOf(client)
    const known = names.get(query.sql)
    if (known === undefined && names.size >= PREPARED_MAX) return runOnce<T>(client, begin, query.sql, values, end)
    const name = known ?? `look_${names.size}`
    names.set(query.sql, name)
    try {
      return await run<T>(client, begin, { name, values, end, prepared: known ? undefined : query.sql })
    } catch (cause) {
      await rollback(client)
      const code = codeOf(cause)
      if (code !== MISSING && code !== PRESENT) throw cause
      // A pooler between us and the server gave us another of its connections.
      return await run<T>(client, begin, { name, values, end, prepared: code === MISSING ? query.sql : undefined })
    }
  })
}

/** Both commit. PGlite's thread puts off the sync that a `commit` asks for; what only reads asks for none. */
export type End = 'commit' | 'end'

/** Statements that stay prepared on a connection; others are prepared for one use. */
const PREPARED_MAX = 100
/** SQLSTATEs: a prepared statement that should be there is not, or one that should not be there is. */
const MISSING = '26000'
const PRESENT = '42P05'

interface Execution {
  name: string
  values: string[]
  end: End
  /** The statement, when it has to be prepared first. */
  prepared: string | undefined
}

async function run<T>(client: Client, begin: string, { name, values, end, prepared }: Execution): Promise<T[]> {
  const prepare = prepared === undefined ? '' : `prepare ${name} as ${prepared}; `
  const execute = `execute ${name}${values.length > 0 ? `(${values.join(', ')})` : ''}`
  // A text of several statements is answered with a list of results, of which the last is the end's.
  const results: unknown = await client.query(`${begin}; ${prepare}${execute}; ${end}`, [])
  return (results as { rows: T[] }[]).at(-2)!.rows
}

async function runOnce<T>(client: Client, begin: string, sql: string, values: string[], end: End): Promise<T[]> {
  const name = 'look_once'
  try {
    return await run<T>(client, begin, { name, values, end, prepared: sql })
  } catch (cause) {
    await rollback(client)
    throw cause
  } finally {
    await client.query(`deallocate ${name}`, []).catch(() => undefined)
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

/** A value as SQL, none of which can be read as anything but a value. */
function literal(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return textLiteral(value)
  if (value instanceof Date) return `'${value.toISOString()}'::timestamptz`
  if (value instanceof Uint8Array) return bytesLiteral(Buffer.from(value))
  if (isTexts(value)) return `array[${value.map(textLiteral).join(', ')}]::text[]`
  if (isPlainObject(value)) return `${textLiteral(JSON.stringify(value))}::jsonb`
  throw new Error(`A statement of one round trip takes no ${typeof value} of this kind`)
}

/**
 * A text between quotes: what would end it is doubled, and so is a backslash, in the form in which every server reads
 * it as one. A NUL would end the statement; as digits it is refused for what it is.
 */
function textLiteral(text: string): string {
  if (text.includes('\0')) return `convert_from(${bytesLiteral(Buffer.from(text))}, 'UTF8')`
  return text.includes('\\') ? ` E'${text.replace(/['\\]/g, '$&$&')}'` : `'${text.replaceAll("'", "''")}'`
}

function bytesLiteral(bytes: Buffer): string {
  return `decode('${bytes.toString('hex')}', 'hex')`
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
