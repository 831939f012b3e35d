import type { BriefRecord } from './brief.ts'
import type { Material } from './candidates.ts'
import type { Scored } from './select.ts'

const SAME_THING = 0.72
// With all figures in common so much is enough.
const SAME_BESIDE_FIGURES = 0.5
const FIGURES_MIN = 2
const REPEATING = 0.7
// Figures have a term by their value beside those of their digits.
const DIGIT = /^~?\d/
const REPETITION_COST = 0.7
const COVERED_COST = 0.6
const NEW_RECORD_BONUS = 0.06
const NEW_TUPLE_BONUS = 0.08
// What is worth less than this share of the best is left untold, even when there is room.
const WORTH_SHARE_MIN = { few: 0.3, many: 0.6, fewAnswered: 0.5, manyAnswered: 0.65 }
const MANY_RECORDS = 6
// Sentences of a few short notes; of more it is less sure which one answers.
const FEW_SENTENCES = 40
// What follows the answer to a question for one fact or a reason, where few records leave room for all they say: it
// carries such a share of the question's terms that the answer carries, or has so surely the form of an answer. A
// reason need not name again what it is the reason of, in the record of the answer.
const FOLLOWS = { cover: 0.5, prior: 0.8, reason: 0.5 }

/** What has been chosen so far and what may still be. */
interface Choice {
  chosen: Scored[]
  words: number
  /** Sentences by record. */
  taken: Map<number, number>
  tuples: Set<number>
  /** The question's terms that are told. */
  covered: Set<string>
  left: Set<Scored>
  /** How much a candidate repeats what is chosen. */
  repetition: Map<Scored, number>
}

/**
 * Chooses what to tell within a number of words: worth, new records and tuples count, repetition costs.
 * The answers given are told already; only what goes beyond them is chosen and returned.
 */
export function chooseCandidates(
  scored: readonly Scored[],
  material: Material,
  wordsMax: number,
  answers: readonly Scored[] = [],
): Scored[] {
  const { records, standingMin = 0, wanted } = material
  const perRecordMax = records.length > 4 ? 4 : records.length > 2 ? 4 : 8
  const most = Math.max(0, ...scored.map(({ worth }) => worth), ...answers.map(({ worth }) => worth))
  const first = answers.length > 0 ? undefined : scored.find(({ worth }) => worth === most)
  const covered = Math.max(0, ...answers.map(({ cover }) => cover), first?.cover ?? 0)
  const isNarrow = wanted !== undefined && records.length < MANY_RECORDS && scored.length <= FEW_SENTENCES
  const leads = new Set([...answers, ...(first ? [first] : [])].map(({ record }) => record))
  const isReason = ({ prior, record }: Scored) =>
    wanted === 'reason' && (!leads.has(record) || records[record]!.title === undefined || prior >= FOLLOWS.reason)
  const adds = (each: Scored) => !isNarrow || each.cover >= FOLLOWS.cover * covered || mayAnswer(each) || isReason(each)
  const mayFollow = (each: Scored) => each === first || (each.standing >= standingMin && adds(each))
  const least = most * shareMin(records.length, answers.length > 0)
  const choice: Choice = {
    chosen: [],
    words: 0,
    taken: new Map(),
    tuples: new Set(),
    covered: new Set(),
    left: new Set(scored.filter((each) => each.worth > 0 && each.worth >= least && mayFollow(each))),
    repetition: new Map(),
  }
  for (const answer of answers) take(choice, answer, material, perRecordMax)
  while (choice.left.size > 0) {
    const best = bestLeft(choice, material)
    if (!best) break
    choice.left.delete(best)
    if (choice.words + best.words > wordsMax && choice.chosen.length > 0) continue
    take(choice, best, material, perRecordMax)
  }
  if (choice.chosen.length > 0) return choice.chosen.slice(answers.length)
  const best = scored.reduce<Scored | undefined>(
    (top, each) => (top && top.worth >= each.worth ? top : each),
    undefined,
  )
  return best ? [best] : []
}

function mayAnswer({ labelled, prior, anchor }: Scored): boolean {
  return labelled || (prior >= FOLLOWS.prior && anchor > 0)
}

function shareMin(records: number, answered: boolean): number {
  if (records < MANY_RECORDS) return answered ? WORTH_SHARE_MIN.fewAnswered : WORTH_SHARE_MIN.few
  return answered ? WORTH_SHARE_MIN.manyAnswered : WORTH_SHARE_MIN.many
}

function bestLeft({ left, taken, tuples, repetition, covered }: Choice, { records }: Material): Scored | undefined {
  let best: Scored | undefined
  let bestGain = 0
  for (const candidate of left) {
    const fresh = taken.has(candidate.record) ? 0 : NEW_RECORD_BONUS
    const tuple = records[candidate.record]!.tuples.some((each) => !tuples.has(each)) ? NEW_TUPLE_BONUS : 0
    const gain =
      candidate.worth +
      fresh +
      tuple -
      REPETITION_COST * (repetition.get(candidate) ?? 0) -
      COVERED_COST * coveredShare(candidate, covered)
    if (gain > bestGain) [best, bestGain] = [candidate, gain]
  }
  return best
}

function take(choice: Choice, best: Scored, { records }: Material, perRecordMax: number): void {
  const { chosen, taken, tuples, covered, left, repetition } = choice
  chosen.push(best)
  choice.words += best.words
  for (const [term] of best.carries) covered.add(term)
  taken.set(best.record, (taken.get(best.record) ?? 0) + 1)
  for (const tuple of records[best.record]!.tuples) tuples.add(tuple)
  for (const other of left) {
    const same = sameness(other.terms, best.terms, areApart(records[other.record]!, records[best.record]!))
    const full = other.record === best.record && taken.get(best.record)! >= perRecordMax
    if (same >= SAME_THING || full) left.delete(other)
    else if (same > (repetition.get(other) ?? 0)) repetition.set(other, same)
  }
}

/** Whether two records are of different times, so that what has changed between them may differ. */
function areApart({ occurredAtMs: one }: BriefRecord, { occurredAtMs: other }: BriefRecord): boolean {
  return one !== undefined && other !== undefined && one !== other
}

/** The weight of the question's terms that a candidate carries and what is chosen has carried already. */
function coveredShare(candidate: Scored, covered: ReadonlySet<string>): number {
  let share = 0
  for (const [term, weight] of candidate.carries) if (covered.has(term)) share += weight
  return share
}

/**
 * How much a candidate says the same as one that is told, 0..1: shared terms over the smaller set. It says all the same
 * when its figures are among those told, and something else when it gives others at another time.
 */
function sameness(other: ReadonlySet<string>, told: ReadonlySet<string>, apart: boolean): number {
  let shared = 0
  let figures = 0
  let fresh = 0
  for (const term of other) {
    const has = told.has(term)
    if (has) shared++
    if (!DIGIT.test(term)) continue
    figures++
    if (!has) fresh++
  }
  const [small, large] = other.size <= told.size ? [other.size, told.size] : [told.size, other.size]
  if (small === 0) return 0
  const same = shared / Math.max(small, Math.min(large, 4))
  if (fresh > 0) return apart ? Math.min(same, REPEATING) : same
  return figures >= FIGURES_MIN && same >= SAME_BESIDE_FIGURES ? 1 : same
}
