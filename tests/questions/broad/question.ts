/** A question, and a pattern for the first sentence of its answer. */
export type BroadQuestion = readonly [question: string, says: RegExp]
