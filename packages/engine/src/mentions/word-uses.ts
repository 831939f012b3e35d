import { capitalizesNouns } from './capitalizes-nouns.ts'
import type { Token } from './tokens.ts'

/**
 * Share of capitalized words above which capitals in a sentence carry no information. `CAPITALS_WORDS_MIN` is the
 * minimum number of words for this rule.
 */
const CAPITALS_SHARE = 0.6
const CAPITALS_WORDS_MIN = 4
/**
 * Minimum length of a long word in letters. A sentence with many capitals and two long lower-case words contains names
 * and is not a heading.
 */
const LONG_LETTERS_MIN = 4
/** Number of words of the sketch below, and of bits per word. */
const SKETCH = 32

/** Statistics on how the whole text writes its words. */
export interface WordUses {
  readonly tokens: readonly Token[]
  /** Words that occur both capitalized and in lower case. */
  readonly lowerCased: ReadonlySet<string>
  /** Words that occur capitalized where only names are capitalized. */
  readonly named: ReadonlySet<string>
  /** 1 for each token of a sentence in which capitals carry no information. */
  readonly capitalized: Uint8Array
  /** True if the text's language capitalizes every noun. */
  readonly capitalizesNouns: boolean
}

export function isCapital({ shape, isCode }: Token): boolean {
  return !isCode && (shape === 'capital' || shape === 'upper' || shape === 'mixed')
}

/** Marks the tokens of sentences in which most words are capitalized, such as headings and texts in capitals. */
function capitalizedSentences(tokens: readonly Token[]): Uint8Array {
  const marked = new Uint8Array(tokens.length)
  for (let start = 0; start < tokens.length; ) {
    let end = start + 1
    while (end < tokens.length && tokens[end]!.gap !== 'end') end += 1
    let words = 0
    let capitals = 0
    let long = 0
    for (let at = start; at < end; at += 1) {
      const { shape, text } = tokens[at]!
      if (shape === 'number' || shape === 'other' || text.length < 2) continue
      words += 1
      if (shape !== 'lower') capitals += 1
      else if (text.length >= LONG_LETTERS_MIN) long += 1
    }
    const isCapitalized = words >= CAPITALS_WORDS_MIN && capitals >= words * CAPITALS_SHARE && long < 2
    if (isCapitalized) marked.fill(1, start, end)
    start = end
  }
  return marked
}

/** Returns statistics on how the whole text writes its words. */
export function analyseWordUses(tokens: readonly Token[]): WordUses {
  const capitalized = capitalizedSentences(tokens)
  const named = new Set<string>()
  const candidates = new Set<string>()
  // A sketch like a Bloom filter: one bit for each first letter and length of a capitalized word. It avoids most set
  // lookups below.
  const sketch = new Uint32Array(SKETCH)
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!
    if (!isCapital(token)) continue
    candidates.add(token.lower)
    sketch[token.lower.charCodeAt(0) % SKETCH]! |= 1 << (token.lower.length % SKETCH)
    if (token.gap !== 'end' && capitalized[at] === 0) named.add(token.lower)
  }
  const lowerCased = new Set<string>()
  for (const { lower, shape, isCode } of tokens) {
    if (shape !== 'lower' || isCode) continue
    const lengths = sketch[lower.charCodeAt(0) % SKETCH]!
    if (((lengths >>> (lower.length % SKETCH)) & 1) === 1 && candidates.has(lower)) lowerCased.add(lower)
  }
  return { tokens, lowerCased, named, capitalized, capitalizesNouns: capitalizesNouns(tokens) }
}
