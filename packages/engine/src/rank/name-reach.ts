import type { ScoredTerm } from './bm25.ts'
import type { Linked, LinkedName } from './linking.ts'
import { idfSum } from './signals/signal.ts'
import { brevity, NAME_MODEL } from './weights.ts'

type NameKind = Exclude<keyof typeof NAME_MODEL, 'base'>

/** Entities that one name leads to at most; what more share tells none of them apart. */
const OWNERS_MAX = 2
/** Words of a name that nothing owns: a single one may be any word that begins a sentence or a heading. */
const BARE_WORDS_MIN = 2
/** Share of a name's words written with capitals from which it is partly so. */
const PARTLY = 0.5

/** What kind of name it is; undefined for one that is written like any other words. */
function kindOf({ owners, capitals, words }: LinkedName): NameKind | undefined {
  if (owners.length > OWNERS_MAX) return undefined
  if (capitals === undefined) return owners.length > 0 ? 'uncased' : undefined
  if (capitals < PARTLY) return undefined
  if (owners.length > 0) return capitals === 1 ? 'owned' : 'partly'
  return capitals === 1 && words >= BARE_WORDS_MIN ? 'bare' : undefined
}

/**
 * How far names may lead rather than words, from 0 to 1: by how rare the rarest is, and by how much of the question
 * names explain that are written as such. A question whose words no record holds has its names alone.
 */
export function nameReach(linked: Linked, terms: readonly ScoredTerm[]): number {
  const total = idfSum(terms)
  if (linked.certainty === 0) return 0
  if (total === 0) return 1
  const idfs = new Map(terms.map(({ position, idf }) => [position, idf]))
  const explained = new Map<NameKind, Map<number, number>>()
  for (const name of linked.names) {
    const kind = kindOf(name)
    if (kind === undefined) continue
    const ofKind = explained.get(kind) ?? new Map<number, number>()
    explained.set(kind, ofKind)
    for (const position of name.terms) {
      ofKind.set(position, Math.max(ofKind.get(position) ?? 0, (idfs.get(position) ?? 0) * name.telling))
    }
  }
  let logit: number = NAME_MODEL.base
  for (const [kind, ofKind] of explained) {
    for (const idf of ofKind.values()) logit += (NAME_MODEL[kind] * idf) / total
  }
  return (brevity(terms.length) * linked.certainty) / (1 + Math.exp(-logit))
}
