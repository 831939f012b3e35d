import { setImmediate } from 'node:timers/promises'
import type { RecordGraph } from '@cairnstore/engine/rank'
import type { RankMethod } from './rank-thread.ts'

/** Growth factor of the buffer that reports the size, so that it is rarely replaced. */
const GROWTH_FACTOR = 1.25

/** A question that waits for a thread or runs on one. */
export interface Job {
  readonly graph: ThreadedGraph
  readonly method: RankMethod
  readonly args: readonly unknown[]
  settle(outcome: { answer: unknown } | { failure: unknown }): void
}

interface ThreadPool {
  readonly isOpen: boolean
  isLarge(records: number): boolean
  /** Queues a question. */
  add(job: Job): void
  /** Gives queued questions to free threads. */
  dispatch(): void
  areReading(graph: ThreadedGraph): boolean
  rejectWaiting(graph: ThreadedGraph): void
  notifyThreads(graph: ThreadedGraph, change: { isGone: boolean }): void
  workingBytesOf(graph: ThreadedGraph): number
  failed(error: unknown): void
}

/** A graph that threads rank once it is large and has been queried before. */
export class ThreadedGraph {
  readonly graph: RecordGraph
  readonly number: number
  readonly waiting = new Set<Job>()
  /** Incremented with every change. */
  version = 0
  isLocked = false
  readonly #threads: ThreadPool
  readonly #onReleased: (() => void)[] = []
  #firstAsker: object | undefined
  #sharing: 'not' | 'begun' | 'done' = 'not'
  #isDropped = false
  #externalMemory = new ArrayBuffer(0)

  constructor(threads: ThreadPool, graph: RecordGraph, number: number) {
    this.#threads = threads
    this.graph = graph
    this.number = number
  }

  /**
   * Runs a graph method on a thread. Returns undefined if no thread can run it yet. Rejects with `NoThreadAvailable` if
   * the thread failed, or with the signal's reason. All calls for one question pass the same `asker`.
   */
  ask<A extends RankMethod>(
    method: A,
    args: Parameters<RecordGraph[A]>,
    signal?: AbortSignal,
    asker: object = {},
  ): Promise<ReturnType<RecordGraph[A]>> | undefined {
    if (this.#isDropped || !this.#threads.isOpen) return undefined
    this.#firstAsker ??= asker
    if (asker !== this.#firstAsker) this.#shareLarge()
    if (this.#sharing !== 'done') return undefined
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.waiting.delete(job)
        reject(signal?.reason)
      }
      const settle: Job['settle'] = (outcome) => {
        signal?.removeEventListener('abort', abandon)
        if ('failure' in outcome) reject(outcome.failure)
        else resolve(outcome.answer as ReturnType<RecordGraph[A]>)
      }
      const job: Job = { graph: this, method, args, settle }
      signal?.addEventListener('abort', abandon)
      this.#threads.add(job)
    })
  }

  /** Waits until no thread reads the graph, and blocks new reads until the returned function is called. */
  async lock(): Promise<() => void> {
    this.isLocked = true
    if (this.#threads.areReading(this)) await new Promise<void>((resolve) => this.#onReleased.push(resolve))
    return () => {
      // Moves arrays that were added meanwhile to shared memory.
      if (this.#sharing === 'done') for (const share = this.graph.share(); !share.next().done; );
      this.#reportSize()
      this.version += 1
      this.isLocked = false
      this.#threads.dispatch()
    }
  }

  /** Notes that a thread has finished reading the graph. */
  onReleased(): void {
    if (!this.#threads.areReading(this)) for (const resolve of this.#onReleased.splice(0)) resolve()
  }

  /** Makes the threads drop their caches for similar questions. */
  releaseIdleMemory(): void {
    this.#threads.notifyThreads(this, { isGone: false })
  }

  /** Makes the threads drop the graph. They answer no more questions about it. */
  forget(): void {
    this.#isDropped = true
    this.#threads.rejectWaiting(this)
    this.#threads.notifyThreads(this, { isGone: true })
  }

  /** Bytes of the threads' own working arrays for the graph. */
  get workingBytes(): number {
    return this.#threads.workingBytesOf(this)
  }

  #shareLarge(): void {
    if (this.#sharing !== 'not' || !this.#threads.isLarge(this.graph.recordCount)) return
    this.#sharing = 'begun'
    this.#share().catch((error: unknown) => this.#threads.failed(error))
  }

  /**
   * Allocates a buffer of the same size as the shared memory, which V8 ignores when it schedules garbage collection. V8
   * counts the buffer instead. The buffer is never written, and is freed with the graph.
   */
  #reportSize(): void {
    const { bytes } = this.graph
    if (this.#sharing === 'done' && bytes > this.#externalMemory.byteLength)
      this.#externalMemory = new ArrayBuffer(bytes * GROWTH_FACTOR)
  }

  async #share(): Promise<void> {
    for (const share = this.graph.share(); !share.next().done; ) {
      await setImmediate()
      if (this.#isDropped) return
    }
    this.#sharing = 'done'
    this.#reportSize()
  }
}
