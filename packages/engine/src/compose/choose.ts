import type { BriefRecord } from './brief.ts'
import type { Material } from './candidates.ts'
import type { Scored } from './select.ts'
import { leastChance } from './statement-worth.ts'

const SAME_THING = 0.72
// With all figures in common so much is enough.
const SAME_BESIDE_FIGURES = 0.5
const FIGURES_MIN = 2
const REPEATING = 0.7
// Figures have a term by their value beside those of their digits.
const DIGIT = /^~?\d/
// Of its worth a statement loses so much that says all the same as one that is told.
const REPETITION_COST = 0.5
/** What is worth less than this share of the best adds nothing to a story. */
const WORTH_SHARE_MIN = 0.5

/** What has been chosen so far and what may still be. */
interface Choice {
  chosen: Scored[]
  words: number
  /** How likely nothing that is chosen answers. */
  unanswered: number
  left: Set<Scored>
  /** How much a candidate repeats what is chosen. */
  repetition: Map<Scored, number>
}

/**
 * Chooses what to tell within a number of words: what is worth most first, less for what it repeats.
 * The answers given are told already; only what goes beyond them is chosen and returned.
 */
export function chooseCandidates(
  scored: readonly Scored[],
  material: Material,
  wordsMax: number,
  answers: readonly Scored[] = [],
): Scored[] {
  const { isOfOneThing = false, meant } = material
  const chanceMin = isOfOneThing ? leastChance(meant !== undefined) : 0
  const most = Math.max(0, ...scored.map(({ worth }) => worth), ...answers.map(({ worth }) => worth))
  const least = isOfOneThing ? 0 : WORTH_SHARE_MIN * most
  const choice: Choice = {
    chosen: [],
    words: 0,
    unanswered: 1,
    left: new Set(scored.filter(({ worth }) => worth > 0 && worth >= least)),
    repetition: new Map(),
  }
  for (const answer of answers) take(choice, answer, material)
  while (choice.left.size > 0) {
    const best = bestLeft(choice)
    if (!best) break
    choice.left.delete(best)
    const chance = choice.unanswered * gainOf(choice, best)
    if (choice.chosen.length > 0 && chance < chanceMin) continue
    if (choice.words + best.words > wordsMax && choice.chosen.length > 0) continue
    take(choice, best, material)
  }
  if (choice.chosen.length > 0) return choice.chosen.slice(answers.length)
  const best = scored.reduce<Scored | undefined>(
    (top, each) => (top && top.worth >= each.worth ? top : each),
    undefined,
  )
  return best ? [best] : []
}

function bestLeft(choice: Choice): Scored | undefined {
  let best: Scored | undefined
  let bestGain = 0
  for (const candidate of choice.left) {
    const gain = gainOf(choice, candidate)
    if (gain > bestGain) [best, bestGain] = [candidate, gain]
  }
  return best
}

/** What a candidate is worth beside what is chosen: less for what it repeats. */
function gainOf({ repetition }: Choice, candidate: Scored): number {
  return candidate.worth * (1 - REPETITION_COST * (repetition.get(candidate) ?? 0))
}

function take(choice: Choice, best: Scored, { records }: Material): void {
  const { chosen, left, repetition } = choice
  chosen.push(best)
  choice.words += best.words
  choice.unanswered *= 1 - best.worth
  for (const other of left) {
    const same = sameness(other.terms, best.terms, areApart(records[other.record]!, records[best.record]!))
    if (same >= SAME_THING) left.delete(other)
    else if (same > (repetition.get(other) ?? 0)) repetition.set(other, same)
  }
}

/** Whether two records are of different times, so that what has changed between them may differ. */
function areApart({ occurredAtMs: one }: BriefRecord, { occurredAtMs: other }: BriefRecord): boolean {
  return one !== undefined && other !== undefined && one !== other
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
