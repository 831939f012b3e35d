import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { EncoderUnavailable, type ModelCard } from './model-folder.ts'

const THREAD = new URL('./encode-thread.js', import.meta.url)

/**
 * Purpose of a thread. For a user's question two cores compute each text in little more than half the time, with
 * identical results. Background work uses one core at a lower priority.
 */
type ThreadPurpose = 'asked' | 'later'

const CORES: Readonly<Record<ThreadPurpose, number>> = { asked: Math.min(2, availableParallelism()), later: 1 }

/** Start parameters of the thread. */
export interface ThreadStart {
  readonly folder: string
  readonly card: ModelCard
  /** Number of runtime threads per text. */
  readonly cores: number
  /** True if other threads have a higher priority. */
  readonly isBackground: boolean
}

/** Message from the thread. */
type Reply = { ready: true; isComparing: boolean } | { missing: string } | TextResult | { failure: string }

/** Result for one text: its vector, or how much it expresses each word of the question. */
interface TextResult {
  vector: Float32Array
  words?: readonly string[]
  alike?: number
}

/** Texts to encode or compare. */
interface EncodingRequest {
  readonly texts: readonly string[]
  /** Question to compare the texts with. If omitted, the texts are encoded. */
  readonly question?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Results for all texts in order. */
interface EncodingResult {
  readonly vectors: Float32Array[]
  /** Words of the question, available after the first comparison. */
  words?: readonly string[] | undefined
  readonly similarities: number[]
}

interface Task extends EncodingRequest {
  readonly read: EncodingResult
  readonly done: (read: EncodingResult) => void
  readonly fail: (error: unknown) => void
}

/** A worker thread with the model. It processes one text at a time. */
export class EncoderThread {
  readonly #thread: Worker
  readonly #encoded: Task[] = []
  /**
   * Tasks with comparisons. They have a lower priority than `#encoded`: encoding a question is a single text and must
   * not wait for a comparison of many.
   */
  readonly #compared: Task[] = []
  /** Task whose text is being processed. */
  #current: Task | undefined
  #isComparing = false
  #end: EncoderUnavailable | undefined

  /** Resolves once the thread has loaded the model. Rejects with the error after the thread has ended. */
  readonly ready: Promise<void>
  readonly #ended: Promise<void>

  constructor(card: ModelCard, folder: string, purpose: ThreadPurpose) {
    // Disables the runtime's telemetry and its files in the home folder. The variable must be set in the main process
    // before the runtime is loaded, because it does not see a worker's copy of the environment.
    process.env.ORT_DISABLE_TELEMETRY = '1'
    const workerData: ThreadStart = { folder, card, cores: CORES[purpose], isBackground: purpose === 'later' }
    this.#thread = new Worker(THREAD, { workerData })
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', () => resolve())
    })
    this.ready = new Promise((resolve, reject) => {
      const fail = (why: string) => {
        this.#fail(why)
        this.#thread.terminate().then(() => reject(this.#end), reject)
      }
      this.#thread.on('message', (reply: Reply) => {
        if ('missing' in reply) fail(reply.missing)
        else if ('ready' in reply) {
          this.#isComparing = reply.isComparing
          resolve()
        } else this.#take(reply)
        if (this.#current === undefined && this.#end === undefined) this.#thread.unref()
      })
      this.#thread.on('error', (error) => fail(`the encoder's thread failed: ${error.message}`))
      this.#thread.on('exit', () => fail("the encoder's thread ended"))
    })
    // `read` throws the same error, so that nobody has to await this promise.
    this.ready.catch(() => undefined)
  }

  /** True if the model has a token output, which comparisons need; false until it is loaded. */
  get isComparing(): boolean {
    return this.#isComparing
  }

  /** Number of calls of `read` that are not finished. */
  get waiting(): number {
    return this.#encoded.length + this.#compared.length
  }

  /**
   * Processes texts; the texts of one call run in sequence. Throws EncoderUnavailable, and the signal's reason if it is
   * aborted.
   */
  async read(request: EncodingRequest): Promise<EncodingResult> {
    request.signal?.throwIfAborted()
    if (this.#end) throw this.#end
    const read: EncodingResult = { vectors: [], similarities: [] }
    if (request.texts.length === 0) return read
    const queue = request.question === undefined ? this.#encoded : this.#compared
    return new Promise((done, fail) => {
      queue.push({ ...request, read, done, fail })
      this.#next()
    })
  }

  /** Ends the thread after its current text. Waiting calls fail immediately. */
  async close(): Promise<void> {
    this.#fail('the encoder is closed')
    this.#thread.ref()
    // The thread ends itself. Terminating it while the runtime works would crash the process.
    this.#thread.postMessage({ isLast: true })
    await this.#ended
  }

  /** Sends the next text to the thread if it is idle. */
  #next(): void {
    if (this.#current !== undefined) return
    const task = first(this.#encoded) ?? first(this.#compared)
    if (task === undefined) return
    this.#current = task
    this.#thread.ref()
    this.#thread.postMessage({ text: task.texts[task.read.vectors.length], question: task.question })
  }

  #take(reply: TextResult | { failure: string }): void {
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
      if (reply.alike !== undefined) read.similarities.push(reply.alike)
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
    this.#end ??= new EncoderUnavailable(why)
    this.#current = undefined
    for (const queue of [this.#encoded, this.#compared]) for (const task of queue.splice(0)) task.fail(this.#end)
  }
}

/** Returns the first task that is not aborted. Aborted ones before it fail. */
function first(queue: Task[]): Task | undefined {
  while (queue[0]?.signal?.aborted) {
    const { fail, signal } = queue.shift() as Task
    fail(signal?.reason)
  }
  return queue[0]
}
