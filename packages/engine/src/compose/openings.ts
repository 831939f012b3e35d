import { anyIn } from '../lexicon/languages.ts'
import { pattern } from '../text/words.ts'
import { type Candidate, isNote } from './candidates.ts'
import { LEANS_BACK } from './traits.ts'

// What a sentence is worth as an opening when it cannot be understood or says nothing by itself.
const FIT = { fragment: 0.6, pointer: 0.45, leaning: 0.75, headless: 0.7 }
const CLOCK_START = /^\d{1,2}[:.]\d{2}(?:\s|:)/
const MARKER = /^\d{1,2}(?:[.)]|(?= \p{Lu}))\s+/u
const ENGLISH = new RegExp(`\\b${anyIn('smallestWords')}\\b`, 'i')
// Finite verbs are many; these forms and endings find nearly all of them, and a plural noun more does no harm.
const VERB = pattern('iu', `\\b(?:${anyIn('finiteVerbs')}|\\p{L}{2,}ed|${anyIn('verbSubjects')} \\p{L}+)\\b`)
const VERB_ENDING = /(?<=\s)\p{Ll}{2,}[^s'’\P{Ll}]s\b/u
const HEADLESS = pattern('u', `^(?:${anyIn('headlessVerbs')} |\\p{Lu}\\p{Ll}+ed ${anyIn('behindParticiples')}\\b)`)
const POINTER = pattern(
  'i',
  `^(?:${anyIn('pointerOpenings')} )?(?:\\w+ ){0,2}${anyIn('documentNouns')}\\b[^.;:]{0,60}?`,
  `(?:\\b${anyIn('pointerVerbs')}|'s) ${anyIn('pointerPlaces')}\\b`,
)
const SEE = pattern('i', `^${anyIn('seeVerbs')}\\b[^.]{0,40}\\b${anyIn('seePlaces')}\\b`)

/** Whether the sentence only says where something is written. */
export function isPointer(text: string): boolean {
  return POINTER.test(text) || SEE.test(text)
}

/** Whether the sentence is a note without a verb, a line of a timeline or a list's item. */
export function isFragment(text: string): boolean {
  if (CLOCK_START.test(text) || MARKER.test(text)) return true
  return ENGLISH.test(text) && !VERB.test(text) && !VERB_ENDING.test(text)
}

/** Whether the sentence lacks its subject: "Created as …", "Was Saturday". */
export function isHeadless(text: string): boolean {
  return HEADLESS.test(text)
}

/** How fit a candidate is to open a brief, 0..1; a value under its name is understood by that. */
export function fitToOpen(candidate: Candidate): number {
  return isNote(candidate) ? 1 : openingFit(candidate.text)
}

/** How fit a sentence is to open a brief, 0..1. */
export function openingFit(text: string): number {
  if (isPointer(text)) return FIT.pointer
  if (isFragment(text)) return FIT.fragment
  if (HEADLESS.test(text)) return FIT.headless
  return LEANS_BACK.test(text) ? FIT.leaning : 1
}
