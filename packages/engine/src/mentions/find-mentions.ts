import { anyOf } from '../lexicon/entries.ts'
import { STOP_WORDS } from '../lexicon/languages.ts'
import {
  DOING,
  GIVEN_NAMES,
  GIVEN_WORDS,
  GREETINGS,
  HONORIFICS,
  INCIDENT_WORDS,
  isCommonWord,
  isOfPeoples,
  KNOWN_PLACES,
  NAME_CONNECTORS,
  ORGANISATION_ENDINGS,
  PLACE_ENDINGS,
  PLACE_OPENINGS,
  TITLES,
} from '../lexicon/names.ts'
import { VERBAL_ENDINGS } from '../lexicon/writing.ts'
import { type Token, tokensOf } from './tokens.ts'
import { type MentionType, typeOf } from './type-of.ts'

/** A name that stands in a text. */
export interface FoundMention {
  /** As it is written. */
  readonly name: string
  readonly type: MentionType
  /** UTF-16 offsets into the text: the first character, and the one behind the last. */
  readonly start: number
  readonly end: number
  /** From 0 to 1: how sure it is that this is a name. */
  readonly confidence: number
}

/** Mentions that are told. */
export const MENTIONS_MAX = 500
/** Words in the longest name. */
const NAME_WORDS_MAX = 8
/** Share of a line's words in capitals from which capitals say nothing there, and words that it takes to tell. */
const CAPITALS_SHARE = 0.6
const CAPITALS_WORDS_MIN = 4
/** Headings write shorter words in lower case too; two longer ones that are show a sentence full of names. */
const LONG_LETTERS_MIN = 4
/** A number of more digits is a year or an amount. */
const NUMBER_DIGITS_MAX = 3

/** Letters of an acronym that names something: shorter ones mean many things, longer ones are shouted words. */
const ACRONYM_LETTERS = { min: 3, max: 6 } as const
/** Endings of words that open a sentence and are rarely names. */
const VERBAL = new RegExp(`${anyOf(VERBAL_ENDINGS)}$`)
const VERBAL_LETTERS_MIN = 5

/** Bits of a word, and words of the sketch. */
const SKETCH = 32

/** How sure a name is, by what speaks for it. */
const SURE = { known: 0.9, several: 0.85, inside: 0.75, repeated: 0.7, doing: 0.65, acronym: 0.6 } as const

/** What the whole text says of its words. */
interface WordUses {
  readonly tokens: readonly Token[]
  /** Words that stand with a capital, and in lower case too. */
  readonly small: ReadonlySet<string>
  /** Words that stand with a capital where nothing but a name has one. */
  readonly named: ReadonlySet<string>
  /** By token: capitals say nothing in its line. */
  readonly loud: Uint8Array
}

function isCapital({ shape, isCode }: Token): boolean {
  return !isCode && (shape === 'capital' || shape === 'upper' || shape === 'mixed')
}

function isKnown(word: string): boolean {
  return GIVEN_NAMES.has(word) || KNOWN_PLACES.has(word)
}

/** Marks the sentences in which most words have capitals: headings, and shouting. */
function loudOf(tokens: readonly Token[]): Uint8Array {
  const loud = new Uint8Array(tokens.length)
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
    const isLoud = words >= CAPITALS_WORDS_MIN && capitals >= words * CAPITALS_SHARE && long < 2
    if (isLoud) loud.fill(1, start, end)
    start = end
  }
  return loud
}

function read(tokens: readonly Token[]): WordUses {
  const loud = loudOf(tokens)
  const named = new Set<string>()
  const asked = new Set<string>()
  // Which words are asked for, by first letter and length: that leaves few to be looked up.
  const sketch = new Uint32Array(SKETCH)
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!
    if (!isCapital(token)) continue
    asked.add(token.lower)
    sketch[token.lower.charCodeAt(0) % SKETCH]! |= 1 << (token.lower.length % SKETCH)
    if (token.gap !== 'end' && loud[at] === 0) named.add(token.lower)
  }
  const small = new Set<string>()
  for (const { lower, shape, isCode } of tokens) {
    if (shape !== 'lower' || isCode) continue
    const lengths = sketch[lower.charCodeAt(0) % SKETCH]!
    if (((lengths >>> (lower.length % SKETCH)) & 1) === 1 && asked.has(lower)) small.add(lower)
  }
  return { tokens, small, named, loud }
}

/** Whether a token goes on with the name that the one before is part of. */
function joins(token: Token, before: Token): boolean {
  if (before.isPossessive) return false
  if (token.gap === 'space' || token.gap === 'initial') return true
  if (token.gap === 'hyphen') return isCapital(token) && isCapital(before)
  if (token.gap === 'apostrophe') return before.text.length <= 2 && isCapital(token)
  return token.gap === 'ampersand' && !GIVEN_NAMES.has(before.lower) && isCapital(token)
}

/** "NOR-139": an issue's number, which is an identifier; of an incident it is the name. */
function isNumbered(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  return tokens[at]!.shape === 'upper' && next?.gap === 'hyphen' && next.shape === 'number'
}

/** A person's name does not go on with "of": what follows is another name. */
function isOfPerson({ lower, text }: Token): boolean {
  return GIVEN_NAMES.has(lower) || text.length === 1
}

/** The end of the run of capitals, numbers and the small words between them that begins at `start`. */
function runEnd(tokens: readonly Token[], start: number): number {
  let end = start + 1
  for (let at = end; at < tokens.length && at - start < NAME_WORDS_MAX; at += 1) {
    const token = tokens[at]!
    if (!joins(token, tokens[at - 1]!)) break
    if (isCapital(token) && isNumbered(tokens, at)) break
    if (isCapital(token)) end = at + 1
    else if (token.lower === 'of' && isOfPerson(tokens[start]!)) break
    else if (token.shape === 'number' && at === end && token.text.length <= NUMBER_DIGITS_MAX) {
      if (token.gap !== 'space' || token.isCode) break
      end = at + 1
    } else if (!(token.shape === 'lower' && NAME_CONNECTORS.has(token.lower))) break
  }
  return end
}

/** The tokens of a name, from the first up to the one behind the last. */
interface TokenRun {
  readonly start: number
  readonly end: number
}

/** Whether the first word of a run is no part of the name: "Thanks Ada", "Embracing Oslo", "French Ada". */
function isBeside({ tokens, small }: WordUses, { start, end }: TokenRun): boolean {
  const { lower, shape, gap, text } = tokens[start]!
  if (shape === 'number' || shape === 'lower') return true
  // "New York".
  if (PLACE_OPENINGS.has(lower) && end - start > 1 && KNOWN_PLACES.has(tokens[start + 1]!.lower)) return false
  // An initial is no common word.
  if (text.length > 1 && (isCommonWord(lower) || HONORIFICS.has(lower))) return true
  if (isOfPeoples(lower) && end - start > 1 && !isBody(tokens[end - 1]!)) return true
  if (gap !== 'end' || isKnown(lower)) return false
  const isBeforeName = end - start === 2 && GIVEN_NAMES.has(tokens[start + 1]!.lower) && !TITLES.has(lower)
  return isVerbal(lower) || small.has(lower) || isBeforeName
}

/** Takes from a run what only stands beside the name. */
function trimmed(reading: WordUses, run: TokenRun): TokenRun {
  const { tokens } = reading
  let { start, end } = run
  while (start < end && isBeside(reading, { start, end })) start += 1
  while (end > start) {
    const token = tokens[end - 1]!
    if (token.shape === 'number' ? end - start > 1 : token.shape !== 'lower' && !STOP_WORDS.has(token.lower)) break
    end -= 1
  }
  return { start, end }
}

function isVerbal(word: string): boolean {
  return word.length >= VERBAL_LETTERS_MIN && VERBAL.test(word)
}

function isBody({ lower }: Token): boolean {
  return ORGANISATION_ENDINGS.has(lower) || PLACE_ENDINGS.has(lower)
}

/** Whether a word is what is left of a longer run that began with common words: "Identity" of "Embracing Identity". */
function isRest({ tokens }: WordUses, start: number): boolean {
  const before = tokens[start - 1]
  return before !== undefined && isCapital(before) && joins(tokens[start]!, before) && !GREETINGS.has(before.lower)
}

/** How sure a run of several words is a name; 0 when it is none. */
function sureOfWords({ tokens, loud }: WordUses, { start }: TokenRun, words: readonly Token[]): number {
  const first = tokens[start]!
  if (words.every(({ lower }) => isCommonWord(lower) || isOfPeoples(lower))) return 0
  if (GIVEN_NAMES.has(first.lower) || TITLES.has(tokens[start - 1]?.lower ?? '')) return SURE.known
  if (isBody(words.at(-1)!)) return SURE.known
  if (loud[start] === 1) return GIVEN_WORDS.has(first.lower) ? SURE.inside : 0
  return SURE.several
}

/** How sure a run of one word is a name; 0 when it is none. */
function sureOfWord(reading: WordUses, { start, end }: TokenRun): number {
  const { tokens, small, named, loud } = reading
  const { lower, text, gap, shape } = tokens[start]!
  if (text.length < 2 || isCommonWord(lower) || isOfPeoples(lower)) return 0
  if (isKnown(lower)) return SURE.known
  if (loud[start] === 1) return 0
  if (shape === 'upper') {
    const isShort = text.length >= ACRONYM_LETTERS.min && text.length <= ACRONYM_LETTERS.max
    return isShort && !small.has(lower) && gap !== 'end' ? SURE.acronym : 0
  }
  if (shape === 'mixed') return SURE.inside
  if (small.has(lower)) return 0
  if (gap !== 'end') return isRest(reading, start) ? 0 : SURE.inside
  if (named.has(lower)) return SURE.repeated
  const next = tokens[end]
  const isDoing = next?.gap === 'space' && DOING.has(next.lower)
  return isDoing && !isVerbal(lower) ? SURE.doing : 0
}

/** How sure a run is a name; 0 when it is none. */
function sureOf(reading: WordUses, run: TokenRun): number {
  const isOne = run.end - run.start === 1 && reading.tokens[run.start]!.shape !== 'number'
  if (isOne) return sureOfWord(reading, run)
  const words = reading.tokens.slice(run.start, run.end).filter(({ shape }) => shape !== 'number')
  return words.length > 1 ? sureOfWords(reading, run, words) : words.length === 1 ? sureOfWord(reading, run) : 0
}

/**
 * The names that stand in a text, in order, none overlapping: runs of capitals and what the whole text and the lexicon
 * say of them. It takes time in proportion to the text, whatever stands there.
 */
export function findMentions(text: string, tokens: readonly Token[] = tokensOf(text)): FoundMention[] {
  const reading = read(tokens)
  const found: FoundMention[] = []
  for (let at = 0; at < tokens.length && found.length < MENTIONS_MAX; ) {
    const token = tokens[at]!
    if (!isCapital(token)) {
      at += 1
      continue
    }
    if (isNumbered(tokens, at)) {
      const [start, end] = [token.from, tokens[at + 1]!.to]
      if (INCIDENT_WORDS.has(token.lower)) {
        found.push({ name: text.slice(start, end), type: 'incident', start, end, confidence: SURE.known })
      }
      at += 2
      continue
    }
    const run = { start: at, end: runEnd(tokens, at) }
    at = run.end
    const name = trimmed(reading, run)
    if (name.start >= name.end) continue
    const confidence = sureOf(reading, name)
    if (confidence === 0) continue
    const [start, end] = [tokens[name.start]!.from, tokens[name.end - 1]!.to]
    found.push({ name: text.slice(start, end), type: typeOf(tokens, name), start, end, confidence })
  }
  return found
}
