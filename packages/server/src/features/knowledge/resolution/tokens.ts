import { foldText } from '../analyser/fold.ts'

const WORD = /[\p{L}\p{N}]+(?:[-./'][\p{L}\p{N}]+)*/gu
const PIECE = /[\p{L}\p{N}]+/gu
const DIGIT = /\p{N}/u
const LETTER = /\p{L}/u
/** Of a longer text the rest tells two things apart no better. */
const TEXT_CHARS_MAX = 2_000

/** A text in lower case without accents; a value that is no text is written out. */
export function plainText(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
  return foldText(text.slice(0, TEXT_CHARS_MAX)).toLowerCase().trim()
}

/** The words of a plain text, and compounds with a digit also as one word: `ps-lx350h` gives `pslx350h` too. */
export function tokensOf(plain: string): string[] {
  const tokens: string[] = []
  for (const [word] of plain.matchAll(WORD)) {
    const pieces = word.match(PIECE) ?? []
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
