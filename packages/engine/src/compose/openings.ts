import { anyIn } from '../lexicon/languages.ts'
import { pattern } from '../text/words.ts'

const CLOCK_START = /^\d{1,2}[:.]\d{2}(?:\s|:)/
const MARKER = /^\d{1,2}(?:[.)]|(?= \p{Lu}))\s+/u
const ENGLISH = new RegExp(`\\b${anyIn('smallestWords')}\\b`, 'i')
// Finite verbs are many; these forms and endings find nearly all of them, and a plural noun more does no harm.
const VERB = pattern('iu', `\\b(?:${anyIn('finiteVerbs')}|\\p{L}{2,}ed|${anyIn('verbSubjects')} \\p{L}+)\\b`)
const VERB_ENDING = /(?<=\s)\p{Ll}{2,}[^s'’\P{Ll}]s\b/u
const HEADLESS = pattern('u', `^(?:${anyIn('headlessVerbs')} |\\p{Lu}\\p{Ll}+ed ${anyIn('behindParticiples')}\\b)`)

/** Whether the sentence is a note without a verb, a line of a timeline or a list's item. */
export function isFragment(text: string): boolean {
  if (CLOCK_START.test(text) || MARKER.test(text)) return true
  return ENGLISH.test(text) && !VERB.test(text) && !VERB_ENDING.test(text)
}

/** Whether the sentence lacks its subject: "Created as …", "Was Saturday". */
export function isHeadless(text: string): boolean {
  return HEADLESS.test(text)
}
