import { anyIn } from '../lexicon/languages.ts'

/** A word of a question. */
export interface AskedWord {
  /** In lower case, as names are compared. */
  readonly text: string
  /** Whether any of its letters is a capital. */
  readonly isCapital: boolean
  /** Whether it stands after an auxiliary, where a question has who does something: "what did Priya say". */
  readonly isAfterAuxiliary: boolean
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const AUXILIARY = new RegExp(`(?<!\\p{L})${anyIn('beforeDoers')}\\s+`, 'giu')

/** The words of a question in their order. */
export function askedWords(text: string): AskedWord[] {
  const ends = new Set([...text.matchAll(AUXILIARY)].map(({ index, 0: said }) => index + said.length))
  return [...text.matchAll(WORD)].map(({ index, 0: word }) => ({
    text: word.toLowerCase(),
    isCapital: /\p{Lu}/u.test(word),
    isAfterAuxiliary: ends.has(index),
  }))
}
