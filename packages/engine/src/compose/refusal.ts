import { ADDRESSEE, SMALL_WORDS } from '../lexicon/languages.ts'
import { plainLine } from '../text/clean-text.ts'
import type { BriefInput } from './brief.ts'
import { nounPhrases } from './noun-phrases.ts'
import { namesWritten } from './written-names.ts'

/** What a refusal is made of. */
export type RefusedInput = Pick<BriefInput, 'query' | 'written' | 'terms' | 'corpus' | 'asked' | 'emptyTime'>

/** Characters of a question that a refusal repeats. */
const ECHO_CHARS_MAX = 120
const NAMED_MAX = 3
const ELLIPSIS = '…'
const PRONOUNS: ReadonlySet<string> = new Set([...SMALL_WORDS, ...ADDRESSEE].map((word) => word.toLowerCase()))

/**
 * One sentence that names what is not there as the question spells it: the time that nothing is of, names that no
 * record in scope mentions, or other things, as far as it is sure that they are things; else the question itself.
 */
export function refusalText({
  query: read,
  written: query = read,
  terms: termsOf,
  corpus,
  asked,
  emptyTime,
}: RefusedInput): string {
  const time = emptyTime?.isDeciding ? emptyTime.told : undefined
  if (corpus === undefined) return time ?? `No record here answers “${echo(query)}”.`
  const { about } = asked.whole
  const isAbout = (text: string) => termsOf(text).some((term) => about.includes(term))
  const isUnheard = (text: string) => isAbout(text) && termsOf(text).some((term) => corpus.degreeOf(term) === 0)
  // In capitals alone names look like all other words.
  const isWritten = query !== query.toUpperCase()
  const names = isWritten ? namesWritten(time === undefined ? query : emptyTime!.rest, termsOf) : []
  const unheard = names.map(({ text }) => fromSubject(text, isAbout)).filter(isUnheard)
  if (unheard.length === 0 && time !== undefined) return time
  const isNothingHeard = about.every((term) => corpus.degreeOf(term) === 0)
  const missing = unheard.length > 0 || !isNothingHeard ? unheard : nounPhrases(query, asked.whole, termsOf)
  const told = joinOr([...new Set(missing)].slice(0, NAMED_MAX).map(plainLine))
  if (told !== '' && told.length <= ECHO_CHARS_MAX) return `No record mentions ${told}.`
  return `No record here answers “${echo(query)}”.`
}

/** A name without words before it that only begin a sentence: "Does Kim", or that speak to somebody. */
function fromSubject(name: string, isAbout: (text: string) => boolean): string {
  const words = name.split(' ')
  const first = words.findIndex((word) => isAbout(word) && !PRONOUNS.has(word.toLowerCase()))
  return first < 0 ? '' : words.slice(first).join(' ')
}

function joinOr(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`
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
