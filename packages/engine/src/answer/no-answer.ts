import { ADDRESSEE, ARTICLES, SMALL_WORDS } from '../lexicon/languages.ts'
import { plainLine } from '../text/clean-text.ts'
import { ECHO_CHARS_MAX } from '../understand/parts.ts'
import type { BriefInput } from './brief.ts'

/** Input for the message of an unanswered question. */
export type NoAnswerInput = Pick<BriefInput, 'terms' | 'corpus' | 'asked' | 'emptyTime'>

/** A sentence that names the missing information. */
export interface NoAnswer {
  readonly text: string
  /** True if a name in the question occurs nowhere in scope, or if no record is from the time in the question. */
  readonly isOfUnknown: boolean
}

const NAMED_MAX = 3
const PRONOUNS: ReadonlySet<string> = new Set([...SMALL_WORDS, ...ADDRESSEE].map((word) => word.toLowerCase()))

/**
 * Returns one sentence that names what is missing, as the question spells it. The first that applies is named: the time
 * without records; names that no record in scope mentions; if none of the topic terms is known, other unknown nouns;
 * the missing statement about known subjects; or the question itself.
 */
export function noAnswerOf({ terms: termsOf, corpus, asked, emptyTime }: NoAnswerInput): NoAnswer {
  const { whole, spelt } = asked
  const time = emptyTime?.isDeciding ? emptyTime.sentence : undefined
  const echoed = { text: `No record here answers “${spelt.echo}”.`, isOfUnknown: false }
  if (corpus === undefined) return time === undefined ? echoed : { text: time, isOfUnknown: false }
  const { about } = whole
  const isAbout = (text: string) => termsOf(text).some((term) => about.includes(term))
  // The article before a longer noun phrase is kept: "the Kiln office".
  const asWritten = (name: string): string => {
    const [before = '', after] = spelt.echo.split(name)
    const article = ARTICLES.find((each) => before.toLowerCase().endsWith(` ${each} `))
    return article === undefined || !['', '?'].includes(after?.trim() ?? '') ? name : `${article} ${name}`
  }
  const isInTexts = (text: string) => termsOf(text).every((term) => corpus.degreeOf(term) > 0)
  const occurs = (text: string) => corpus.occurs?.(text) ?? isInTexts(text)
  const isUnmentioned = (text: string) => isAbout(text) && !occurs(text)
  const names = time === undefined ? spelt.names : emptyTime!.names
  const unmentioned = names
    .map(({ text }) => withoutOpening(text, isAbout))
    .filter(isUnmentioned)
    .map(asWritten)
  if (unmentioned.length === 0 && time !== undefined) return { text: time, isOfUnknown: true }
  const isNothingKnown = about.every((term) => corpus.degreeOf(term) === 0)
  const missing =
    unmentioned.length > 0 || !isNothingKnown ? unmentioned : spelt.nouns.filter((thing) => !occurs(thing))
  const named = joinOr([...new Set(missing)].slice(0, NAMED_MAX).map(plainLine))
  if (named !== '' && named.length <= ECHO_CHARS_MAX) return { text: `No record mentions ${named}.`, isOfUnknown: true }
  return spelt.missing === undefined ? echoed : { text: `Nothing here says ${spelt.missing}.`, isOfUnknown: false }
}

/** Removes leading words from a name that only begin the sentence ("Does Kim") or address somebody. */
function withoutOpening(name: string, isAbout: (text: string) => boolean): string {
  const words = name.split(' ')
  const first = words.findIndex((word) => isAbout(word) && !PRONOUNS.has(word.toLowerCase()))
  return first < 0 ? '' : words.slice(first).join(' ')
}

function joinOr(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`
}
