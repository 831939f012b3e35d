import type { Sentence } from '../text/sentences.ts'
import type { Candidate } from './candidates.ts'

/** Sentences of one section at most, which ends where the next heading stands. */
const SECTION_SENTENCES = 8
/** How fast a section counts less that says less of the question. */
const FALL = 2

/**
 * For each candidate, how much of the question its section says beside the section of its record that says most of it,
 * 0..1: a record is relevant by its best passage, and a long one has many others.
 */
export function sectionShares(candidates: readonly Candidate[], weights: readonly [string, number][]): number[] {
  const keys = candidates.map(({ record, sentence, source }) =>
    source === 'sentence' && sentence ? `${record}:${sectionOf(sentence)}` : undefined,
  )
  const said = new Map<string, Set<string>>()
  for (const [at, key] of keys.entries()) {
    if (key === undefined) continue
    const terms = said.get(key) ?? new Set()
    for (const [term] of weights) if (candidates[at]!.terms.has(term)) terms.add(term)
    said.set(key, terms)
  }
  const covers = new Map([...said].map(([key, terms]) => [key, sum(weights, terms)]))
  const most = new Map<number, number>()
  for (const [at, key] of keys.entries()) {
    const { record } = candidates[at]!
    if (key !== undefined) most.set(record, Math.max(most.get(record) ?? 0, covers.get(key)!))
  }
  return keys.map((key, at) => {
    const top = most.get(candidates[at]!.record) ?? 0
    return key === undefined || top === 0 ? 1 : (covers.get(key)! / top) ** FALL
  })
}

/** The first sentence under the heading, with the number of the stretch under it. */
function sectionOf({ position, inSection }: Sentence): string {
  return `${position - inSection}:${Math.floor(inSection / SECTION_SENTENCES)}`
}

function sum(weights: readonly [string, number][], terms: ReadonlySet<string>): number {
  return weights.reduce((total, [term, weight]) => total + (terms.has(term) ? weight : 0), 0)
}
