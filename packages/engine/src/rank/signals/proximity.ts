import { brevityFactor } from '../weights.ts'
import type { Signal } from './signal.ts'

/** Maximum distance of two terms in a record, counted in distinct terms. */
const APART_MAX = 4

/**
 * Sequential dependence: adjacent query terms that are close together in a record (Metzler and Croft, SIGIR 2005). An
 * analysis has the position of a term's first occurrence only, counted in distinct terms, so these positions are
 * compared.
 */
export const proximity: Signal = {
  name: 'proximity',
  of: ({ words: { terms }, weights }, candidates) => {
    const inOrder = terms.map((_, at) => at).sort((one, other) => terms[one]!.position - terms[other]!.position)
    const pairs = inOrder.slice(1).map((second, at) => {
      const first = inOrder[at]!
      const [one, other] = [terms[first]!.idf, terms[second]!.idf]
      return { first, second, idf: Math.min(one, other), most: Math.max(one, other) }
    })
    const total = pairs.reduce((sum, { most }) => sum + most, 0)
    const scale = (weights.proximity * brevityFactor(weights, terms.length)) / (total || 1)
    return Float64Array.from(candidates, ({ positions }) => {
      let met = 0
      for (const { first, second, idf } of pairs) {
        const apart = Math.abs(positions[first]! - positions[second]!)
        const areThere = positions[first]! >= 0 && positions[second]! >= 0
        if (areThere && apart > 0 && apart <= APART_MAX) met += idf / apart
      }
      return met * scale
    })
  },
}
