import { TURN_FLAG } from '../analyser/analysis-codec.ts'
import { bestPlaces } from './best.ts'
import { K1, type Scratch, saturation, type WordScores } from './bm25.ts'
import { type Neighbour, neighboursOf } from './conversations.ts'
import { keyState } from './key-states.ts'
import type { Linked } from './linking.ts'
import type { Node } from './node.ts'
import { POSTING_SHIFT } from './postings.ts'
import type { ScopeView } from './scope-view.ts'
import type { Weight } from './time-weight.ts'

/** Records whose words are read together with what was said next to them. */
const READ_TOGETHER = 100
/** What a word said just before or after counts beside one of the record itself, and again for each step farther. */
const BEFORE = 0.5
const AFTER = 0.4
const FARTHER = 0.6
/** How much more a question lends to what follows it, which may answer it. */
const ASKED = 1.5
/** What a record that ends with a question is worth beside one that tells. */
const ASKING = 0.8
/** What the words of an author's name count as words: who is spoken to is named, who speaks is not. */
const NAMED = 0.25
/** What a record is worth that somebody whom the question names said. */
const SAID_BY_NAMED = 1.25

/** A record and what was said next to it. */
interface Reading {
  readonly place: number
  readonly neighbours: readonly Neighbour[]
  /** Who said it, when the question names them. */
  readonly author: Node | undefined
}

function read(view: ScopeView, place: number, linked: Linked): Reading {
  const key = view.store.recordAuthors[place]!
  const author = key === 0 ? undefined : keyState(view, key - 1)?.nodes.find((node) => linked.nodes.has(node))
  return { place, neighbours: neighboursOf(view, place), author }
}

/** The best records by their words that are part of a conversation, and what was said next to them. */
function readAll(view: ScopeView, scratch: Scratch, words: WordScores, linked: Linked): Reading[] {
  const best = bestPlaces(view.store, scratch.touched, words.touched, scratch.scores, READ_TOGETHER)
  const readings = new Map<number, Reading>()
  for (const { place } of best) {
    if (readings.has(place)) continue
    const reading = read(view, place, linked)
    if (reading.neighbours.length === 0) continue
    readings.set(place, reading)
    for (const near of reading.neighbours) {
      if (!readings.has(near.place)) readings.set(near.place, read(view, near.place, linked))
    }
  }
  return [...readings.values()]
}

/** How much each place in `rows` holds of each term, a row for each place. */
function holdings(view: ScopeView, scratch: Scratch, words: WordScores, rows: ReadonlyMap<number, number>) {
  const { restarts, postings } = scratch
  const width = words.terms.length
  const held = new Float64Array(rows.size * width)
  // The restarts, which nothing has used yet, tell a place's row without a look-up for every posting.
  for (const [place, row] of rows) restarts[place] = row + 1
  for (const [position, { from, to }] of words.terms.entries()) {
    for (let at = from; at < to; at += 1) {
      const row = restarts[postings[at]! >>> POSTING_SHIFT]!
      if (row > 0) held[(row - 1) * width + position] = saturation(view, postings[at]!)
    }
  }
  for (const place of rows.keys()) restarts[place] = 0
  return held
}

function lentBy(view: ScopeView, { place, steps, isBefore }: Neighbour): number {
  const share = (isBefore ? BEFORE : AFTER) * FARTHER ** (steps - 1)
  const isAsked = isBefore && steps === 1 && (view.store.recordTurns[place]! & TURN_FLAG.asks) > 0
  return isAsked ? share * ASKED : share
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
  const rows = new Map<number, number>()
  for (const { place, neighbours } of readings) {
    for (const each of [place, ...neighbours.map((near) => near.place)]) if (!rows.has(each)) rows.set(each, rows.size)
  }
  const held = holdings(view, scratch, words, rows)
  const weights = weightsOf(words, linked, readings)
  const { scores, touched } = scratch
  let count = words.touched
  for (const { place, neighbours, author } of readings) {
    const own = rows.get(place)! * weights.length
    const around = neighbours.map((near) => ({ row: rows.get(near.place)! * weights.length, lent: lentBy(view, near) }))
    let score = 0
    for (const [position, weight] of weights.entries()) {
      let heard = 0
      for (const { row, lent } of around) heard += lent * held[row + position]!
      score += weight * (K1 + 1) * Math.max(held[own + position]!, Math.min(1, heard))
    }
    if ((view.store.recordTurns[place]! & TURN_FLAG.endsAsking) > 0) score *= ASKING
    if (author !== undefined) score *= SAID_BY_NAMED
    if (score === 0) continue
    if (scores[place] === 0) touched[count++] = place
    scores[place] = score * weightOf(place)
  }
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  return { terms: words.terms, touched: count, best }
}
