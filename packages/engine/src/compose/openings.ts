import { pattern } from '../text/pattern.ts'
import { LEANS_BACK } from './traits.ts'

// What a sentence is worth as an opening when it cannot be understood or says nothing by itself.
const FIT = { fragment: 0.6, pointer: 0.45, leaning: 0.75, headless: 0.7 }
const CLOCK_START = /^\d{1,2}[:.]\d{2}(?:\s|:)/
const MARKER = /^\d{1,2}(?:[.)]|(?= \p{Lu}))\s+/u
const ENGLISH = /\b(?:the|an?|of|to|in|on|with|for|and|at|from|by|as)\b/i
// Finite verbs are many; these forms and endings find nearly all of them, and a plural noun more does no harm.
const VERB = pattern(
  'iu',
  '\\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|will|would|can|could|might|must|should|shall|',
  'went|got|came|gave|took|made|said|told|saw|found|fell|rose|ran|sent|kept|held|led|left|lost|met|paid|put|',
  'sold|spent|stood|taught|thought|wrote|won|began|became|broke|brought|built|bought|chose|drew|grew|knew|',
  'meant|felt|\\p{L}{2,}ed|(?:I|you|we|they|who|which) \\p{L}+)\\b',
)
const VERB_ENDING = /(?<=\s)\p{Ll}{2,}[^s'’\P{Ll}]s\b/u
const HEADLESS = pattern(
  'u',
  '^(?:(?:Was|Were|Is|Are|Has|Had|Does|Did) |',
  '\\p{Lu}\\p{Ll}+ed (?:as|by|to|from|until|since|in|on|for|at|with)\\b)',
)
const POINTER = pattern(
  'i',
  '^(?:the |our |my |a |an |full |more )?(?:\\w+ ){0,2}(?:post-?mortem|retro\\w*|review|notes?|minutes|details?|docs?|',
  'document\\w*|draft|report|summary|slides?|deck|recording|agenda|write-?up|spec|runbook|proposal|link|transcript|',
  "analysis|page)\\b[^.;:]{0,60}?(?:\\b(?:is|are|was|were)|'s|\\bcan be found|\\blives?|",
  '\\b(?:has|have) been (?:posted|shared|filed)) ',
  '(?:now |up )?(?:in|on|at|here|below|attached|linked|under|posted|shared)\\b',
)
const SEE = pattern(
  'i',
  '^(?:please )?(?:see|read|find|check)\\b[^.]{0,40}\\b',
  '(?:attached|below|link|post-?mortem|docs?|document|thread|notes?)\\b',
)

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

/** How fit a sentence is to open a brief, 0..1. */
export function openingFit(text: string): number {
  if (isPointer(text)) return FIT.pointer
  if (isFragment(text)) return FIT.fragment
  if (HEADLESS.test(text)) return FIT.headless
  return LEANS_BACK.test(text) ? FIT.leaning : 1
}
