import { linksOf } from '../links.ts'
import { byScore, type Scored } from '../record-doc-ids.ts'
import type { Node } from '../scope-view.ts'
import { brevityFactor } from '../weights.ts'
import { idfSum, type ScoredCandidate, type SignalInput } from './signal.ts'

const ROUNDS = 2
/** Number of leading records whose shared names raise others. */
const LEADERS_MAX = 10
/** Factors of a link by a bare name, and of a link by the entity that one of the records is about. */
const BARE_LINK = 0.7
const OWN_LINK = 1.3
/** Maximum strength of a link. */
const LINK_MAX = 1.2

/** A candidate whose score changes from round to round. */
interface BridgeCandidate extends Scored {
  readonly candidate: ScoredCandidate
  /** Nodes of the record; the value is true if the node is the record's own. */
  readonly links: ReadonlyMap<Node, boolean>
  /** Sum of the bridge bonuses so far. */
  given: number
}

/** Returns the strength of the strongest node that two records share and the question does not name. */
function linkOf({ view, linked }: SignalInput, a: BridgeCandidate, b: BridgeCandidate): number {
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
function gainOf({ words: { terms } }: SignalInput, total: number, a: BridgeCandidate, b: BridgeCandidate): number {
  let gain = 0
  for (let at = 0; at < terms.length; at += 1) {
    gain += terms[at]!.idf * Math.max(0, b.candidate.coverage[at]! - a.candidate.coverage[at]!)
  }
  return total === 0 ? 0 : gain / total
}

/** A candidate with its score after bridges. */
interface Bridged extends Scored {
  given: number
}

/**
 * Reranks the best records. A record gets a bonus if a leading record shares a rare name with it and it covers query
 * terms that the leading record does not. `nameWeight` is the weight of names, from 0 to 1. Scores are normalized to a
 * maximum of 1 before each round.
 */
export function applyBridges(
  input: SignalInput,
  nameWeight: number,
  best: readonly (Scored & { candidate: ScoredCandidate })[],
): Bridged[] {
  const { view, words, weights, weightOf } = input
  const total = idfSum(words.terms)
  const ofWords = weights.bridgeOfWords * brevityFactor(weights, words.terms.length)
  const weight = ofWords + (weights.bridgeOfNames - ofWords) * nameWeight
  const ranked = best.map<BridgeCandidate>(({ docId, score, candidate }) => ({
    ...{ docId, score, candidate, given: 0 },
    links: new Map(linksOf(view, docId).map(({ node, isOwn }) => [node, isOwn])),
  }))
  const inOrder = byScore(view.store)
  for (let round = 0; round < ROUNDS; round += 1) {
    ranked.sort(inOrder)
    const greatest = ranked[0]?.score || 1
    for (const candidate of ranked) candidate.score /= greatest
    const leaders = ranked.slice(0, LEADERS_MAX)
    const bonuses = ranked.map((candidate) => {
      let bonus = 0
      for (const leader of leaders) {
        if (leader === candidate) continue
        const link = linkOf(input, leader, candidate)
        if (link === 0) continue
        const gain = weights.bridgeAlone * nameWeight + gainOf(input, total, leader, candidate)
        bonus = Math.max(bonus, Math.sqrt(leader.score) * link * gain)
      }
      return bonus
    })
    for (const [position, candidate] of ranked.entries()) {
      const given = weight * bonuses[position]! * weightOf(candidate.docId)
      candidate.score += given
      candidate.given += given
    }
  }
  return ranked.sort(inOrder).map(({ docId, score, given }) => ({ docId, score, given }))
}
