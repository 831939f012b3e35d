import { anyOf } from '../lexicon/entries.ts'
import { PLANS } from '../lexicon/facts.ts'
import { JOINS, OTHER_PEOPLE } from '../lexicon/languages.ts'
import { speaksAsSomebody } from '../text/words.ts'
import { asksOfNow, type Question } from '../understand/question.ts'
import type { Material } from './candidates.ts'
import type { Scored } from './select.ts'
import { isMessage } from './states.ts'
import { isQuestion } from './traits.ts'

// A later statement speaks of the same when it carries so much of what the earlier one carries of the question, or as
// much of the question as that in other words of it.
const SAME_ASKED = 0.6
// What is no longer as it was said is told after what is.
const OVERTAKEN_SHARE = 0.5
// What is asked of anything may be said in other words, by a statement of about the same form and worth.
const OF_ANYTHING = { shared: 0.5, priorLess: 0.3, worth: 0.3 }
// What somebody says in one sitting is of one time: of several messages of it the one that answers best leads.
const SITTING_MS = 6 * 60 * 60 * 1000
const CLAUSE_END = new RegExp(`[,;:()–—]|\\b${anyOf(JOINS)}\\b`, 'u')
const OTHERS = new RegExp(`(?<![\\p{L}\\p{N}])${anyOf(OTHER_PEOPLE)}(?![\\p{L}\\p{N}])`, 'iu')

// What somebody says first of themself: "I'm thinking of it".
const SAID_FIRST = /(?<![\p{L}\p{N}])I(?:['’](ll|d)\b|['’]\p{L}+)?((?:\s+\p{L}+){0,3})/u

/**
 * The latest of what says the same of the question leads and the earlier ones fall behind, where somebody asks of
 * themself, of what people say of themselves, or asks how anything is now or when it will be, and not of what was: "how
 * many have I read so far?" is answered by the last that they said of it.
 */
export function upToDate(question: Question, scored: readonly Scored[], material: Material): Scored[] {
  const { records } = material
  const { isOfSpeaker: isOfSelf, isOfBefore } = question.ways
  if ((!isOfSelf && !asksOfNow(question)) || isOfBefore) return [...scored]
  const timeOf = (each: Scored) => records[each.record]!.occurredAtMs
  const own = scored.filter(
    (each) =>
      each.source === 'sentence' &&
      timeOf(each) !== undefined &&
      each.cover > 0 &&
      (!isOfSelf || isOwn(each, material)) &&
      !isQuestion(each.text) &&
      (!isOfSelf || !isPlan(each.text)),
  )
  const best = own.reduce<Scored | undefined>((top, each) => (top && top.worth >= each.worth ? top : each), undefined)
  if (!best) return [...scored]
  const least = (isOfSelf ? SAME_ASKED : OF_ANYTHING.shared) * best.cover
  const isSame = (each: Scored) =>
    isOfSelf
      ? shared(each, best) >= least || each.cover >= best.cover
      : shared(each, best) >= least &&
        each.prior >= best.prior - OF_ANYTHING.priorLess &&
        each.worth >= OF_ANYTHING.worth * best.worth
  const same = own.filter(isSame)
  const since = Math.max(...same.map((each) => timeOf(each)!)) - SITTING_MS
  if (since <= timeOf(best)!) return [...scored]
  const leading = same
    .filter((each) => timeOf(each)! >= since)
    .reduce((top, each) => (top.worth >= each.worth ? top : each))
  const raised = Math.max(leading.worth, best.worth)
  return scored.map((each) => {
    if (each === leading) return { ...each, worth: raised, prior: Math.max(each.prior, best.prior) }
    const isOvertaken = same.includes(each) && timeOf(each)! < since
    return isOvertaken ? { ...each, worth: each.worth * OVERTAKEN_SHARE } : each
  })
}

/** Whether a sentence says of its author what the question asks: with "I", or with nobody in a message of no author. */
function isOwn({ text, carries, record }: Scored, { records, termsOf }: Material): boolean {
  const { author } = records[record]!
  if (!speaksAsSomebody(text) && (author !== undefined || !isMessage(records[record]!))) return false
  return text.split(CLAUSE_END).some((clause) => {
    const said = new Set(termsOf(clause))
    return carries.some(([term]) => said.has(term)) && (speaksAsSomebody(clause) || !OTHERS.test(clause))
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
