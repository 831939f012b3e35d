import { TURN_FLAG } from '../../text/analysis-codec.ts'
import { bestPlaces } from '../best.ts'
import { K1, type Scratch, saturationAt, type WordScores } from '../bm25.ts'
import { type Neighbour, nearnessOf, placeOf, REACH, type Standing, standingOf } from '../conversations.ts'
import { keyState } from '../key-states.ts'
import type { Linked } from '../linking.ts'
import type { Node } from '../node.ts'
import type { ScopeView } from '../scope-view.ts'
import { eachMarked } from '../store.ts'
import type { Weight } from '../time-weight.ts'

/** Records whose words are read together with what was said next to them. */
const READ_TOGETHER = 60
/** What a word said just before or after counts beside one of the record itself, and again for each step farther. */
const BEFORE = 0.5
const AFTER = 0.4
const FARTHER = 0.6
/** How much more a question lends to what follows it, which may answer it: its words count there in full. */
const ASKED = 2
/** How much the length of a record counts that is read with others: less than alone, as together they are longer. */
const LENGTH_SHARE = 0.5
/** What a record that ends with a question is worth beside one that tells. */
const ASKING = 0.8
/** What the words of an author's name count as words: who is spoken to is named, who speaks is not. */
const NAMED = 0.25
/** What a record is worth that somebody whom the question names said. */
const SAID_BY_NAMED = 1.25

/** A record and what was said next to it. */
interface Reading {
  readonly place: number
  readonly standing: Standing
  /** Who said it, when the question names them. */
  readonly author: Node | undefined
}

/** By the key that joins records to their author, who of those that the question names said them. */
function namedAuthors(view: ScopeView, linked: Linked): Map<number, Node> {
  const authors = new Map<number, Node>()
  for (const key of [...linked.nodes.keys()].flatMap(({ keys }) => keys)) {
    const author = keyState(view, key)?.nodes.find((node) => linked.nodes.has(node))
    if (author !== undefined) authors.set(key, author)
  }
  return authors
}

/** The best records by their words that are part of a conversation, and what was said next to them. */
function readAll(view: ScopeView, scratch: Scratch, words: WordScores, linked: Linked): Reading[] {
  const best = bestPlaces(view.store, scratch.touched, words.touched, scratch.scores, READ_TOGETHER)
  const authors = namedAuthors(view, linked)
  const read = (place: number, standing: Standing): void => {
    readings.set(place, { place, standing, author: authors.get(view.store.recordAuthors[place]! - 1) })
  }
  const readings = new Map<number, Reading>()
  for (const { place } of best) {
    if (readings.has(place)) continue
    const standing = standingOf(view, place)
    if (standing.neighbours.length === 0) continue
    read(place, standing)
    for (const near of standing.neighbours) {
      const there = placeOf(near)
      if (!readings.has(there)) read(there, standingOf(view, there, standing))
    }
  }
  return [...readings.values()]
}

/** By nearness, what a word said there counts. */
const LENT = Array.from({ length: 2 * REACH }, (_, at) =>
  at < REACH ? BEFORE * FARTHER ** at : AFTER * FARTHER ** (at - REACH),
)

function lentBy(view: ScopeView, near: Neighbour): number {
  const nearness = nearnessOf(near)
  const isAsked = nearness === 0 && (view.store.recordTurns[placeOf(near)]! & TURN_FLAG.asks) > 0
  return isAsked ? LENT[nearness]! * ASKED : LENT[nearness]!
}

/** Gives every place that is read a row, and answers the rows by place. */
function numberRows(readings: readonly Reading[]): Map<number, number> {
  const rows = new Map<number, number>()
  const add = (place: number): void => {
    if (!rows.has(place)) rows.set(place, rows.size)
  }
  for (const { place, standing } of readings) {
    add(place)
    for (const near of standing.neighbours) add(placeOf(near))
  }
  return rows
}

/** How much each numbered place holds of each term, row by row. */
function holdings(view: ScopeView, { marks }: Scratch, width: number, rows: ReadonlyMap<number, number>): Float64Array {
  const held = new Float64Array(rows.size * width)
  for (const [place, row] of rows) {
    eachMarked(view.store, place, Number.POSITIVE_INFINITY, marks, (mark, frequency) => {
      held[row * width + mark - 1] = saturationAt(view, place, frequency, LENGTH_SHARE)
    })
  }
  return held
}

/** By position in the words' terms, what each counts: little when it names someone who said something. */
function weightsOf(words: WordScores, linked: Linked, readings: readonly Reading[]): number[] {
  const authors = new Set(readings.flatMap(({ author }) => author ?? []))
  const naming = new Set([...authors].flatMap((author) => linked.terms.get(author) ?? []))
  return words.terms.map(({ idf, position }) => (naming.has(position) ? NAMED * idf : idf))
}

/**
 * Scores the best records again together with what was said next to them: a word that a record lacks counts as far as
 * its neighbours hold it, since a question's words are often split over what was asked and what was answered.
 */
export function scoreTogether(
  view: ScopeView,
  scratch: Scratch,
  words: WordScores,
  linked: Linked,
  weightOf: Weight,
): WordScores {
  const readings = readAll(view, scratch, words, linked)
  if (readings.length === 0) return words
  const rows = numberRows(readings)
  const held = holdings(view, scratch, words.terms.length, rows)
  const weights = weightsOf(words, linked, readings)
  const { scores, touched } = scratch
  const heard = new Float64Array(weights.length)
  let count = words.touched
  for (const { place, standing, author } of readings) {
    heard.fill(0)
    for (const near of standing.neighbours) {
      const from = rows.get(placeOf(near))! * weights.length
      const lent = lentBy(view, near)
      for (let at = 0; at < weights.length; at += 1) heard[at]! += lent * held[from + at]!
    }
    const own = rows.get(place)! * weights.length
    let score = 0
    for (let at = 0; at < weights.length; at += 1) {
      score += weights[at]! * (K1 + 1) * Math.max(held[own + at]!, Math.min(1, heard[at]!))
    }
    if ((view.store.recordTurns[place]! & TURN_FLAG.endsAsking) > 0) score *= ASKING
    if (author !== undefined) score *= SAID_BY_NAMED
    if (score === 0) continue
    if (scores[place] === 0) touched[count++] = place
    scores[place] = score * weightOf(place)
  }
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  // Who is asked about is named less by those who speak, so the name says less of what is added to the words too.
  const terms = words.terms.map((term, at) => ({ ...term, idf: weights[at]! }))
  return { terms, touched: count, best }
}
