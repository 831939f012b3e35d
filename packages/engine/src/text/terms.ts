import { codePartsOf } from './code-words.ts'
import { foldText } from './fold.ts'
import { type FoundIdentifier, identifiersOf } from './identifiers.ts'
import { pairsOf } from './pairs.ts'
import { phrasalOf } from './phrasal.ts'
import { shortHash, termOf, wholeTerm } from './term-of.ts'
import { type Word, wordsOfFolded } from './words.ts'

/** Calls `visit` with each term of a folded text, given its words and identifiers, and with the word that it is. */
export function eachTerm(
  folded: string,
  words: readonly Word[],
  identifiers: readonly FoundIdentifier[],
  visit: (term: string, word?: Word) => void,
): void {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    const hash = shortHash(word.text)
    if (hash !== undefined) visit(wholeTerm(hash))
    const term = termOf(word.text)
    if (term === undefined) continue
    const parts = codePartsOf(folded, word)
    visit(parts.length > 0 ? wholeTerm(term) : term, word)
    for (const part of parts) {
      const partTerm = termOf(part)
      if (partTerm !== undefined) visit(partTerm)
    }
    const phrasal = phrasalOf(folded, term, word, words[at + 1])
    if (phrasal !== undefined) visit(wholeTerm(phrasal))
  }
  for (const { term } of identifiers) visit(term)
  for (const pair of pairsOf(words)) visit(pair)
}

/** The terms a text is indexed under, in order with repeats: stems, and identifiers whole. */
export function terms(text: string): string[] {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const result: string[] = []
  eachTerm(folded, words, identifiersOf(folded, words), (term) => result.push(term))
  return result
}
