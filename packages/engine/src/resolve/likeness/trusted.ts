import { AGREES, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import type { PairKind } from './pair-kinds.ts'
import type { Join, ScoredPair } from './partition.ts'
import type { Population } from './population.ts'

/** The largest share of false joins among those that are trusted, as estimated from the sources themselves. */
const STRANGERS_SHARE = 0.04
/** The least agreement of two things of one source, with one name and a common number, to be one thing held twice. */
const DOUBLE_SHARE = 0.5
/** Where names are apart and few pairs are ahead, that there is no stranger among them shows little: one is counted. */
const UNSEEN_STRANGERS = 1
/** So far ahead of what else either of its two is like is a pair that has little else to speak for it. */
export const LEAD_MIN = 5
/** What the classes of pairs begin with that only their lead makes likely. */
const AHEAD = 'ahead'
/** Kinds for which more than names speaks: a model's number, or two others, agree. */
const MARKED: ReadonlySet<PairKind> = new Set(['coded', 'keyed'])

/** A pair that may be one, and what makes it so. */
export interface LikelyPair extends ScoredPair {
  kind: PairKind
  agreement: Agreement
  /** How far it ranks ahead of what else either of its two is like; undefined of few things, which show nothing. */
  lead: number | undefined
  /** Whether its lead alone makes it likely: its score is low, or its names are apart. */
  isAhead?: true
}

/** What joins are judged by. */
export interface TrustGround {
  pairs: readonly LikelyPair[]
  /** How many things each source has. */
  sizes: ReadonlyMap<string, number>
  sourceOf(place: number): string
  /** Whether a source holds each thing once. */
  keepsApart(source: string): boolean
}

/**
 * The joins that hold up against what the sources hold themselves. Two things of a source that holds each once are
 * strangers, however alike: as often as a thing has such a stranger at home, one without a partner has one abroad.
 * Where they are many, only what is more alike than they are is believed, however many true pairs there are.
 */
export function* trustedJoins(joins: readonly Join[], ground: TrustGround): Generator<undefined, Join[]> {
  const { pairs, sizes, sourceOf, keepsApart } = ground
  const atHome = pairs.filter(
    (pair) => sourceOf(pair.one) === sourceOf(pair.other) && keepsApart(sourceOf(pair.one)) && !isDouble(pair),
  )
  const classOf = classes(atHome)
  yield
  const strangers = nearestStrangers(atHome, classOf)
  yield
  const kinds = new Map(pairs.map((pair) => [`${pair.one} ${pair.other}`, classOf(pair)]))
  const inDoubt = new Set(pairs.filter(isInDoubt).map(({ one, other }) => `${one} ${other}`))
  yield
  const groups = new Map<string, Join[]>()
  const joined = new Map<string, number>()
  for (const join of joins) {
    const isOnce = keepsApart(sourceOf(join.one)) && keepsApart(sourceOf(join.other))
    if (isOnce && inDoubt.has(`${join.one} ${join.other}`)) continue
    const sources = JSON.stringify([sourceOf(join.one), sourceOf(join.other)].sort())
    push(groups, `${sources} ${kinds.get(`${join.one} ${join.other}`)}`, join)
    joined.set(sources, (joined.get(sources) ?? 0) + 1)
    yield
  }
  const combinations = [...sizes].reduce((sum, [source, size]) => sum + (keepsApart(source) ? size ** 2 : 0), 0)
  const trusted = new Set<Join>()
  for (const group of groups.values()) {
    const [first] = group as [Join]
    const kind = kinds.get(`${first.one} ${first.other}`)!
    const [one, other] = [sourceOf(first.one), sourceOf(first.other)].sort() as [string, string]
    const [ours, theirs] = [sizes.get(one)!, sizes.get(other)!]
    const among = one === other ? ours ** 2 / 2 : ours * theirs
    const kept = trustedCount(group, kind.includes(' coded ') ? [] : (strangers.get(kind) ?? []), {
      scale: among / Math.max(1, combinations),
      things: Math.min(ours, theirs),
      others: joined.get(JSON.stringify([one, other]))! - group.length,
      unseen: kind.startsWith(AHEAD) ? UNSEEN_STRANGERS : 0,
    })
    for (const join of group.slice(0, kept)) trusted.add(join)
    yield
  }
  return joins.filter((join) => trusted.has(join))
}

function isDouble({ kind, agreement }: LikelyPair): boolean {
  return kind === 'same' && agreement.numbers === 'agree' && agreement.share >= DOUBLE_SHARE
}

/**
 * Whether nothing but names and amounts speaks for a pair, and others have names that are nearly as much alike: offers
 * of one title, editions of one work, recordings of one song.
 */
function isInDoubt({ kind, agreement, lead }: LikelyPair): boolean {
  return !MARKED.has(kind) && !agreement.hasSameNumber && lead !== undefined && lead < LEAD_MIN
}

/** How many joins of a kind, the most alike first, hold up. Sorts them. */
function trustedCount(
  joins: Join[],
  strangers: readonly number[],
  { scale, things, others, unseen }: { scale: number; things: number; others: number; unseen: number },
): number {
  joins.sort((a, b) => b.sureness - a.sureness)
  let kept = 0
  let found = 0
  for (let count = 1; count <= joins.length; count++) {
    const least = joins[count - 1]!.sureness
    if (joins[count]?.sureness === least) continue
    while (found < strangers.length && strangers[found]! >= least) found += 1
    const chance = Math.min(1, ((found + unseen) * scale) / things)
    // Of things with a partner none is free for a stranger.
    const partners = chance < 1 ? Math.max(0, (count - chance * things) / (1 - chance)) : 0
    if (chance * Math.max(0, things - others - partners) <= STRANGERS_SHARE * count) kept = count
  }
  return kept
}

/**
 * Pairs of one kind whose numbers agree, differ or say nothing, and of things of which one has others as like it at
 * home or of which none has.
 */
function classes(atHome: readonly LikelyPair[]): (pair: LikelyPair) => string {
  const homes = new Map<number, Set<number>>()
  for (const { one, other } of atHome) {
    homes.set(one, (homes.get(one) ?? new Set()).add(other))
    homes.set(other, (homes.get(other) ?? new Set()).add(one))
  }
  const hasOthers = (place: number, but: number) => {
    const others = homes.get(place)
    return others !== undefined && others.size > Number(others.has(but))
  }
  return ({ one, other, kind, agreement, isAhead }) =>
    `${isAhead ? AHEAD : ''} ${agreement.numbers} ${kind} ${hasOthers(one, other) || hasOthers(other, one)}`
}

/** Of each class how alike each thing's nearest stranger at home is, the most alike first. */
function nearestStrangers(
  atHome: readonly LikelyPair[],
  classOf: (pair: LikelyPair) => string,
): Map<string, readonly number[]> {
  const nearest = new Map<string, Map<number, number>>()
  for (const pair of atHome) {
    const key = classOf(pair)
    const best = nearest.get(key) ?? new Map<number, number>()
    nearest.set(key, best)
    for (const place of [pair.one, pair.other]) {
      best.set(place, Math.max(best.get(place) ?? Number.NEGATIVE_INFINITY, pair.sureness))
    }
  }
  return new Map([...nearest].map(([key, best]) => [key, [...best.values()].sort((a, b) => b - a)]))
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** How far the fields of two things agree, their names left out. */
export interface Agreement {
  /** Whether a number that both tell (a price, a year, a telephone) is another, or the same. */
  numbers: 'differ' | 'agree' | 'silent'
  /** Whether a number that is no amount is the same: amounts agree by chance and custom, as of two prices. */
  hasSameNumber: boolean
  /** The share of the fields that both have in which they agree; 0 where they have none in common. */
  share: number
}

/** Another number tells two things apart only where it is rarer among equals: lengths in other units are not. */
const CONTRADICTS = -0.5
/** Amounts that are near agree where they are so much more often near among equals, as two shops' prices are. */
const NEAR_AGREES = 0.5

/** How the fields of a pair agree, with what the data shows that their levels are worth. */
export function agreementOf({ fields }: Population, levels: Levels, { evidence }: Weights): Agreement {
  let [compared, agree] = [0, 0]
  let numbers: Agreement['numbers'] = 'silent'
  let hasSameNumber = false
  for (const [at, { kind }] of fields.entries()) {
    const level = levels[FIRST_FIELD + at]!
    if (level === MISSING) continue
    const worth = evidence[FIRST_FIELD + at]![level]!
    const isEqual = level >= AGREES[kind]
    const isSame = isEqual || (kind === 'amount' && level > 0 && worth >= NEAR_AGREES)
    compared += 1
    if (isSame) agree += 1
    if (kind === 'words') continue
    if (isEqual && kind !== 'amount') hasSameNumber = true
    if (level === 0 && worth <= CONTRADICTS) numbers = 'differ'
    else if (isSame && numbers === 'silent') numbers = 'agree'
  }
  return { numbers, hasSameNumber, share: compared > 0 ? agree / compared : 0 }
}
