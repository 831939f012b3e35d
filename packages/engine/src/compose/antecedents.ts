import type { Material } from './candidates.ts'
import type { Scored } from './select.ts'
import { LEANS_BACK } from './traits.ts'

// A longer sentence before is a matter of its own.
const WORDS_MAX = 35

/**
 * The chosen statements with the sentences that their first words point back to: "He starts on Monday" says nothing
 * without the one before. What stands under a title that tells of whom it speaks needs none.
 */
export function withAntecedents(chosen: readonly Scored[], scored: readonly Scored[], { records }: Material): Scored[] {
  const leaning = chosen.filter(
    ({ text, source, record, position }) =>
      source === 'sentence' && position > 0 && records[record]!.occurredAtMs !== undefined && LEANS_BACK.test(text),
  )
  const before = leaning.flatMap((each) => {
    const found = scored.find(
      (other) =>
        other.source === 'sentence' &&
        other.record === each.record &&
        other.position === each.position - 1 &&
        other.sentence?.block === each.sentence?.block,
    )
    return found && found.words <= WORDS_MAX ? [found] : []
  })
  return [...chosen, ...before]
}
