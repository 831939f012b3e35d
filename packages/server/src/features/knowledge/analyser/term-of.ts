import { stemArabic } from './arabic.ts'
import { stem } from './stem.ts'
import { STOP_WORDS } from './stop-words.ts'

/** Longer words are encoded bytes, not language. */
const WORD_LENGTH_MAX = 60

/** The term a folded lower-case word is indexed under; undefined for a stop word. */
export function termOf(word: string): string | undefined {
  if (word.length > WORD_LENGTH_MAX || STOP_WORDS.has(word)) return undefined
  return stemArabic(stem(word))
}

/**
 * The term of a whole whose parts are terms too, apart from that of the same letters in one word: who asks for the
 * parts finds those, and would otherwise find the whole once more.
 */
export function wholeTerm(term: string): string {
  return `~${term}`
}
