import type { BriefRecord } from './brief.ts'
import type { Candidate, Material } from './candidates.ts'
import { dayOf } from './civil-date.ts'
import { findFocus } from './focus.ts'
import { isMessage } from './frame.ts'
import { topicsOf } from './labels.ts'
import type { NameIndex } from './names.ts'
import type { Question, QuestionKind } from './question.ts'
import { answerPrior, countWords, readability } from './traits.ts'

/** A candidate with what it is worth for the question. */
export interface Scored extends Candidate {
  /** Worth on its own, before anything is chosen. */
  worth: number
  /** Share of the question's terms, by weight, that it carries itself. */
  cover: number
  prior: number
  /** How strongly the question leads to its record or is covered by itself, 0..1. */
  anchor: number
  /** The question's terms that it carries, with their weights. */
  carries: [string, number][]
  words: number
  /** Whether it stands in a section whose label says that this is what the question asks for. */
  labelled: boolean
}

// Parts of a candidate's worth. Chosen on stories and encyclopaedia passages; the plateau is broad.
const WEIGHT = {
  cover: 1.2,
  relevance: 0.7,
  position: 0.5,
  bridge: 0.3,
  prior: 0.8,
  focus: 0.6,
  recency: 0.3,
  label: 0.8,
}
// A subject that was named in an earlier part counts less than what a part asks itself.
const CARRIED_SHARE = 0.5
const ANSWER_PRIOR_WEIGHT = 1
const ANSWER_COVER_WEIGHT = 0.6
// The answer to a question that leads on stands where it leads to.
const PASSING_COST = 0.7
const ANCHOR_FOCUS = 0.6
// Quoted mail repeats what others said, a table's row says little without its head.
const QUOTE_SHARE = 0.6
const ROW_SHARE = 0.4
const FRAME_WORDS = { message: 6, dated: 4 }
const MADE = { relevance: 0.6, prior: 0.7, changed: 0.6 }
const CURRENT: ReadonlySet<QuestionKind> = new Set(['status', 'change', 'open'])
const POSITION_FALL = 0.25
const TITLE_COVER_SHARE = 0.4
const SAME_THING = 0.72
const REPETITION_COST = 0.7
const COVERED_COST = 0.6
const NEW_RECORD_BONUS = 0.06
const NEW_TUPLE_BONUS = 0.08
const OUTSIDE_WINDOW = 0.5
// What is worth less than this share of the best is left untold, even when there is room.
const WORTH_SHARE_MIN = { few: 0.3, many: 0.55 }
const MANY_RECORDS = 6

/** Weighs every candidate against the question. */
export function scoreCandidates(question: Question, material: Material): Scored[] {
  const { candidates, records, names } = material
  const weights = termWeights(question, candidates)
  const coverOf = (terms: ReadonlySet<string>): number => {
    let sum = 0
    for (const [term, weight] of weights) if (terms.has(term)) sum += weight
    return sum
  }
  const best = Math.max(...records.map((record) => record.score), Number.MIN_VALUE)
  const titleCover = records.map((record) => coverOf(new Set(material.termsOf(record.title ?? ''))))
  const kin = askedKin(question, material)
  const carried = candidates.map((candidate) => {
    const terms = withKin(candidate, kin, names)
    return weights.filter(([term]) => terms.has(term))
  })
  const covers = carried.map((each) => each.reduce((sum, [, weight]) => sum + weight, 0))
  const focus = findFocus(question, material)
  const latest = question.kinds.some((kind) => CURRENT.has(kind)) ? recencies(material) : undefined
  return candidates.map((candidate, at) => {
    const record = records[candidate.record]!
    const cover = Math.max(covers[at]!, TITLE_COVER_SHARE * titleCover[candidate.record]! + 0.6 * covers[at]!)
    const hasPerson = candidate.names.some((name) => names.isPerson(name))
    const prior =
      answerPrior(question, focus.remaining[candidate.record]!, candidate.text, hasPerson) *
      (1 - PASSING_COST * focus.leadsOn[candidate.record]!)
    const relevance = Math.max(0, record.score / best)
    let worth =
      candidate.source === 'sentence' || isSilent(record)
        ? saidWorth(cover, relevance, prior, candidate, material, focus.weight[candidate.record]!) *
          readability(candidate.text)
        : madeWorth(covers[at]!, relevance, prior, (candidate.former ?? []).length > 0)
    const labelled = isLabelled(question, candidate)
    if (labelled) worth += WEIGHT.label * Math.min(1, relevance + titleCover[candidate.record]!)
    if (latest) worth += WEIGHT.recency * latest[candidate.record]!
    const kind = candidate.sentence?.kind
    if (kind === 'quote') worth *= QUOTE_SHARE
    if (kind === 'row') worth *= ROW_SHARE
    if (isOutside(question, record.occurredAtMs)) worth *= OUTSIDE_WINDOW
    return {
      ...candidate,
      worth,
      cover: covers[at]!,
      carries: carried[at]!,
      prior,
      anchor: Math.max(covers[at]!, ANCHOR_FOCUS * focus.weight[candidate.record]!),
      words: countWords(candidate.text) + frameWords(record),
      labelled,
    }
  })
}

function isLabelled({ topics }: Question, { sentence }: Candidate): boolean {
  return (
    sentence?.label !== undefined &&
    topics.length > 0 &&
    topicsOf(sentence.label).some((topic) => topics.includes(topic))
  )
}

/** What a candidate is worth as the answer, beyond what it is worth as a part of the story. */
export function answerWorth(each: Scored): number {
  return each.worth + ANSWER_PRIOR_WEIGHT * each.prior * each.anchor + ANSWER_COVER_WEIGHT * each.cover
}

/** By entity, the terms under which the question names it, so that its other names count as well. */
function askedKin(question: Question, { names, termsOf }: Material): Map<string, string[]> {
  const kin = new Map<string, string[]>()
  for (const { name, words } of names.findWords(question.text)) {
    const entity = names.entityOf(name)
    if (entity !== undefined) kin.set(entity, [...(kin.get(entity) ?? []), ...termsOf(words)])
  }
  return kin
}

function withKin(candidate: Candidate, kin: ReadonlyMap<string, string[]>, names: NameIndex): ReadonlySet<string> {
  if (kin.size === 0) return candidate.terms
  const added = candidate.names.flatMap((name) => kin.get(names.entityOf(name) ?? '') ?? [])
  return added.length === 0 ? candidate.terms : new Set([...candidate.terms, ...added])
}

/** About how many words the frame of a sentence takes: author and day, or the source behind it. */
function frameWords(record: BriefRecord): number {
  if (record.occurredAtMs === undefined) return 1
  return isMessage(record) ? FRAME_WORDS.message : FRAME_WORDS.dated
}

function saidWorth(
  cover: number,
  relevance: number,
  prior: number,
  candidate: Candidate,
  material: Material,
  focus: number,
): number {
  return (
    WEIGHT.cover * cover +
    WEIGHT.relevance * relevance +
    WEIGHT.position / (1 + POSITION_FALL * candidate.position) +
    WEIGHT.bridge * bridge(candidate, material) +
    WEIGHT.focus * focus +
    WEIGHT.prior * prior * (0.4 + 0.6 * Math.min(1, 2 * Math.max(cover, focus)))
  )
}

/** Whether a record has no text, so that what is made from its fields is all that it says. */
function isSilent(record: BriefRecord): boolean {
  return (record.text ?? '').trim() === ''
}

/** What is made from fields and relations counts by what it covers: there is much of it and it reads alike. */
function madeWorth(cover: number, relevance: number, prior: number, changed: boolean): number {
  if (cover === 0) return 0
  return WEIGHT.cover * cover + MADE.relevance * relevance + MADE.prior * prior + (changed ? MADE.changed : 0)
}

/** For each record, how late it is among the dated ones: 0 for the first, 1 for the last. */
function recencies({ records }: Material): number[] {
  const times = [...new Set(records.flatMap((record) => record.occurredAtMs ?? []))].sort((a, b) => a - b)
  const last = Math.max(1, times.length - 1)
  return records.map((record) => (record.occurredAtMs === undefined ? 0 : times.indexOf(record.occurredAtMs) / last))
}

/** Weights of the question's terms, rare ones heavy, that sum to 1. */
function termWeights({ terms, carried }: Question, candidates: readonly Candidate[]): [string, number][] {
  const raw = terms.map((term): [string, number] => {
    const df = candidates.reduce((sum, candidate) => sum + (candidate.terms.has(term) ? 1 : 0), 0)
    const share = carried?.has(term) ? CARRIED_SHARE : 1
    return [term, share * Math.log(1 + (candidates.length + 1) / (df + 0.5))]
  })
  const total = raw.reduce((sum, [, weight]) => sum + weight, 0) || 1
  return raw.map(([term, weight]) => [term, weight / total])
}

/** How much a candidate ties its record to others by a name they share, 0..1. */
function bridge(candidate: Candidate, { names }: Material): number {
  const own = names.titleOf(candidate.record)
  let most = 0
  for (const name of candidate.names) if (name !== own) most = Math.max(most, 1 - names.rarity(name) * 0.5)
  return candidate.names.length === 0 ? 0 : most
}

function isOutside(question: Question, atMs: number | undefined): boolean {
  if (!question.window || atMs === undefined) return false
  const day = dayOf(atMs)
  return day < question.window.from || day > question.window.to
}

/** The weight of the question's terms that a candidate carries and what is chosen has carried already. */
function coveredShare(candidate: Scored, covered: ReadonlySet<string>): number {
  let share = 0
  for (const [term, weight] of candidate.carries) if (covered.has(term)) share += weight
  return share
}

/** How much two candidates say the same, 0..1: shared terms over the smaller set. */
export function sameness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  if (small.size === 0) return 0
  let shared = 0
  for (const term of small) if (large.has(term)) shared++
  return shared / Math.max(small.size, Math.min(large.size, 4))
}

/** Chooses what to tell within a number of words: worth, new records and tuples count, repetition costs. */
export function chooseCandidates(
  scored: readonly Scored[],
  material: Material,
  wordsMax: number,
  answers: readonly Scored[] = [],
): Scored[] {
  const perRecordMax = material.records.length > 4 ? 3 : material.records.length > 2 ? 4 : 8
  const chosen: Scored[] = []
  const taken = new Map<number, number>()
  const tuples = new Set<number>()
  const covered = new Set<string>()
  const shareMin = material.records.length >= MANY_RECORDS ? WORTH_SHARE_MIN.many : WORTH_SHARE_MIN.few
  const most = Math.max(0, ...scored.map(({ worth }) => worth))
  const left = new Set(scored.filter(({ worth }) => worth > 0 && worth >= shareMin * most))
  const repetition = new Map<Scored, number>()
  let words = 0
  while (left.size > 0) {
    let best: Scored | undefined
    let bestGain = 0
    for (const candidate of left) {
      const fresh = taken.has(candidate.record) ? 0 : NEW_RECORD_BONUS
      const tuple = material.records[candidate.record]!.tuples.some((each) => !tuples.has(each)) ? NEW_TUPLE_BONUS : 0
      const gain =
        candidate.worth +
        fresh +
        tuple -
        REPETITION_COST * (repetition.get(candidate) ?? 0) -
        COVERED_COST * coveredShare(candidate, covered)
      if (gain > bestGain) [best, bestGain] = [candidate, gain]
    }
    if (!best) break
    left.delete(best)
    if (words + best.words > wordsMax && chosen.length > 0) continue
    chosen.push(best)
    words += best.words
    for (const [term] of best.carries) covered.add(term)
    taken.set(best.record, (taken.get(best.record) ?? 0) + 1)
    for (const tuple of material.records[best.record]!.tuples) tuples.add(tuple)
    for (const other of left) {
      const same = sameness(other.terms, best.terms)
      const full = other.record === best.record && taken.get(best.record)! >= perRecordMax
      if (same >= SAME_THING || full) left.delete(other)
      else if (same > (repetition.get(other) ?? 0)) repetition.set(other, same)
    }
  }
  const best = scored.reduce<Scored | undefined>(
    (top, each) => (top && top.worth >= each.worth ? top : each),
    undefined,
  )
  return chosen.length === 0 && best ? [best] : chosen
}
