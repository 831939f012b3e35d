import { POINTED } from '../lexicon/names.ts'
import { CLITICS } from '../lexicon/writing.ts'
import { beginsWithCapital, beginsWithNumber, hasCase, hasLetterOrNumber } from '../text/signs.ts'
import { foldText } from '../text/words.ts'

/** How a token is written. */
export type TokenShape = 'lower' | 'capital' | 'upper' | 'mixed' | 'number' | 'other'

/** What separates a token from the one before, as far as names depend on it. */
type Gap = 'space' | 'hyphen' | 'apostrophe' | 'initial' | 'ampersand' | 'comma' | 'end' | 'other'

/** One word or number of a text. */
export interface Token {
  readonly text: string
  /** Folded and in lower case, as the lexicon has it. */
  readonly lower: string
  readonly from: number
  readonly to: number
  readonly shape: TokenShape
  /** After an end, it is the first word of a sentence, a line or a quotation, where a capital says nothing. */
  readonly gap: Gap
  /** Part of an address, a path, a handle or a name in code. */
  readonly isCode: boolean
  /** An apostrophe and s stand behind it. */
  readonly isPossessive: boolean
}

/** The rest of a word from a character beyond ASCII on. */
const REST = /[\p{L}\p{M}\p{N}]+/uy
const NUMBER = /^\p{N}+$/u
/** Separators within a sentence; any other separator ends it. */
const INSIDE_SENTENCE = /^[\s,;)\]/'’-]*$/
/** "PDFs". */
const ACRONYMS = /^[A-Z]{2,}s$/
const CODE_MARKS: ReadonlySet<string> = new Set('_/\\@#=<>{}$%+~^`')
const SPACE = 32
const NINE = '9'.charCodeAt(0)
/** A gap of more characters always ends a sentence. */
const GAP_CHARS_MAX = 6

/** What a word can hold; of an ASCII character its class, and 0 for one that separates words. */
const HAS = { small: 1, capital: 2, digit: 4, capitalInside: 8, beyondAscii: 16 } as const
const HAS_BITS = 5
const ASCII = 128
const KINDS = Uint8Array.from({ length: ASCII }, (_, code) => {
  const sign = String.fromCharCode(code)
  if (sign >= 'a' && sign <= 'z') return HAS.small
  return sign >= 'A' && sign <= 'Z' ? HAS.capital : sign >= '0' && sign <= '9' ? HAS.digit : 0
})

/** Where the word that begins at a place ends, above the bits of what is in it; the place itself where none begins. */
function readWord(text: string, from: number): number {
  let has = 0
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const kind = code < ASCII ? KINDS[code]! : HAS.beyondAscii
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

/** How a word of ASCII, which most are, is written. */
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

function isPointed({ text, shape, lower }: Token): boolean {
  return (text.length === 1 && shape === 'capital') || POINTED.has(lower)
}

function gapOf(gap: string, before: Token): Gap {
  if (gap === ' ') return 'space'
  if (gap.length > GAP_CHARS_MAX) return 'end'
  if (gap === '-') return 'hyphen'
  if (gap === "'" || gap === '’') return 'apostrophe'
  if ((gap === '. ' || gap === '.') && isPointed(before)) return 'initial'
  if (gap === ' & ' || gap === '&') return 'ampersand'
  if (gap === ', ') return 'comma'
  return INSIDE_SENTENCE.test(gap) && !gap.includes('\n') && !gap.includes('\r') ? 'other' : 'end'
}

/** A point with a letter or digit on both sides stands in an address or a file's name, but for an initial's. */
function isCodeAt(text: string, from: number, to: number, gap: Gap): boolean {
  if (text.charCodeAt(from - 1) === SPACE && text.charCodeAt(to) === SPACE) return false
  const before = text[from - 1] ?? ' '
  const after = text[to] ?? ' '
  if (before === ' ' && after === ' ') return false
  if (CODE_MARKS.has(before) || CODE_MARKS.has(after)) return true
  if (after === '.' && to - from > 1 && hasLetterOrNumber(text[to + 1] ?? ' ')) return true
  return before === '.' && gap !== 'initial' && hasLetterOrNumber(text[from - 2] ?? ' ')
}

/** Words of a text that are looked at: what is longer is to be cut into records. */
export const WORDS_MAX = 80_000

/** The first `max` words and numbers of a text in order, with their UTF-16 offsets; endings such as 's are left out. */
export function tokensOf(text: string, max = WORDS_MAX): Token[] {
  const tokens: { -readonly [Key in keyof Token]: Token[Key] }[] = []
  let reached = 0
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
    // Most words have one space before them.
    const isSpaced = from === reached + 1 && text.charCodeAt(reached) === SPACE
    const gap: Gap = !before ? 'end' : isSpaced ? 'space' : gapOf(text.slice(reached, from), before)
    const start = from
    reached = to
    from = to
    if (before && gap === 'apostrophe' && CLITICS.has(lower)) {
      // "I'm" and "Don't" are no names; "Ada's" is one.
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
