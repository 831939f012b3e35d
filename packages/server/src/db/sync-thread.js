// Syncs several files concurrently for PGlite's thread, which blocks until they are on disk. One at a time would take
// four times as long. This is plain JavaScript because Node 20 cannot load TypeScript in a thread.

import { open } from 'node:fs/promises'
import { parentPort, Worker, workerData } from 'node:worker_threads'

/** States in the shared memory. */
const BUSY = 0
const DONE = 1
const FAILED = 2

/**
 * Starts the thread.
 *
 * @returns {(paths: string[]) => void} returns when all these files are on disk; throws if the disk fails for one
 */
export function openSyncThread() {
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const thread = new Worker(new URL(import.meta.url), { workerData: { syncState: state } })
  thread.unref()
  return (paths) => {
    Atomics.store(state, 0, BUSY)
    thread.postMessage(paths)
    Atomics.wait(state, 0, BUSY)
    if (Atomics.load(state, 0) !== DONE) throw new Error('a file could not be synced')
  }
}

const { syncState } = /** @type {{ syncState?: Int32Array }} */ (workerData ?? {})
if (syncState) {
  parentPort?.on('message', async (/** @type {string[]} */ paths) => {
    const outcome = await Promise.all(paths.map(sync)).then(
      () => DONE,
      () => FAILED,
    )
    Atomics.store(syncState, 0, outcome)
    Atomics.notify(syncState, 0)
  })
}

/** @param {string} path */
async function sync(path) {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
