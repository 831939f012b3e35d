import { POINTED } from '../lexicon/names.ts'
import { CLITICS } from '../lexicon/writing.ts'
import { foldText } from '../text/fold.ts'

/** How a token is written. */
export type Shape = 'lower' | 'capital' | 'upper' | 'mixed' | 'number' | 'other'

/** What parts a token from the one before, as far as it matters to names. */
type Gap = 'space' | 'hyphen' | 'apostrophe' | 'initial' | 'ampersand' | 'comma' | 'end' | 'other'

/** One word or number of a text. */
export interface Token {
  readonly text: string
  /** Folded and in lower case, as the lexicon has it. */
  readonly lower: string
  readonly from: number
  readonly to: number
  readonly shape: Shape
  /** After an end, it is the first word of a sentence, a line or a quotation, where a capital says nothing. */
  readonly gap: Gap
  /** Part of an address, a path, a handle or a name in code. */
  readonly isCode: boolean
  /** An apostrophe and s stand behind it. */
  readonly isPossessive: boolean
}

const PIECE = /[\p{L}\p{M}\p{N}]+/gu
const ASCII_PIECE = /[A-Za-z0-9]+/g
const BEYOND_ASCII = /[^\0-\x7f]/
const CAPITAL = /^\p{Lu}/u
const CASED = /\p{Ll}|\p{Lu}/u
const DIGIT = /^\p{N}/u
const DIGITS = /^[0-9]+$/
const NUMBER = /^\p{N}+$/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** Between two words of one sentence; whatever else stands there ends it. */
const INSIDE_SENTENCE = /^[\s,;)\]/'’-]*$/
/** "PDFs". */
const ACRONYMS = /^[A-Z]{2,}s$/
const LINE = /[\n\r]/
const CODE_MARKS: ReadonlySet<string> = new Set('_/\\@#=<>{}$%+~^`')
const SPACE = 32
/** A longer gap ends a sentence, whatever stands in it. */
const GAP_CHARS_MAX = 6

/** The same for a word of ASCII, which most are. */
function asciiShapeOf(raw: string, lower: string): Shape {
  const code = raw.charCodeAt(0)
  if (code < 58) return DIGITS.test(raw) ? 'number' : 'other'
  if (raw === lower) return 'lower'
  if (raw.length > 1 && (raw === raw.toUpperCase() || ACRONYMS.test(raw))) return 'upper'
  return code < 91 && raw.slice(1) === lower.slice(1) ? 'capital' : 'mixed'
}

function shapeOf(raw: string, lower: string): Shape {
  if (DIGIT.test(raw)) return NUMBER.test(raw) ? 'number' : 'other'
  if (raw === lower) return raw.charCodeAt(0) < 128 || CASED.test(raw) ? 'lower' : 'other'
  if (raw.length > 1 && (raw === raw.toUpperCase() || ACRONYMS.test(raw))) return 'upper'
  return CAPITAL.test(raw) && raw.slice(1) === lower.slice(1) ? 'capital' : 'mixed'
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
  return INSIDE_SENTENCE.test(gap) && !LINE.test(gap) ? 'other' : 'end'
}

/** A point with a letter or digit on both sides stands in an address or a file's name, but for an initial's. */
function isCodeAt(text: string, from: number, to: number, gap: Gap): boolean {
  const before = text[from - 1] ?? ' '
  const after = text[to] ?? ' '
  if (before === ' ' && after === ' ') return false
  if (CODE_MARKS.has(before) || CODE_MARKS.has(after)) return true
  if (after === '.' && to - from > 1 && LETTER_OR_DIGIT.test(text[to + 1] ?? ' ')) return true
  return before === '.' && gap !== 'initial' && LETTER_OR_DIGIT.test(text[from - 2] ?? ' ')
}

/** Words of a text that are looked at: what is longer is to be cut into records. */
export const WORDS_MAX = 80_000

/** The first `max` words and numbers of a text in order, with their UTF-16 offsets; endings such as 's are left out. */
export function tokensOf(text: string, max = WORDS_MAX): Token[] {
  const tokens: { -readonly [Key in keyof Token]: Token[Key] }[] = []
  let reached = 0
  const isAscii = !BEYOND_ASCII.test(text)
  for (const { 0: raw, index: from } of text.matchAll(isAscii ? ASCII_PIECE : PIECE)) {
    if (tokens.length >= max) break
    const to = from + raw.length
    const small = raw.toLowerCase()
    const lower = isAscii ? small : foldText(small)
    const before = tokens.at(-1)
    // Most words have one space before them.
    const isSpaced = from === reached + 1 && text.charCodeAt(reached) === SPACE
    const gap: Gap = !before ? 'end' : isSpaced ? 'space' : gapOf(text.slice(reached, from), before)
    reached = to
    if (before && gap === 'apostrophe' && CLITICS.has(lower)) {
      // "I'm" and "Don't" are no names; "Ada's" is one.
      if (lower === 's') before.isPossessive = true
      else before.shape = 'lower'
      continue
    }
    const isCode = isCodeAt(text, from, to, gap)
    tokens.push({
      text: raw,
      lower,
      from,
      to,
      shape: isAscii ? asciiShapeOf(raw, small) : shapeOf(raw, small),
      gap,
      isCode,
      isPossessive: false,
    })
  }
  return tokens
}
