import { stemArabic } from './arabic.ts'
import { foldText } from './fold.ts'
import { identifiersOf } from './identifiers.ts'
import { pairsOf } from './pairs.ts'
import { stem } from './stem.ts'
import { STOP_WORDS } from './stop-words.ts'
import { wordsOfFolded } from './words.ts'

/** Longer words are encoded bytes, not language. */
const WORD_LENGTH_MAX = 60

/** The term a folded lower-case word is indexed under; undefined for a stop word. */
export function termOf(word: string): string | undefined {
  if (word.length > WORD_LENGTH_MAX || STOP_WORDS.has(word)) return undefined
  return stemArabic(stem(word))
}

/** The terms a text is indexed and searched under, in order with repeats: stems, and identifiers whole. */
export function terms(text: string): string[] {
  const folded = foldText(text)
  const result: string[] = []
  const words = wordsOfFolded(folded)
  for (const word of words) {
    const term = termOf(word.text)
    if (term !== undefined) result.push(term)
  }
  for (const identifier of identifiersOf(folded, words)) result.push(identifier.term)
  result.push(...pairsOf(words))
  return result
}
