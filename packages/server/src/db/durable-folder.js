// A file layer for PGlite that syncs files to disk when PostgreSQL calls fsync. PGlite's own file layer ignores fsync.
//
// Crash recovery requires that syncs happen in PostgreSQL's order. There are two exceptions:
// - The sync of the write-ahead log for a COMMIT may be deferred, so that one sync serves many commits. The caller must
//   await `syncDeferred()` before it reports such a commit. A write to any other file syncs the log first, because a
//   page must not reach the disk before its log records.
// - A checkpoint syncs about forty table files in turn and then writes the control file. These syncs run concurrently,
//   and end before that write.

import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

const LOG_FOLDER = '/pg_wal/'
/** A log file. It has another name while it is being created. */
const SEGMENT = /\/pg_wal\/[0-9A-F]{24}$/
/** A file of a table or an index. */
const RELATION = /\/base\/\d+\/\d+(?:_\w+)?(?:\.\d+)?$/
const CONTROL_FILE = '/global/pg_control'

/**
 * @typedef {{ mode: number, name: string }} FileNode
 * @typedef {{ node: FileNode, nfd?: number, inLog?: boolean, isControl?: boolean }} Stream an open file of Emscripten
 * @typedef {(stream: Stream, buffer: Uint8Array, offset: number, length: number, position?: number) => number} Write
 * @typedef {{ fsync?: (stream: Stream) => number, write: Write }} StreamOps
 * @typedef {{ stream_ops: StreamOps, realPath: (node: FileNode) => string }} NodeFiles
 */

/** A database folder for PGlite in which commits survive a power loss. */
export class DurableFolder extends NodeFS {
  /** @type {Set<string>} log files with a deferred sync */
  #deferred = new Set()
  /** @type {Set<string>} log files with a sync in progress */
  #syncing = new Set()
  #isDeferring = false
  /** @type {Set<string> | undefined} table files to sync for the running checkpoint */
  #checkpointFiles
  #onFailure
  #syncAll

  /** Number of log files that were started since the folder was opened. */
  segmentsBegun = 0
  #segment = ''

  /**
   * @param {string} folder
   * @param {(cause: Error) => void} onFailure ends the database at once and does not return
   * @param {(paths: string[]) => void} [syncAll] returns when all these files are on disk, else throws
   */
  constructor(folder, onFailure, syncAll = (paths) => paths.forEach(syncPath)) {
    super(folder)
    this.#onFailure = onFailure
    this.#syncAll = syncAll
  }

  /**
   * @override
   * @param {Parameters<NodeFS['init']>[0]} db
   * @param {Parameters<NodeFS['init']>[1]} options
   */
  async init(db, options) {
    const { emscriptenOpts } = await super.init(db, options)
    const install = (/** @type {unknown} */ module) => {
      this.#install(/** @type {{ NODEFS: NodeFiles }} */ (module).NODEFS)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } }
  }

  /** @param {NodeFiles} files */
  #install(files) {
    const write = files.stream_ops.write
    files.stream_ops.write = (stream, buffer, offset, length, position) => {
      stream.inLog ??= files.realPath(stream.node).includes(LOG_FOLDER)
      if (!stream.inLog && this.#deferred.size + this.#syncing.size > 0) this.#syncDeferredNow()
      stream.isControl ??= files.realPath(stream.node).endsWith(CONTROL_FILE)
      if (stream.isControl) this.#syncCheckpointFiles()
      return write(stream, buffer, offset, length, position)
    }
    files.stream_ops.fsync = (stream) => {
      const path = files.realPath(stream.node)
      this.#sync(path, stream.nfd)
      return 0
    }
  }

  /**
   * @param {string} path
   * @param {number | undefined} descriptor absent for a folder
   */
  #sync(path, descriptor) {
    if (descriptor === undefined) return this.#syncOrEnd(() => syncPath(path))
    if (this.#checkpointFiles && RELATION.test(path)) return void this.#checkpointFiles.add(path)
    if (!SEGMENT.test(path)) return this.#syncOrEnd(() => fsyncSync(descriptor))
    // A checkpoint also syncs recycled log files, under their new names. These are not started yet.
    if (path !== this.#segment && !this.#checkpointFiles) {
      this.#segment = path
      this.segmentsBegun += 1
    }
    if (this.#isDeferring) this.#deferred.add(path)
    else {
      this.#syncOrEnd(() => fdatasyncSync(descriptor))
      this.#deferred.delete(path)
    }
  }

  #syncDeferredNow() {
    for (const path of [...this.#syncing, ...this.#deferred]) this.#syncOrEnd(() => syncPath(path))
    this.#syncing = new Set()
    this.#deferred = new Set()
  }

  /**
   * Runs a sync, and ends the database if it fails. A retry might report success although data was lost.
   *
   * @param {() => void} sync
   */
  #syncOrEnd(sync) {
    try {
      sync()
    } catch (cause) {
      this.#onFailure(/** @type {Error} */ (cause))
    }
  }

  /**
   * Runs work with log syncs deferred. Returns true if any sync is pending or in progress afterwards.
   *
   * @param {() => void} work
   */
  deferSyncs(work) {
    this.#isDeferring = true
    try {
      work()
    } finally {
      this.#isDeferring = false
    }
    return this.#deferred.size + this.#syncing.size > 0
  }

  /**
   * Runs a checkpoint and syncs its table files together.
   *
   * @param {() => void} checkpoint
   */
  syncTogether(checkpoint) {
    this.#checkpointFiles = new Set()
    try {
      checkpoint()
    } finally {
      this.#syncCheckpointFiles()
      this.#checkpointFiles = undefined
    }
  }

  #syncCheckpointFiles() {
    if (!this.#checkpointFiles || this.#checkpointFiles.size === 0) return
    const paths = [...this.#checkpointFiles]
    this.#checkpointFiles.clear()
    this.#syncOrEnd(() => this.#syncAll(paths))
  }

  /** Runs the syncs that are deferred now. Rejects if the disk fails. Must not be called again before it resolves. */
  async syncDeferred() {
    const paths = this.#deferred
    this.#syncing = paths
    this.#deferred = new Set()
    await Promise.all([...paths].map(syncLater))
    if (this.#syncing === paths) this.#syncing = new Set()
  }
}

/** @param {string} path */
export function syncPath(path) {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** @param {string} path */
function syncLater(path) {
  const descriptor = openSync(path, 'r+')
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (cause) => {
      closeSync(descriptor)
      if (cause) reject(cause)
      else resolve(undefined)
    })
  })
}
