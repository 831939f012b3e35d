import type { Question } from '../analyser/analyse-question.ts'
import { LOWER_CASE } from './analysis-reader.ts'
import { eachStretch, findList, POSTING_SHIFT } from './postings.ts'
import type { ScopeView } from './scope-view.ts'
import { type Weight, weigh } from './time-weight.ts'

/** A term of the question as the scope's records hold it. */
export interface ScoredTerm {
  /** Its position in the question. */
  readonly position: number
  readonly idf: number
  /** Its postings in scope: a stretch of the scratch's `postings`. */
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
  /** By position in `postings`. */
  shares: Float64Array
  /** Places with a score. */
  touched: Uint32Array
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
    postings: new Uint32Array(1_024),
    shares: new Float64Array(0),
    touched: new Uint32Array(0),
  }
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

/** The same of a record's place and a term's frequency there. */
export function saturationAt(view: ScopeView, place: number, frequency: number): number {
  const length = view.store.recordLengths[place]!
  return frequency / (frequency + K1 * (1 - B + (B * length) / view.averageLength))
}

/** A posting's frequency in the record. */
export function frequencyOf(posting: number): number {
  return posting & FREQUENCY_BITS
}

function collect(view: ScopeView, scratch: Scratch, list: number, from: number): number {
  const { open, store } = view
  const parts = store.recordParts
  const room = from + store.terms.counts[list]!
  if (room > scratch.postings.length) {
    const longer = new Uint32Array(room * 2)
    longer.set(scratch.postings.subarray(0, from))
    scratch.postings = longer
  }
  const { postings } = scratch
  let to = from
  eachStretch(store.terms, list, (page, start, end) => {
    for (let at = start; at < end; at += 1) {
      const posting = page[at]!
      if (open[parts[posting >>> POSTING_SHIFT]!] === 1) postings[to++] = posting
    }
  })
  return to
}

/** How much a term that stands in `degree` records of the scope tells. */
export function idfOf(view: ScopeView, degree: number): number {
  return Math.log(1 + (view.records - degree + 0.5) / (degree + 0.5))
}

function collectTerms(view: ScopeView, scratch: Scratch, question: Question): ScoredTerm[] {
  const terms: ScoredTerm[] = []
  let from = 0
  for (const [position, term] of question.terms.entries()) {
    const list = findList(view.store.terms, term.hash)
    if (list < 0) continue
    const to = collect(view, scratch, list, from)
    if (to === from) continue
    const degree = to - from
    const idf = term.weight * idfOf(view, degree)
    terms.push({ position, idf, from, to })
    from = to
  }
  return terms.sort((a, b) => a.to - a.from - (b.to - b.from) || a.position - b.position)
}

/** Scores every record of the scope by the question's terms with BM25F and its weight; `clearScores` must follow. */
export function scoreWords(view: ScopeView, scratch: Scratch, question: Question, weightOf: Weight): WordScores {
  fitScratch(scratch, view.store.recordReach)
  const terms = collectTerms(view, scratch, question)
  const { scores, touched, postings } = scratch
  const frequent = Math.max(FREQUENT_DEGREE_MIN, FREQUENT_SHARE * view.records)
  let count = 0
  for (const [order, { idf, from, to }] of terms.entries()) {
    const onlyAdds = order > 0 && to - from > frequent
    for (let at = from; at < to; at += 1) {
      const posting = postings[at]!
      const place = posting >>> POSTING_SHIFT
      const before = scores[place]!
      if (before === 0) {
        if (onlyAdds) continue
        touched[count++] = place
      }
      scores[place] = before + idf * (K1 + 1) * saturation(view, posting)
    }
  }
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
}
