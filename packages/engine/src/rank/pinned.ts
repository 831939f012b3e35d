import type { Question } from '../understand/analyse-question.ts'
import type { Scratch } from './bm25.ts'
import { entityNode } from './entities.ts'
import { placeOfId } from './id-table.ts'
import type { Linked } from './linking.ts'
import { eachMentioning, holds } from './links.ts'
import { type RankedPassage, rankPlaces } from './rank-places.ts'
import { bestExactly, byScore, findRecord, placesOfRecord, recordPlaceOf, type Scored } from './record-places.ts'
import { type Node, type ScopeView, sees } from './scope-view.ts'

/** Ranked records of each pinned tuple. */
export interface PinnedRanking {
  lists: (Scored & { passages?: readonly RankedPassage[] })[][]
  linked: Linked
}

/** Number of records from the question's own ranking that order pinned records. Tie-breakers order the others. */
const QUESTION_RANKED = 1_000
/**
 * Weight of the relevance. It is less than the weight of one matching id, so that the number of matching ids decides
 * first.
 */
const RELEVANCE_MAX = 0.9
/** Relevance of a record that contains the pinned ids but does not match the question. */
const LEAST_RELEVANCE = 1e-3

/** Records and entities of a pinned tuple. The entities' records are used only if the tuple has no record itself. */
interface Pins {
  readonly records: ReadonlySet<number>
  readonly nodes: readonly Node[]
}

function pinsOf(view: ScopeView, tuple: readonly string[]): Pins {
  const { entityTable } = view.store
  const records = new Set<number>()
  const nodes: Node[] = []
  for (const id of new Set(tuple)) {
    const record = findRecord(view.store, id)
    const entity = placeOfId(entityTable, id)
    if (record !== undefined && sees(view, record)) records.add(record)
    if (entity !== undefined) nodes.push(entityNode(view, entity))
  }
  return { records, nodes }
}

/**
 * Returns the ordinals in scope that may be linked to a node. `masses` of the scratch holds the number of nodes, as an
 * upper bound.
 */
function countHolders(view: ScopeView, { masses }: Scratch, nodes: readonly Node[]): number[] {
  const places: number[] = []
  for (const node of nodes) {
    // A record counts once, however many of its passages name the entity.
    const counted = new Set<number>()
    eachMentioning(view, node, (place) => {
      const record = recordPlaceOf(view.store, place)
      if (view.store.passages.has(record)) {
        if (counted.has(record)) return
        counted.add(record)
      }
      if (masses[record] === 0) places.push(record)
      masses[record]! += 1
    })
  }
  return places
}

function scoreHolders(
  view: ScopeView,
  scratch: Scratch,
  { records, nodes }: Pins,
  relevance: ReadonlyMap<number, number>,
  limit: number,
): Scored[] {
  const { store } = view
  const countHeld = (place: number): number =>
    nodes.filter((node) => placesOfRecord(store, place).some((each) => holds(view, each, node))).length
  const scoreOf = (place: number, held: number): number => held + (relevance.get(place) ?? 0) * RELEVANCE_MAX
  if (records.size > 0) {
    const pinned = Array.from(records, (place) => ({ place, score: scoreOf(place, countHeld(place)) }))
    return pinned.sort(byScore(store)).slice(0, limit)
  }
  const { masses } = scratch
  const places = countHolders(view, scratch, nodes)
  for (const [place, relevant] of relevance) if (masses[place]! > 0) masses[place]! += relevant * RELEVANCE_MAX
  const best = bestExactly(store, places, masses, limit, (place) => {
    const held = countHeld(place)
    return held === 0 ? 0 : scoreOf(place, held)
  })
  for (const place of places) masses[place] = 0
  return best
}

/**
 * Returns, for each tuple, the records that it names. If it names none, returns those that contain most of its ids; the
 * question's ranking orders equal ones. A score is the record's relevance to the question, in (0, 1].
 */
export function rankTuples(
  view: ScopeView,
  scratch: Scratch,
  question: Question,
  tuples: readonly string[][],
  limit: number,
): PinnedRanking {
  const { scored, linked } = rankPlaces(view, scratch, question, QUESTION_RANKED)
  const byRecord = new Map(scored.map((each) => [recordPlaceOf(view.store, each.place), each]))
  const relevance = new Map(Array.from(byRecord, ([place, { score }]) => [place, score]))
  const lists = tuples.map((tuple) =>
    scoreHolders(view, scratch, pinsOf(view, tuple), relevance, limit).map(({ place }) => {
      const { passages } = byRecord.get(place) ?? {}
      return { place, score: Math.max(LEAST_RELEVANCE, relevance.get(place) ?? 0), ...(passages && { passages }) }
    }),
  )
  return { lists, linked }
}
