import type { Question, QuestionName } from '../analyser/analyse-question.ts'
import { areNamesakes, keyState } from './key-states.ts'
import type { Node } from './node.ts'
import { longestFirst, overlap } from './overlaps.ts'
import { findList } from './postings.ts'
import type { ScopeView } from './scope-view.ts'

/** What a question names. */
export interface Linked {
  /** Each entity named, with the greatest weight with which it is. */
  readonly nodes: ReadonlyMap<Node, number>
  /** Positions of the question's terms that stand in each one's name. */
  readonly terms: ReadonlyMap<Node, readonly number[]>
  /** All of those. */
  readonly named: ReadonlySet<number>
  /** From 0 to 1: how well the rarest name tells records apart, so how far names may lead rather than words. */
  readonly certainty: number
}

/** Share of the greatest idf from which a name is fully telling. */
const TELLING_SHARE = 0.5

/** Links the question's runs of words to the entities that own them, the longest first, without overlaps. */
export function linkQuestion(view: ScopeView, question: Question): Linked {
  const nodes = new Map<Node, number>()
  const terms = new Map<Node, readonly number[]>()
  const named = new Set<number>()
  const read: QuestionName[] = []
  for (const name of longestFirst(question.names)) {
    if (read.some((other) => overlap(name, other))) continue
    const found = nodesOf(view, name)
    if (found.length === 0) continue
    read.push(name)
    for (const node of found) {
      nodes.set(node, Math.max(nodes.get(node) ?? 0, name.weight / found.length))
      terms.set(node, [...(terms.get(node) ?? []), ...name.terms])
    }
    for (const term of name.terms) named.add(term)
  }
  let rarest = 0
  for (const node of nodes.keys()) rarest = Math.max(rarest, node.idf)
  const certainty = Math.min(1, rarest / Math.log(1 + view.records) / TELLING_SHARE)
  return { nodes, terms, named, certainty }
}

function nodesOf(view: ScopeView, name: QuestionName): readonly Node[] {
  const key = findList(view.store.keys, name.key)
  const state = key < 0 ? undefined : keyState(view, key)
  if (state === undefined) return []
  const nodes = state.nodes.filter((node) => node.entity >= 0)
  const isWord = name.length === 1 && !name.isIdentifier
  return isWord &&
    areNamesakes(
      view,
      nodes.map((node) => node.entity),
    )
    ? []
    : nodes
}
