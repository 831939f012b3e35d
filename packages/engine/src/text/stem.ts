import { americanForm } from '../lexicon/american-form.ts'
import { STOP_WORDS } from '../lexicon/languages.ts'
import { IRREGULAR_FORMS } from '../lexicon/writing.ts'
import { isLatin } from './characters.ts'

/** Minimum length of a stemmed word. Shorter words have no inflected forms. */
const STEMMED_CHARS_MIN = 3
/** Maximum cached stems, which bounds the memory for unusual input. */
const CACHE_ENTRIES_MAX = 100_000

const VOWEL = /[aeiouy]/

/** Suffixes of the second, third and fourth step of Porter (1980), with their replacements. */
const SECOND: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
]
const THIRD: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]
const FOURTH = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize sion tion al er ic ou'.split(' ')

function isConsonant(word: string, at: number): boolean {
  const letter = word[at]!
  if ('aeiou'.includes(letter)) return false
  return letter !== 'y' || at === 0 || !isConsonant(word, at - 1)
}

/** Returns Porter's measure: the number of vowel–consonant sequences in a stem. */
function measure(stem: string): number {
  let count = 0
  let afterVowel = false
  for (let at = 0; at < stem.length; at += 1) {
    const consonant = isConsonant(stem, at)
    if (consonant && afterVowel) count += 1
    afterVowel = !consonant
  }
  return count
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at += 1) if (!isConsonant(stem, at)) return true
  return false
}

function endsDouble(word: string): boolean {
  const last = word.length - 1
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last)
}

function endsShort(word: string): boolean {
  const last = word.length - 1
  if (last < 2 || 'wxy'.includes(word[last]!)) return false
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2)
}

function dropPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function dropTense(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0
  const stem = word.slice(0, word.length - ending)
  if (ending === 0 || !hasVowel(stem)) return word
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`
  if (endsDouble(stem) && !'lsz'.includes(stem.at(-1)!)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

function replaceSuffix(word: string, table: readonly (readonly [string, string])[]): string {
  for (const [suffix, replacement] of table) {
    if (!word.endsWith(suffix)) continue
    const stem = word.slice(0, -suffix.length)
    return measure(stem) > 0 ? stem + replacement : word
  }
  return word
}

function dropSuffix(word: string): string {
  for (const suffix of FOURTH) {
    if (!word.endsWith(suffix)) continue
    const stem = word.slice(0, suffix === 'sion' || suffix === 'tion' ? -3 : -suffix.length)
    return measure(stem) > 1 ? stem : word
  }
  return word
}

function dropFinalE(word: string): string {
  let result = word
  if (result.endsWith('e')) {
    const stem = result.slice(0, -1)
    const size = measure(stem)
    if (size > 1 || (size === 1 && !endsShort(stem))) result = stem
  }
  return result.endsWith('ll') && measure(result) > 1 ? result.slice(0, -1) : result
}

function porter(word: string): string {
  let result = dropTense(dropPlural(word))
  if (result.endsWith('y') && VOWEL.test(result.slice(0, -1))) result = `${result.slice(0, -1)}i`
  return dropFinalE(dropSuffix(replaceSuffix(replaceSuffix(result, SECOND), THIRD)))
}

const cache = new Map<string, string>()

/** Returns the stem of an English word by Porter (1980), after irregular forms and British spellings. */
export function stem(word: string): string {
  if (word.length < STEMMED_CHARS_MIN) return word
  const known = cache.get(word)
  if (known !== undefined) return known
  const result = isLatin(word) ? porter(BASE_OF.get(word) ?? americanForm(word)) : word
  if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
  cache.set(word, result)
  return result
}

/**
 * Returns the term of a word's British spelling, or undefined if it has none. Records that were indexed before both
 * spellings had the same term still have the British one.
 */
export function britishTermOf(word: string): string | undefined {
  return isLatin(word) && word.length <= WORD_LENGTH_MAX && americanForm(word) !== word ? porter(word) : undefined
}

/** Base form of each irregular form. */
const BASE_OF: ReadonlyMap<string, string> = new Map(
  IRREGULAR_FORMS.flatMap(([base = '', ...forms]) => forms.map((form) => [form, base] as const)),
)

/** Maximum length of a word. Longer ones are encoded data. */
const WORD_LENGTH_MAX = 60

/** Returns the index term of a folded lower-case word; undefined for a stop word. */
export function termOf(word: string): string | undefined {
  if (word.length > WORD_LENGTH_MAX || STOP_WORDS.has(word)) return undefined
  return stemArabic(stem(word))
}

/**
 * Returns the term of a compound whose parts are terms too. It differs from the term of the same letters written as one
 * word. Otherwise a question that contains the parts would match twice.
 */
export function compoundTerm(term: string): string {
  return `~${term}`
}

/** Matches a hexadecimal hash such as that of a commit: at least one digit and one letter. */
const HASH = /^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}$/
/** Length of an abbreviated hash, as Git shows it. */
const HASH_CHARS_SHOWN = 7

/** Returns true if the character at an index may be a hexadecimal digit. Rejects most words quickly. */
function mayBeDigit(word: string, at: number): boolean {
  return word.charCodeAt(at) <= 'f'.charCodeAt(0)
}

/** Returns the abbreviated form of a hash; undefined for any other word and for a hash that is already short. */
export function shortHash(word: string): string | undefined {
  return word.length > HASH_CHARS_SHOWN && mayBeDigit(word, 0) && mayBeDigit(word, 1) && HASH.test(word)
    ? word.slice(0, HASH_CHARS_SHOWN)
    : undefined
}

/** Matches an Arabic word that is long enough for a prefix or suffix. */
const ARABIC = /^[\u0621-\u064a]{4,}$/
/** The Arabic article, also combined with a prefix for "and", "by", "as", "so" or "for". */
const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال']
/** Arabic prefix for "and", removed if no article follows it. */
const AND = 'و'
const ENDINGS = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي']
const STEM_CHARS_MIN = 3
const ENDING_STEM_CHARS_MIN = 3

/** Light stemming for Arabic: removes the article and common endings, and normalizes dots. */
function stemArabic(word: string): string {
  if (!ARABIC.test(word)) return word
  let stem = word.replaceAll('ى', 'ي').replaceAll('ة', 'ه')
  const article = ARTICLES.find((each) => stem.startsWith(each) && stem.length - each.length >= STEM_CHARS_MIN)
  if (article) stem = stem.slice(article.length)
  else if (stem.startsWith(AND) && stem.length - AND.length >= STEM_CHARS_MIN) stem = stem.slice(AND.length)
  const ending = ENDINGS.find((each) => stem.endsWith(each) && stem.length - each.length >= ENDING_STEM_CHARS_MIN)
  return ending ? stem.slice(0, -ending.length) : stem
}
