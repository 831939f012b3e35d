import { brevityFactor } from '../weights.ts'
import type { Signal } from './signal.ts'

/** Maximum distance of two terms that are close together, counted in distinct terms. */
const APART_MAX = 4

/**
 * Sequential dependence (Metzler and Croft, SIGIR 2005): adjacent query terms count more if they are close together in
 * a record. Only the position of each term's first occurrence is stored, counted in distinct terms.
 */
export const proximity: Signal = {
  name: 'proximity',
  of: ({ words: { terms }, weights }, candidates) => {
    const inOrder = terms.map((_, at) => at).sort((one, other) => terms[one]!.position - terms[other]!.position)
    const pairs = inOrder.slice(1).map((second, at) => {
      const first = inOrder[at]!
      const [one, other] = [terms[first]!.idf, terms[second]!.idf]
      return { first, second, idf: Math.min(one, other), greater: Math.max(one, other) }
    })
    const total = pairs.reduce((sum, { greater }) => sum + greater, 0)
    const scale = (weights.proximity * brevityFactor(weights, terms.length)) / (total || 1)
    return Float64Array.from(candidates, ({ positions }) => {
      let sum = 0
      for (const { first, second, idf } of pairs) {
        const apart = Math.abs(positions[first]! - positions[second]!)
        const areBothFound = positions[first]! >= 0 && positions[second]! >= 0
        if (areBothFound && apart > 0 && apart <= APART_MAX) sum += idf / apart
      }
      return sum * scale
    })
  },
}
