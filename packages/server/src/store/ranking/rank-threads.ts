import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { GraphSnapshot, NearRecord, RankedRecord, RecordGraph, Scope } from '@cairnstore/engine/rank'
import type { Question, QuestionTimes } from '@cairnstore/engine/understand'
import type { Log } from '../../base/log.ts'
import type { RankMethod, ThreadReply, ThreadRequest } from './rank-thread.ts'
import { diffSnapshots } from './snapshot-patch.ts'
import { type Job, ThreadedGraph } from './threaded-graph.ts'

/** Thrown if no thread can answer. The caller then computes the result itself. */
export class NoThreadAvailable extends Error {
  override name = 'NoThreadAvailable'
}

const THREAD = new URL(`./rank-thread${extname(import.meta.url)}`, import.meta.url)
const LIMITS = {
  /** Minimum number of records. Above it, ranking takes much longer than the hand-off to a thread (decisions/0061). */
  recordsMin: 100_000,
  /** Heap limit for cached results of earlier questions. The graphs are in shared memory outside the heap. */
  heapMibMax: 1_024,
  /** Milliseconds after which an unresponsive thread, also a starting one, is terminated. */
  answerMsMax: 30_000,
}
/** Milliseconds before a new thread is started after one has crashed. */
const RESTART_MS = 1_000

interface Thread {
  readonly worker: Worker
  /** True once it has loaded the engine. */
  isReady: boolean
  job: Job | undefined
  timer: NodeJS.Timeout | undefined
  /** State of each graph on the thread, by graph number. */
  readonly known: Map<number, { version: number; image: GraphSnapshot; workingBytes: number }>
}

/** Thread pool that ranks large graphs in memory shared with the main thread. */
export class RankThreads {
  readonly #threadsMax: number
  readonly #log: Log
  readonly #bounds: typeof LIMITS
  readonly #threads = new Set<Thread>()
  /** Graphs with waiting questions, the next in line first. */
  readonly #waiting = new Set<ThreadedGraph>()
  #graphCount = 0
  #restartAtMs = 0
  isOpen = true

  /** Creates a pool of up to `threadsMax` threads. A thread is started when all others are busy. */
  constructor(threadsMax: number, log: Log, bounds: Partial<typeof LIMITS> = {}) {
    this.#threadsMax = threadsMax
    this.#log = log
    this.#bounds = { ...LIMITS, ...bounds }
  }

  /** Lets threads rank a graph once it is large. The graph may change only while it is locked. */
  open(graph: RecordGraph): ThreadedGraph {
    this.#graphCount += 1
    return new ThreadedGraph(this, graph, this.#graphCount)
  }

  /** Returns true if a graph of this many records justifies threads. */
  isLarge(records: number): boolean {
    return records >= this.#bounds.recordsMin
  }

  add(job: Job): void {
    job.graph.waiting.add(job)
    this.#waiting.add(job.graph)
    this.dispatch()
  }

  /** Gives waiting questions to free threads, round robin by graph. Rejects them if there are no threads. */
  dispatch(): void {
    for (const graph of [...this.#waiting]) {
      const [job] = graph.waiting
      if (graph.isLocked || job === undefined) continue
      const thread = this.#findIdle(graph)
      if (thread === undefined) {
        this.#start()
        break
      }
      graph.waiting.delete(job)
      this.#waiting.delete(graph)
      if (graph.waiting.size > 0) this.#waiting.add(graph)
      this.#send(thread, job)
    }
    if (![...this.#threads].some(({ isReady }) => isReady))
      for (const graph of [...this.#waiting]) this.rejectWaiting(graph)
  }

  areReading(graph: ThreadedGraph): boolean {
    return [...this.#threads].some(({ job }) => job?.graph === graph)
  }

  /** Fails the waiting questions of a graph, so that their callers compute the results themselves. */
  rejectWaiting(graph: ThreadedGraph): void {
    this.#waiting.delete(graph)
    for (const job of graph.waiting) job.settle({ failure: new NoThreadAvailable() })
    graph.waiting.clear()
  }

  notifyThreads({ number }: ThreadedGraph, change: { isGone: boolean }): void {
    for (const { worker, known } of this.#threads) {
      if (!known.has(number)) continue
      worker.postMessage({ graph: number, ...change } satisfies ThreadRequest)
      if (change.isGone) known.delete(number)
    }
  }

  workingBytesOf({ number }: ThreadedGraph): number {
    let bytes = 0
    for (const { known } of this.#threads) bytes += known.get(number)?.workingBytes ?? 0
    return bytes
  }

  failed(error: unknown): void {
    this.#log.warn('the index could not be shared with ranking threads', { error })
  }

  async close(): Promise<void> {
    this.isOpen = false
    for (const graph of [...this.#waiting]) this.rejectWaiting(graph)
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  /** Returns a free thread, preferably one that has the graph. */
  #findIdle({ number }: ThreadedGraph): Thread | undefined {
    const free = [...this.#threads].filter(({ isReady, job }) => isReady && job === undefined)
    return free.find(({ known }) => known.has(number)) ?? free[0]
  }

  /** Starts another thread if allowed. Only one starts at a time. */
  #start(): void {
    if (this.#threads.size >= this.#threadsMax || performance.now() < this.#restartAtMs) return
    if ([...this.#threads].some(({ isReady }) => !isReady)) return
    const worker = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMibMax } })
    const thread: Thread = { worker, isReady: false, job: undefined, timer: undefined, known: new Map() }
    this.#startTimeout(thread)
    this.#threads.add(thread)
    worker.unref()
    worker.on('message', (message: ThreadReply) => this.#onMessage(thread, message))
    worker.on('error', (error) => this.#onExit(thread, error))
    worker.on('exit', (code) => this.#onExit(thread, new Error(`the thread exited with code ${code}`)))
  }

  #send(thread: Thread, job: Job): void {
    const { number, version, graph } = job.graph
    const known = thread.known.get(number)
    if (known?.version !== version) {
      const image = graph.toSnapshot()
      thread.worker.postMessage({ graph: number, patch: diffSnapshots(known?.image, image) } satisfies ThreadRequest)
      thread.known.set(number, { version, image, workingBytes: known?.workingBytes ?? 0 })
    }
    thread.job = job
    this.#startTimeout(thread)
    thread.worker.postMessage({ graph: number, ask: job.method, args: job.args } satisfies ThreadRequest)
  }

  /** Terminates the thread unless it answers in time. */
  #startTimeout(thread: Thread): void {
    thread.timer = setTimeout(
      () => this.#onExit(thread, new Error('the thread did not answer in time')),
      this.#bounds.answerMsMax,
    ).unref()
  }

  #onMessage(thread: Thread, message: ThreadReply): void {
    if ('isReady' in message) {
      thread.isReady = true
      clearTimeout(thread.timer)
      this.dispatch()
      return
    }
    const { job } = thread
    if (job === undefined) return
    const known = thread.known.get(job.graph.number)
    if (known) known.workingBytes = message.workingBytes
    if ('error' in message) this.#log.warn('a ranking thread failed', { error: message.error })
    this.#release(thread, 'error' in message ? { failure: new NoThreadAvailable() } : message)
  }

  /** Removes a thread that has ended or must end. The caller of its question computes the result itself. */
  #onExit(thread: Thread, error: unknown): void {
    if (!this.#threads.has(thread)) return
    if (this.isOpen) {
      this.#log.warn('a ranking thread ended', { error })
      this.#restartAtMs = performance.now() + RESTART_MS
    }
    void this.#end(thread)
  }

  #end(thread: Thread): Promise<unknown> {
    this.#threads.delete(thread)
    const ended = thread.worker.terminate()
    // A result that arrives after this is ignored.
    this.#release(thread, { failure: new NoThreadAvailable() })
    return ended
  }

  #release(thread: Thread, outcome: Parameters<Job['settle']>[0]): void {
    clearTimeout(thread.timer)
    const { job } = thread
    thread.job = undefined
    job?.settle(outcome)
    job?.graph.onReleased()
    this.dispatch()
  }
}

interface RankingOptions {
  readonly times?: QuestionTimes | undefined
  readonly explain?: boolean
  /** Ends the wait. The result of a running computation is discarded. */
  readonly signal?: AbortSignal | undefined
}

/** Finds the candidate records for a question, in the graph at the time of the call. */
export interface RankingPort {
  /** Like `RecordGraph.rank`: returns the most relevant records in scope, best first. */
  candidates(question: Question, scope: Scope | null, limit: number, how?: RankingOptions): Promise<RankedRecord[]>
  /** Like `RecordGraph.rankPinned`. */
  pinned(
    question: Question,
    scope: Scope | null,
    tuples: readonly string[][],
    limit: number,
    signal?: AbortSignal,
  ): Promise<RankedRecord[][]>
  /** Like `RecordGraph.nearest`. */
  nearest(
    vector: Int8Array,
    scope: Scope | null,
    limit: number,
    how?: Pick<RankingOptions, 'times' | 'signal'>,
  ): Promise<NearRecord[]>
}

/** Creates the ranking for one question. Ranks on a thread if one is available, else on the main thread. */
export function rankingOf(graph: RecordGraph, threaded: () => ThreadedGraph | undefined): RankingPort {
  const asker = {}
  const ask = async <A extends RankMethod>(
    asked: A,
    args: Parameters<RecordGraph[A]>,
    signal: AbortSignal | undefined,
  ): Promise<ReturnType<RecordGraph[A]>> => {
    try {
      const reply = await threaded()?.ask(asked, args, signal, asker)
      if (reply) return reply
    } catch (error) {
      if (!(error instanceof NoThreadAvailable)) throw error
    }
    return (graph[asked] as (...given: readonly unknown[]) => ReturnType<RecordGraph[A]>)(...args)
  }
  return {
    candidates: (question, scope, limit, { times, explain = false, signal } = {}) =>
      ask('rank', [question, scope, limit, times, { explain }], signal),
    pinned: (question, scope, tuples, limit, signal) => ask('rankPinned', [question, scope, tuples, limit], signal),
    nearest: (vector, scope, limit, { times, signal } = {}) => ask('nearest', [vector, scope, limit, times], signal),
  }
}
