import { CONNECTIVES, EVERYDAY_VERBS, FORM_WORDS, OVERVIEW_WORDS, TIME_WORDS } from '../lexicon/languages.ts'
import { NAME_CONNECTORS } from '../lexicon/names.ts'
import { beginsWithCapital, beginsWithDigit, beginsWithNumber, isDigits, withoutPossessive } from '../text/signs.ts'

/** A run of a question's words that is written as names are. */
export interface WrittenName {
  text: string
  terms: string[]
  /** Equal for those that are asked for together: "Ana and Jon". */
  group: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.&-]*/gu
const NAMES_MAX = 20
/** Between two names rather than inside one. */
const JOINS: ReadonlySet<string> = new Set(CONNECTIVES)

/** The names that a question writes with capitals; its first word, which everybody writes so, opens none by itself. */
export function namesWritten(question: string, termsOf: (text: string) => string[]): WrittenName[] {
  const isForm = formTerms(true, termsOf)
  const names: WrittenName[] = []
  let run: string[] = []
  let group = 0
  let isJoined = false
  const end = () => {
    while (run.length > 0 && !beginsWithCapital(run.at(-1)!) && !beginsWithNumber(run.at(-1)!)) run.pop()
    const text = withoutPossessive(run.join(' '))
    run = []
    const terms = [...new Set(termsOf(text))]
    // What consists of digits and months alone is a date.
    if (!terms.every((term) => isForm(term) || /^[~\d]/.test(term)) && names.length < NAMES_MAX) {
      if (!isJoined) group += 1
      names.push({ text, terms, group })
    }
  }
  for (const [at, [word]] of [...question.matchAll(WORD)].entries()) {
    // "Trail of Tears"
    const isSmall = NAME_CONNECTORS.has(word)
    if (at > 0 && beginsWithCapital(word)) run.push(word)
    else if (run.length > 0 && (isSmall || beginsWithDigit(word))) run.push(word)
    else {
      const isOpen = run.length > 0
      end()
      isJoined = isOpen && JOINS.has(word)
    }
  }
  end()
  return names
}

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
  return (term) => form.has(term) || (hasTime && isDigits(term))
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
