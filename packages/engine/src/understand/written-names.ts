import { CONNECTIVES } from '../lexicon/languages.ts'
import { NAME_CONNECTORS } from '../lexicon/names.ts'
import { formTerms } from './form-words.ts'

/** A run of a question's words that is written as names are. */
export interface WrittenName {
  text: string
  terms: string[]
  /** Equal for those that are asked for together: "Ana and Jon". */
  group: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.&-]*/gu
const CAPITAL = /^\p{Lu}/u
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
    while (run.length > 0 && !/^[\p{Lu}\p{N}]/u.test(run.at(-1)!)) run.pop()
    const text = run.join(' ').replace(/(?:['’]s|[.'’])$/u, '')
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
    if (at > 0 && CAPITAL.test(word)) run.push(word)
    else if (run.length > 0 && (isSmall || /^\d/.test(word))) run.push(word)
    else {
      const isOpen = run.length > 0
      end()
      isJoined = isOpen && JOINS.has(word)
    }
  }
  end()
  return names
}
