import type { Population, Prepared } from './population.ts'

/**
 * The cosine of some words of any two subjects of a population by their places, rare words weighing more. Fastest when
 * it is asked for pairs in the order of their first.
 */
export function createCosine(
  { subjects, idf }: Population,
  tokensOf: (subject: Prepared) => readonly number[],
): (one: number, other: number) => number {
  const weight = (tokens: readonly number[]) => {
    let sum = 0
    for (const token of tokens) sum += idf[token]! ** 2
    return sum
  }
  const norms = Float64Array.from(subjects, (subject) => Math.sqrt(weight(tokensOf(subject))))
  const marked = new Uint8Array(idf.length)
  let marking: readonly number[] = []
  return (one, other) => {
    const mine = tokensOf(subjects[one]!)
    if (mine !== marking) {
      for (const token of marking) marked[token] = 0
      for (const token of mine) marked[token] = 1
      marking = mine
    }
    let sum = 0
    for (const token of tokensOf(subjects[other]!)) if (marked[token]) sum += idf[token]! ** 2
    return sum / (norms[one]! * norms[other]! || 1)
  }
}
