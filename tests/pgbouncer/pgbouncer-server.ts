import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A PgBouncer in transaction mode in front of one database. */
export interface PgBouncer {
  /** Database URL through PgBouncer. */
  url: string
  stop(): Promise<void>
}

/** Debian's path, and the name to search for in PATH. */
const PROGRAMS = ['/usr/sbin/pgbouncer', 'pgbouncer']
const NOBODY = 65_534
/** Fewer server connections than any suite has clients, so that clients share them. */
const SERVER_CONNECTIONS = 3
const START_MS_MAX = 600_000
/** First version that supports protocol-level prepared statements. */
const TRACKING_SINCE = [1, 21] as const

/**
 * Finds PgBouncer, or installs Debian's package if this user may. Returns its program and version, or a sentence that
 * says why there is none.
 */
export function findPgBouncer(): { program: string; version: string } | string {
  const found = look()
  if (found) return found
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return 'Skipped: there is no pgbouncer here, and only root on Debian could install it.'
  }
  const install = () => spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'pgbouncer']).status === 0
  if (!install()) {
    spawnSync('apt-get', ['update'])
    install()
  }
  return look() ?? 'Skipped: apt-get could not install pgbouncer.'
}

function look(): { program: string; version: string } | undefined {
  for (const program of PROGRAMS) {
    const { stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8' })
    const version = /PgBouncer (\S+)/.exec(stdout ?? '')?.[1]
    if (status === 0 && version) return { program, version }
  }
  return undefined
}

/** Returns the values of `max_prepared_statements` to test; versions before 1.21 lack the setting. */
export function trackings(version: string): (number | undefined)[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const tracks = major > TRACKING_SINCE[0] || (major === TRACKING_SINCE[0] && minor >= TRACKING_SINCE[1])
  return tracks ? [0, 100] : [undefined]
}

/** Starts a PgBouncer in front of a database with a Unix socket. */
export async function startPgBouncer(
  program: string,
  database: string,
  maxPreparedStatements: number | undefined,
): Promise<PgBouncer> {
  const { username, pathname, searchParams } = new URL(database)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pgbouncer-'))
  writeFileSync(join(folder, 'users'), `"${username}" ""\n`)
  const settings = [
    '[databases]',
    `* = host=${searchParams.get('host')}`,
    '[pgbouncer]',
    `unix_socket_dir = ${folder}`,
    'auth_type = trust',
    `auth_file = ${join(folder, 'users')}`,
    'pool_mode = transaction',
    `default_pool_size = ${SERVER_CONNECTIONS}`,
    ...(maxPreparedStatements === undefined ? [] : [`max_prepared_statements = ${maxPreparedStatements}`]),
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['-R', String(NOBODY), folder])
  else chownSync(folder, process.getuid?.() ?? NOBODY, process.getgid?.() ?? NOBODY)
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`PgBouncer does not start: ${said}`)), START_MS_MAX)
    child.stderr.on('data', (text) => {
      said += text
      if (!said.includes('process up')) return
      clearTimeout(timer)
      resolve()
    })
    void ended.then(() => reject(new Error(`PgBouncer has ended: ${said}`)))
  })
  return {
    url: `postgresql://${username}@localhost${pathname}?host=${encodeURIComponent(folder)}&port=${PORT}`,
    stop: async () => {
      child.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Default port of PgBouncer, which is part of its socket's name. */
const PORT = 6_432
