import { anyOf } from '../lexicon/entries.ts'
import { anyIn, QUESTION_WORDS, RELATIVES } from '../lexicon/languages.ts'

const ASKS = `(?:${anyIn('phrasePrepositions')} )?${anyOf(QUESTION_WORDS, RELATIVES)}`
const AND = anyIn('coordinators')
const BOUNDARY = new RegExp(
  `[?;]+\\s*|,\\s*(?:${anyIn('conjunctions')} )?(?=${ASKS}(?:'s)?\\b)|\\s${AND} (?=${ASKS}(?:'s)?\\b)`,
  'gi',
)
const COORDINATED = new RegExp(`(?:,|\\s)\\s*${AND} ${ASKS}\\b`, 'i')
// After a bare comma these may open a relative clause: "the customer, who pays late".
const RELATIVE = new RegExp(`^(?:\\w+ )?${anyOf(RELATIVES)}\\b`, 'i')
const INNER_RELATIVE = new RegExp(`\\S (?:${anyOf(RELATIVES)}|${anyIn('relativeThat')})\\b`, 'i')
// A question of more parts than these is a list of demands and is read as a whole from there on.
const CLAUSES_MAX = 6

/** The coordinated questions within a question, in order; relative clauses stay where they are. */
export function splitClauses(text: string): string[] {
  const clauses: string[] = []
  let start = 0
  for (const found of text.matchAll(BOUNDARY)) {
    if (clauses.length + 1 >= CLAUSES_MAX) break
    const head = text.slice(start, found.index)
    const rest = text.slice(found.index + found[0].length)
    if (!parts(head, found[0], rest)) continue
    clauses.push(head.trim())
    start = found.index + found[0].length
  }
  clauses.push(text.slice(start).trim())
  return clauses.filter((clause) => /[\p{L}\p{N}]/u.test(clause))
}

function parts(head: string, mark: string, rest: string): boolean {
  if (/[?;]/.test(mark)) return true
  if (!/\p{L}/u.test(head)) return false
  const joined = /\w/.test(mark)
  if (mark.startsWith(',')) return joined || !RELATIVE.test(rest) || COORDINATED.test(rest.split('?')[0]!)
  return !INNER_RELATIVE.test(head)
}
