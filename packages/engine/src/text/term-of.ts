import { STOP_WORDS } from '../lexicon/languages.ts'
import { stemArabic } from './arabic.ts'
import { stem } from './stem.ts'

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

/** A hash as tools write it, and so many digits as they show of one at least. */
const HASH = /^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}$/
const HASH_CHARS_SHOWN = 7

/** Whether a letter is one of a hash, which most words have no two of at the beginning. */
function mayBeDigit(word: string, at: number): boolean {
  return word.charCodeAt(at) <= 'f'.charCodeAt(0)
}

/** How a hash begins, by which people name it; undefined for a word that is none, or is shown in short already. */
export function shortHash(word: string): string | undefined {
  return word.length > HASH_CHARS_SHOWN && mayBeDigit(word, 0) && mayBeDigit(word, 1) && HASH.test(word)
    ? word.slice(0, HASH_CHARS_SHOWN)
    : undefined
}
