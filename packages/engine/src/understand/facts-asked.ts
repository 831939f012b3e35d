import { anyOf } from '../lexicon/entries.ts'
import { ASKED } from '../lexicon/facts.ts'

/** What a question asks of who asks it, as facts have it: "where do I live?" */
export interface FactsAsked {
  /** The predicates that answer it. */
  readonly predicates: readonly string[]
  /** It asks how that was before. */
  readonly isFormer: boolean
}

/** Characters of a question that can be of such a form. */
const CHARS_MAX = 120
const MARKS = /[?!.,;:“”"]+/g
const IS_CLITIC = new RegExp(`\\b(${anyOf(ASKED.words)})['’]s\\b`, 'g')
const POSSESSIVE = /(\p{L})['’]s\b/gu

const whole = (source: string, behind: readonly string[]) =>
  new RegExp(`^(?:${anyOf(ASKED.before)} )*${source}(?: ${anyOf(behind)})*$`, 'u')
const BEHIND_FORMER = [...ASKED.formerBehind, ...ASKED.behind]

const NOW = formsOf(ASKED.now, ASKED.behind)
const FORMER = [...formsOf(ASKED.former, BEHIND_FORMER)]

/** Reads whether a question asks for facts of who asks, and nothing else; undefined for any other. */
export function factsAsked(question: string): FactsAsked | undefined {
  if (question.length > CHARS_MAX) return undefined
  const text = question
    .toLowerCase()
    .replace(MARKS, ' ')
    .replace(IS_CLITIC, `$1 ${ASKED.verb}`)
    .replace(POSSESSIVE, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const told = NOW.find(({ is }) => is.test(text))
  if (told) return { predicates: [told.predicate], isFormer: false }
  const was = FORMER.find(({ is }) => is.test(text))
  return was && { predicates: [was.predicate], isFormer: true }
}

function formsOf(forms: readonly { predicate: string; form: string }[], behind: readonly string[]) {
  const byPredicate = new Map<string, string[]>()
  for (const { predicate, form } of forms) byPredicate.set(predicate, [...(byPredicate.get(predicate) ?? []), form])
  return [...byPredicate].map(([predicate, all]) => ({ predicate, is: whole(`(?:${all.join('|')})`, behind) }))
}
