import { foldText } from '../../text/fold.ts'

const WORD = /[\p{L}\p{N}]+(?:[-./'][\p{L}\p{N}]+)*/gu
const PIECE = /[\p{L}\p{N}]+/gu
/** `Anna's`, which many write `Annas` or with a space between. */
const POSSESSIVE = /(?<=[\p{L}\\ ])'s(?![\p{L}\p{N}])/gu
const DIGIT = /\p{N}/u
const LETTER = /\p{L}/u
/** Of a longer text the rest tells two things apart no better. */
const TEXT_CHARS_MAX = 2_000

/** A text in lower case without accents; a value that is no text is written out. */
export function plainText(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
  return foldText(text.slice(0, TEXT_CHARS_MAX)).toLowerCase().replace(POSSESSIVE, '').trim()
}

/** Roman numbers that are no initials and no names. */
const ROMAN = new Map(Object.entries({ ii: '2', iii: '3', iv: '4', vi: '6', vii: '7', viii: '8', ix: '9' }))

/** The words of a plain text. */
export function piecesOf(plain: string): string[] {
  return (plain.match(PIECE) ?? []).map((piece) => ROMAN.get(piece) ?? piece)
}

/** The words of a plain text, and compounds with a digit also as one word: `ps-lx350h` gives `pslx350h` too. */
export function tokensOf(plain: string): string[] {
  const tokens: string[] = []
  for (const [word] of plain.matchAll(WORD)) {
    const pieces = piecesOf(word)
    tokens.push(...pieces)
    if (pieces.length > 1 && DIGIT.test(word)) tokens.push(pieces.join(''))
  }
  return tokens
}

/** Whether a token is a number. */
export function isNumber(token: string): boolean {
  return DIGIT.test(token) && !LETTER.test(token)
}

/** Shorter mixtures of letters and digits are measures and ordinals (`5mp`, `2nd`), not numbers of a model. */
const CODE_CHARS_MIN = 4

/** Whether a token is a model's number or the like: letters and digits in one word. */
export function isCode(token: string): boolean {
  return token.length >= CODE_CHARS_MIN && DIGIT.test(token) && LETTER.test(token)
}

/** A quantity and what it counts: `300mm`, `5disc`. */
const MEASURE = /^\p{N}+\p{L}+$/u
/** Shorter numbers are sizes, years and places in a series. */
const KEY_DIGITS_MIN = 5

/** Whether a token is what one product alone is called by: a model's number, or a long number. */
export function isKey(token: string): boolean {
  return isCode(token) ? !MEASURE.test(token) : isNumber(token) && token.length >= KEY_DIGITS_MIN
}
