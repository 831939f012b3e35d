import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ModelCard, ReaderMissing } from './model-folder.ts'

const THREAD = new URL('./encode-thread.js', import.meta.url)

/**
 * Who waits for a thread: somebody who asked, so that two cores compute each text, in little more than half the time
 * and to the same bits; or nobody, so that one does, after most of what other threads do.
 */
type ReadFor = 'asked' | 'later'

const CORES: Readonly<Record<ReadFor, number>> = { asked: Math.min(2, availableParallelism()), later: 1 }

/** What the thread is started with. */
export interface ThreadStart {
  readonly folder: string
  readonly card: ModelCard
  /** How many threads of the runtime compute a text. */
  readonly cores: number
  /** Whether other threads go before it. */
  readonly isBehind: boolean
}

/** What the thread answers. */
type Reply = { ready: true; isComparing: boolean } | { missing: string } | TextReading | { failure: string }

/** What the thread gives of one text: its vector, or how much it says of each word of a question. */
interface TextReading {
  vector: Float32Array
  words?: readonly string[]
  alike?: number
}

/** Texts to read. */
interface TextsToRead {
  readonly texts: readonly string[]
  /** What the texts are compared with; without it their vectors are wanted. */
  readonly question?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What was read of all texts, in their order. */
interface ReadTexts {
  readonly vectors: Float32Array[]
  /** Of the question, once the first text has been compared. */
  words?: readonly string[] | undefined
  readonly alike: number[]
}

interface Task extends TextsToRead {
  readonly read: ReadTexts
  readonly done: (read: ReadTexts) => void
  readonly fail: (error: unknown) => void
}

/** A thread that has the model, and is given one text at a time. */
export class ReadingThread {
  readonly #thread: Worker
  readonly #encoded: Task[] = []
  /** These come after the others: a question's vector is one text, which no comparison of many should keep waiting. */
  readonly #compared: Task[] = []
  /** The task of whose texts one is being read. */
  #current: Task | undefined
  #isComparing = false
  #end: ReaderMissing | undefined

  /** Resolves when the thread has the model; rejects with what is missing, after the thread has ended. */
  readonly ready: Promise<void>
  readonly #ended: Promise<void>

  constructor(card: ModelCard, folder: string, readFor: ReadFor) {
    // The runtime tells its makers what runs it, and keeps that under the home folder, unless the process says
    // otherwise before it is loaded; a thread's own environment is a copy that the runtime does not see.
    process.env.ORT_DISABLE_TELEMETRY = '1'
    const workerData: ThreadStart = { folder, card, cores: CORES[readFor], isBehind: readFor === 'later' }
    this.#thread = new Worker(THREAD, { workerData })
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', () => resolve())
    })
    this.ready = new Promise((resolve, reject) => {
      const refuse = (why: string) => {
        this.#fail(why)
        this.#thread.terminate().then(() => reject(this.#end), reject)
      }
      this.#thread.on('message', (reply: Reply) => {
        if ('missing' in reply) refuse(reply.missing)
        else if ('ready' in reply) {
          this.#isComparing = reply.isComparing
          resolve()
        } else this.#take(reply)
        if (this.#current === undefined && this.#end === undefined) this.#thread.unref()
      })
      this.#thread.on('error', (error) => refuse(`the reader's thread failed: ${error.message}`))
      this.#thread.on('exit', () => refuse("the reader's thread ended"))
    })
    // Who reads is told what is missing too, so that nobody need wait for this.
    this.ready.catch(() => undefined)
  }

  /** Whether the model gives tokens, without which nothing is compared; false until it is loaded. */
  get isComparing(): boolean {
    return this.#isComparing
  }

  /** Calls of `read` whose texts are not all read. */
  get waiting(): number {
    return this.#encoded.length + this.#compared.length
  }

  /** Reads the texts, those of one call after the other. Throws a ReaderMissing, and the signal's reason. */
  async read(wanted: TextsToRead): Promise<ReadTexts> {
    wanted.signal?.throwIfAborted()
    if (this.#end) throw this.#end
    const read: ReadTexts = { vectors: [], alike: [] }
    if (wanted.texts.length === 0) return read
    const queue = wanted.question === undefined ? this.#encoded : this.#compared
    return new Promise((done, fail) => {
      queue.push({ ...wanted, read, done, fail })
      this.#next()
    })
  }

  /** Ends the thread once the text that it reads is read; what waits fails at once. */
  async close(): Promise<void> {
    this.#fail('the reader is closed')
    this.#thread.ref()
    // It ends by itself: a thread that is ended from outside while the runtime works takes the whole process with it.
    this.#thread.postMessage({ isLast: true })
    await this.#ended
  }

  /** Gives the thread the next text, when it has none. */
  #next(): void {
    if (this.#current !== undefined) return
    const task = first(this.#encoded) ?? first(this.#compared)
    if (task === undefined) return
    this.#current = task
    this.#thread.ref()
    this.#thread.postMessage({ text: task.texts[task.read.vectors.length], question: task.question })
  }

  #take(reply: TextReading | { failure: string }): void {
    const task = this.#current
    this.#current = undefined
    if (task === undefined) return
    if ('failure' in reply) {
      this.#remove(task)
      task.fail(new Error(reply.failure))
    } else {
      const { read } = task
      read.vectors.push(reply.vector)
      read.words = reply.words
      if (reply.alike !== undefined) read.alike.push(reply.alike)
      if (read.vectors.length === task.texts.length) {
        this.#remove(task)
        task.done(read)
      }
    }
    this.#next()
  }

  #remove(task: Task): void {
    for (const queue of [this.#encoded, this.#compared]) if (queue[0] === task) queue.shift()
  }

  #fail(why: string): void {
    this.#end ??= new ReaderMissing(why)
    this.#current = undefined
    for (const queue of [this.#encoded, this.#compared]) for (const task of queue.splice(0)) task.fail(this.#end)
  }
}

/** The first task that somebody still waits for; those before it fail. */
function first(queue: Task[]): Task | undefined {
  while (queue[0]?.signal?.aborted) {
    const { fail, signal } = queue.shift() as Task
    fail(signal?.reason)
  }
  return queue[0]
}
