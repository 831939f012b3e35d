import { CONNECTIVES, EVERYDAY_VERBS, FORM_WORDS, OVERVIEW_WORDS, TIME_WORDS } from '../lexicon/languages.ts'
import { NAME_CONNECTORS } from '../lexicon/names.ts'
import {
  beginsWithCapital,
  beginsWithDigit,
  beginsWithNumber,
  isDigits,
  withoutPossessive,
} from '../text/characters.ts'

/** A word sequence of a question that is written like a name. */
export interface WrittenName {
  text: string
  terms: string[]
  /** Number of the group. Names that are asked about together have the same group: "Ana and Jon". */
  group: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.&-]*/gu
const NAMES_MAX = 20
/** Words that separate two names. */
const JOINS: ReadonlySet<string> = new Set(CONNECTIVES)

/** Returns the capitalized names in a question. None begins with the first word. */
export function findCapitalizedNames(question: string, termsOf: (text: string) => string[]): WrittenName[] {
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
    // A sequence of only digits and months is a date.
    if (!terms.every((term) => isForm(term) || /^[~\d]/.test(term)) && names.length < NAMES_MAX) {
      if (!isJoined) group += 1
      names.push({ text, terms, group })
    }
  }
  for (const [at, [word]] of [...question.matchAll(WORD)].entries()) {
    // Example: "Trail of Tears".
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

type TermsOf = (text: string) => string[]

/** Returns true if a question asks what happened in a time and has no other topic. */
export function asksTimeAlone(
  { times, terms }: { readonly times?: unknown; readonly terms: readonly string[] },
  { termsOf }: { readonly termsOf: TermsOf },
): boolean {
  return times !== undefined && terms.every(formTerms(true, termsOf))
}

/**
 * Returns a predicate for terms that carry no topic, such as question words. For a question with a time it also accepts
 * terms for times, because the dates of the records answer them.
 */
export function formTerms(hasTime: boolean, termsOf: TermsOf): (term: string) => boolean {
  const form = new Set(termsOf([...OVERVIEW_WORDS, ...FORM_WORDS, ...(hasTime ? TIME_WORDS : [])].join(' ')))
  return (term) => form.has(term) || (hasTime && isDigits(term))
}

/** Returns a predicate for terms in questions that ask for everything: "decided" asks for decisions. */
export function overviewTerms(termsOf: TermsOf): (term: string) => boolean {
  const overview = new Set(termsOf(OVERVIEW_WORDS.join(' ')))
  return (term) => overview.has(term)
}

/** Returns the terms of common verbs. Records often express the same with other verbs. */
export function everydayTerms(termsOf: TermsOf): ReadonlySet<string> {
  return new Set(termsOf(EVERYDAY_VERBS.join(' ')))
}
