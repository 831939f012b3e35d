/** What signs a text has, and texts without some of them: what readers of several rooms ask. */

const SPACES = /\s+/g
const SPACE = /\s/
const LETTER = /\p{L}/u
const NUMBER = /\p{N}/u
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u
const CASED = /[\p{Lu}\p{Ll}]/u
const CAPITAL_FIRST = /^\p{Lu}/u
const SMALL_FIRST = /^\p{Ll}/u
const NUMBER_FIRST = /^\p{N}/u
const DIGITS = /^\d+$/
const DIGITS_LAST = /\d+$/
const LATIN = /^[a-z]+$/
const POSSESSIVE = /(?:['’]s|[.'’])$/u
/** The bits of a UTF-16 unit that say that it is the first half of a pair, and what they are then. */
const PAIR_BITS = 0xfc00
const FIRST_OF_PAIR = 0xd800

/** The text in one line, with one space between its words. */
export function oneLine(text: string): string {
  return text.replace(SPACES, ' ').trim()
}

/** Whether a space of any kind stands in it. */
export function hasSpace(text: string): boolean {
  return SPACE.test(text)
}

/** Whether a letter of any script stands in it. */
export function hasLetter(text: string): boolean {
  return LETTER.test(text)
}

/** Whether a digit of any script stands in it. */
export function hasNumber(text: string): boolean {
  return NUMBER.test(text)
}

/** Whether it says anything: a letter or a digit of any script. */
export function hasLetterOrNumber(text: string): boolean {
  return LETTER_OR_NUMBER.test(text)
}

/** Whether a letter of a script with capitals stands in it. */
export function hasCase(text: string): boolean {
  return CASED.test(text)
}

/** Whether a capital letter stands first. */
export function beginsWithCapital(text: string): boolean {
  return CAPITAL_FIRST.test(text)
}

/** Whether a small letter stands first. */
export function beginsWithSmall(text: string): boolean {
  return SMALL_FIRST.test(text)
}

/** Whether a digit of any script stands first. */
export function beginsWithNumber(text: string): boolean {
  return NUMBER_FIRST.test(text)
}

/** Whether a digit from 0 to 9 stands first. */
export function beginsWithDigit(text: string): boolean {
  return text.charAt(0) >= '0' && text.charAt(0) <= '9'
}

/** Whether it is digits from 0 to 9 alone. */
export function isDigits(text: string): boolean {
  return DIGITS.test(text)
}

/** The text without the digits from 0 to 9 at its end. */
export function withoutLastDigits(text: string): string {
  return text.replace(DIGITS_LAST, '')
}

/** Whether it is small letters from a to z alone. */
export function isLatin(word: string): boolean {
  return LATIN.test(word)
}

/** Whether a text that ends behind this unit cuts a character in two. */
export function isFirstOfPair(unit: number): boolean {
  return (unit & PAIR_BITS) === FIRST_OF_PAIR
}

/** A name without what stands behind it in a sentence: `Ana's`, `Ana.` */
export function withoutPossessive(name: string): string {
  return name.replace(POSSESSIVE, '')
}

/** The text without what it begins with, where it begins so. */
export function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}

/** The text without what it ends with, where it ends so. */
export function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text
}
