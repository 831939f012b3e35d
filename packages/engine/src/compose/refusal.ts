import { plainLine } from '../text/clean-text.ts'
import type { Question } from '../understand/question.ts'
import type { BriefInput, Corpus } from './brief.ts'
import { joinAnd } from './states.ts'
import { namesWritten } from './written-names.ts'

/** What a refusal is made of. */
export type RefusedInput = Pick<BriefInput, 'query' | 'written' | 'terms' | 'corpus' | 'asked'>

/** Characters of a question that a refusal repeats. */
const ECHO_CHARS_MAX = 120
const NAMED_MAX = 3
const ELLIPSIS = '…'
/** Characters of what is named one by one; a longer question is echoed as a whole. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.&#_-]*/gu

/**
 * One sentence that names what is not there, in the question's words: names that no record in scope mentions, else
 * words, else the question itself.
 */
export function refusalText({
  query: read,
  written: query = read,
  terms: termsOf,
  corpus,
  asked,
}: RefusedInput): string {
  if (corpus === undefined) return `No record here answers “${echo(query)}”.`
  const isUnheard = (text: string): boolean => {
    const terms = termsOf(text)
    return terms.length > 0 && terms.some((term) => corpus.degreeOf(term) === 0)
  }
  const unheard = namesWritten(query, termsOf).flatMap(({ text }) => (isUnheard(text) ? [text] : []))
  const missing =
    unheard.length > 0 || !isNothingHeard(asked.whole, corpus) ? unheard : wordsOf(query, asked.whole, termsOf)
  const told = joinOr([...new Set(missing)].slice(0, NAMED_MAX).map(plainLine))
  if (told !== '' && told.length <= ECHO_CHARS_MAX) return `No record mentions ${told}.`
  return `No record here answers “${echo(query)}”.`
}

function isNothingHeard({ about }: Question, corpus: Corpus): boolean {
  return about.every((term) => corpus.degreeOf(term) === 0)
}

/** The words of a question that say what it is about. */
function wordsOf(query: string, { about }: Question, termsOf: (text: string) => string[]): string[] {
  const words = [...query.matchAll(WORD)].map(([word]) => word.replace(/(?:['’]s|[.'’])$/u, ''))
  return words.filter((word) => termsOf(word).some((term) => about.includes(term)))
}

function joinOr(parts: readonly string[]): string {
  return joinAnd(parts).replace(/ and (?=[^ ]*$)/, ' or ')
}

/** The question in one line without quotation marks of its own, cut where it is longer than may be repeated. */
function echo(question: string): string {
  const line = [...plainLine(question).replace(/[“”]/g, '"')]
  return line.length <= ECHO_CHARS_MAX
    ? line.join('')
    : `${line
        .slice(0, ECHO_CHARS_MAX - 1)
        .join('')
        .trimEnd()}${ELLIPSIS}`
}
