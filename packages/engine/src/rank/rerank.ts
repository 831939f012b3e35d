import { byScore, type Scored } from './best.ts'
import type { Scratch, WordScores } from './bm25.ts'
import type { Linked } from './linking.ts'
import { linksOf } from './links.ts'
import type { Node } from './node.ts'
import type { ScopeView } from './scope-view.ts'
import { eachMarked } from './store.ts'
import type { Weight } from './time-weight.ts'

const ROUNDS = 2
/** Records that others may lean on. */
const LEADERS_MAX = 10
/** Frequency at which a term is half covered. */
const HALF_COVERED = 0.5
const BARE_LINK = 0.7
const OWN_LINK = 1.3
const LINK_MAX = 1.2
/** What a link is worth when the record explains nothing more of the question. */
const LINK_ALONE = 0.3
const BONUS = 0.6

interface Candidate extends Scored {
  /** By term, how well the record covers it: 0 to 1. */
  coverage: Float64Array
  /** By node, whether it is the record's own. */
  links: Map<Node, boolean>
}

/** Fills in how well each candidate covers each of the question's terms. */
function coverAll(view: ScopeView, { marks }: Scratch, candidates: readonly Candidate[]): void {
  for (const { place, coverage } of candidates) {
    eachMarked(view.store, place, Number.POSITIVE_INFINITY, marks, (mark, frequency) => {
      coverage[mark - 1] = frequency / (frequency + HALF_COVERED)
    })
  }
}

function linkOf(view: ScopeView, a: Candidate, b: Candidate, linked: Linked): number {
  let strongest = 0
  const idfMax = Math.log(1 + view.records)
  for (const [node, isOwn] of a.links) {
    const isOwnOfB = b.links.get(node)
    if (isOwnOfB === undefined || linked.nodes.has(node)) continue
    const own = isOwn || isOwnOfB ? OWN_LINK : 1
    strongest = Math.max(strongest, (node.idf / idfMax) * (node.entity >= 0 ? 1 : BARE_LINK) * own)
  }
  return Math.min(strongest, LINK_MAX)
}

function gainOf(words: WordScores, a: Candidate, b: Candidate): number {
  let gain = 0
  let total = 0
  for (const [position, { idf }] of words.terms.entries()) {
    gain += idf * Math.max(0, b.coverage[position]! - a.coverage[position]!)
    total += idf
  }
  return total === 0 ? 0 : gain / total
}

/**
 * Orders the best records again: one that a strong record leads to by a rare shared name, and that covers words of
 * the question which that one leaves unexplained, rises by as much as its weight lets it.
 */
export function rerank(
  view: ScopeView,
  scratch: Scratch,
  words: WordScores,
  linked: Linked,
  best: readonly Scored[],
  weightOf: Weight,
): Scored[] {
  const candidates = best.map<Candidate>(({ place, score }) => ({
    place,
    score,
    coverage: new Float64Array(words.terms.length),
    links: new Map(linksOf(view, place).map(({ node, isOwn }) => [node, isOwn])),
  }))
  coverAll(view, scratch, candidates)
  const inOrder = byScore(view.store)
  for (let round = 0; round < ROUNDS; round += 1) {
    candidates.sort(inOrder)
    const greatest = candidates[0]?.score ?? 1
    for (const candidate of candidates) candidate.score /= greatest
    const leaders = candidates.slice(0, LEADERS_MAX)
    const bonuses = candidates.map((candidate) => {
      let bonus = 0
      for (const leader of leaders) {
        if (leader === candidate) continue
        const link = linkOf(view, leader, candidate, linked)
        if (link === 0) continue
        bonus = Math.max(bonus, Math.sqrt(leader.score) * link * (LINK_ALONE + gainOf(words, leader, candidate)))
      }
      return bonus
    })
    for (const [position, candidate] of candidates.entries()) {
      candidate.score += BONUS * bonuses[position]! * weightOf(candidate.place)
    }
  }
  return candidates.sort(inOrder).map(({ place, score }) => ({ place, score }))
}
