import type { QuestionKind } from '../lexicon/asked.ts'
import type { BriefInput } from './brief.ts'
import type { Material } from './candidates.ts'
import { followHops } from './follow-hops.ts'
import type { SelectLimits } from './select.ts'

/** Limits of answers for a single fact, for events across several records, and for summaries. */
const FACT: SelectLimits = { passagesMax: 2, wordsMax: 110, shareMin: 0.25 }
const STORY: SelectLimits = { passagesMax: 3, wordsMax: 150, shareMin: 0.35 }
/** Limits for multi-hop questions, whose answer spans several records. */
const CHAIN: SelectLimits = { passagesMax: 4, wordsMax: 195, shareMin: 0.15, passageWordsMax: 35 }
export const SUMMARY_LIMITS: SelectLimits = { passagesMax: 8, wordsMax: 195, shareMin: 0 }
/** A detailed answer has twice the passages and words. */
const DETAILED_FACTOR = 2
/** Limits of the related passages for an unanswered question. */
export const CLOSEST_LIMITS: SelectLimits = { passagesMax: 2, wordsMax: 90, shareMin: 0.5 }
/** Minimum number of topic terms of a question that is treated as multi-hop. */
const CHAIN_TERMS_MIN = 7
const STORIES: ReadonlySet<QuestionKind> = new Set(['why', 'change', 'status', 'open', 'overview'])

/** Returns the limits of an answer, by the kind of question and the requested detail. */
export function limitsOf({ asked: { whole }, detail }: BriefInput, material: Material): SelectLimits {
  const limits = limitsByKind()
  if (detail !== 'detailed') return limits
  const { passagesMax, wordsMax, shareMin } = limits
  return {
    ...limits,
    passagesMax: DETAILED_FACTOR * passagesMax,
    wordsMax: DETAILED_FACTOR * wordsMax,
    shareMin: shareMin / DETAILED_FACTOR,
  }

  function limitsByKind(): SelectLimits {
    // "What happened last week?" has a time and no topic, so it gets the limits of a summary.
    if (whole.isSummary || (whole.times !== undefined && whole.about.length === 0)) return SUMMARY_LIMITS
    const isStory = whole.kinds.some((kind) => STORIES.has(kind))
    const isChain =
      whole.about.length >= CHAIN_TERMS_MIN || followHops(whole, material).hopStrength.some((share) => share > 0)
    return isChain ? CHAIN : isStory ? STORY : FACT
  }
}
