/** Words next to each other in a text. */
export interface WordSpan {
  /** Index of the first word. */
  readonly at: number
  /** Number of words. */
  readonly length: number
}

/** Whether two spans of one text share a word. */
export function overlap(one: WordSpan, other: WordSpan): boolean {
  return one.at < other.at + other.length && other.at < one.at + one.length
}

/** Spans in the order in which they are read as names: the longest first, of one length the first. */
export function longestFirst<T extends WordSpan>(spans: readonly T[]): T[] {
  return [...spans].sort((one, other) => other.length - one.length || one.at - other.at)
}
