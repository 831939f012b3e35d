import english from 'dictionary-en'
import nspell from 'nspell'

let speller: ReturnType<typeof nspell> | undefined

/** Tells whether a word is English. The dictionary is expanded at the first call, as most processes need none. */
export function isEnglishWord(word: string): boolean {
  speller ??= nspell(Buffer.from(english.aff), Buffer.from(english.dic))
  return speller.correct(word)
}
