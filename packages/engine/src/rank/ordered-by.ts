import type { GraphStore, Ties } from './store.ts'

type RankFunction = (...args: never[]) => unknown

/** What of a graph orders records, and what it counts. */
interface Ordering {
  readonly recordCount: number
  readonly vectorCount: number
  readonly rank: RankFunction
  readonly rankLexical: RankFunction
  readonly rankPinned: RankFunction
  readonly recordsOf: RankFunction
  readonly saidWith: RankFunction
}

/** The same graph, with ties shown for as long as one ranking takes, which nothing interrupts. */
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
