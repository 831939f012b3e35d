/**
 * Combining marks that are accents, and the stroke that lengthens Arabic words; vowel signs of Indic and Thai scripts
 * and voicing marks of kana are letters.
 */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]/g
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
    .replace(UNDECOMPOSED, (letter) => SPELT[letter]!)
    .normalize('NFC')
    .replaceAll('’', "'")
}
