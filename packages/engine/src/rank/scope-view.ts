import { eachSegment, POSTING_SHIFT, type Postings } from './postings.ts'
import type { GraphStore } from './store.ts'

/** A node of the graph that links records: an entity, or a name that no entity owns. */
export interface Node {
  /** Index in the view's `nodes`. */
  readonly at: number
  /** Ordinal of the entity, or -1. */
  readonly entity: number
  /** Keys by which records in scope are linked to the node. */
  readonly keys: readonly number[]
  /** Number of records in scope that are linked to it. */
  readonly degree: number
  readonly idf: number
  /** Factor in PageRank. A bare name counts less than an entity. */
  readonly factor: number
  edges: Edges | undefined
  /** Cached document ordinals that mention the entity, if no record declares it. */
  mentions?: ReadonlySet<number>
}

/** Records of a node with the strength of each link in whole units, so that sums do not depend on the order. */
export interface Edges {
  readonly docIds: Uint32Array
  readonly units: Float64Array
  readonly total: number
}

/** A link of a record to a node. */
export interface Link {
  readonly node: Node
  /** Strength: mentions and declarations, in units. */
  units: number
  isOwn: boolean
  /** Probability of this link in a PageRank step from the record. The shares of a record sum to 1. */
  share: number
}

/** The nodes that a key refers to. */
export interface KeyState {
  readonly nodes: readonly Node[]
  /** Link strength that one mention adds for each of the nodes: MENTION_UNITS divided by their number. */
  readonly units: number
}

/**
 * Access scope of a question: the records of a project, and from some sources the records without a project. Null
 * includes everything.
 */
export interface Scope {
  projectId: string | null
  sourceIds: ReadonlySet<string> | null
}

/** Number of records in scope that contain a term, and of those that contain it in lower case. */
interface TermCounts {
  readonly degree: number
  readonly lowerCase: number
}

/** Counts of records in scope that contain a key and that write it as a name, and true if one declares it. */
export interface KeyCounts {
  readonly degree: number
  readonly nameLike: number
  readonly isDeclared: boolean
}

/** Corpus statistics of a scope. A graph that holds only some of the records uses the statistics of all records. */
export interface ScopeCounts {
  /** Number of records. Each passage of a long record counts. */
  readonly records: number
  readonly averageLength: number
  term(hash: number): TermCounts
  key(hash: number): KeyCounts
}

/** Number of records in scope that contain a term, among the first `counted` postings. */
interface CountedTerm {
  readonly counted: number
  readonly degree: number
}

/** Counts of a key in scope, among the first `counted` postings. */
export interface CountedKey extends KeyCounts {
  readonly counted: number
}

/** The graph restricted to one scope at one version, with cached intermediate results. */
export interface ScopeView {
  readonly store: GraphStore
  readonly version: number
  /** Corpus statistics of the complete scope, if the graph holds only a part of it. */
  readonly scopeCounts: ScopeCounts | undefined
  /** 1 for each part of the store whose records are in scope; otherwise 0. */
  readonly open: Uint8Array
  readonly records: number
  readonly averageLength: number
  /** Maximum number of records that a name without an owner may have to link them. */
  readonly bareDegreeMax: number
  readonly nodes: Node[]
  readonly withdrawals: number
  readonly longCounts: Map<number, CountedKey>
  readonly longTerms: Map<number, CountedTerm>
  /** Capped number of records by term list. Counting stops once the term is known to be frequent. */
  readonly termDegrees: Map<number, number>
  readonly keyStates: Map<number, KeyState | undefined>
  readonly entityNodes: Map<number, Node>
  readonly knownEntities: Map<number, boolean>
  readonly links: Map<number, readonly Link[]>
  /** Number of cached items. A view that caches too many is dropped. */
  cachedItems: number
}

/** A bare name in more than this share of the records, and in more than the next constant, links none of them. */
const BARE_DEGREE_SHARE = 0.02
const BARE_DEGREE_FLOOR = 3

/** Creates a view of the current store. Takes over the counts of an older view if no record was removed since. */
function createView(
  store: GraphStore,
  scope: Scope | null,
  given: ScopeCounts | undefined,
  before: ScopeView | undefined,
): ScopeView {
  const open = new Uint8Array(store.parts.length)
  let recordCount = 0
  let length = 0
  for (const [index, part] of store.parts.entries()) {
    if (index === 0) continue
    const isOpen =
      scope === null ||
      (scope.projectId === null && scope.sourceIds === null) ||
      (part.projectId === null
        ? part.sourceId !== null && scope.sourceIds?.has(part.sourceId) === true
        : part.projectId === scope.projectId)
    if (!isOpen) continue
    open[index] = 1
    recordCount += part.records
    length += part.length
  }
  const records = given?.records ?? recordCount
  const isCounted = before?.withdrawals === store.withdrawals
  return {
    store,
    version: store.version,
    scopeCounts: given,
    open,
    records,
    averageLength: given?.averageLength ?? Math.max(1, length / Math.max(1, recordCount)),
    bareDegreeMax: Math.max(BARE_DEGREE_FLOOR, BARE_DEGREE_SHARE * records),
    nodes: [],
    withdrawals: store.withdrawals,
    longCounts: isCounted ? before.longCounts : new Map(),
    longTerms: isCounted ? before.longTerms : new Map(),
    termDegrees: new Map(),
    keyStates: new Map(),
    entityNodes: new Map(),
    knownEntities: new Map(),
    links: new Map(),
    cachedItems: 0,
  }
}

export function isInScope(view: ScopeView, docId: number): boolean {
  return view.open[view.store.recordParts[docId]!] === 1
}

export function eachInScope(view: ScopeView, postings: Postings, list: number, visit: (posting: number) => void): void {
  const { open, store } = view
  const parts = store.recordParts
  eachSegment(postings, list, (page, from, to) => {
    for (let at = from; at < to; at += 1) {
      const posting = page[at]!
      if (open[parts[posting >>> POSTING_SHIFT]!] === 1) visit(posting)
    }
  })
}

/** Maximum number of cached views. */
const VIEWS_MAX = 16
/** Maximum number of cached items in all views: about 50 MB. */
const CACHED_ITEMS_MAX = 800_000

function viewName(scope: Scope | null): string {
  if (scope === null) return ''
  return JSON.stringify([scope.projectId, scope.sourceIds === null ? null : [...scope.sourceIds].sort()])
}

/** Returns the corpus statistics of a complete scope from a graph that holds only some of its records. */
export type CountsOf = (scope: Scope | null) => ScopeCounts

/** Creates a cache of views by scope. A view is rebuilt after a change, or if it caches too much. */
export function createViews(store: GraphStore, countsOf: CountsOf | undefined) {
  const views = new Map<string, ScopeView>()
  const countCachedItems = () => [...views.values()].reduce((sum, view) => sum + view.cachedItems, 0)
  return {
    countCachedItems,
    clear: () => views.clear(),
    of: (scope: Scope | null): ScopeView => {
      const name = viewName(scope)
      let view = views.get(name)
      views.delete(name)
      if (view === undefined || view.version !== store.version || view.cachedItems > CACHED_ITEMS_MAX) {
        view = createView(store, scope, countsOf?.(scope), view)
      }
      views.set(name, view)
      for (const oldest of views.keys()) {
        if (views.size === 1 || (views.size <= VIEWS_MAX && countCachedItems() <= CACHED_ITEMS_MAX)) break
        views.delete(oldest)
      }
      return view
    },
  }
}
