import { STOP_WORDS } from '../lexicon/languages.ts'
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

/** A word of the Arabic script that is long enough to have something before or after its stem. */
const ARABIC = /^[\u0621-\u064a]{4,}$/
/** "And", "by", "as", "so" before the article, the article, and "for the"; then "and" alone. */
const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال']
const AND = 'و'
const ENDINGS = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي']
const STEM_CHARS_MIN = 3
const ENDING_STEM_CHARS_MIN = 3

/**
 * The word without its article and commonest endings, its letters as people type them who leave out dots: the light
 * stemming that retrieval in Arabic has been found to need most. Words of other scripts stay as they are.
 */
function stemArabic(word: string): string {
  if (!ARABIC.test(word)) return word
  let stem = word.replaceAll('ى', 'ي').replaceAll('ة', 'ه')
  const article = ARTICLES.find((each) => stem.startsWith(each) && stem.length - each.length >= STEM_CHARS_MIN)
  if (article) stem = stem.slice(article.length)
  else if (stem.startsWith(AND) && stem.length - AND.length >= STEM_CHARS_MIN) stem = stem.slice(AND.length)
  const ending = ENDINGS.find((each) => stem.endsWith(each) && stem.length - each.length >= ENDING_STEM_CHARS_MIN)
  return ending ? stem.slice(0, -ending.length) : stem
}
