import type { Question, QuestionName } from '../analyser/analyse-question.ts'
import { findList } from './postings.ts'
import { keyState, type Node, type ScopeView } from './scope-view.ts'

/** What a question names. */
export interface Linked {
  /** Each entity named, with the greatest weight with which it is. */
  readonly nodes: ReadonlyMap<Node, number>
  /** Positions of the question's terms that stand in a linked name. */
  readonly terms: ReadonlySet<number>
}

/** Links the question's longest runs of words to the entities that own them, without overlaps. */
export function linkQuestion(view: ScopeView, question: Question): Linked {
  const nodes = new Map<Node, number>()
  const terms = new Set<number>()
  let reached = 0
  for (const name of question.names) {
    if (name.at < reached) continue
    const found = nodesOf(view, name)
    if (found.length === 0) continue
    reached = name.at + name.length
    for (const node of found) nodes.set(node, Math.max(nodes.get(node) ?? 0, name.weight / found.length))
    for (const term of name.terms) terms.add(term)
  }
  return { nodes, terms }
}

function nodesOf(view: ScopeView, name: QuestionName): readonly Node[] {
  const key = findList(view.store.keys, name.key)
  const state = key < 0 ? undefined : keyState(view, key)
  if (state === undefined) return []
  return state.nodes.filter((node) => node.entity >= 0)
}
