import { expand, type Passage } from './expand.ts'
import { sheetRowOf } from './sheet-rows.ts'
import type { SegmentedRecord, Statement } from './statement.ts'
import { countWords } from './traits.ts'

/** Minimum probability for another row or list item to count as equally likely, as a share of the best one. */
const LIKELY_SHARE = 0.75

/** A statement with the probability (0 to 1) that it answers the question. */
interface Probable extends Statement {
  readonly p: number
  /** Share of the question's terms, by weight, that it contains. */
  readonly cover?: number
}

/** A passage with its best statement and that statement's probability. */
export interface SelectedPassage extends Passage {
  readonly best: Statement & Pick<Probable, 'cover'>
  readonly p: number
}

export interface SelectLimits {
  readonly passagesMax: number
  readonly wordsMax: number
  /** Minimum probability of a further passage, as a share of the best passage's. */
  readonly shareMin: number
  /** Maximum length of a passage, in words, after neighbors are added. */
  readonly passageWordsMax?: number
}

type TermsOf = (text: string) => readonly string[]

/**
 * Selects passages greedily by probability × (1 − redundancy), as in maximal marginal relevance (Carbonell and
 * Goldstein, 1998). Redundancy is the share of a passage's terms that the selected passages contain. Query terms do not
 * count, because every relevant passage repeats them. The first passage is always selected.
 * @param before passages that are already selected
 * @param asked terms of the question
 */
export function select(
  scored: readonly Probable[],
  records: readonly SegmentedRecord[],
  { passagesMax, wordsMax, shareMin, passageWordsMax }: SelectLimits,
  termsOf: TermsOf,
  { before = [], asked = [] }: { before?: readonly SelectedPassage[]; asked?: readonly string[] } = {},
): SelectedPassage[] {
  const selected = [...before]
  const isAsked = new Set(asked)
  const newTermsOf = (text: string) => termsOf(text).filter((term) => !isAsked.has(term))
  const known = new Set(before.flatMap((passage) => newTermsOf(textOf(passage))))
  const remaining = passagesOf(scored, records, passageWordsMax).filter(
    (passage) => !before.some((each) => isPartOf(passage, each)),
  )
  const best = Math.max(remaining[0]?.p ?? 0, before[0]?.p ?? 0)
  let words = before.reduce((sum, passage) => sum + countWords(textOf(passage)), 0)
  while (remaining.length > 0 && selected.length < passagesMax) {
    const scores = remaining.map((each) => each.p * (1 - redundancy(textOf(each), known, newTermsOf)))
    const at = scores.indexOf(Math.max(...scores))
    const [next] = remaining.splice(at, 1)
    const length = countWords(textOf(next!))
    if (selected.length > 0 && scores[at]! < shareMin * best) break
    if (selected.length > 0 && words + length > wordsMax) continue
    selected.push(next!)
    words += length
    for (const term of newTermsOf(textOf(next!))) known.add(term)
  }
  return [...selected, ...equalRows(selected, remaining, records, wordsMax - words)]
}

/**
 * Returns the other rows of a sheet that contain as much of the question as the selected rows, if only rows are
 * selected. All of them answer, whatever their rank.
 */
function equalRows(
  selected: readonly SelectedPassage[],
  open: readonly SelectedPassage[],
  records: readonly SegmentedRecord[],
  wordsMax: number,
): SelectedPassage[] {
  const isRow = ({ record }: SelectedPassage) => sheetRowOf(records[record]!) !== undefined
  const least = selected[0]?.best.cover ?? 0
  if (least === 0 || !selected.every(isRow)) return []
  let words = 0
  return open.filter((passage) => {
    if (!isRow(passage) || (passage.best.cover ?? 0) < least) return false
    words += countWords(textOf(passage))
    return words <= wordsMax
  })
}

/** Returns the passages of the statements without duplicates, ordered by their best statement. */
function passagesOf(
  scored: readonly Probable[],
  records: readonly SegmentedRecord[],
  wordsMax: number | undefined,
): SelectedPassage[] {
  const passages: SelectedPassage[] = []
  for (const statement of scored) {
    const { record, start, end } = statement
    if (end > 0 && passages.some((each) => each.record === record && each.start <= start && end <= each.end)) continue
    const likely = new Set(scored.filter(({ p }) => p >= LIKELY_SHARE * statement.p).map(keyOf))
    const isLikely = (other: Statement) => likely.has(keyOf(other))
    passages.push({ ...expand(statement, records[record]!, isLikely, wordsMax), best: statement, p: statement.p })
  }
  return passages
}

/** Minimum share of shared terms in two passages about the same subject, relative to the shorter passage. */
const SAME_SHARE = 0.25

/** Returns true if two passages have the same subject, judged by the terms that they share. */
export function isSameSubject(one: Passage, other: Passage, termsOf: TermsOf): boolean {
  const [terms, others] = [one, other].map((each) => new Set(termsOf(textOf(each))))
  const [small, large] = terms!.size <= others!.size ? [terms!, others!] : [others!, terms!]
  return small.size > 0 && [...small].filter((term) => large.has(term)).length >= SAME_SHARE * small.size
}

/** Returns true if one span is part of another. */
export function isPartOf(one: Pick<Passage, 'record' | 'start' | 'end'>, other: Passage): boolean {
  return other.end > 0 && one.record === other.record && other.start <= one.start && one.end <= other.end
}

function keyOf({ record, start, end, text }: Statement): string {
  return end === 0 ? `${record} ${text}` : `${record} ${start} ${end}`
}

function redundancy(text: string, known: ReadonlySet<string>, termsOf: TermsOf): number {
  const terms = new Set(termsOf(text))
  if (terms.size === 0) return 0
  return [...terms].filter((term) => known.has(term)).length / terms.size
}

function textOf({ statements }: Passage): string {
  return statements.map(({ text }) => text).join(' ')
}
