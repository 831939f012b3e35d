/** A question, and what the first sentence of its answer says. */
export type BroadQuestion = readonly [question: string, says: RegExp]
