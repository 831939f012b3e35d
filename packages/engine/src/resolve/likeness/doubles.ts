import type { Candidate } from './candidates.ts'
import { AGREES, FIRST_FIELD, type Levels, MISSING } from './compare.ts'
import type { NameFit } from './name-fit.ts'
import type { Population } from './population.ts'

/** A source in which more of the things have a double does not tell its things apart. */
const DOUBLES_SHARE = 0.15
/** Fewer doubles show nothing of their source. */
const DOUBLES_MIN = 50
/** A double agrees in so many of the fields that both have. */
const AGREEMENT_SHARE = 0.75

/** What sources hold more than once. */
export interface Doubles {
  /** The sources of which many things have a double. */
  sources: ReadonlySet<string>
  /** The candidates that are doubles, by their place in the list. */
  pairs: ReadonlySet<number>
}

/**
 * Finds the doubles within sources: two of a name that fits and with nothing that contradicts. Namesakes and siblings
 * are none: something tells them apart.
 */
export function findDoubles(
  { fields, subjects }: Population,
  pairs: readonly Candidate[],
  levels: readonly Levels[],
  fits: readonly NameFit[],
): Doubles {
  const isDouble = (at: number): boolean => {
    if (fits[at] !== 'same') return false
    let [compared, agree] = [0, 0]
    for (const [field, { kind }] of fields.entries()) {
      const level = levels[at]![FIRST_FIELD + field]!
      if (level === MISSING) continue
      compared += 1
      if (level >= AGREES[kind]) agree += 1
      // A slip of the pen makes a number alike, another number none.
      else if (kind !== 'words' && (kind !== 'digits' || level === 0)) return false
    }
    return compared > 0 && agree >= AGREEMENT_SHARE * compared
  }
  const doubles = new Map<string, Set<number>>()
  const found = new Set<number>()
  const sizes = new Map<string, number>()
  for (const { subject } of subjects) sizes.set(subject.source, (sizes.get(subject.source) ?? 0) + 1)
  for (const [at, { one, other }] of pairs.entries()) {
    const { source } = subjects[one]!.subject
    if (source !== subjects[other]!.subject.source || !isDouble(at)) continue
    found.add(at)
    doubles.set(source, (doubles.get(source) ?? new Set()).add(one).add(other))
  }
  const isMany = ([source, things]: [string, Set<number>]) =>
    things.size >= Math.max(DOUBLES_MIN, DOUBLES_SHARE * sizes.get(source)!)
  return { sources: new Set([...doubles].filter(isMany).map(([source]) => source)), pairs: found }
}
