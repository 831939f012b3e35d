import { setImmediate } from 'node:timers/promises'
import type { RecordGraph } from '@cairnstore/engine/rank'
import type { RankMethod } from './rank-thread.ts'

/** Memory that is too small is replaced by more than was asked for, by this factor, so that it is seldom replaced. */
const ROOM_TO_GROW = 1.25

/** A question that waits for a thread, or is on one. */
export interface Job {
  readonly graph: ThreadedGraph
  readonly asked: RankMethod
  readonly args: readonly unknown[]
  settle(outcome: { answer: unknown } | { failure: unknown }): void
}

/** The threads that a graph may be ranked on. */
interface Threads {
  readonly isOpen: boolean
  isLarge(records: number): boolean
  /** Puts a question in line. */
  add(job: Job): void
  /** Gives what waits to threads that are free. */
  turn(): void
  areReading(graph: ThreadedGraph): boolean
  refuse(graph: ThreadedGraph): void
  tell(graph: ThreadedGraph, told: { isGone: boolean }): void
  workingBytesOf(graph: ThreadedGraph): number
  failed(error: unknown): void
}

/**
 * A graph that threads rank in once it is large and was asked before: a small one and the first question cost nothing
 * here.
 */
export class ThreadedGraph {
  readonly graph: RecordGraph
  /** Tells it from all others that the threads know. */
  readonly number: number
  readonly waiting = new Set<Job>()
  /** Counts up with every change. */
  version = 0
  isHeld = false
  readonly #threads: Threads
  readonly #whenFree: (() => void)[] = []
  #firstAsker: object | undefined
  #sharing: 'not' | 'begun' | 'done' = 'not'
  #isGone = false
  #weight = new ArrayBuffer(0)

  constructor(threads: Threads, graph: RecordGraph, number: number) {
    this.#threads = threads
    this.graph = graph
    this.number = number
  }

  /**
   * What the graph answers, worked out on a thread; undefined where none can, or not yet. Throws `NoThread` when one
   * could not, and the reason of the signal. What one question asks for has the same `asker`.
   */
  ask<A extends RankMethod>(
    asked: A,
    args: Parameters<RecordGraph[A]>,
    signal?: AbortSignal,
    asker: object = {},
  ): Promise<ReturnType<RecordGraph[A]>> | undefined {
    if (this.#isGone || !this.#threads.isOpen) return undefined
    this.#firstAsker ??= asker
    if (asker !== this.#firstAsker) this.#shareLarge()
    if (this.#sharing !== 'done') return undefined
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(job)
        reject(signal?.reason)
      }
      const settle: Job['settle'] = (outcome) => {
        signal?.removeEventListener('abort', leave)
        if ('failure' in outcome) reject(outcome.failure)
        else resolve(outcome.answer as ReturnType<RecordGraph[A]>)
      }
      const job: Job = { graph: this, asked, args, settle }
      signal?.addEventListener('abort', leave)
      this.#threads.add(job)
    })
  }

  /** Waits until no thread reads the graph, so that it may change; none does until what is given back is called. */
  async hold(): Promise<() => void> {
    this.isHeld = true
    if (this.#threads.areReading(this)) await new Promise<void>((resolve) => this.#whenFree.push(resolve))
    return () => {
      // What has grown where nothing was, as the first page of a list.
      if (this.#sharing === 'done') for (const share = this.graph.share(); !share.next().done; );
      this.#weigh()
      this.version += 1
      this.isHeld = false
      this.#threads.turn()
    }
  }

  /** Tells that a thread which read the graph no longer does. */
  freed(): void {
    if (!this.#threads.areReading(this)) for (const resolve of this.#whenFree.splice(0)) resolve()
  }

  /** Gives up what only the next question of the same kind would be spared. */
  rest(): void {
    this.#threads.tell(this, { isGone: false })
  }

  /** Lets the threads forget the graph: nobody is answered by one from here on. */
  forget(): void {
    this.#isGone = true
    this.#threads.refuse(this)
    this.#threads.tell(this, { isGone: true })
  }

  /** Bytes that the threads' own working arrays for the graph take. */
  get workingBytes(): number {
    return this.#threads.workingBytesOf(this)
  }

  #shareLarge(): void {
    if (this.#sharing !== 'not' || !this.#threads.isLarge(this.graph.recordCount)) return
    this.#sharing = 'begun'
    this.#share().catch((error: unknown) => this.#threads.failed(error))
  }

  /**
   * Holds as much again as was shared, of which no page is ever touched: the engine leaves shared memory out when it
   * decides to collect garbage, but counts this, and both go together.
   */
  #weigh(): void {
    const { bytes } = this.graph
    if (this.#sharing === 'done' && bytes > this.#weight.byteLength)
      this.#weight = new ArrayBuffer(bytes * ROOM_TO_GROW)
  }

  async #share(): Promise<void> {
    for (const share = this.graph.share(); !share.next().done; ) {
      await setImmediate()
      if (this.#isGone) return
    }
    this.#sharing = 'done'
    this.#weigh()
  }
}
