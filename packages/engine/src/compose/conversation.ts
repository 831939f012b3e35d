import type { Material } from './candidates.ts'
import type { Scored } from './select.ts'
import { countWords } from './traits.ts'

/**
 * The chosen statements with what else was said in the conversation of the one that leads, of each message the
 * statement that is worth most, the most relevant messages first, within a number of words.
 */
export function withConversation(
  chosen: readonly Scored[],
  lead: Scored,
  scored: readonly Scored[],
  { records }: Material,
  wordsMax: number,
): Scored[] {
  const { conversation } = records[lead.record]!
  if (conversation === undefined) return [...chosen]
  const known = new Set(chosen.map(({ record }) => record))
  const best = new Map<number, Scored>()
  for (const each of scored) {
    if (records[each.record]!.conversation !== conversation || known.has(each.record)) continue
    if (each.source === 'sentence' && each.worth > (best.get(each.record)?.worth ?? 0)) best.set(each.record, each)
  }
  let words = chosen.reduce((sum, { text }) => sum + countWords(text), 0)
  const more = [...best.values()]
    .sort((one, other) => records[other.record]!.score - records[one.record]!.score)
    .filter((each) => {
      const fits = words + each.words <= wordsMax
      if (fits) words += each.words
      return fits
    })
  return [...chosen, ...more]
}
