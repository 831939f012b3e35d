import { type Comparer, MISSING } from './compare.ts'
import type { NameFitter } from './name-fit.ts'
import type { Prepared } from './population.ts'

/** What compares two things, and who is told of two that it fails on. */
export interface Fallible {
  fitter: NameFitter
  comparer: Comparer
  /** Whether two cannot be one for a reason from outside, by their ids. */
  isBarred(one: string, other: string): boolean
  /** Told once of each pair that could not be compared, by their ids. */
  onFailed(one: string, other: string, error: unknown): void
}

/** The same comparison, which fails for no pair. */
export interface Isolated extends Omit<Fallible, 'onFailed'> {
  /** Whether the comparison of two has failed by now: they are two things, whatever else is known of them. */
  hasFailed(one: Prepared, other: Prepared): boolean
}

/** Where more pairs fail it is not for what two things say. */
const FAILED_PAIRS_MAX = 1_000

/**
 * Leaves out the pairs whose comparison fails, so that it is done for all others. Throws what was thrown for one of
 * them when there are too many.
 */
export function isolate({ fitter, comparer, isBarred, onFailed }: Fallible): Isolated {
  const failed = new Set<string>()
  const attempt = <T>(one: string, other: string, instead: T, compare: () => T): T => {
    try {
      return compare()
    } catch (error) {
      const pair = keyOf(one, other)
      if (failed.has(pair)) return instead
      if (failed.size >= FAILED_PAIRS_MAX) throw error
      failed.add(pair)
      onFailed(one, other, error)
      return instead
    }
  }
  const between = <T>({ subject: one }: Prepared, { subject: other }: Prepared, instead: T, compare: () => T): T =>
    attempt(one.id, other.id, instead, compare)
  const unknown = Int8Array.from(comparer.sizes, () => MISSING)
  return {
    fitter: {
      fitOf: (one, other) => between(one, other, 'apart', () => fitter.fitOf(one, other)),
      ownWords: (one, beside) => between(one, beside, [], () => fitter.ownWords(one, beside)),
    },
    comparer: {
      ...comparer,
      levels: (one, other) => between(one, other, unknown, () => comparer.levels(one, other)),
    },
    isBarred: (one, other) => attempt(one, other, true, () => isBarred(one, other)),
    hasFailed: ({ subject: one }, { subject: other }) => failed.size > 0 && failed.has(keyOf(one.id, other.id)),
  }
}

function keyOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}
