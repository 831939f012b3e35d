// PGlite's files on a disk, synced when PostgreSQL asks for it.
//
// PGlite ships with fsync off, and its file layer drops the calls even when it is on. Here they reach the disk, in the
// order that PostgreSQL's own rules for crashes demand, with one exception: the sync of the write-ahead log that a
// COMMIT asks for may be put off, so that one sync serves many commits. Whoever puts it off owes `settle()` before the
// commit is reported to anyone. No file outside the log is written while that debt is open, since a page must not
// reach the disk before the log that describes it.
//
// A checkpoint asks for the sync of each table's file in turn, some forty of them, before it writes in the control file
// from where the log counts. They may be made together, several at once, any time before that write.

import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

const LOG_FOLDER = '/pg_wal/'
/** A file of the log; while it is being made it has another name. */
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

/** A folder for PGlite that is as durable as the disk under it. */
export class DurableFolder extends NodeFS {
  /** @type {Set<string>} log files with a sync that was put off */
  #owed = new Set()
  /** @type {Set<string>} log files whose sync was begun and is not known to be done */
  #settling = new Set()
  #puttingOff = false
  /** @type {Set<string> | undefined} files of tables whose sync a checkpoint has asked for and not got yet */
  #gathered
  #onRefusal
  #syncAll

  /** Counts the log files that were begun; a log that grows wants a checkpoint. */
  segmentsBegun = 0
  #segment = ''

  /**
   * @param {string} folder
   * @param {(cause: Error) => void} onRefusal ends the database at once, without a return
   * @param {(paths: string[]) => void} [syncAll] returns when all of these files are on disk, else throws
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
    // A checkpoint syncs old log files too, under the names for which it keeps them.
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
   * Runs a sync. What a disk has refused once it may pretend to hold the next time; only starting again, from the log,
   * is safe.
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
   * Runs work with the syncs of the log put off, and says whether any is owed or under way now.
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
   * Runs a checkpoint, whose syncs of tables are made together.
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

  /** Pays what is owed at the time of the call; rejects when the disk refuses. One call at a time. */
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
