import type { Question, QuestionName } from '../understand/analyse-question.ts'
import type { NameFound } from '../understand/broad.ts'
import { areNamesakes, idfOf, isPerson, keyState, ownersInScope } from './entities.ts'
import { idAt } from './id-table.ts'
import { findList } from './postings.ts'
import { countKey } from './scope-counts.ts'
import type { Node, ScopeView } from './scope-view.ts'

/** A name in the question that identifies entities, that several records share, or that a single record has. */
export interface LinkedName {
  /** Index of the name's first word in the question. */
  readonly at: number
  readonly length: number
  /** Indexes of the query terms in the name. */
  readonly terms: readonly number[]
  /** Ordinals of the entities that own this name or identifier; empty if no entity owns it. */
  readonly owners: readonly number[]
  /** Selectivity of the name, from 0 to 1. */
  readonly selectivity: number
  /** Number of its content words. The next field is the share of them that are capitalized. */
  readonly words: number
  readonly capitals: number | undefined
}

/** The names in a question, linked to nodes of the graph. */
export interface LinkedQuestion {
  readonly names: readonly LinkedName[]
  /** Entities and ownerless names that the question names, each with its greatest weight. */
  readonly nodes: ReadonlyMap<Node, number>
  /** Indexes of the query terms in each node's name. */
  readonly terms: ReadonlyMap<Node, readonly number[]>
  /** Indexes of the query terms in any name. */
  readonly named: ReadonlySet<number>
  /** Selectivity of the rarest name, from 0 to 1. The weight of names against words is at most this. */
  readonly certainty: number
}

/** Share of the maximum idf from which a name has selectivity 1. */
const FULL_SELECTIVITY_SHARE = 0.5

/** Minimum number of words of a name that only one record contains. A single word could be any word. */
const UNIQUE_WORDS_MIN = 2

/**
 * Links word sequences of the question to entities with that name or, with less weight, to bare names that several
 * records share. Longer sequences come first, and links do not overlap. A name that only one record has links to
 * nothing but counts as selective.
 */
export function linkQuestion(view: ScopeView, question: Question): LinkedQuestion {
  const nodes = new Map<Node, number>()
  const terms = new Map<Node, readonly number[]>()
  const named = new Set<number>()
  const linkedSpans: QuestionName[] = []
  const names: LinkedName[] = []
  const fullSelectivityIdf = Math.log(1 + view.records) * FULL_SELECTIVITY_SHARE
  let rarest = 0
  for (const name of sortLongestFirst(question.names)) {
    if (linkedSpans.some((other) => spansOverlap(name, other))) continue
    const found = nodesOf(view, name)
    const { at, length, words, capitals } = name
    if (found.length === 0) {
      if (!isUnique(view, name)) continue
      rarest = Math.max(rarest, idfOf(view, 1))
      names.push({ at, length, terms: name.terms, owners: [], selectivity: 1, words, capitals })
      continue
    }
    linkedSpans.push(name)
    let idf = 0
    for (const node of found) {
      nodes.set(node, Math.max(nodes.get(node) ?? 0, (name.weight * node.factor) / found.length))
      idf = Math.max(idf, node.idf)
      terms.set(node, [...(terms.get(node) ?? []), ...name.terms])
    }
    rarest = Math.max(rarest, idf)
    const owners = found.flatMap(({ entity }) => (entity >= 0 ? entity : []))
    names.push({
      at,
      length,
      terms: name.terms,
      owners,
      selectivity: Math.min(1, idf / fullSelectivityIdf),
      words,
      capitals,
    })
    for (const term of name.terms) named.add(term)
  }
  return { names, nodes, terms, named, certainty: Math.min(1, rarest / fullSelectivityIdf) }
}

function nodesOf(view: ScopeView, name: QuestionName): readonly Node[] {
  const key = findList(view.store.keys, name.key)
  const state = key < 0 ? undefined : keyState(view, key)
  if (state === undefined) return []
  const entities = state.nodes.flatMap(({ entity }) => (entity >= 0 ? entity : []))
  // Phrases such as "Who is" and "in the" are shared by few titles and look like rare names, but a question does not
  // mean them as names.
  if (entities.length === 0 && name.words === 0) return []
  const isWord = name.length === 1 && !name.isIdentifier
  return isWord && areNamesakes(view, entities) ? [] : state.nodes
}

/**
 * Returns the single words of a question that several people, and no other entity, have as a name. They link to nobody,
 * because the question does not say which person it means.
 */
function namesakesIn(view: ScopeView, question: Question, { names }: LinkedQuestion): LinkedNamesakes[] {
  return question.names.flatMap((name) => {
    const { at, length, isIdentifier } = name
    if (length !== 1 || isIdentifier || names.some((other) => spansOverlap(name, other))) return []
    const key = findList(view.store.keys, name.key)
    const owners = key < 0 ? [] : ownersInScope(view, key)
    return areNamesakes(view, owners) ? [{ at, length, owners }] : []
  })
}

/** A word of the question with the ordinals of the people who have that name. */
type LinkedNamesakes = Pick<LinkedName, 'at' | 'length' | 'owners'>

/** Returns the names in the question that identify entities, in the order of the text. */
export function identifiedNames(view: ScopeView, question: Question): NameFound[] {
  const { store } = view
  const linked = linkQuestion(view, question)
  return [...linked.names.filter(({ owners }) => owners.length > 0), ...namesakesIn(view, question, linked)]
    .sort((one, other) => one.at - other.at)
    .map(({ at, length, owners }) => ({
      at,
      length,
      entityIds: owners.map((owner) => idAt(store.entityTable, owner)!),
      isOfPeople: owners.some((owner) => isPerson(store, owner)),
    }))
}

/** Returns true if exactly one record contains the name and writes it as a name. */
function isUnique(view: ScopeView, name: QuestionName): boolean {
  const key = name.length < UNIQUE_WORDS_MIN || name.words === 0 ? -1 : findList(view.store.keys, name.key)
  if (key < 0) return false
  const { degree, nameLike } = countKey(view, key)
  return degree === 1 && nameLike === 1
}

/** A sequence of adjacent words in a text. */
export interface WordSpan {
  /** Index of the first word. */
  readonly at: number
  /** Number of words. */
  readonly length: number
}

/** Returns true if two spans of one text share a word. */
function spansOverlap(one: WordSpan, other: WordSpan): boolean {
  return one.at < other.at + other.length && other.at < one.at + one.length
}

/** Sorts spans in the order in which they are tried as names: longest first, then by position. */
export function sortLongestFirst<T extends WordSpan>(spans: readonly T[]): T[] {
  return [...spans].sort((one, other) => other.length - one.length || one.at - other.at)
}
