import type { Candidate, Material } from './candidates.ts'
import type { Contradiction } from './contradiction.ts'
import { labelsOf } from './values.ts'

// A sentence that names more things lists them; one of them having changed leaves the rest of it true.
const LISTED_MIN = 2

/** Statements that give a value which, by the records' relations, no longer holds. */
export function overtakenByFacts(
  checked: readonly Candidate[],
  { candidates, records, termsOf }: Material,
): Contradiction[] {
  const changed = candidates.filter((candidate) => (candidate.former ?? []).length > 0)
  return checked.flatMap((said) => {
    const atMs = records[said.record]!.occurredAtMs
    const fact = changed.find(
      (each) =>
        atMs !== undefined &&
        each.sinceMs !== undefined &&
        atMs < each.sinceMs &&
        isAboutIt(said, each) &&
        !(each.present !== undefined && said.text.includes(each.present)) &&
        each.former!.some((value) => said.text.includes(value) && sharesMore(said, each, new Set(termsOf(value)))),
    )
    return fact ? [{ stands: fact, fallen: said, dated: true, told: true }] : []
  })
}

/** Whether a sentence can be about the numbered things of a fact: it names them, and does not list many. */
function isAboutIt(said: Candidate, fact: Candidate): boolean {
  const named = labelsOf(said.text)
  return named.size <= LISTED_MIN && [...labelsOf(fact.text)].every((label) => named.has(label))
}

/** Whether a sentence and a fact share terms beside those of the value. */
function sharesMore(said: Candidate, fact: Candidate, value: ReadonlySet<string>): boolean {
  return [...said.terms].some((term) => fact.terms.has(term) && !value.has(term))
}
