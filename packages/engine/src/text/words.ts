import { anyOf } from '../lexicon/entries.ts'
import { inAll, SPEAKER, SPEAKERS } from '../lexicon/languages.ts'
import { CLITICS } from '../lexicon/writing.ts'
import { beginsWithCapital, beginsWithNumber, hasCase } from './characters.ts'

export interface Word {
  /** Folded text in lower case. */
  readonly text: string
  /** Start offset in the folded text. */
  readonly from: number
  readonly to: number
  /** True if the first letter is a capital. */
  readonly isCapital: boolean
  /** True if it consists of at least two capitals. */
  readonly isAcronym: boolean
  /** True if it has lower-case letters and capitals after the first letter. */
  readonly isMixed: boolean
  /** True if its script has no case. */
  readonly isCaseless: boolean
  /** True if it is the first word of a sentence, where a capital has no meaning. */
  readonly startsSentence: boolean
  /** True if the previous word may belong to the same name, judged by the characters between them. */
  readonly continues: boolean
  /** True if only a comma and a space separate it from the previous word. */
  readonly followsComma: boolean
}

const PIECE = /[\p{L}\p{N}\p{M}]+/gu
const ASCII_PIECE = /[A-Za-z0-9]+/g
const BEYOND_ASCII = /[^\0-\x7f]/
/** Matches scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** Matches characters after which any word may be capitalized. */
const STARTS_SENTENCE = /[.!?\n。！？:;•"“(]/
/** Matches separators inside a name: a space, an apostrophe, a hyphen, an initial's period, an ampersand. */
const INSIDE_NAME = /^(?:[\s'-]{1,2}|\.|\. | & |&)$/
/** Maximum length of an abbreviation whose period does not end a name: St., Mr., Jr., and initials. */
const ABBREVIATION_LENGTH = 3

/**
 * Maximum number of characters that are segmented in one call. The segmenter's run time grows faster than linearly with
 * the length of a text without breaks.
 */
const WINDOW_LENGTH = 256

let segmenter: Intl.Segmenter | undefined

interface WordPiece {
  readonly text: string
  readonly from: number
}

/**
 * Segments texts in scripts without spaces into words, in order. Joins short texts by spaces and segments them in one
 * call, because each call costs as much as about a hundred characters.
 */
function* unspacedWords(pieces: readonly WordPiece[]): Generator<WordPiece> {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  let window = ''
  /** For each text: its start in the window, and the difference between its offsets in the record and in the window. */
  let shifts: { readonly at: number; readonly by: number }[] = []
  for (const [index, { text, from }] of pieces.entries()) {
    for (let start = 0; start < text.length; start += WINDOW_LENGTH) {
      const part = text.slice(start, start + WINDOW_LENGTH)
      shifts.push({ at: window.length, by: from + start - window.length })
      window += `${part} `
      const isLast = index === pieces.length - 1 && start + WINDOW_LENGTH >= text.length
      if (window.length < WINDOW_LENGTH && !isLast) continue
      let shift = 0
      for (const word of segmenter.segment(window)) {
        while (shift + 1 < shifts.length && shifts[shift + 1]!.at <= word.index) shift += 1
        if (word.isWordLike) yield { text: word.segment, from: word.index + shifts[shift]!.by }
      }
      window = ''
      shifts = []
    }
  }
}

function hasCapitalInside(raw: string, text: string): boolean {
  for (let at = 1; at < raw.length; at += 1) if (raw.charCodeAt(at) !== text.charCodeAt(at)) return true
  return false
}

function makeWord(folded: string, from: number, to: number, previousTo: number, previous: Word | undefined): Word {
  const raw = folded.slice(from, to)
  const gap = folded.slice(previousTo, from)
  const code = raw.charCodeAt(0)
  const isAscii = code < 128
  const isCapital = isAscii ? code >= 65 && code <= 90 : beginsWithCapital(raw)
  const text = raw.toLowerCase()
  const hasPeriod = gap.includes('.')
  const isAcronym = isCapital && raw.length > 1 && raw === raw.toUpperCase()
  return {
    text,
    from,
    to,
    isCapital,
    isAcronym,
    isMixed: raw !== text && !isAcronym && hasCapitalInside(raw, text),
    isCaseless: !isAscii && !hasCase(raw) && !beginsWithNumber(raw),
    startsSentence: previous === undefined || STARTS_SENTENCE.test(gap),
    continues:
      previous !== undefined &&
      (gap === ' ' ||
        gap === '' ||
        (INSIDE_NAME.test(gap) && (!hasPeriod || previous.text.length <= ABBREVIATION_LENGTH))),
    followsComma: previous !== undefined && gap === ', ',
  }
}

/** Returns the words of a folded text in order, without possessive and contracted endings. */
export function wordsOfFolded(folded: string): Word[] {
  const words: Word[] = []
  let previous: Word | undefined
  let previousTo = 0
  const push = (from: number, to: number): void => {
    const word = makeWord(folded, from, to, previousTo, previous)
    previousTo = to
    const isClitic = from > 0 && folded[from - 1] === "'" && CLITICS.has(word.text) && previous?.to === from - 1
    if (isClitic) return
    words.push(word)
    previous = word
  }
  if (!BEYOND_ASCII.test(folded)) {
    for (const { 0: text, index } of folded.matchAll(ASCII_PIECE)) push(index, index + text.length)
    return words
  }
  let unspaced: WordPiece[] = []
  const pushUnspaced = () => {
    for (const { text, from } of unspacedWords(unspaced)) push(from, from + text.length)
    unspaced = []
  }
  for (const { 0: text, index } of folded.matchAll(PIECE)) {
    // A single letter is a word in any script.
    if (text.length > 1 && UNSPACED.test(text)) {
      unspaced.push({ text, from: index })
      continue
    }
    pushUnspaced()
    push(index, index + text.length)
  }
  pushUnspaced()
  return words
}

/** Returns the words of a text in order, folded and in lower case. */
export function wordsOf(text: string): Word[] {
  return wordsOfFolded(foldText(text))
}

/** Returns true if a word is in a script without spaces. Words of such names are joined without spaces. */
export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) > 127 && UNSPACED.test(word)
}

/** Capitalizes the first letter of a text. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Matches accents and the Arabic tatweel, but not the vowel signs and voicing marks that are letters. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]/g
/** Matches invisible characters: soft hyphens, joiners, direction and byte order marks, variation selectors. */
const INVISIBLE = /\u20e3|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\ufe00-\ufe0f]/g
/** Zero-width characters that separate words, with the scripts in which they do. */
const PARTING: Readonly<Record<string, RegExp>> = {
  '\u200b': /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u,
  '\u200c': /\p{sc=Arabic}/u,
}
/** Latin letters that Unicode does not decompose. People often type them without the stroke or as two letters. */
const UNDECOMPOSED = /[ßæœøłđðþıÆŒØŁĐÐÞẞ]/g
const DECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
}

/** Returns the text in compatibility form without accents, so that spellings of a word become equal. */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(INVISIBLE, (sign, at: number, all: string) => (PARTING[sign]?.test(all[at - 1] ?? '') ? sign : ''))
    .replace(UNDECOMPOSED, (letter) => DECOMPOSED[letter]!)
    .normalize('NFC')
    .replaceAll('’', "'")
}

/** Builds a pattern whose source is split over several lines. */
export function pattern(flags: string, ...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''), flags)
}

const SPEAKS = anyOf(SPEAKER, SPEAKERS)
const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}'’])${SPEAKS}(?![\\p{L}\\p{N}])`, 'u')
const STARTS = [...SPEAKER, ...SPEAKERS, ...inAll('requestOpenings')].map(upperFirst)
const FIRST_PERSON_START = new RegExp(`^${anyOf(STARTS)}(?![\\p{L}\\p{N}])`, 'u')

/** Returns true if a sentence is in the first person ("we", "my") and can only be quoted. */
export function isFirstPerson(text: string): boolean {
  return FIRST_PERSON.test(text) || FIRST_PERSON_START.test(text)
}
