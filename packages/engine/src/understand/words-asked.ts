import { termKey } from '../text/analyse-record.ts'
import { fieldTerms } from '../text/kinds.ts'
import type { KeyHash } from '../text/names.ts'
import { pairsOf } from '../text/terms.ts'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { analyseQuestion } from './analyse-question.ts'

/** Words of one text that are looked for. */
const WORDS_MAX = 32

/**
 * The words of a text, each as hashes of the terms of which one stands where the word does: its forms, and what it is
 * written as elsewhere. Of a text without spaces each pair of characters is a word. Small words are left out.
 */
export function wordsAsked(text: string, hash: KeyHash): number[][] {
  const tokens = text.split(/\s+/u).filter((token) => token !== '')
  return tokens
    .flatMap((token) => {
      const pairs = pairsOf(wordsOfFolded(foldText(token)))
      return pairs.length > 0 ? pairs.map((pair) => [hash(termKey(pair))]) : [formsOf(token, hash)]
    })
    .filter((forms) => forms.length > 0)
    .slice(0, WORDS_MAX)
}

function formsOf(token: string, hash: KeyHash): number[] {
  const { terms } = analyseQuestion(token, [], hash)
  return terms.filter(({ partOf }) => partOf === undefined).map((term) => term.hash)
}

/** The same for the values of declared fields: of each the term that a record has which declares it. */
export function fieldsAsked(fields: Readonly<Record<string, string | undefined>>, hash: KeyHash): number[][] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const term = value === undefined ? undefined : fieldTerms(field, value).at(-1)
    return term === undefined ? [] : [[hash(termKey(term))]]
  })
}
