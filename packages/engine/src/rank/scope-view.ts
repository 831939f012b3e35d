import { eachStretch, POSTING_SHIFT, type Postings } from './postings.ts'
import type { GraphStore } from './store.ts'

/** Something that records share: an entity, or a name that no entity owns. */
export interface Node {
  /** Its position in the view's `nodes`. */
  readonly at: number
  /** Place of the entity, or -1. */
  readonly entity: number
  /** Keys of the node that count in the scope. */
  readonly keys: readonly number[]
  /** Records in scope that hold it. */
  readonly degree: number
  readonly idf: number
  /** How much a step to it weighs: an entity more than a bare name. */
  readonly factor: number
  edges: Edges | undefined
  /** Of an entity that texts mention and nothing declares, once asked for: where they do. */
  mentions?: ReadonlySet<number>
}

/** The records of a node with how firmly each holds it, in whole units so that sums do not depend on their order. */
export interface Edges {
  readonly places: Uint32Array
  readonly units: Float64Array
  readonly total: number
}

/** What a record holds. */
export interface Link {
  readonly node: Node
  /** Mentions and declarations. */
  units: number
  isOwn: boolean
  /** Share of a step from the record that goes this way; those of a record sum to 1. */
  share: number
}

/** What a key stands for. */
export interface KeyState {
  readonly nodes: readonly Node[]
  /** Units that one mention gives to each node. */
  readonly units: number
}

/** What a question may know of: records of the project, and of the sources those of no project; null is all. */
export interface Scope {
  projectId: string | null
  sourceIds: ReadonlySet<string> | null
}

/** In how many records of a scope a term stands, and in how many of these in lower case somewhere. */
export interface TermCounts {
  readonly degree: number
  readonly lowerCase: number
}

/** In how many records of a scope a key stands, and as what. */
export interface KeyCounts {
  readonly degree: number
  readonly nameLike: number
  readonly isDeclared: boolean
}

/** What a ranking counts over a scope. A graph that holds some of its records ranks these by the counts of all. */
export interface ScopeCounts {
  /** Records, each passage of a long one counted. */
  readonly records: number
  readonly averageLength: number
  term(hash: number): TermCounts
  key(hash: number): KeyCounts
}

/** In how many records of the scope a term stands, of the postings that were counted. */
export interface CountedTerm {
  readonly counted: number
  readonly degree: number
}

/** What a key's list says in scope, of the postings that were counted. */
export interface CountedKey extends KeyCounts {
  readonly counted: number
}

/** A graph as one scope sees it at one version; it remembers what it worked out. */
export interface ScopeView {
  readonly store: GraphStore
  readonly version: number
  /** The counts of the whole scope, where the graph holds some of it alone. */
  readonly given: ScopeCounts | undefined
  /** By part: 1 when its records are in scope. */
  readonly open: Uint8Array
  readonly records: number
  readonly averageLength: number
  /** Greatest degree of a name that no entity owns. */
  readonly bareDegreeMax: number
  readonly nodes: Node[]
  readonly withdrawals: number
  readonly longCounts: Map<number, CountedKey>
  readonly longTerms: Map<number, CountedTerm>
  /** By term's list, in how many records it stands, counted no further than it takes to know it as frequent. */
  readonly termDegrees: Map<number, number>
  readonly keyStates: Map<number, KeyState | undefined>
  readonly entityNodes: Map<number, Node>
  readonly knownEntities: Map<number, boolean>
  readonly links: Map<number, readonly Link[]>
  /** Things remembered, so that a view that grew large is dropped. */
  remembered: number
}

/** A bare name in more than this share, or floor, of the records tells none of them apart. */
const BARE_DEGREE_SHARE = 0.02
const BARE_DEGREE_FLOOR = 3

function isEverything(scope: Scope | null): boolean {
  return scope === null || (scope.projectId === null && scope.sourceIds === null)
}

/** A view of the store as it is; what `before`, an older view of the same scope, counted is taken over if it holds. */
function createView(
  store: GraphStore,
  scope: Scope | null,
  given: ScopeCounts | undefined,
  before: ScopeView | undefined,
): ScopeView {
  const open = new Uint8Array(store.parts.length)
  let held = 0
  let length = 0
  for (const [place, part] of store.parts.entries()) {
    if (place === 0) continue
    const isOpen =
      scope === null ||
      isEverything(scope) ||
      (part.projectId === null
        ? part.sourceId !== null && scope.sourceIds?.has(part.sourceId) === true
        : part.projectId === scope.projectId)
    if (!isOpen) continue
    open[place] = 1
    held += part.records
    length += part.length
  }
  const records = given?.records ?? held
  const isCounted = before?.withdrawals === store.withdrawals
  return {
    store,
    version: store.version,
    given,
    open,
    records,
    averageLength: given?.averageLength ?? Math.max(1, length / Math.max(1, held)),
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
    remembered: 0,
  }
}

/** Whether a record's place is in scope. */
export function sees(view: ScopeView, place: number): boolean {
  return view.open[view.store.recordParts[place]!] === 1
}

/** Calls `visit` with each posting of a list that is in scope. */
export function eachInScope(view: ScopeView, postings: Postings, list: number, visit: (posting: number) => void): void {
  const { open, store } = view
  const parts = store.recordParts
  eachStretch(postings, list, (page, from, to) => {
    for (let at = from; at < to; at += 1) {
      const posting = page[at]!
      if (open[parts[posting >>> POSTING_SHIFT]!] === 1) visit(posting)
    }
  })
}

/** Scopes whose view is kept between questions. */
const VIEWS_MAX = 16
/** Things that all views together may remember: some 50 MB. */
const REMEMBERED_MAX = 800_000

function viewName(scope: Scope | null): string {
  if (scope === null) return ''
  return JSON.stringify([scope.projectId, scope.sourceIds === null ? null : [...scope.sourceIds].sort()])
}

/** Gives the counts of a scope that a graph holds some records of. */
export type CountsOf = (scope: Scope | null) => ScopeCounts

/** Views by scope, made anew after a change and when they remember too much. */
export function createViews(store: GraphStore, countsOf: CountsOf | undefined) {
  const views = new Map<string, ScopeView>()
  const remembered = () => [...views.values()].reduce((sum, view) => sum + view.remembered, 0)
  return {
    remembered,
    clear: () => views.clear(),
    of: (scope: Scope | null): ScopeView => {
      const name = viewName(scope)
      let view = views.get(name)
      views.delete(name)
      if (view === undefined || view.version !== store.version || view.remembered > REMEMBERED_MAX) {
        view = createView(store, scope, countsOf?.(scope), view)
      }
      views.set(name, view)
      for (const oldest of views.keys()) {
        if (views.size === 1 || (views.size <= VIEWS_MAX && remembered() <= REMEMBERED_MAX)) break
        views.delete(oldest)
      }
      return view
    },
  }
}
