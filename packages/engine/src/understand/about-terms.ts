import {
  FORM_WORDS,
  MEASURES,
  NUMBERS,
  OVERVIEW_WORDS,
  QUESTION_WORDS,
  REQUESTS,
  TIME_WORDS,
} from '../lexicon/languages.ts'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { isSmallIn, languagesOf } from './inflections.ts'

/** Words by which people ask, in any question. */
const ASKING = [
  ...[...OVERVIEW_WORDS, ...FORM_WORDS, ...MEASURES, ...QUESTION_WORDS, ...REQUESTS],
  ...[...TIME_WORDS, ...NUMBERS],
]
/** A number, or a day as it is indexed; and a whole, whose parts are terms too. */
const FIGURE_OR_WHOLE = /^(?:~.*|[\d-]+)$/

/**
 * The terms of what a question is about, each once: none of times, numbers, verbs of asking and small words, in
 * whatever of the known languages it is. These alone can be what nothing mentions.
 */
export function aboutTerms(text: string, termsOf: (text: string) => string[]): string[] {
  const words = wordsOfFolded(foldText(text))
  const languages = languagesOf(words)
  const small = languages.length === 0 ? [] : words.filter((word) => isSmallIn(languages, word))
  const said = new Set(termsOf([...ASKING, ...small.map((word) => word.text)].join(' ')))
  return [...new Set(termsOf(text))].filter((term) => !said.has(term) && !FIGURE_OR_WHOLE.test(term))
}

/** Whether a question is rather in one of the other known languages than in English. */
export function isForeign(text: string): boolean {
  return languagesOf(wordsOfFolded(foldText(text))).length > 0
}
