import english from 'dictionary-en'
import nspell from 'nspell'

let speller: ReturnType<typeof nspell> | undefined

/** Returns true if a word is English. Loads the dictionary on the first call, because most processes do not need it. */
export function isEnglishWord(word: string): boolean {
  speller ??= nspell(Buffer.from(english.aff), Buffer.from(english.dic))
  return speller.correct(word)
}
