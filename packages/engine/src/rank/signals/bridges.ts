import { linksOf } from '../links.ts'
import { byScore, type Scored } from '../record-places.ts'
import type { Node } from '../scope-view.ts'
import { brevity } from '../weights.ts'
import { idfSum, type ScoredCandidate, type SignalInput } from './signal.ts'

const ROUNDS = 2
/** Maximum number of leading records that others can be linked from. */
const LEADERS_MAX = 10
/** Strength factors of a shared name: lower if no entity owns it, higher if one of the records is about it. */
const BARE_LINK = 0.7
const OWN_LINK = 1.3
const LINK_MAX = 1.2

/** A candidate whose score changes from round to round. */
interface Standing extends Scored {
  readonly candidate: ScoredCandidate
  /** Nodes of the record; the value is true if the node is the record's own. */
  readonly links: ReadonlyMap<Node, boolean>
  /** Sum of the bridge bonuses so far. */
  given: number
}

/** Returns the strength of the strongest node that two records share and the question does not name. */
function linkOf({ view, linked }: SignalInput, a: Standing, b: Standing): number {
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

/** Returns the share of the question, by idf, that `b` covers better than `a`. */
function gainOf({ words: { terms } }: SignalInput, total: number, a: Standing, b: Standing): number {
  let gain = 0
  for (let at = 0; at < terms.length; at += 1) {
    gain += terms[at]!.idf * Math.max(0, b.candidate.coverage[at]! - a.candidate.coverage[at]!)
  }
  return total === 0 ? 0 : gain / total
}

/** A candidate with its score after bridges. */
export interface Bridged extends Scored {
  given: number
}

/**
 * Reranks the best records. A record gets a bonus if a leading record shares a rare name with it and it covers query
 * terms that the leading record does not. `reach` is the weight of names, from 0 to 1. Scores are normalized to a
 * maximum of 1 before each round.
 */
export function crossBridges(
  asked: SignalInput,
  reach: number,
  best: readonly (Scored & { candidate: ScoredCandidate })[],
): Bridged[] {
  const { view, words, weights, weightOf } = asked
  const total = idfSum(words.terms)
  const ofWords = weights.bridgeOfWords * brevity(weights, words.terms.length)
  const weight = ofWords + (weights.bridgeOfNames - ofWords) * reach
  const standings = best.map<Standing>(({ place, score, candidate }) => ({
    ...{ place, score, candidate, given: 0 },
    links: new Map(linksOf(view, place).map(({ node, isOwn }) => [node, isOwn])),
  }))
  const inOrder = byScore(view.store)
  for (let round = 0; round < ROUNDS; round += 1) {
    standings.sort(inOrder)
    const greatest = standings[0]?.score || 1
    for (const standing of standings) standing.score /= greatest
    const leaders = standings.slice(0, LEADERS_MAX)
    const bonuses = standings.map((standing) => {
      let bonus = 0
      for (const leader of leaders) {
        if (leader === standing) continue
        const link = linkOf(asked, leader, standing)
        if (link === 0) continue
        const worth = weights.bridgeAlone * reach + gainOf(asked, total, leader, standing)
        bonus = Math.max(bonus, Math.sqrt(leader.score) * link * worth)
      }
      return bonus
    })
    for (const [position, standing] of standings.entries()) {
      const given = weight * bonuses[position]! * weightOf(standing.place)
      standing.score += given
      standing.given += given
    }
  }
  return standings.sort(inOrder).map(({ place, score, given }) => ({ place, score, given }))
}
