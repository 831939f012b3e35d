import { POINTED } from '../lexicon/names.ts'
import { CLITICS } from '../lexicon/writing.ts'
import { beginsWithCapital, beginsWithNumber, hasCase, hasLetterOrNumber } from '../text/characters.ts'
import { foldText } from '../text/words.ts'

type TokenShape = 'lower' | 'capital' | 'upper' | 'mixed' | 'number' | 'other'

/** Class of the separator before a token, for name recognition. */
type Gap = 'space' | 'hyphen' | 'apostrophe' | 'initial' | 'ampersand' | 'comma' | 'end' | 'other'

/** A word or number of a text. */
export interface Token {
  readonly text: string
  /** Folded text in lower case, as in the lexicon. */
  readonly lower: string
  readonly from: number
  readonly to: number
  readonly shape: TokenShape
  /**
   * Separator before the token. After `end`, the token is the first word of a sentence, line or quotation, where a
   * capital does not indicate a name.
   */
  readonly gap: Gap
  /** True if it is part of an address, a path, a handle or a program identifier. */
  readonly isCode: boolean
  /** True if "'s" follows it. */
  readonly isPossessive: boolean
}

/** Matches the rest of a word from its first non-ASCII character on. */
const REST = /[\p{L}\p{M}\p{N}]+/uy
const NUMBER = /^\p{N}+$/u
/** Separators within a sentence; any other separator ends it. */
const INSIDE_SENTENCE = /^[\s,;)\]/'’-]*$/
/** Matches a plural acronym: "PDFs". */
const ACRONYMS = /^[A-Z]{2,}s$/
const CODE_MARKS: ReadonlySet<string> = new Set('_/\\@#=<>{}$%+~^`')
const SPACE = 32
const NINE = '9'.charCodeAt(0)
/** Maximum length of a separator within a sentence in characters. A longer one ends the sentence. */
const GAP_CHARS_MAX = 6

/** Bits for the kinds of characters in a word. */
const HAS = { small: 1, capital: 2, digit: 4, capitalInside: 8, beyondAscii: 16 } as const
const HAS_BITS = 5
const ASCII = 128
/** Bit of each ASCII character; 0 if it belongs to no word. */
const CHARACTER_KINDS = Uint8Array.from({ length: ASCII }, (_, code) => {
  const sign = String.fromCharCode(code)
  if (sign >= 'a' && sign <= 'z') return HAS.small
  return sign >= 'A' && sign <= 'Z' ? HAS.capital : sign >= '0' && sign <= '9' ? HAS.digit : 0
})

/**
 * Returns the end offset of the word that begins at `from`, shifted left, with the `HAS` bits of the word in the low
 * bits. The end offset equals `from` if no word begins there.
 */
function readWord(text: string, from: number): number {
  let has = 0
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const kind = code < ASCII ? CHARACTER_KINDS[code]! : HAS.beyondAscii
    if (kind === HAS.beyondAscii) {
      REST.lastIndex = at
      if (!REST.test(text)) break
      at = REST.lastIndex
    } else if (kind === 0) break
    else at += 1
    has |= kind === HAS.capital && at - from > 1 ? HAS.capital | HAS.capitalInside : kind
  }
  return (at << HAS_BITS) | has
}

/** Returns the shape of an ASCII word. It is the fast path of `shapeOf`. */
function asciiShapeOf(raw: string, has: number): TokenShape {
  if (raw.charCodeAt(0) <= NINE) return has === HAS.digit ? 'number' : 'other'
  if ((has & HAS.capital) === 0) return 'lower'
  if (raw.length > 1 && ((has & HAS.small) === 0 || ACRONYMS.test(raw))) return 'upper'
  return (has & HAS.capitalInside) === 0 ? 'capital' : 'mixed'
}

function shapeOf(raw: string, lower: string): TokenShape {
  if (beginsWithNumber(raw)) return NUMBER.test(raw) ? 'number' : 'other'
  if (raw === lower) return raw.charCodeAt(0) < 128 || hasCase(raw) ? 'lower' : 'other'
  if (raw.length > 1 && (raw === raw.toUpperCase() || ACRONYMS.test(raw))) return 'upper'
  return beginsWithCapital(raw) && raw.slice(1) === lower.slice(1) ? 'capital' : 'mixed'
}

function takesPeriod({ text, shape, lower }: Token): boolean {
  return (text.length === 1 && shape === 'capital') || POINTED.has(lower)
}

function gapOf(gap: string, before: Token): Gap {
  if (gap === ' ') return 'space'
  if (gap.length > GAP_CHARS_MAX) return 'end'
  if (gap === '-') return 'hyphen'
  if (gap === "'" || gap === '’') return 'apostrophe'
  if ((gap === '. ' || gap === '.') && takesPeriod(before)) return 'initial'
  if (gap === ' & ' || gap === '&') return 'ampersand'
  if (gap === ', ') return 'comma'
  return INSIDE_SENTENCE.test(gap) && !gap.includes('\n') && !gap.includes('\r') ? 'other' : 'end'
}

/** Returns true for a token in an address, path or identifier, by the characters next to it. */
function isCodeAt(text: string, from: number, to: number, gap: Gap): boolean {
  if (text.charCodeAt(from - 1) === SPACE && text.charCodeAt(to) === SPACE) return false
  const before = text[from - 1] ?? ' '
  const after = text[to] ?? ' '
  if (before === ' ' && after === ' ') return false
  if (CODE_MARKS.has(before) || CODE_MARKS.has(after)) return true
  if (after === '.' && to - from > 1 && hasLetterOrNumber(text[to + 1] ?? ' ')) return true
  return before === '.' && gap !== 'initial' && hasLetterOrNumber(text[from - 2] ?? ' ')
}

/** Maximum number of words of a text that are examined. Longer texts should be split into records. */
export const WORDS_MAX = 80_000

/** Returns the first `max` words and numbers of a text with UTF-16 offsets, without clitics such as "'s" and "n't". */
export function tokensOf(text: string, max = WORDS_MAX): Token[] {
  const tokens: { -readonly [Key in keyof Token]: Token[Key] }[] = []
  let previousEnd = 0
  for (let from = 0; from < text.length && tokens.length < max; ) {
    const word = readWord(text, from)
    const to = word >>> HAS_BITS
    if (to === from) {
      from += 1
      continue
    }
    const has = word & (2 ** HAS_BITS - 1)
    const isAscii = (has & HAS.beyondAscii) === 0
    const raw = text.slice(from, to)
    const small = isAscii && (has & HAS.capital) === 0 ? raw : raw.toLowerCase()
    const lower = isAscii ? small : foldText(small)
    const before = tokens.at(-1)
    // Fast path: most words follow a single space.
    const isSpaced = from === previousEnd + 1 && text.charCodeAt(previousEnd) === SPACE
    const gap: Gap = !before ? 'end' : isSpaced ? 'space' : gapOf(text.slice(previousEnd, from), before)
    const start = from
    previousEnd = to
    from = to
    if (before && gap === 'apostrophe' && CLITICS.has(lower)) {
      // "I'm" and "Don't" are not names; "Ada's" is one.
      if (lower === 's') before.isPossessive = true
      else before.shape = 'lower'
      continue
    }
    const isCode = isCodeAt(text, start, to, gap)
    tokens.push({
      text: raw,
      lower,
      from: start,
      to,
      shape: isAscii ? asciiShapeOf(raw, has) : shapeOf(raw, small),
      gap,
      isCode,
      isPossessive: false,
    })
  }
  return tokens
}
