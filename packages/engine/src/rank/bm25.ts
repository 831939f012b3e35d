import type { Question, TermWeight, TermWeights } from '../understand/analyse-question.ts'
import { LOWER_CASE } from './analysis-reader.ts'
import { withCapacity } from './number-tables.ts'
import { eachSegment, findList, POSTING_SHIFT } from './postings.ts'
import { countTerm } from './scope-counts.ts'
import type { ScopeView } from './scope-view.ts'
import { type Weight, weigh } from './time-weight.ts'

/** A query term with its postings in the scope. */
export interface ScoredTerm {
  /** Index of the term in the question. */
  readonly position: number
  /** Posting lists of the term and of its other word forms. */
  readonly lists: readonly number[]
  readonly idf: number
  /**
   * Range of the term's postings in `postings` of the scratch. It has only the records to whose score the term adds.
   */
  readonly from: number
  readonly to: number
}

/** Reusable working arrays by document ordinal, unless noted. Except `distances`, they are zero between rankings. */
export interface Scratch {
  scores: Float64Array
  teleports: Float64Array
  graphScores: Float64Array
  nextGraphScores: Float64Array
  /** Indexed by the node's position in the view. */
  nodeScores: Float64Array
  nextNodeScores: Float64Array
  postings: Uint32Array
  /** Indexed like `postings`: the term saturation, later the term's share of the teleport vector. */
  shares: Float64Array
  /** Document ordinals that have a score. */
  touched: Uint32Array
  /** For each posting list id, 1 plus the index of its term among the scored terms. 0 if the term is not scored. */
  marks: Uint16Array
  /** Hamming distances of the last vector search (`RunDistances`). */
  distances: Uint16Array
}

/** Result of scoring by words. The scores are in the scratch; `touched` is the number of document ordinals with one. */
export interface WordScores {
  readonly terms: readonly ScoredTerm[]
  readonly touched: number
  readonly best: number
}

export const K1 = 1.2
const B = 0.75
const FREQUENCY_BITS = LOWER_CASE - 1
/** Weight of a part of a compound ("back" of "roll-back") if records contain the whole compound. */
const PART_SHARE = 0.5
/** Length normalization is precomputed per question for lengths below this. Few records are longer. */
const NORMS = 256
/** Number and share of records above which a term only adds to records that a rarer term has scored. */
const FREQUENT_DEGREE_MIN = 20_000
const FREQUENT_SHARE = 0.1

export function createScratch(): Scratch {
  return {
    scores: new Float64Array(0),
    teleports: new Float64Array(0),
    graphScores: new Float64Array(0),
    nextGraphScores: new Float64Array(0),
    nodeScores: new Float64Array(0),
    nextNodeScores: new Float64Array(0),
    postings: new Uint32Array(0),
    shares: new Float64Array(0),
    touched: new Uint32Array(0),
    marks: new Uint16Array(0),
    distances: new Uint16Array(0),
  }
}

/** Returns the size of the working arrays in bytes. */
export function scratchBytes(scratch: Scratch): number {
  return Object.values(scratch).reduce((sum, array) => sum + array.byteLength, 0)
}

/** Grows the scratch to at least `docIds` document ordinals. */
export function growScratch(scratch: Scratch, docIds: number): void {
  if (scratch.scores.length >= docIds) return
  const capacity = Math.ceil(docIds * 1.25)
  scratch.scores = new Float64Array(capacity)
  scratch.teleports = new Float64Array(capacity)
  scratch.graphScores = new Float64Array(capacity)
  scratch.nextGraphScores = new Float64Array(capacity)
  scratch.touched = new Uint32Array(capacity)
}

/** Returns the BM25 length normalization of a record. `b` is the influence of the length, from 0 to 1. */
function normOf(view: ScopeView, length: number, b: number): number {
  return K1 * (1 - b + (b * length) / view.averageLength)
}

/** Returns the BM25 saturation tf / (tf + k1 · (1 − b + b · length / average length)) of a term in a record. */
export function saturationAt(view: ScopeView, docId: number, frequency: number, b = B): number {
  return frequency / (frequency + normOf(view, view.store.recordLengths[docId]!, b))
}

/** Grows the collected postings to at least `capacity` entries and keeps their contents. */
function growPostings(scratch: Scratch, capacity: number): void {
  if (capacity <= scratch.postings.length) return
  const [postings, shares] = [new Uint32Array(capacity * 2), new Float64Array(capacity * 2)]
  postings.set(scratch.postings)
  shares.set(scratch.shares)
  Object.assign(scratch, { postings, shares })
}

/** Progress of scoring: number of ordinals with a score, and end of the collected postings. */
interface ScoringProgress {
  count: number
  to: number
}

/**
 * Scores the records in scope that contain a term, and collects their postings with the saturation. With `scoredOnly`
 * it scores only records that already have a score.
 */
function scoreTerm(
  view: ScopeView,
  scratch: Scratch,
  norms: Float64Array,
  { lists, idf }: QueryTerm,
  scoredOnly: boolean,
  progress: ScoringProgress,
): void {
  const { open, store } = view
  growPostings(scratch, progress.to + lists.reduce((sum, list) => sum + store.terms.counts[list]!, 0))
  const { postings, shares, scores, touched } = scratch
  const { recordParts, recordLengths } = store
  const weight = idf * (K1 + 1)
  const score = (page: Uint32Array, start: number, end: number): void => {
    let { count, to } = progress
    for (let at = start; at < end; at += 1) {
      const posting = page[at]!
      const docId = posting >>> POSTING_SHIFT
      const before = scores[docId]!
      if (scoredOnly ? before === 0 : open[recordParts[docId]!] !== 1) continue
      if (before === 0) touched[count++] = docId
      const frequency = posting & FREQUENCY_BITS
      const length = recordLengths[docId]!
      const share = frequency / (frequency + (length < NORMS ? norms[length]! : normOf(view, length, B)))
      postings[to] = posting
      shares[to++] = share
      scores[docId] = before + weight * share
    }
    progress.count = count
    progress.to = to
  }
  for (const list of lists) eachSegment(store.terms, list, score)
}

/** Returns the BM25 inverse document frequency (Robertson–Spärck Jones) of a term in `degree` records of the scope. */
export function idfOf(view: ScopeView, degree: number): number {
  return Math.log(1 + (view.records - degree + 0.5) / (degree + 0.5))
}

/** A query term before its postings are read. */
type QueryTerm = Pick<ScoredTerm, 'position' | 'lists' | 'idf'> & { readonly degree: number }

/** Returns the query terms that occur in the scope, rarest first. */
export function termsInScope(view: ScopeView, question: Question): QueryTerm[] {
  const found = question.terms.map(() => ({ lists: [] as number[], degree: 0 }))
  for (const [position, { hash, formOf = position }] of question.terms.entries()) {
    const degree = countTerm(view, hash)
    if (degree === 0) continue
    const list = findList(view.store.terms, hash)
    if (list >= 0) found[formOf]!.lists.push(list)
    found[formOf]!.degree += degree
  }
  const terms: QueryTerm[] = []
  for (const [position, { weight, partOf }] of question.terms.entries()) {
    const { lists, degree } = found[position]!
    if (degree === 0) continue
    const share = partOf !== undefined && found[partOf]!.degree > 0 ? PART_SHARE : 1
    terms.push({ position, lists, degree, idf: share * weight * idfOf(view, Math.min(degree, view.records)) })
  }
  return terms.sort((a, b) => a.degree - b.degree || a.position - b.position)
}

/**
 * Scores the records of the scope with BM25F and multiplies the scores by `weightOf`. A very frequent term only adds to
 * records that a rarer term has scored. The caller must call `clearScores` afterwards.
 */
export function scoreWords(view: ScopeView, scratch: Scratch, question: Question, weightOf: Weight): WordScores {
  growScratch(scratch, view.store.docIdLimit)
  const queryTerms = termsInScope(view, question)
  const { scores, touched } = scratch
  const frequent = Math.max(FREQUENT_DEGREE_MIN, FREQUENT_SHARE * view.records)
  const norms = new Float64Array(NORMS)
  for (let length = 0; length < NORMS; length += 1) norms[length] = normOf(view, length, B)
  const progress: ScoringProgress = { count: 0, to: 0 }
  const terms = queryTerms.map((term, order): ScoredTerm => {
    const from = progress.to
    scoreTerm(view, scratch, norms, term, order > 0 && term.degree > frequent, progress)
    return { position: term.position, lists: term.lists, idf: term.idf, from, to: progress.to }
  })
  const { count } = progress
  scratch.marks = withCapacity(scratch.marks, view.store.terms.index.idLimit)
  for (const [at, { lists }] of terms.entries()) for (const list of lists) scratch.marks[list] = at + 1
  weigh(touched, count, scores, weightOf)
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  return { terms, touched: count, best }
}

/** Resets the scores, teleport vector and marks of the scratch to zero. */
export function clearScores(scratch: Scratch, words: WordScores): void {
  for (let at = 0; at < words.touched; at += 1) {
    const docId = scratch.touched[at]!
    scratch.scores[docId] = 0
    scratch.teleports[docId] = 0
  }
  for (const { lists } of words.terms) for (const list of lists) scratch.marks[list] = 0
}

/** Returns the idf of each query term that occurs in the scope, by its text. */
export function weighTerms(view: ScopeView, question: Question): TermWeights {
  const idfs = new Map(termsInScope(view, question).map(({ position, idf }) => [position, idf]))
  const weights = new Map<string, TermWeight>()
  for (const [at, { text, formOf: position = at }] of question.terms.entries()) {
    const idf = idfs.get(position)
    if (idf !== undefined) weights.set(text, { position, idf })
  }
  return weights
}
