import type { NearRecord, RankedRecord, RecordGraph, Scope } from '@cairnstore/engine/rank'
import type { AskedTimes, Question } from '@cairnstore/engine/understand'
import type { Asked } from './rank-thread.ts'
import { NoThread } from './rank-threads.ts'
import type { ThreadedGraph } from './threaded-graph.ts'

/** What a ranking is given beside the question. */
export interface RankingOptions {
  readonly times?: AskedTimes | undefined
  readonly explain?: boolean
  /** Ends the waiting; what is being worked out is let go. */
  readonly signal?: AbortSignal | undefined
}

/**
 * What finds the records that a question may be answered from: the port in front of the graph. Whoever waits for it
 * asks of the graph as it was then; a record that it names may be gone when its content is read.
 */
export interface Ranking {
  /** As `RecordGraph.rank`: the most relevant records in scope, the best first. */
  candidates(question: Question, scope: Scope | null, limit: number, how?: RankingOptions): Promise<RankedRecord[]>
  /** As `RecordGraph.rankPinned`. */
  pinned(
    question: Question,
    scope: Scope | null,
    tuples: readonly string[][],
    limit: number,
    signal?: AbortSignal,
  ): Promise<RankedRecord[][]>
  /** As `RecordGraph.nearest`. */
  nearest(
    vector: Int8Array,
    scope: Scope | null,
    limit: number,
    how?: Pick<RankingOptions, 'times' | 'signal'>,
  ): Promise<NearRecord[]>
}

/** Ranks by the graph itself: on a thread where there is one for it, else here. */
export function rankingOf(graph: RecordGraph, threaded: () => ThreadedGraph | undefined): Ranking {
  const ask = async <A extends Asked>(
    asked: A,
    args: Parameters<RecordGraph[A]>,
    signal: AbortSignal | undefined,
  ): Promise<ReturnType<RecordGraph[A]>> => {
    try {
      const there = await threaded()?.ask(asked, args, signal)
      if (there) return there
    } catch (error) {
      if (!(error instanceof NoThread)) throw error
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
