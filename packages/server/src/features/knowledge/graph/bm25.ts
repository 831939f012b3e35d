import type { Question } from '../analyser/analyse-question.ts'
import { LOWER_CASE } from './analysis-reader.ts'
import { withRoom } from './key-index.ts'
import { eachStretch, findList, POSTING_SHIFT } from './postings.ts'
import { countTerm, type ScopeView } from './scope-view.ts'
import { type Weight, weigh } from './time-weight.ts'

/** A term of the question as the scope's records hold it. */
export interface ScoredTerm {
  /** Its position in the question. */
  readonly position: number
  readonly list: number
  readonly idf: number
  /** Its postings of records that it scored: a stretch of the scratch's `postings`. */
  readonly from: number
  readonly to: number
}

/** Working arrays of a graph, by record place where not said otherwise; all zero between two rankings. */
export interface Scratch {
  scores: Float64Array
  restarts: Float64Array
  masses: Float64Array
  nextMasses: Float64Array
  /** By position of a node in the view. */
  nodeMasses: Float64Array
  nextNodeMasses: Float64Array
  postings: Uint32Array
  /** By position in `postings`, the saturation until it is spent. */
  shares: Float64Array
  /** Places with a score. */
  touched: Uint32Array
  /** By list of a term: 1 + its position among the terms that were scored, or 0. */
  marks: Uint8Array
}

/** What the words alone say: a score for each touched place. */
export interface WordScores {
  readonly terms: readonly ScoredTerm[]
  readonly touched: number
  readonly best: number
}

export const K1 = 1.2
const B = 0.75
const FREQUENCY_BITS = LOWER_CASE - 1
/** A term in more records than this, and than this share of them, only adds to records that a rarer one reached. */
const FREQUENT_DEGREE_MIN = 20_000
const FREQUENT_SHARE = 0.1

export function createScratch(): Scratch {
  return {
    scores: new Float64Array(0),
    restarts: new Float64Array(0),
    masses: new Float64Array(0),
    nextMasses: new Float64Array(0),
    nodeMasses: new Float64Array(0),
    nextNodeMasses: new Float64Array(0),
    postings: new Uint32Array(0),
    shares: new Float64Array(0),
    touched: new Uint32Array(0),
    marks: new Uint8Array(0),
  }
}

/** Bytes that the working arrays take. */
export function scratchBytes(scratch: Scratch): number {
  return Object.values(scratch).reduce((sum, array) => sum + array.byteLength, 0)
}

/** Makes room for `places` record places. */
export function fitScratch(scratch: Scratch, places: number): void {
  if (scratch.scores.length >= places) return
  const room = Math.ceil(places * 1.25)
  scratch.scores = new Float64Array(room)
  scratch.restarts = new Float64Array(room)
  scratch.masses = new Float64Array(room)
  scratch.nextMasses = new Float64Array(room)
  scratch.touched = new Uint32Array(room)
}

/** How much of a term's weight a record takes: saturating in the frequency, less in a longer record. */
export function saturation(view: ScopeView, posting: number): number {
  return saturationAt(view, posting >>> POSTING_SHIFT, posting & FREQUENCY_BITS)
}

/** The same of a record's place and a term's frequency there; `b` is how much a record's length counts. */
export function saturationAt(view: ScopeView, place: number, frequency: number, b = B): number {
  const length = view.store.recordLengths[place]!
  return frequency / (frequency + K1 * (1 - b + (b * length) / view.averageLength))
}

/** Copies a list's postings in scope, or only those of records that have a score. */
function collect(view: ScopeView, scratch: Scratch, list: number, from: number, isReachedOnly: boolean): number {
  const { open, store } = view
  const parts = store.recordParts
  const room = from + store.terms.counts[list]!
  if (room > scratch.postings.length) {
    const longer = new Uint32Array(room * 2)
    longer.set(scratch.postings.subarray(0, from))
    scratch.postings = longer
  }
  const { postings, scores } = scratch
  let to = from
  eachStretch(store.terms, list, (page, start, end) => {
    for (let at = start; at < end; at += 1) {
      const posting = page[at]!
      const place = posting >>> POSTING_SHIFT
      if (isReachedOnly ? scores[place] !== 0 : open[parts[place]!] === 1) postings[to++] = posting
    }
  })
  return to
}

/** How much a term that stands in `degree` records of the scope tells. */
export function idfOf(view: ScopeView, degree: number): number {
  return Math.log(1 + (view.records - degree + 0.5) / (degree + 0.5))
}

/** A term of the question, before its postings are read. */
type AskedTerm = Pick<ScoredTerm, 'position' | 'list' | 'idf'> & { readonly degree: number }

/** The question's terms that stand in the scope, the rarest first. */
function termsInScope(view: ScopeView, question: Question): AskedTerm[] {
  const terms: AskedTerm[] = []
  for (const [position, term] of question.terms.entries()) {
    const list = findList(view.store.terms, term.hash)
    const degree = list < 0 ? 0 : countTerm(view, list)
    if (degree > 0) terms.push({ position, list, degree, idf: term.weight * idfOf(view, degree) })
  }
  return terms.sort((a, b) => a.degree - b.degree || a.position - b.position)
}

/**
 * Scores the records of the scope by the question's terms with BM25F and its weight; `clearScores` must follow. A term
 * in very many records only adds to those that rarer ones reached.
 */
export function scoreWords(view: ScopeView, scratch: Scratch, question: Question, weightOf: Weight): WordScores {
  fitScratch(scratch, view.store.recordReach)
  const asked = termsInScope(view, question)
  const { scores, touched } = scratch
  const frequent = Math.max(FREQUENT_DEGREE_MIN, FREQUENT_SHARE * view.records)
  let count = 0
  let to = 0
  const terms = asked.map(({ position, list, degree, idf }, order): ScoredTerm => {
    const from = to
    to = collect(view, scratch, list, from, order > 0 && degree > frequent)
    const saturations = roomForShares(scratch)
    const { postings } = scratch
    for (let at = from; at < to; at += 1) {
      const place = postings[at]! >>> POSTING_SHIFT
      const before = scores[place]!
      if (before === 0) touched[count++] = place
      saturations[at] = saturation(view, postings[at]!)
      scores[place] = before + idf * (K1 + 1) * saturations[at]!
    }
    return { position, list, idf, from, to }
  })
  scratch.marks = withRoom(scratch.marks, view.store.terms.index.reach)
  for (const [at, { list }] of terms.entries()) scratch.marks[list] = at + 1
  weigh(touched, count, scores, weightOf)
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  return { terms, touched: count, best }
}

/** The shares with room for every posting that was collected; what stands there stays. */
function roomForShares(scratch: Scratch): Float64Array {
  if (scratch.shares.length < scratch.postings.length) {
    const longer = new Float64Array(scratch.postings.length)
    longer.set(scratch.shares)
    scratch.shares = longer
  }
  return scratch.shares
}

/** Makes the scratch all zero again. */
export function clearScores(scratch: Scratch, words: WordScores): void {
  for (let at = 0; at < words.touched; at += 1) {
    const place = scratch.touched[at]!
    scratch.scores[place] = 0
    scratch.restarts[place] = 0
  }
  for (const { list } of words.terms) scratch.marks[list] = 0
}
