/**
 * Combining marks that are accents, and the stroke that lengthens Arabic words; vowel signs of Indic and Thai scripts
 * and voicing marks of kana are letters.
 */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]/g
/** Invisible characters: soft hyphens, joiners, direction and byte order marks, variation selectors. */
const INVISIBLE = /\u20e3|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\ufe00-\ufe0f]/g
/** After which letters one of those parts words: a space of no width where no other is written, and Persian's. */
const PARTING: Readonly<Record<string, RegExp>> = {
  '\u200b': /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u,
  '\u200c': /\p{sc=Arabic}/u,
}
/** Latin letters that Unicode does not decompose although people type them without the stroke or as two letters. */
const UNDECOMPOSED = /[ßæœøłđðþıÆŒØŁĐÐÞẞ]/g
const SPELT: Readonly<Record<string, string>> = {
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
const BEYOND_ASCII = /[^\0-\x7f]/

/** Text in compatibility form without accents, its case kept; equal spellings of a word become equal strings. */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(INVISIBLE, (sign, at: number, all: string) => (PARTING[sign]?.test(all[at - 1] ?? '') ? sign : ''))
    .replace(UNDECOMPOSED, (letter) => SPELT[letter]!)
    .normalize('NFC')
    .replaceAll('’', "'")
}
