import { anyOf } from '../lexicon/entries.ts'
import { PLANS } from '../lexicon/facts.ts'
import { FORMER } from '../lexicon/languages.ts'
import type { Question } from '../understand/question.ts'
import type { Material } from './candidates.ts'
import { answerWorth, type Scored } from './select.ts'
import { isQuestion, speaksAsSomebody } from './traits.ts'

// A later statement speaks of the same when it carries so much of what the earlier one carries of the question, or as
// much of the question as that in other words of it.
const SAME_ASKED = 0.6
// What is no longer as it was said is told after what is.
const OVERTAKEN_SHARE = 0.5
const ASKS_FORMER = new RegExp(`(?<![\\p{L}\\p{N}])${anyOf(FORMER)}(?![\\p{L}\\p{N}])`, 'iu')

// What somebody says first of themself: "I'm thinking of it".
const SAID_FIRST = /(?<![\p{L}\p{N}])I(?:['’](ll|d)\b|['’]\p{L}+)?((?:\s+\p{L}+){0,3})/u

/**
 * Of what people say of themselves, the latest of what says the same of the question leads and the earlier ones fall
 * behind, where somebody asks of themself and not of what was: "how many have I read so far?" is answered by the last
 * that they said of it.
 */
export function upToDate(question: Question, scored: readonly Scored[], { records }: Material): Scored[] {
  if (!speaksAsSomebody(question.whole) || ASKS_FORMER.test(question.whole)) return [...scored]
  const timeOf = (each: Scored) => records[each.record]!.occurredAtMs
  const own = scored.filter(
    (each) =>
      each.source === 'sentence' &&
      timeOf(each) !== undefined &&
      each.cover > 0 &&
      speaksAsSomebody(each.text) &&
      !isQuestion(each.text) &&
      !isPlan(each.text),
  )
  const best = own.reduce<Scored | undefined>(
    (top, each) => (top && answerWorth(top) >= answerWorth(each) ? top : each),
    undefined,
  )
  if (!best) return [...scored]
  const same = own.filter((each) => shared(each, best) >= SAME_ASKED * best.cover || each.cover >= best.cover)
  const latest = Math.max(...same.map((each) => timeOf(each)!))
  if (latest <= timeOf(best)!) return [...scored]
  const leading = same
    .filter((each) => timeOf(each) === latest)
    .reduce((top, each) => (answerWorth(top) >= answerWorth(each) ? top : each))
  const raised = Math.max(leading.worth, best.worth)
  return scored.map((each) => {
    if (each === leading) return { ...each, worth: raised, prior: Math.max(each.prior, best.prior) }
    const isOvertaken = same.includes(each) && timeOf(each)! < latest
    return isOvertaken ? { ...each, worth: each.worth * OVERTAKEN_SHARE } : each
  })
}

/** Whether somebody says what they mean to do, and not what is. */
function isPlan(text: string): boolean {
  const [, clitic, words = ''] = SAID_FIRST.exec(text) ?? []
  return clitic !== undefined || words.split(/\s+/).some((word) => PLANS.has(word.toLowerCase()))
}

/** The weight of the question's terms that both carry. */
function shared(one: Scored, other: Scored): number {
  const terms = new Set(other.carries.map(([term]) => term))
  return one.carries.reduce((sum, [term, weight]) => sum + (terms.has(term) ? weight : 0), 0)
}
