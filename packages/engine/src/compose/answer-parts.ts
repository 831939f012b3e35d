import type { Question } from '../understand/question.ts'
import { isCommand, type Material } from './candidates.ts'
import { type Scored, scoreCandidates } from './select.ts'
import { countWords, LEANS_BACK } from './traits.ts'

// Sentences of one labelled section that are told together, as they explain each other.
const RUN = { sentences: 3, words: 80 }
// An answer that is worth less beside the best of all parts is none.
const ANSWER_SHARE_MIN = 0.5
// What is told already answers this part too when nothing else does so clearly better.
const TOLD_SHARE = 0.88
const PART_PRIOR_MIN = 0.3
// What carries less of the question's terms speaks of something else.
const PART_COVER_MIN = 0.15

// The section of another matter is no answer, however it is called: others say much more of what is asked.
const SECTION_COVER_SHARE = 0.5

/** A part of a question with every candidate weighed against it. */
export interface Ranked {
  part: Question
  scored: readonly Scored[]
}

/** The sentences that answer each part of a question, in the order asked; a part without an answer is left out. */
export function answerParts(parts: readonly Question[], material: Material, wordsMax: number): Scored[][] {
  return answerRanked(
    parts.map((part) => ({ part, scored: scoreCandidates(part, material) })),
    wordsMax,
  )
}

/** The section that answers a question of one part, when its best answer stands under a label that says so. */
export function answerSection(ranked: Ranked, wordsMax: number): Scored[][] {
  return answerRanked([ranked], wordsMax).filter((run) => run.some(isLabelledOf(ranked.scored)))
}

function answerRanked(ranked: readonly Ranked[], wordsMax: number): Scored[][] {
  const most = Math.max(0, ...ranked.flatMap(({ scored }) => scored.map(({ worth }) => worth)))
  const told = new Set<string>()
  const runs: Scored[][] = []
  let words = 0
  for (const { part, scored } of ranked) {
    const best = bestAnswer(part, scored, told)
    if (!best || (!best.labelled && best.worth < ANSWER_SHARE_MIN * most)) continue
    const run = runOf(best, scored).filter((each) => !told.has(spot(each)))
    const length = run.reduce((sum, each) => sum + each.words, 0)
    if (runs.length > 0 && words + length > wordsMax) continue
    words += length
    for (const each of run) told.add(spot(each))
    runs.push(run)
  }
  return runs
}

function spot(each: Scored): string {
  return `${each.record}:${each.source}:${each.position}:${each.source === 'sentence' ? '' : each.text}`
}

/** Whether a candidate stands under a label that says that it answers, and speaks of what is asked about. */
function isLabelledOf(scored: readonly Scored[]): (each: Scored) => boolean {
  const most = Math.max(0, ...scored.map(({ cover }) => cover))
  return ({ labelled, cover, topical }) => labelled && Math.max(cover, topical) >= SECTION_COVER_SHARE * most
}

function bestAnswer(part: Question, scored: readonly Scored[], told: ReadonlySet<string>): Scored | undefined {
  const isLabelled = isLabelledOf(scored)
  // What stands under such a label goes before all others.
  const fitOf = (each: Scored) => Number(isLabelled(each)) + each.worth
  let fresh: Scored | undefined
  let before = 0
  for (const each of scored) {
    if (!answers(part, each)) continue
    if (told.has(spot(each))) before = Math.max(before, fitOf(each))
    else if (!fresh || fitOf(each) > fitOf(fresh)) fresh = each
  }
  return fresh && fitOf(fresh) >= before * TOLD_SHARE ? fresh : undefined
}

/** Whether a candidate has anything that this part asks for, beside its subject. */
function answers(part: Question, each: Scored): boolean {
  if (each.labelled) return true
  if (Math.max(each.cover, each.topical) < PART_COVER_MIN) return false
  return each.prior >= PART_PRIOR_MIN || each.carries.some(([term]) => !part.carried?.has(term))
}

/** The answer with what it needs: the section it opens, or the sentence that its first word points back to. */
function runOf(best: Scored, scored: readonly Scored[]): Scored[] {
  const block = best.sentence?.block
  if (block === undefined) return [best]
  const near = scored
    .filter((each) => each.record === best.record && each.sentence?.block === block)
    .sort((a, b) => a.position - b.position)
  const at = near.indexOf(best)
  // A command says by itself what is done, and those beside it do something else.
  if (isCommand(best)) return labelledRun([best], 0)
  if (best.labelled) return labelledRun(near, at)
  const before = near[at - 1]
  return before && LEANS_BACK.test(best.text) ? [before, best] : [best]
}

function labelledRun(near: readonly Scored[], at: number): Scored[] {
  // A section explains from its beginning; a sentence far down in a long one is told by itself.
  const from = at > RUN.sentences ? at : 0
  const run: Scored[] = []
  let words = 0
  for (const each of near.slice(from, Math.max(from + RUN.sentences, at + 1))) {
    words += countWords(each.text)
    if (run.length > 0 && words > RUN.words) break
    run.push(each)
  }
  const first = run[0]!
  const label = first.sentence!.label
  const says = label !== undefined && first.text.toLowerCase().startsWith(label.toLowerCase())
  return from === 0 && label !== undefined && !says ? [{ ...first, lead: label }, ...run.slice(1)] : run
}
