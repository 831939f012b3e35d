import english from 'dictionary-en'
import nspell from 'nspell'

let speller: ReturnType<typeof nspell> | undefined

/** Returns whether a word is English. Expands the dictionary on the first call, since most processes need none. */
export function isEnglishWord(word: string): boolean {
  speller ??= nspell(Buffer.from(english.aff), Buffer.from(english.dic))
  return speller.correct(word)
}
