import { MONTH_NAMES, WEEKDAYS } from '../lexicon/languages.ts'
import type { Question } from './question.ts'

/** The terms of a text. */
type TermsOf = (text: string) => string[]

// Words that ask what there was, and about nothing.
const OVERVIEW_WORDS =
  'happen happened change changed update latest recent news say said tell told know explain summarize summary recap ' +
  'highlight overview everything anything new please list show give find now today going do doing done was ist sind ' +
  'gibt'
// Words that say how a question asks and not about what; a sentence that has them tells no more for it.
const FORM_WORDS =
  `${OVERVIEW_WORDS} status reason think compare difference left remaining next step still open todo pending ` +
  'outstanding unresolved working ask decide decided wer wie wo wann noch offen reste faire encore'
const TIME_WORDS = [
  'last this next past week month quarter year day yesterday today since ago',
  ...[...MONTH_NAMES, ...WEEKDAYS].map((name) => name.toLowerCase()),
].join(' ')

/** Whether a question asks what there was in a time, and about nothing more. */
export function asksTimeAlone({ times, terms }: Question, { termsOf }: { readonly termsOf: TermsOf }): boolean {
  return times !== undefined && terms.every(formTerms(true, termsOf))
}

/** Tells the terms by which a question asks; when it names a time, those of the time are told by the records' days. */
export function formTerms(hasTime: boolean, termsOf: TermsOf): (term: string) => boolean {
  const form = new Set(termsOf(hasTime ? `${FORM_WORDS} ${TIME_WORDS}` : FORM_WORDS))
  return (term) => form.has(term) || (hasTime && /^\d+$/.test(term))
}

/** Tells the terms by which a question asks for all there was: "decided" asks for decisions. */
export function overviewTerms(termsOf: TermsOf): (term: string) => boolean {
  const overview = new Set(termsOf(OVERVIEW_WORDS))
  return (term) => overview.has(term)
}
