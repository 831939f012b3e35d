import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Answer, FromThread, ToThread } from './pglite-thread.js'

const THREAD = new URL('./pglite-thread.js', import.meta.url)

/** Creates the database in `folder` if there is none. Uses a temporary thread, so that its memory is freed. */
export async function createPglite(folder: string): Promise<void> {
  const thread = new Worker(THREAD, { workerData: { folder, task: 'create' } })
  await new Promise<void>((resolve, reject) => {
    thread.once('error', reject)
    thread.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`PGlite exited with code ${code}`))))
  })
}

const ENDED = 'PGlite has ended'

interface Waiter {
  commit: number
  resolve: () => void
  reject: (cause: Error) => void
}

/** Socket-like stream to PGlite's thread for the `pg` driver. It also tracks which commits are on disk. */
export class PgliteLink extends Duplex {
  readonly #thread: Worker
  #opened = false
  #commit = 0
  #durableCommit = 0
  #waiters: Waiter[] = []
  #ended: Promise<void>

  /** Number of log files (16 MiB each) that the database has started since it was opened. */
  segmentsBegun = 0

  constructor(folder: string) {
    super()
    this.#thread = new Worker(THREAD, { workerData: { folder, task: 'serve' } })
    this.#thread.on('message', (message: FromThread) => this.#receive(message))
    this.#thread.on('error', (cause) => this.destroy(cause))
    this.#ended = new Promise((resolve) => {
      this.#thread.once('exit', () => {
        this.destroy(new Error(ENDED))
        resolve()
      })
    })
    this.on('error', () => undefined)
    this.on('close', () => this.#rejectWaiters())
  }

  #receive(message: FromThread): void {
    if ('bytes' in message) this.#receiveAnswer(message)
    else if ('durable' in message) this.#setDurable(message.durable)
    else if ('failed' in message) this.destroy(new Error(`${ENDED}: ${message.failed}`))
    else if ('closed' in message) void this.#thread.terminate()
    else {
      this.#opened = true
      this.emit('connect')
    }
  }

  #receiveAnswer({ bytes, commit, segmentsBegun }: Answer): void {
    this.segmentsBegun = segmentsBegun
    if (commit !== undefined) this.#commit = commit
    this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  #setDurable(durableCommit: number): void {
    this.#durableCommit = durableCommit
    const due = this.#waiters.filter(({ commit }) => commit <= durableCommit)
    this.#waiters = this.#waiters.filter(({ commit }) => commit > durableCommit)
    for (const { resolve } of due) resolve()
  }

  #rejectWaiters(): void {
    for (const { reject } of this.#waiters) reject(new Error(ENDED))
    this.#waiters = []
  }

  /** Resolves when every acknowledged commit is on disk. */
  async durable(): Promise<void> {
    const commit = this.#commit
    if (commit <= this.#durableCommit) return
    if (this.destroyed) throw new Error(ENDED)
    await new Promise<void>((resolve, reject) => this.#waiters.push({ commit, resolve, reject }))
  }

  /** Shuts the database down cleanly and ends its thread. */
  async shutDown(): Promise<void> {
    if (!this.destroyed) this.#send({ close: true })
    await this.#ended
  }

  #send(message: ToThread): void {
    this.#thread.postMessage(message, 'bytes' in message ? [message.bytes.buffer as ArrayBuffer] : [])
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (cause?: Error) => void): void {
    this.#send({ bytes: new Uint8Array(bytes) })
    done()
  }

  override _writev(parts: { chunk: Buffer }[], done: (cause?: Error) => void): void {
    this.#send({ bytes: new Uint8Array(Buffer.concat(parts.map(({ chunk }) => chunk))) })
    done()
  }

  override _read(): void {}

  override _destroy(cause: Error | null, done: (cause: Error | null) => void): void {
    // Without a shutdown, the database ends as in a crash. Commits on disk are not lost.
    this.#thread.terminate().then(() => done(cause), done)
  }

  /** Emits `connect` once the database is open, as a socket does. */
  connect(): this {
    if (this.#opened) queueMicrotask(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#thread.ref()
    return this
  }

  unref(): this {
    this.#thread.unref()
    return this
  }
}
