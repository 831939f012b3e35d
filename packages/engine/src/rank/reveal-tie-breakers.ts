import type { GraphStore, TieBreakers } from './store.ts'

type RankFunction = (...args: never[]) => unknown

/** Methods of a graph that order or count records. */
interface Ordering {
  readonly recordCount: number
  readonly vectorCount: number
  readonly rank: RankFunction
  readonly rankLexical: RankFunction
  readonly rankPinned: RankFunction
  readonly recordsOf: RankFunction
  readonly conversationContext: RankFunction
}

/**
 * Returns a view of the same graph that sets `keyedTieBreakers` during each ranking. A ranking is synchronous, so no
 * other code sees the revealed values.
 */
export function revealTieBreakers<Graph extends Ordering>(graph: Graph, store: GraphStore, ties: TieBreakers): Graph {
  const revealing = <Rank extends RankFunction>(rank: Rank): Rank =>
    ((...args: never[]) => {
      store.keyedTieBreakers = ties
      try {
        return rank(...args)
      } finally {
        store.keyedTieBreakers = undefined
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
    rank: revealing(graph.rank),
    rankLexical: revealing(graph.rankLexical),
    rankPinned: revealing(graph.rankPinned),
    recordsOf: revealing(graph.recordsOf),
    conversationContext: revealing(graph.conversationContext),
  }
}
