// PGlite's files on disk, synced when PostgreSQL requests it.
//
// PGlite ships with fsync off, and its file layer drops the calls even when it is on. Here they reach the disk, in the
// order that PostgreSQL's crash recovery requires, with one exception. The sync of the write-ahead log for a COMMIT may
// be deferred, so that one sync serves many commits. The caller that defers it must call `settle()` before it reports
// the commit. No file outside the log is written while a sync is pending, since a page must not reach the disk before
// its log records.
//
// A checkpoint requests the sync of each table file in turn, about forty. Then it writes the start of the log to the
// control file. These syncs may run together, several at once, at any time before that write.

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

/** A folder for PGlite that is as durable as its disk. */
export class DurableFolder extends NodeFS {
  /** @type {Set<string>} log files with a deferred sync */
  #owed = new Set()
  /** @type {Set<string>} log files with a sync in progress */
  #settling = new Set()
  #puttingOff = false
  /** @type {Set<string> | undefined} table files whose sync a checkpoint has requested and not received yet */
  #gathered
  #onRefusal
  #syncAll

  /** Number of started log files. A growing log requires a checkpoint. */
  segmentsBegun = 0
  #segment = ''

  /**
   * @param {string} folder
   * @param {(cause: Error) => void} onRefusal ends the database at once and does not return
   * @param {(paths: string[]) => void} [syncAll] returns when all these files are on disk, else throws
   */
  constructor(folder, onRefusal, syncAll = (paths) => paths.forEach(syncPath)) {
    super(folder)
    this.#onRefusal = onRefusal
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
      if (!stream.inLog && this.#owed.size + this.#settling.size > 0) this.#settleNow()
      stream.isControl ??= files.realPath(stream.node).endsWith(CONTROL_FILE)
      if (stream.isControl) this.#syncGathered()
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
    if (descriptor === undefined) return this.#orEnd(() => syncPath(path))
    if (this.#gathered && RELATION.test(path)) return void this.#gathered.add(path)
    if (!SEGMENT.test(path)) return this.#orEnd(() => fsyncSync(descriptor))
    // A checkpoint also syncs old log files, under the names for which it recycles them.
    if (path !== this.#segment && !this.#gathered) {
      this.#segment = path
      this.segmentsBegun += 1
    }
    if (this.#puttingOff) this.#owed.add(path)
    else {
      this.#orEnd(() => fdatasyncSync(descriptor))
      this.#owed.delete(path)
    }
  }

  #settleNow() {
    for (const path of [...this.#settling, ...this.#owed]) this.#orEnd(() => syncPath(path))
    this.#settling = new Set()
    this.#owed = new Set()
  }

  /**
   * Runs a sync. After a failure, a disk may report success for data that it lost. Only a restart from the log is safe.
   *
   * @param {() => void} sync
   */
  #orEnd(sync) {
    try {
      sync()
    } catch (cause) {
      this.#onRefusal(/** @type {Error} */ (cause))
    }
  }

  /**
   * Runs work with log syncs deferred. Returns true if any sync is pending or in progress afterwards.
   *
   * @param {() => void} work
   */
  putOff(work) {
    this.#puttingOff = true
    try {
      work()
    } finally {
      this.#puttingOff = false
    }
    return this.#owed.size + this.#settling.size > 0
  }

  /**
   * Runs a checkpoint whose table syncs are made together.
   *
   * @param {() => void} checkpoint
   */
  syncTogether(checkpoint) {
    this.#gathered = new Set()
    try {
      checkpoint()
    } finally {
      this.#syncGathered()
      this.#gathered = undefined
    }
  }

  #syncGathered() {
    if (!this.#gathered || this.#gathered.size === 0) return
    const paths = [...this.#gathered]
    this.#gathered.clear()
    this.#orEnd(() => this.#syncAll(paths))
  }

  /** Performs the syncs that are pending at the call. Rejects if the disk fails. One call at a time. */
  async settle() {
    const paths = this.#owed
    this.#settling = paths
    this.#owed = new Set()
    await Promise.all([...paths].map(syncLater))
    if (this.#settling === paths) this.#settling = new Set()
  }
}

/** @param {string} path */
function syncPath(path) {
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
