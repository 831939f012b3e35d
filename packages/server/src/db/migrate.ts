import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Client, type Engine, sqlStateOf, withClient } from './engine.ts'
import { APP_ROLE, DOOR_ROLE, GATE_ROLE } from './scope.ts'

/** The role that owns the tables. It is not a superuser, so row level security applies to it too. */
export const OWNER_ROLE = 'cairn_owner'

/** The roles of transactions, and the owner of the tables. */
const ROLES = [OWNER_ROLE, APP_ROLE, GATE_ROLE, DOOR_ROLE]

/** Key of the advisory lock for migrations: "cair" in ASCII. */
const LOCK = 0x6361_6972

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url))

/** SQLSTATEs: a role or membership exists or is being created, or the user lacks the privilege. */
const EXISTS = ['42710', '23505', 'XX000']
const FORBIDDEN = ['42501', '0LP01']

/** Thrown if the database cannot be used in its current state. The message says what to do. */
export class DatabaseUnfit extends Error {
  override name = 'DatabaseUnfit'
}

interface Migration {
  number: number
  name: string
  text: string
  checksum: string
  /** True if older versions of the program work with the migrated tables. */
  expands: boolean
}

/** First line of a migration that only adds to the tables. Older versions of the program keep working. */
const EXPANDS = /^-- expands:/
/** Seconds to wait for a lock. After that, a migration lets the statements queued behind it run, and is retried. */
const LOCK_SECONDS = 3
const LOCK_TRIES_MAX = 20
const LOCK_NOT_AVAILABLE = '55P03'

/** Reads the migrations in order. */
export function readMigrations(folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file, index) => {
      const number = Number(file.slice(0, file.indexOf('-')))
      if (number !== index + 1) throw new Error(`Migration ${file} is out of order: number ${index + 1} is missing.`)
      const text = readFileSync(`${folder}/${file}`, 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { number, name: file, text, checksum, expands: EXPANDS.test(text) }
    })
}

/**
 * Runs the pending migrations, each in its own transaction. A lock ensures that only one process migrates. Throws
 * DatabaseUnfit, with instructions, if a role, a lock or an unknown or changed migration prevents that.
 */
export async function migrate(engine: Engine, migrations: Migration[] = readMigrations()): Promise<void> {
  await withClient(engine, async (client) => {
    await createRoles(client)
    for (const migration of migrations) await apply(client, migration)
    await runAsOwner(client, () => assertNotNewer(client, migrations.length))
    await assertRolesAreUnprivileged(client)
  })
}

async function createRoles(client: Client): Promise<void> {
  try {
    for (const role of ROLES) {
      const found = await rows(client, `select from pg_roles where rolname = '${role}'`)
      if (found.length === 0) await ignoreErrors(EXISTS, client.query(`create role ${role} nologin`, []))
      if (!(await canSetRole(client, role)))
        await ignoreErrors(EXISTS, client.query(`grant ${role} to current_user`, []))
    }
    const [schema] = await rows<{ create: boolean }>(
      client,
      `select has_schema_privilege('${OWNER_ROLE}', 'public', 'create') as create`,
    )
    if (!schema?.create) await client.query(`grant create, usage on schema public to ${OWNER_ROLE}`, [])
  } catch (cause) {
    if (!FORBIDDEN.includes(sqlStateOf(cause))) throw cause
    throw new DatabaseUnfit(describeMissingRoles(), { cause })
  }
}

/** Returns true if the user may switch to the role. Since PostgreSQL 16, membership does not imply that. */
async function canSetRole(client: Client, role: string): Promise<boolean> {
  const [found] = await rows<{ may: boolean }>(
    client,
    `select pg_has_role('${role}', case when current_setting('server_version_num')::int >= 160000
      then 'set' else 'member' end) as may`,
  )
  return found?.may === true
}

function describeMissingRoles(): string {
  return (
    'The database user may not create the roles that Cairn needs. Run this as a user who may: ' +
    `${ROLES.map((role) => `create role ${role} nologin; `).join('')}` +
    `grant ${ROLES.join(', ')} to <the user of DATABASE_URL>; ` +
    `grant create, usage on schema public to ${OWNER_ROLE};`
  )
}

async function apply(client: Client, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyOnce(client, migration)
    } catch (cause) {
      if (sqlStateOf(cause) !== LOCK_NOT_AVAILABLE) throw cause
      if (tries >= LOCK_TRIES_MAX) throw new DatabaseUnfit(describeLockTimeout(migration), { cause })
    }
  }
}

function describeLockTimeout({ name }: Migration): string {
  return (
    `Migration ${name} waited for minutes for a lock that another session holds. Nothing was changed. ` +
    'Find the open transaction in pg_stat_activity, end it, and start again.'
  )
}

async function applyOnce(client: Client, { number, name, text, checksum, expands }: Migration): Promise<void> {
  await runAsOwner(client, async () => {
    const [ran] = await rows<{ checksum: string }>(client, `select checksum from migration where number = ${number}`)
    if (ran && ran.checksum !== checksum) {
      throw new DatabaseUnfit(`Migration ${name} was changed after it ran on this database. Restore the original file.`)
    }
    if (ran) return
    await client.query(`set local lock_timeout = '${LOCK_SECONDS}s'`, [])
    await client.query(text, [])
    await client.query(
      'insert into migration (number, name, checksum, expands, applied_at) values ($1, $2, $3, $4, now())',
      [number, name, checksum, expands],
    )
  })
}

async function assertNotNewer(client: Client, known: number): Promise<void> {
  const [newest] = await rows<{ number: number }>(
    client,
    `select number from migration where number > ${known} and not expands order by number desc limit 1`,
  )
  if (newest) {
    throw new DatabaseUnfit(
      `The database was migrated by a newer Cairn (migration ${newest.number}; this version knows ${known}). ` +
        'Start the newer version.',
    )
  }
}

async function runAsOwner(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query(`begin; set local role ${OWNER_ROLE}; set local lock_timeout = 0`, [])
  try {
    await client.query(`select pg_advisory_xact_lock(${LOCK})`, [])
    await client.query(
      `create table if not exists migration (
        number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null,
        expands boolean not null default false
      )`,
      [],
    )
    await addExpandsColumn(client)
    await work()
    await client.query('commit', [])
  } catch (cause) {
    await client.query('rollback', [])
    throw cause
  }
}

/** Adds the column `expands` to databases that were created without it. */
async function addExpandsColumn(client: Client): Promise<void> {
  const columnQuery = `select from pg_attribute where attrelid = 'migration'::regclass and attname = 'expands'`
  if ((await rows(client, columnQuery)).length > 0) return
  await client.query('alter table migration add column expands boolean not null default false', [])
}

/** Throws DatabaseUnfit if row level security does not apply to a role. */
async function assertRolesAreUnprivileged(client: Client): Promise<void> {
  const names = ROLES.map((role) => `'${role}'`).join(', ')
  const powerful = await rows<{ rolname: string }>(
    client,
    `select rolname from pg_roles where rolname in (${names}) and (rolsuper or rolbypassrls)`,
  )
  for (const { rolname } of powerful) {
    throw new DatabaseUnfit(`The role ${rolname} must be neither superuser nor able to bypass row level security.`)
  }
}

async function rows<T>(client: Client, text: string): Promise<T[]> {
  return (await client.query<T>(text, [])).rows
}

async function ignoreErrors(codes: string[], attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt
  } catch (cause) {
    if (!codes.includes(sqlStateOf(cause))) throw cause
  }
}
