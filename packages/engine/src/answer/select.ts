import type { Scored } from './decide.ts'
import { countWords, expand, type Passage } from './expand.ts'
import type { SegmentedRecord, Statement } from './statement.ts'

/** Share of the best probability from which another row or list item counts as equally likely to answer. */
const LIKELY_SHARE = 0.4

/** A passage with the probability of its best statement. */
export interface SelectedPassage extends Passage {
  readonly p: number
}

/** Limits on how much is shown. */
export interface SelectOptions {
  readonly passagesMax: number
  readonly wordsMax: number
  /** A further passage needs at least this share of the best passage's probability. */
  readonly shareMin: number
  readonly termsOf: (text: string) => readonly string[]
}

/**
 * Selects passages greedily by probability × (1 − redundancy), as in maximal marginal relevance (Carbonell and
 * Goldstein, 1998). Redundancy is the share of a passage's terms that the selected passages contain. The first passage
 * is always selected.
 */
export function select(
  scored: readonly Scored[],
  records: readonly SegmentedRecord[],
  { passagesMax, wordsMax, shareMin, termsOf }: SelectOptions,
): SelectedPassage[] {
  const selected: SelectedPassage[] = []
  const known = new Set<string>()
  const open = passagesOf(scored, records)
  const best = open[0]?.p ?? 0
  let words = 0
  while (open.length > 0 && selected.length < passagesMax) {
    const worths = open.map((each) => each.p * (1 - redundancy(textOf(each), known, termsOf)))
    const at = worths.indexOf(Math.max(...worths))
    const [next] = open.splice(at, 1)
    const length = countWords(textOf(next!))
    if (selected.length > 0 && worths[at]! < shareMin * best) break
    if (selected.length > 0 && words + length > wordsMax) continue
    selected.push(next!)
    words += length
    for (const term of termsOf(textOf(next!))) known.add(term)
  }
  return selected
}

/** Returns the passages of the statements without duplicates, ordered by their best statement. */
function passagesOf(scored: readonly Scored[], records: readonly SegmentedRecord[]): SelectedPassage[] {
  const passages: SelectedPassage[] = []
  for (const statement of scored) {
    const { record, start, end } = statement
    if (passages.some((each) => each.record === record && each.start <= start && end <= each.end)) continue
    const likely = new Set(scored.filter(({ p }) => p >= LIKELY_SHARE * statement.p).map(keyOf))
    const isLikely = (other: Statement) => likely.has(keyOf(other))
    passages.push({ ...expand(statement, records[record]!, isLikely), p: statement.p })
  }
  return passages
}

function keyOf({ record, start, end }: Statement): string {
  return `${record} ${start} ${end}`
}

function redundancy(text: string, known: ReadonlySet<string>, termsOf: SelectOptions['termsOf']): number {
  const terms = new Set(termsOf(text))
  if (terms.size === 0) return 0
  return [...terms].filter((term) => known.has(term)).length / terms.size
}

function textOf({ statements }: Passage): string {
  return statements.map(({ text }) => text).join(' ')
}
