import type { Question, TermWeight, TermWeights } from '../understand/analyse-question.ts'
import { LOWER_CASE } from './analysis-reader.ts'
import { withRoom } from './number-tables.ts'
import { eachStretch, findList, POSTING_SHIFT } from './postings.ts'
import { countTerm } from './scope-counts.ts'
import type { ScopeView } from './scope-view.ts'
import { type Weight, weigh } from './time-weight.ts'

/** A term of the question as the scope's records hold it. */
export interface ScoredTerm {
  /** Its position in the question. */
  readonly position: number
  /** Of itself and of its other forms. */
  readonly lists: readonly number[]
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
  marks: Uint16Array
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
/** What a part of a word counts where records hold the whole. */
const PART_SHARE = 0.5
/** What lengths below this take is worked out once for a question: few records are longer. */
const NORMS = 256
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
    marks: new Uint16Array(0),
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

/** What a record's length takes from a term's weight there; `b` is how much lengths count. */
function normOf(view: ScopeView, length: number, b: number): number {
  return K1 * (1 - b + (b * length) / view.averageLength)
}

/** How much of a term's weight a record takes: saturating in the frequency, less in a longer record. */
export function saturationAt(view: ScopeView, place: number, frequency: number, b = B): number {
  return frequency / (frequency + normOf(view, view.store.recordLengths[place]!, b))
}

/** Makes room for so many collected postings; what stands there stays. */
function fitPostings(scratch: Scratch, room: number): void {
  if (room <= scratch.postings.length) return
  const [postings, shares] = [new Uint32Array(room * 2), new Float64Array(room * 2)]
  postings.set(scratch.postings)
  shares.set(scratch.shares)
  Object.assign(scratch, { postings, shares })
}

/** What was scored so far: places with a score, and collected postings. */
interface Reached {
  count: number
  to: number
}

/**
 * Scores the records in scope of a term's list, or only those that have a score, and collects their postings with the
 * saturation there.
 */
function scoreTerm(
  view: ScopeView,
  scratch: Scratch,
  norms: Float64Array,
  { lists, idf }: AskedTerm,
  isReachedOnly: boolean,
  reached: Reached,
): void {
  const { open, store } = view
  fitPostings(scratch, reached.to + lists.reduce((sum, list) => sum + store.terms.counts[list]!, 0))
  const { postings, shares, scores, touched } = scratch
  const { recordParts, recordLengths } = store
  const weight = idf * (K1 + 1)
  const score = (page: Uint32Array, start: number, end: number): void => {
    let { count, to } = reached
    for (let at = start; at < end; at += 1) {
      const posting = page[at]!
      const place = posting >>> POSTING_SHIFT
      const before = scores[place]!
      if (isReachedOnly ? before === 0 : open[recordParts[place]!] !== 1) continue
      if (before === 0) touched[count++] = place
      const frequency = posting & FREQUENCY_BITS
      const length = recordLengths[place]!
      const share = frequency / (frequency + (length < NORMS ? norms[length]! : normOf(view, length, B)))
      postings[to] = posting
      shares[to++] = share
      scores[place] = before + weight * share
    }
    reached.count = count
    reached.to = to
  }
  for (const list of lists) eachStretch(store.terms, list, score)
}

/** How much a term that stands in `degree` records of the scope tells. */
export function idfOf(view: ScopeView, degree: number): number {
  return Math.log(1 + (view.records - degree + 0.5) / (degree + 0.5))
}

/** A term of the question, before its postings are read. */
type AskedTerm = Pick<ScoredTerm, 'position' | 'lists' | 'idf'> & { readonly degree: number }

/** The question's terms that stand in the scope, the rarest first. */
export function termsInScope(view: ScopeView, question: Question): AskedTerm[] {
  const found = question.terms.map(() => ({ lists: [] as number[], degree: 0 }))
  for (const [position, { hash, formOf = position }] of question.terms.entries()) {
    const degree = countTerm(view, hash)
    if (degree === 0) continue
    const list = findList(view.store.terms, hash)
    if (list >= 0) found[formOf]!.lists.push(list)
    found[formOf]!.degree += degree
  }
  const terms: AskedTerm[] = []
  for (const [position, { weight, partOf }] of question.terms.entries()) {
    const { lists, degree } = found[position]!
    if (degree === 0) continue
    const share = partOf !== undefined && found[partOf]!.degree > 0 ? PART_SHARE : 1
    terms.push({ position, lists, degree, idf: share * weight * idfOf(view, Math.min(degree, view.records)) })
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
  const norms = new Float64Array(NORMS)
  for (let length = 0; length < NORMS; length += 1) norms[length] = normOf(view, length, B)
  const reached: Reached = { count: 0, to: 0 }
  const terms = asked.map((term, order): ScoredTerm => {
    const from = reached.to
    scoreTerm(view, scratch, norms, term, order > 0 && term.degree > frequent, reached)
    return { position: term.position, lists: term.lists, idf: term.idf, from, to: reached.to }
  })
  const { count } = reached
  scratch.marks = withRoom(scratch.marks, view.store.terms.index.reach)
  for (const [at, { lists }] of terms.entries()) for (const list of lists) scratch.marks[list] = at + 1
  weigh(touched, count, scores, weightOf)
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  return { terms, touched: count, best }
}

/** Makes the scratch all zero again. */
export function clearScores(scratch: Scratch, words: WordScores): void {
  for (let at = 0; at < words.touched; at += 1) {
    const place = scratch.touched[at]!
    scratch.scores[place] = 0
    scratch.restarts[place] = 0
  }
  for (const { lists } of words.terms) for (const list of lists) scratch.marks[list] = 0
}

/** The question's terms as the ranking by words weighs them. */
export function weighTerms(view: ScopeView, question: Question): TermWeights {
  const idfs = new Map(termsInScope(view, question).map(({ position, idf }) => [position, idf]))
  const weights = new Map<string, TermWeight>()
  for (const [at, { text, formOf: position = at }] of question.terms.entries()) {
    const idf = idfs.get(position)
    if (idf !== undefined) weights.set(text, { position, idf })
  }
  return weights
}
