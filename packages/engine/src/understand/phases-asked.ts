import { PHASES, type Phase } from '@cairnstore/contract'
import type { QuestionKind } from '../lexicon/asked.ts'
import { anyOf } from '../lexicon/entries.ts'
import { inAll } from '../lexicon/languages.ts'
import { isSaidState, isUnfinished, phaseOfState } from '../lexicon/work.ts'
import { terms } from '../text/terms.ts'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { formTerms } from './form-words.ts'

/** Words of a longer question say more than what it asks for. */
const WORDS_MAX = 8
/** The most words of one state: "in progress". */
const STATE_WORDS_MAX = 2
const ASKED = new RegExp(`^${anyOf(PHASES, inAll('asksPhaseOpen'), inAll('asksPhaseDone'))}$`)
const UNFINISHED = PHASES.filter(isUnfinished)
const isForm = formTerms(false, terms)

/**
 * The phases of work that a question asks for everything in, by nothing but a phase: "What is still open?", "What has
 * been finished?". Undefined for one that says more, or less.
 */
export function phasesAsked(text: string, kind: QuestionKind): readonly Phase[] | undefined {
  const words = wordsOfFolded(foldText(text)).map((word) => word.text.toLowerCase())
  if (words.length === 0 || words.length > WORDS_MAX) return undefined
  const { state, others } = takeState(words)
  if (!others.every((word) => terms(word).every(isForm))) return undefined
  const phase = state === undefined ? undefined : phaseOfState(state)
  if (kind === 'open') return phase === undefined || isUnfinished(phase) ? UNFINISHED : undefined
  if (phase === undefined || !ASKED.test(state!)) return undefined
  return phase === 'open' ? UNFINISHED : [phase]
}

/** The first state that the words say, and the others. */
function takeState(words: readonly string[]): { state?: string; others: readonly string[] } {
  for (let length = STATE_WORDS_MAX; length > 0; length -= 1) {
    for (let at = 0; at + length <= words.length; at += 1) {
      const state = words.slice(at, at + length).join(' ')
      if (isSaidState(state) || ASKED.test(state)) return { state, others: words.toSpliced(at, length) }
    }
  }
  return { others: words }
}
