/** Character tests and simple edits of texts, shared by several packages. */

const SPACES = /\s+/g
const SPACE = /\s/
const LETTER = /\p{L}/u
const NUMBER = /\p{N}/u
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u
const CASED = /[\p{Lu}\p{Ll}]/u
const CAPITAL_FIRST = /^\p{Lu}/u
const LOWER_CASE_FIRST = /^\p{Ll}/u
const NUMBER_FIRST = /^\p{N}/u
const DIGITS = /^\d+$/
const DIGITS_LAST = /\d+$/
const LATIN = /^[a-z]+$/
const POSSESSIVE = /(?:['’]s|[.'’])$/u
/** Mask and value of the first code unit of a surrogate pair. */
const SURROGATE_MASK = 0xfc00
const HIGH_SURROGATE = 0xd800

/** Returns the text in one line with single spaces. */
export function oneLine(text: string): string {
  return text.replace(SPACES, ' ').trim()
}

/** Returns true if the text contains any white space. */
export function hasSpace(text: string): boolean {
  return SPACE.test(text)
}

/** Returns true if the text contains a letter of any script. */
export function hasLetter(text: string): boolean {
  return LETTER.test(text)
}

/** Returns true if the text contains a digit of any script. */
export function hasNumber(text: string): boolean {
  return NUMBER.test(text)
}

/** Returns true if the text contains a letter or a digit of any script. */
export function hasLetterOrNumber(text: string): boolean {
  return LETTER_OR_NUMBER.test(text)
}

/** Returns true if the text contains a letter of a script with case. */
export function hasCase(text: string): boolean {
  return CASED.test(text)
}

export function beginsWithCapital(text: string): boolean {
  return CAPITAL_FIRST.test(text)
}

export function beginsWithLowerCase(text: string): boolean {
  return LOWER_CASE_FIRST.test(text)
}

/** Returns true if the text begins with a digit of any script. */
export function beginsWithNumber(text: string): boolean {
  return NUMBER_FIRST.test(text)
}

export function beginsWithDigit(text: string): boolean {
  return text.charAt(0) >= '0' && text.charAt(0) <= '9'
}

/** Returns true if the text consists of ASCII digits. */
export function isDigits(text: string): boolean {
  return DIGITS.test(text)
}

/** Removes the ASCII digits at the end of the text. */
export function withoutLastDigits(text: string): string {
  return text.replace(DIGITS_LAST, '')
}

/** Returns true if the word consists of the letters a to z. */
export function isLatin(word: string): boolean {
  return LATIN.test(word)
}

/** Returns true if the code unit is the first half of a surrogate pair. A text must not be cut after it. */
export function isHighSurrogate(unit: number): boolean {
  return (unit & SURROGATE_MASK) === HIGH_SURROGATE
}

/** Removes a possessive ending, a final period or a final apostrophe: `Ana's`, `Ana.` */
export function withoutPossessive(name: string): string {
  return name.replace(POSSESSIVE, '')
}

/** Removes a prefix if the text has it. */
export function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}

/** Removes a suffix if the text has it. */
export function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text
}
