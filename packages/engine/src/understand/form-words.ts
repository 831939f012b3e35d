import { EVERYDAY_VERBS, FORM_WORDS, OVERVIEW_WORDS, TIME_WORDS } from '../lexicon/languages.ts'

/** The terms of a text. */
type TermsOf = (text: string) => string[]

/** Whether a question asks what there was in a time, and about nothing more. */
export function asksTimeAlone(
  { times, terms }: { readonly times?: unknown; readonly terms: readonly string[] },
  { termsOf }: { readonly termsOf: TermsOf },
): boolean {
  return times !== undefined && terms.every(formTerms(true, termsOf))
}

/** Tells the terms by which a question asks; when it names a time, those of the time are told by the records' days. */
export function formTerms(hasTime: boolean, termsOf: TermsOf): (term: string) => boolean {
  const form = new Set(termsOf([...OVERVIEW_WORDS, ...FORM_WORDS, ...(hasTime ? TIME_WORDS : [])].join(' ')))
  return (term) => form.has(term) || (hasTime && /^\d+$/.test(term))
}

/** Tells the terms by which a question asks for all there was: "decided" asks for decisions. */
export function overviewTerms(termsOf: TermsOf): (term: string) => boolean {
  const overview = new Set(termsOf(OVERVIEW_WORDS.join(' ')))
  return (term) => overview.has(term)
}

/** The terms of verbs that are used of anything, which records may say with others. */
export function everydayTerms(termsOf: TermsOf): ReadonlySet<string> {
  return new Set(termsOf(EVERYDAY_VERBS.join(' ')))
}
