import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Asked, TextResult, TextRunner } from './encoding-queue.ts'
import { EncoderUnavailable, type ModelCard, type PairModelFiles, pairModelFiles } from './model-folder.ts'

const THREAD = new URL('./encode-thread.js', import.meta.url)

/**
 * Purpose of a thread. A thread for questions ('asked') uses two cores, which takes little more than half the time of
 * one and gives identical results. A background thread ('later') uses one core at a lower priority.
 */
type ThreadPurpose = 'asked' | 'later'

const CORES: Readonly<Record<ThreadPurpose, number>> = { asked: Math.min(2, availableParallelism()), later: 1 }

/** Start parameters of the thread. */
export interface ThreadStart {
  readonly folder: string
  readonly card: ModelCard
  readonly pairs: PairModelFiles
  /** Number of threads that the runtime uses for a text. */
  readonly cores: number
  /** True if other threads have a higher priority. */
  readonly isBackground: boolean
}

/** Message from the thread. */
type Reply = { ready: true; isComparing: boolean } | { missing: string } | TextResult | { failure: string }

interface Current {
  readonly done: (result: TextResult) => void
  readonly fail: (error: Error) => void
}

/** A worker thread with the model. */
export class EncoderThread implements TextRunner {
  readonly #thread: Worker
  #current: Current | undefined
  #isComparing = false
  #end: EncoderUnavailable | undefined

  /** Resolves once the thread has loaded the model. Rejects with the error after the thread has ended. */
  readonly ready: Promise<void>
  readonly #ended: Promise<void>

  constructor(card: ModelCard, folder: string, purpose: ThreadPurpose) {
    // Disables the runtime's telemetry and its files in the home folder. The runtime reads the variable from the
    // process environment, which a worker thread cannot change.
    process.env.ORT_DISABLE_TELEMETRY = '1'
    const workerData: ThreadStart = {
      folder,
      card,
      pairs: pairModelFiles(),
      cores: CORES[purpose],
      isBackground: purpose === 'later',
    }
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
    // `run` throws the same error, so an unhandled rejection of this promise is ignored.
    this.ready.catch(() => undefined)
  }

  /** True if the model has a token output, which comparisons need; false until it is loaded. */
  get isComparing(): boolean {
    return this.#isComparing
  }

  /** Processes a text. The next text may be passed only after it is done. */
  run(text: string, asked: Asked): Promise<TextResult> {
    if (this.#end) return Promise.reject(this.#end)
    return new Promise((done, fail) => {
      this.#current = { done, fail }
      this.#thread.ref()
      this.#thread.postMessage({ text, ...asked })
    })
  }

  async close(): Promise<void> {
    this.#fail('the encoder is closed')
    this.#thread.ref()
    // The thread must end itself. Terminating it while the runtime is working would crash the process.
    this.#thread.postMessage({ isLast: true })
    await this.#ended
  }

  #take(reply: TextResult | { failure: string }): void {
    const current = this.#current
    this.#current = undefined
    if ('failure' in reply) current?.fail(new Error(reply.failure))
    else current?.done(reply)
  }

  #fail(why: string): void {
    this.#end ??= new EncoderUnavailable(why)
    this.#current?.fail(this.#end)
    this.#current = undefined
  }
}
