// The thread that runs PGlite. It receives messages of the PostgreSQL wire protocol and replies with the database's
// responses. It is plain JavaScript because Node 20 cannot load TypeScript in a thread.

import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { DurableFolder } from './durable-folder.js'
import { openSyncThread } from './sync-thread.js'

/**
 * @typedef {{ folder: string, task: 'create' | 'serve' }} Assignment
 * @typedef {{ bytes: Uint8Array, commit?: number, segmentsBegun: number }} Answer
 *   `commit` numbers a commit that is not on disk yet
 * @typedef {{ settled: number }} Settled every commit up to this one is on disk
 * @typedef {{ failed: string }} Failed the disk refused, and the thread ends
 * @typedef {{ ready: true } | Answer | Settled | Failed | { closed: true }} FromThread
 * @typedef {{ bytes: Uint8Array } | { close: true }} ToThread
 */

/** First byte of a simple query message. */
const SIMPLE_QUERY = 0x51
/** Ending of a message whose last statement commits. */
const COMMIT = Buffer.from('commit\0')

/** Body of a message that requests a checkpoint. */
const CHECKPOINT = Buffer.from('checkpoint\0')
const HEAD_BYTES = 5

/** Exit status with which an ordinary error leaves the engine: POSTGRES_MAIN_LONGJMP of PGlite. */
const ERROR_JUMP = 100

/**
 * Emscripten's fdatasync does nothing, while its fsync calls the file layer. No statistics are gathered, so the planner
 * assumes few rows per tenant. With bitmap scans it would read and sort all rows for one page. Analyzing a table blocks
 * everything else, so the sample is small.
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

/** `-F` turns fsync off. */
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
const tell = (message, moved = []) => port.postMessage(message, moved)

/** @param {Error} cause */
const endAtOnce = (cause) => {
  tell({ failed: cause.message ?? String(cause) })
  process.exit(1)
}

if (task === 'create') await create()
else await serve()

/** Creates a database in an empty folder. Clears a folder whose creation was interrupted. */
async function create() {
  const unfinished = `${folder}.unfinished`
  if (existsSync(unfinished)) rmSync(folder, { recursive: true, force: true })
  if (existsSync(join(folder, 'PG_VERSION'))) return
  writeFileSync(unfinished, '')
  syncFile(dirname(folder))
  const db = await PGlite.create({ fs: new DurableFolder(folder, endAtOnce), startParams: START })
  await db.close()
  syncTree(folder)
  rmSync(unfinished)
  syncFile(dirname(folder))
}

/** @param {string} path */
function syncTree(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) syncTree(join(path, entry.name))
    else syncFile(join(path, entry.name))
  }
  syncFile(path)
}

/** @param {string} path */
function syncFile(path) {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

async function serve() {
  const files = new DurableFolder(folder, endAtOnce, openSyncThread())
  const db = await PGlite.create({ fs: files, startParams: START })
  endOnPanic(db)
  let commits = 0
  let settling = false

  const settle = async () => {
    settling = true
    for (let settled = 0; settled < commits; ) {
      const upTo = commits
      await files.settle()
      settled = upTo
      tell({ settled })
    }
    settling = false
  }

  /** @param {Uint8Array} bytes */
  const answer = async (bytes) => {
    /** @type {Uint8Array[]} */
    const parts = []
    // The call does all its work before it returns. The promise only adds errors.
    let call = Promise.resolve()
    const run = () => {
      call = db.execProtocolRawStream(bytes, { syncToFs: false, onRawData: (part) => parts.push(part.slice()) })
    }
    const owing = isCommit(bytes) && files.putOff(run)
    if (isCheckpoint(bytes)) files.syncTogether(run)
    else if (!isCommit(bytes)) run()
    if (owing) commits += 1
    await call
    const reply = new Uint8Array(Buffer.concat(parts))
    tell({ bytes: reply, segmentsBegun: files.segmentsBegun, ...(owing && { commit: commits }) }, [reply.buffer])
    if (owing && !settling) await settle()
  }

  port.on('message', async (/** @type {ToThread} */ message) => {
    if ('bytes' in message) return answer(message.bytes)
    await db.close()
    tell({ closed: true })
  })
  tell({ ready: true })
}

/**
 * Ends the process when PostgreSQL panics, for example on a full disk. Otherwise PGlite would continue and never
 * respond again. Ordinary errors leave the engine with ERROR_JUMP. Any other exit is fatal.
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
