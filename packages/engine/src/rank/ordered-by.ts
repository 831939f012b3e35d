import type { GraphStore, Ties } from './store.ts'

type RankFunction = (...args: never[]) => unknown

/** Members of a graph that order records or count them. */
interface Ordering {
  readonly recordCount: number
  readonly vectorCount: number
  readonly rank: RankFunction
  readonly rankLexical: RankFunction
  readonly rankPinned: RankFunction
  readonly recordsOf: RankFunction
  readonly saidWith: RankFunction
}

/**
 * Returns a view of the same graph that reveals tie-breakers during each ranking. A ranking is synchronous, so nothing
 * interrupts it.
 */
export function orderedBy<Graph extends Ordering>(graph: Graph, store: GraphStore, ties: Ties): Graph {
  const showing = <Rank extends RankFunction>(rank: Rank): Rank =>
    ((...args: never[]) => {
      store.hiddenTies = ties
      try {
        return rank(...args)
      } finally {
        store.hiddenTies = undefined
        ties.keep()
      }
    }) as Rank
  return {
    ...graph,
    get recordCount() {
      return graph.recordCount
    },
    get vectorCount() {
      return graph.vectorCount
    },
    rank: showing(graph.rank),
    rankLexical: showing(graph.rankLexical),
    rankPinned: showing(graph.rankPinned),
    recordsOf: showing(graph.recordsOf),
    saidWith: showing(graph.saidWith),
  }
}
