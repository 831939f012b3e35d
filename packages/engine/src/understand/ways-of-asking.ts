import type { Phase } from '@cairnstore/contract'
import { wholeOf } from '../lexicon/entries.ts'
import { ADDRESSEE, AT_PRESENT, anyIn, FORMER, inAll, MANNERS, TO_COME } from '../lexicon/languages.ts'
import { speaksAsSomebody } from '../text/speaks-as-somebody.ts'

const SAYS = new RegExp(wholeOf(inAll('sayings')), 'iu')
const OF_NOW = new RegExp(wholeOf(AT_PRESENT, TO_COME), 'iu')
const OF_BEFORE = new RegExp(wholeOf(FORMER), 'iu')
const OF_MANNER = new RegExp(wholeOf(MANNERS), 'iu')
const ADDRESSES = new RegExp(wholeOf(ADDRESSEE), 'iu')
// What a course of values answers: how it stands now, after it was otherwise.
const AT_PRESENT_ALONE = new RegExp(`\\b${anyIn('presentWords')}\\b`, 'i')
const OF_OPEN = new RegExp(`\\b${anyIn('asksPhaseOpen')}\\b`)
const OF_DONE = new RegExp(`\\b${anyIn('asksPhaseDone')}\\b`)

/** How a question asks, beside what it asks for. */
export interface WaysOfAsking {
  /** What somebody said, which is told by what that person wrote. */
  readonly isOfSaying: boolean
  /** How something is now, or when it will be. */
  readonly isOfNow: boolean
  /** How something stands now, after it was otherwise. */
  readonly isOfPresent: boolean
  /** How something is done, which a command tells. */
  readonly isOfManner: boolean
  /** Who asks speaks of themself and to nobody: "what did you recommend to me?" may ask for what "you" said. */
  readonly isOfSpeakerAlone: boolean
  /** The phase of the work that is counted. */
  readonly phase: Extract<Phase, 'open' | 'done'> | undefined
  /** What is asked in its talk, too: who asks speaks of themself. */
  readonly isOfSpeaker: boolean
  /** What is asked in its talk, too: how something was before. */
  readonly isOfBefore: boolean
}

/** Reads how a question asks, of its own text and of that with the subject that it leaves to its talk. */
export function waysOfAsking(text: string, inTalk: string): WaysOfAsking {
  const lower = text.toLowerCase()
  return {
    isOfSaying: SAYS.test(text),
    isOfNow: OF_NOW.test(text),
    isOfPresent: AT_PRESENT_ALONE.test(text),
    isOfManner: OF_MANNER.test(text),
    isOfSpeakerAlone: speaksAsSomebody(text) && !ADDRESSES.test(text),
    phase: OF_OPEN.test(lower) ? 'open' : OF_DONE.test(lower) ? 'done' : undefined,
    isOfSpeaker: speaksAsSomebody(inTalk),
    isOfBefore: OF_BEFORE.test(inTalk),
  }
}
