/** How much a term of a question tells in a scope. */
export interface TermWeight {
  /** The same for a term and its other forms, which count as one. */
  readonly position: number
  /** Its inverse document frequency in the scope, times what it counts in the question. */
  readonly idf: number
}

/** By each term of a question that stands in the scope. */
export type TermWeights = ReadonlyMap<string, TermWeight>
