// Runs PGlite in a thread. Receives messages of the PostgreSQL wire protocol and replies with the responses. This is
// plain JavaScript because Node 20 cannot load TypeScript in a thread.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { DurableFolder, syncPath } from './durable-folder.js'
import { openSyncThread } from './sync-thread.js'

/**
 * @typedef {{ folder: string, task: 'create' | 'serve' }} Assignment
 * @typedef {{ bytes: Uint8Array, commit?: number, segmentsBegun: number }} Answer
 *   `commit` numbers a commit that is not on disk yet
 * @typedef {{ durable: number }} Durable every commit up to this one is on disk
 * @typedef {{ failed: string }} Failed the disk failed, and the thread ends
 * @typedef {{ ready: true } | Answer | Durable | Failed | { closed: true }} FromThread
 * @typedef {{ bytes: Uint8Array } | { close: true }} ToThread
 */

/** First byte of a simple query message. */
const SIMPLE_QUERY = 0x51
/** End of a message whose last statement is a commit. */
const COMMIT = Buffer.from('commit\0')

/** Body of a message that requests a checkpoint. */
const CHECKPOINT = Buffer.from('checkpoint\0')
const HEAD_BYTES = 5

/** Exit status of the engine after an ordinary error: POSTGRES_MAIN_LONGJMP of PGlite. */
const ERROR_JUMP = 100

/**
 * `fsync`, because Emscripten's fdatasync does nothing. A small statistics target, because analyzing a table blocks all
 * transactions. With so few statistics, the planner underestimates the rows of large tenants. A bitmap scan would then
 * read and sort all of them for one page.
 */
const SETTINGS = [
  'wal_sync_method=fsync',
  'shared_buffers=32MB',
  'wal_buffers=1MB',
  'min_wal_size=128MB',
  'jit=off',
  'default_statistics_target=10',
  'enable_bitmapscan=off',
]

/** Start parameters of PGlite without `-F`, which turns fsync off. */
const START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...SETTINGS.flatMap((setting) => ['-c', setting]),
]

const { folder, task } = /** @type {Assignment} */ (workerData)
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

/**
 * @param {FromThread} message
 * @param {ArrayBuffer[]} [moved]
 */
const send = (message, moved = []) => port.postMessage(message, moved)

/** @param {Error} cause */
const endAtOnce = (cause) => {
  send({ failed: cause.message ?? String(cause) })
  process.exit(1)
}

if (task === 'create') await create()
else await serve()

/** Creates the database unless it exists. Deletes the remains of an interrupted creation first. */
async function create() {
  const unfinished = `${folder}.unfinished`
  if (existsSync(unfinished)) rmSync(folder, { recursive: true, force: true })
  if (existsSync(join(folder, 'PG_VERSION'))) return
  writeFileSync(unfinished, '')
  syncPath(dirname(folder))
  const db = await PGlite.create({ fs: new DurableFolder(folder, endAtOnce), startParams: START })
  await db.close()
  syncTree(folder)
  rmSync(unfinished)
  syncPath(dirname(folder))
}

/** @param {string} path */
function syncTree(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) syncTree(join(path, entry.name))
    else syncPath(join(path, entry.name))
  }
  syncPath(path)
}

async function serve() {
  const files = new DurableFolder(folder, endAtOnce, openSyncThread())
  const db = await PGlite.create({ fs: files, startParams: START })
  endOnPanic(db)
  let commits = 0
  let isSyncing = false

  const syncCommits = async () => {
    isSyncing = true
    for (let durable = 0; durable < commits; ) {
      const upTo = commits
      await files.syncDeferred()
      durable = upTo
      send({ durable })
    }
    isSyncing = false
  }

  /** @param {Uint8Array} bytes */
  const answer = async (bytes) => {
    /** @type {Uint8Array[]} */
    const parts = []
    // The call works synchronously. Its promise only reports errors.
    let call = Promise.resolve()
    const run = () => {
      call = db.execProtocolRawStream(bytes, { syncToFs: false, onRawData: (part) => parts.push(part.slice()) })
    }
    const isPending = isCommit(bytes) && files.deferSyncs(run)
    if (isCheckpoint(bytes)) files.syncTogether(run)
    else if (!isCommit(bytes)) run()
    if (isPending) commits += 1
    await call
    const reply = new Uint8Array(Buffer.concat(parts))
    send({ bytes: reply, segmentsBegun: files.segmentsBegun, ...(isPending && { commit: commits }) }, [reply.buffer])
    if (isPending && !isSyncing) await syncCommits()
  }

  port.on('message', async (/** @type {ToThread} */ message) => {
    if ('bytes' in message) return answer(message.bytes)
    await db.close()
    send({ closed: true })
  })
  send({ ready: true })
}

/**
 * Ends the thread when PostgreSQL panics, for example on a full disk. Otherwise PGlite would never respond again. An
 * ordinary error has the exit status ERROR_JUMP. Any other status is a panic.
 *
 * @param {PGlite} db
 */
function endOnPanic(db) {
  const engine = db.Module
  const runOnce = engine._PostgresMainLoopOnce
  engine._PostgresMainLoopOnce = () => {
    try {
      runOnce()
    } catch (cause) {
      if (/** @type {{ status?: number }} */ (cause).status !== ERROR_JUMP) endAtOnce(/** @type {Error} */ (cause))
      throw cause
    }
  }
}

/** @param {Uint8Array} message */
function isCommit(message) {
  return message[0] === SIMPLE_QUERY && COMMIT.equals(message.subarray(-COMMIT.length))
}

/** @param {Uint8Array} message */
function isCheckpoint(message) {
  return message[0] === SIMPLE_QUERY && CHECKPOINT.equals(message.subarray(HEAD_BYTES))
}
