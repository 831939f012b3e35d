// Runs the restore procedure of docs/backups.md on a PostgreSQL with WAL archiving and an S3-compatible bucket. While
// writes continue, it takes a base backup and then a copy of the bucket; later it erases data. It restores the database
// to a point in between on a new server and repairs it with the bucket copy. Everything acknowledged by then must
// exist, and nothing erased may. Then it repeats this with the current bucket. Reads S3_ENDPOINT, AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY from the environment.
// Usage: npm run test:restore
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import pg from 'pg'
import { client, makeSandbox, startCairn } from '../../bench/cairn-process.mjs'
import { hasStore, makeBucket } from '../../bench/object-store.mjs'
import { makeDatabase, NOBODY, SUPERUSER, startPostgres } from '../../bench/postgres-server.mjs'
import { MAIN, newApiKey } from '../../bench/product.mjs'

if (!hasStore) {
  console.error('Set S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an S3-compatible store.')
  process.exit(1)
}
const {
  S3_ENDPOINT = '',
  AWS_ACCESS_KEY_ID: accessKeyId = '',
  AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
} = process.env
const s3 = new AwsClient({ accessKeyId, secretAccessKey, region: process.env.AWS_REGION ?? 'us-east-1', service: 's3' })
/** Milliseconds to wait until the last WAL file is archived. */
const ARCHIVED_MS = 3_000
const TRIES_MAX = 300
const POINT = 'drill'
const root = mkdtempSync(join(tmpdir(), 'cairn-drill-'))
chmodSync(root, 0o755)
const [archive, list] = [join(root, 'archive'), join(root, 'erased.list')]
mkdirSync(list)
folderOfServer(archive)
const shared = { CAIRN_MASTER_KEY: randomBytes(32).toString('base64'), CAIRN_ENCODER: 'off', CAIRN_LOG_LEVEL: 'error' }
const apiKey = newApiKey()
const WAIT = { prefer: 'wait=60' }
/** Running processes, to be stopped at the end. @type {Set<{ stop(): Promise<void> }>} */
const running = new Set()
let passed = 0
try {
  await drill()
} finally {
  for (const each of [...running].reverse()) await each.stop().catch(() => undefined)
  rmSync(root, { recursive: true, force: true })
}
console.log(`${passed} passed, 0 failed`)

async function drill() {
  const bucket = await makeBucket()
  const first = join(root, 'first')
  const archiving = ['archive_mode=on', `archive_command=cp %p ${archive}/%f`]
  const server = await startPostgres(first, archiving)
  running.add(server)
  await makeDatabase(server)
  const database = await connect(server, 'postgres')
  const cairn = await startCairn({ apiKey, env: settings(server, bucket) })
  running.add(cairn)
  const call = client(cairn)
  const [kept, erased] = [await makeSandbox(call, 'kept'), await makeSandbox(call, 'erased')]
  let serial = 0
  const put = async (/** @type {typeof kept} */ sandbox) => {
    serial += 1
    const id = `record${serial}`
    await call('POST', sandbox.records, { records: [{ external_id: id, type: 'note', text: `About ${id}.` }] }, WAIT)
    return id
  }
  const wanted = new Set([await put(kept)])
  await put(erased)

  await database.query(`select pg_backup_start('drill', true)`)
  const base = join(root, 'base')
  await duringWrites(put, kept, wanted, async () => {
    cpSync(join(first, 'cluster'), base, { recursive: true, filter: (path) => !path.endsWith('postmaster.pid') })
  })
  const { rows } = await database.query('select labelfile from pg_backup_stop()')
  writeFileSync(join(base, 'backup_label'), rows[0].labelfile)
  for (let more = 0; more < 5; more += 1) wanted.add(await put(kept))
  await database.query(`select pg_create_restore_point('${POINT}')`)
  /** Records written after the restore point. @type {Set<string>} */
  const later = new Set()
  const copy = await duringWrites(put, kept, later, () => copyOf(bucket))
  const found = await call('POST', `${kept.query}/discover`, { query: 'record1' })
  const [{ record_id: recordId }] = found.items
  await call('DELETE', `${kept.storage}/records/${recordId}`)
  wanted.delete('record1')
  await call('DELETE', erased.storage)
  const listed = await untilListed(bucket, 2)
  for (const [at, text] of listed.entries()) writeFileSync(join(list, `${at}.json`), text)
  await cairn.stop()
  running.delete(cairn)
  await database.query('select pg_switch_wal()')
  await sleep(ARCHIVED_MS)
  await database.end()
  await server.stop()
  running.delete(server)

  const places = { kept, erased, base, gone: new Set(['record1']) }
  await restored('a copy that was taken while it was written to', { ...places, bucket: copy, wanted })
  await restored('the bucket as it is', { ...places, bucket, wanted: new Set([...wanted, ...later]) })
}

/**
 * Runs `work` while records are written, and returns its result.
 * @template T
 * @param {(sandbox: Sandbox) => Promise<string>} put @param {Sandbox} sandbox @param {Set<string>} ids
 * @param {() => Promise<T>} work
 */
async function duringWrites(put, sandbox, ids, work) {
  let isOver = false
  const writing = (async () => {
    while (!isOver) ids.add(await put(sandbox))
  })()
  ids.add(await put(sandbox))
  const given = await work()
  isOver = true
  await writing
  return given
}

/** @typedef {Awaited<ReturnType<typeof makeSandbox>>} Sandbox */
/** @typedef {{ wanted: Set<string>, gone: Set<string> }} Looked */

/**
 * Restores the database to the restore point, repairs it, and checks its content.
 * @param {string} name
 * @param {{ kept: Sandbox, erased: Sandbox, base: string, bucket: string } & Looked} places
 */
async function restored(name, { kept, erased, base, bucket, wanted, gone }) {
  const folder = join(root, bucket)
  folderOfServer(folder)
  cpSync(base, join(folder, 'cluster'), { recursive: true })
  writeFileSync(join(folder, 'cluster', 'recovery.signal'), '')
  folderOfServer(folder)
  const recovery = [
    `restore_command=cp ${archive}/%f %p`,
    `recovery_target_name=${POINT}`,
    'recovery_target_action=promote',
  ]
  const server = await startPostgres(folder, recovery)
  try {
    const env = settings(server, bucket)
    const said = await repair(env)
    expectThat(
      said.code === 0,
      `${name}: a repair finds every sandbox whole or erased: ${said.printed.trim().split('\n').at(-1)}`,
    )
    const cairn = await startCairn({ apiKey, env })
    try {
      const text = String(await client(cairn)('GET', `${kept.storage}/export`))
      const ids = text.split('\n').flatMap((line) => /"external_id":"(record\d+)"/.exec(line)?.[1] ?? [])
      expectThat(new Set(ids).size === ids.length, `${name}: no duplicates`)
      expectThat(
        [...wanted].every((id) => ids.includes(id)),
        `${name}: ${wanted.size} acknowledged records are there`,
      )
      expectThat(!ids.some((id) => gone.has(id)), `${name}: deleted records are absent`)
      const reply = await fetch(cairn.url + erased.storage, { headers: { authorization: `Bearer ${apiKey}` } })
      expectThat(reply.status === 404, `${name}: a sandbox that was erased does not come back`)
    } finally {
      await cairn.stop()
    }
  } finally {
    await server.stop()
  }
}

/** Creates a folder and gives it, with its content, to the database server's user. */
function folderOfServer(/** @type {string} */ folder) {
  mkdirSync(folder, { recursive: true })
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder])
}

/** @param {import('../../bench/postgres-server.mjs').PostgresServer} server @param {string} bucket */
function settings(server, bucket) {
  return { ...shared, DATABASE_URL: server.url('service', 'cairn'), STORAGE_URL: `s3://${bucket}/k`, S3_ENDPOINT }
}

/** @param {import('../../bench/postgres-server.mjs').PostgresServer} server @param {string} name */
async function connect(server, name) {
  const database = new pg.Client({ connectionString: server.url(SUPERUSER, name) })
  await database.connect()
  return database
}

async function repair(/** @type {Record<string, string>} */ env) {
  const folder = mkdtempSync(join(root, 'data-'))
  const child = spawn(process.execPath, [MAIN, 'repair', '--apply', '--erased', list], {
    env: { ...process.env, ...env, CAIRN_DATA: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      printed += part
    })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) console.error(printed)
  return { code, printed }
}

/** Waits until this many erasure notes exist, and returns them. */
async function untilListed(/** @type {string} */ bucket, /** @type {number} */ count) {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const listing = await ask('GET', `${bucket}?list-type=2&prefix=k%2Ferased.list%2F`)
    const keys = [...listing.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => String(key))
    if (keys.length === count) return Promise.all(keys.map((key) => ask('GET', `${bucket}/${key}`)))
    await sleep(200)
  }
  throw new Error(`The store does not list ${count} erasures.`)
}

/** Copies a bucket object by object while it is written to. Objects deleted meanwhile are missing from the copy. */
async function copyOf(/** @type {string} */ bucket) {
  const target = await makeBucket()
  let next = ''
  do {
    const listing = await ask('GET', `${bucket}?list-type=2${next}`)
    for (const [, key] of listing.matchAll(/<Key>([^<]+)<\/Key>/g)) {
      const reply = await s3.fetch(`${S3_ENDPOINT}/${bucket}/${key}`)
      const body = await reply.arrayBuffer()
      if (reply.ok) await s3.fetch(`${S3_ENDPOINT}/${target}/${key}`, { method: 'PUT', body })
    }
    const token = /<NextContinuationToken>([^<]+)</.exec(listing)?.[1]
    next = token === undefined ? '' : `&continuation-token=${encodeURIComponent(token)}`
  } while (next !== '')
  return target
}

async function ask(
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {string | undefined} */ body = undefined,
) {
  const reply = await s3.fetch(`${S3_ENDPOINT}/${path}`, { method, ...(body !== undefined && { body }) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return text
}

function expectThat(/** @type {boolean} */ holds, /** @type {string} */ what) {
  if (!holds) throw new Error(`Expectation failed: ${what}`)
  passed += 1
  console.log(what)
}
