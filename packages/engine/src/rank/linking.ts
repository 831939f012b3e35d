import type { Question, QuestionName } from '../understand/analyse-question.ts'
import type { NameFound } from '../understand/broad.ts'
import { areNamesakes, idfOf, isPerson, keyState, ownersKnown } from './entities.ts'
import { idAt } from './id-table.ts'
import { findList } from './postings.ts'
import { countKey } from './scope-counts.ts'
import type { Node, ScopeView } from './scope-view.ts'

/** A name of the question that leads somewhere, or that tells one record from all others. */
export interface LinkedName {
  /** The words that it consists of: the place of the first among the question's, and how many. */
  readonly at: number
  readonly length: number
  /** Positions of the question's terms in it. */
  readonly terms: readonly number[]
  /** The places of the entities that own this name or identifier. Empty where records share it and none owns it. */
  readonly owners: readonly number[]
  /** From 0 to 1: how well it tells records apart. */
  readonly telling: number
  /** Of how many words that mean something it consists, and what share of them is written with capitals. */
  readonly words: number
  readonly capitals: number | undefined
}

/** What a question names. */
export interface Linked {
  readonly names: readonly LinkedName[]
  /** Each entity named, and each name that no entity owns, with the greatest weight with which it is. */
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

/** Words that a name has at least that only one record holds: a single one may be any word. */
const LONE_WORDS_MIN = 2

/**
 * Links the question's runs of words to the entities that own them or, for less, to the names that records share, the
 * longest first, without overlaps. A name that a single record holds leads nowhere, and tells as much.
 */
export function linkQuestion(view: ScopeView, question: Question): Linked {
  const nodes = new Map<Node, number>()
  const terms = new Map<Node, readonly number[]>()
  const named = new Set<number>()
  const read: QuestionName[] = []
  const names: LinkedName[] = []
  const idfTelling = Math.log(1 + view.records) * TELLING_SHARE
  let rarest = 0
  for (const name of longestFirst(question.names)) {
    if (read.some((other) => overlap(name, other))) continue
    const found = nodesOf(view, name)
    const { at, length, words, capitals } = name
    if (found.length === 0) {
      if (!isLone(view, name)) continue
      rarest = Math.max(rarest, idfOf(view, 1))
      names.push({ at, length, terms: name.terms, owners: [], telling: 1, words, capitals })
      continue
    }
    read.push(name)
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
      telling: Math.min(1, idf / idfTelling),
      words,
      capitals,
    })
    for (const term of name.terms) named.add(term)
  }
  return { names, nodes, terms, named, certainty: Math.min(1, rarest / idfTelling) }
}

function nodesOf(view: ScopeView, name: QuestionName): readonly Node[] {
  const key = findList(view.store.keys, name.key)
  const state = key < 0 ? undefined : keyState(view, key)
  if (state === undefined) return []
  const entities = state.nodes.flatMap(({ entity }) => (entity >= 0 ? entity : []))
  // "Who is" and "in the" begin many a title, so that records share them like rare names; a question means none of it.
  if (entities.length === 0 && name.words === 0) return []
  const isWord = name.length === 1 && !name.isIdentifier
  return isWord && areNamesakes(view, entities) ? [] : state.nodes
}

/**
 * The single words of a question by which several people are called and nothing else is, each with their places; they
 * lead nowhere, as none of them is meant more than the others.
 */
function namesakesIn(view: ScopeView, question: Question, { names }: Linked): LinkedNamesakes[] {
  return question.names.flatMap((name) => {
    const { at, length, isIdentifier } = name
    if (length !== 1 || isIdentifier || names.some((other) => overlap(name, other))) return []
    const key = findList(view.store.keys, name.key)
    const owners = key < 0 ? [] : ownersKnown(view, key)
    return areNamesakes(view, owners) ? [{ at, length, owners }] : []
  })
}

/** A word of the question, with the places of the people who are called so. */
type LinkedNamesakes = Pick<LinkedName, 'at' | 'length' | 'owners'>

/** What of the question's words leads by a name to entities, in the order in which it stands there. */
export function namesFound(view: ScopeView, question: Question): NameFound[] {
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

/** Whether exactly one record holds the name, written as one. */
function isLone(view: ScopeView, name: QuestionName): boolean {
  const key = name.length < LONE_WORDS_MIN || name.words === 0 ? -1 : findList(view.store.keys, name.key)
  if (key < 0) return false
  const { degree, nameLike } = countKey(view, key)
  return degree === 1 && nameLike === 1
}

/** Words next to each other in a text. */
export interface WordSpan {
  /** Index of the first word. */
  readonly at: number
  /** Number of words. */
  readonly length: number
}

/** Whether two spans of one text share a word. */
export function overlap(one: WordSpan, other: WordSpan): boolean {
  return one.at < other.at + other.length && other.at < one.at + one.length
}

/** Spans in the order in which they are read as names: the longest first, of one length the first. */
export function longestFirst<T extends WordSpan>(spans: readonly T[]): T[] {
  return [...spans].sort((one, other) => other.length - one.length || one.at - other.at)
}
