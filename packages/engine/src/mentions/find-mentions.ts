import { anyOf } from '../lexicon/entries.ts'
import { STOP_WORDS } from '../lexicon/languages.ts'
import {
  DOING,
  GIVEN_WORDS,
  GREETINGS,
  HONORIFICS,
  INCIDENT_WORDS,
  isCommonWord,
  isCurrency,
  isGivenName,
  isKnownPlace,
  isNationality,
  NAME_CONNECTORS,
  ORGANISATION_ENDINGS,
  PLACE_ENDINGS,
  PLACE_OPENINGS,
  TITLES,
} from '../lexicon/names.ts'
import { VERBAL_ENDINGS } from '../lexicon/writing.ts'
import { GERMAN_STOP_WORDS } from './capitalizes-nouns.ts'
import { type Token, tokensOf } from './tokens.ts'
import { type MentionType, typeOf } from './type-of.ts'
import { analyseWordUses, isCapital, type WordUses } from './word-uses.ts'

/** A mention of a name in a text. */
export interface FoundMention {
  readonly name: string
  readonly type: MentionType
  /** UTF-16 offset of the first character. The next field is the offset after the last one. */
  readonly start: number
  readonly end: number
  /** Confidence that this is a name, from 0 to 1. */
  readonly confidence: number
}

/** Maximum number of mentions of a text. */
export const MENTIONS_MAX = 500
const NAME_WORDS_MAX = 8
/** Maximum number of digits of a number in a name. A longer number is a year or an amount. */
const NUMBER_DIGITS_MAX = 3

/** Length of acronyms that are names. Shorter ones are ambiguous, longer ones are words in capitals. */
const ACRONYM_LETTERS = { min: 3, max: 6 } as const
/** Matches words such as "Running" and "Updated", which often begin a sentence and are rarely names. */
const VERBAL = new RegExp(`${anyOf(VERBAL_ENDINGS)}$`)
const VERBAL_LETTERS_MIN = 5
/** Regular past-tense ending of English verbs. */
const PAST = /[a-z]{3}ed$/

/** Confidence that a word is a name, by the evidence for it. */
const CONFIDENCE = { known: 0.9, several: 0.85, inside: 0.75, repeated: 0.7, doing: 0.65, acronym: 0.6 } as const

function isKnown(word: string): boolean {
  return isGivenName(word) || isKnownPlace(word)
}

/** Returns true if two adjacent tokens can be words of one name. */
function joins(token: Token, before: Token): boolean {
  if (before.isPossessive) return false
  if (token.gap === 'space' || token.gap === 'initial') return true
  if (token.gap === 'hyphen') return isCapital(token) && isCapital(before)
  if (token.gap === 'apostrophe') return before.text.length <= 2 && isCapital(token)
  return token.gap === 'ampersand' && !isGivenName(before.lower) && isCapital(token)
}

/** Returns true for an issue key such as "NOR-139". It is no name, except that of an incident: "INC-7". */
function isNumbered(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  return tokens[at]!.shape === 'upper' && next?.gap === 'hyphen' && next.shape === 'number'
}

/** Returns true if a token is a given name or an initial. */
function isOfPerson({ lower, text }: Token): boolean {
  return isGivenName(lower) || text.length === 1
}

/** Returns the end of the run of capitalized words, numbers and connectors that begins at `start`. */
function runEnd({ tokens, capitalizesNouns }: WordUses, start: number): number {
  // "Das Angebot von der Quast GmbH": in German, lower-case words only join parts of a person's name.
  const isJoined = !capitalizesNouns || isOfPerson(tokens[start]!)
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
    } else if (!(isJoined && token.shape === 'lower' && NAME_CONNECTORS.has(token.lower))) break
  }
  return end
}

/** A range of tokens; `end` is exclusive. */
interface TokenRun {
  readonly start: number
  readonly end: number
}

/** Returns true if the first word of a run is not part of the name: "Thanks Ada", "Embracing Oslo", "French Ada". */
function isOutsideName({ tokens, lowerCased, capitalizesNouns }: WordUses, { start, end }: TokenRun): boolean {
  const { lower, shape, gap, text } = tokens[start]!
  if (shape === 'number' || shape === 'lower') return true
  // Example: "New York".
  if (PLACE_OPENINGS.has(lower) && end - start > 1 && isKnownPlace(tokens[start + 1]!.lower)) return false
  // A single letter is an initial and not a common word.
  if (text.length > 1 && (isCommonWord(lower) || HONORIFICS.has(lower))) return true
  if (isNationality(lower) && end - start > 1 && !isNameEnding(tokens[end - 1]!)) return true
  if (capitalizesNouns && GERMAN_STOP_WORDS.has(lower)) return true
  if (gap !== 'end' || isKnown(lower)) return false
  // "Heute Abend": in German, any word can start the sentence, and any noun can follow it.
  if (capitalizesNouns && end - start > 1 && !isNameEnding(tokens[end - 1]!)) return true
  const isBeforeName = end - start === 2 && isGivenName(tokens[start + 1]!.lower) && !TITLES.has(lower)
  return isVerbal(lower) || lowerCased.has(lower) || isBeforeName
}

/** Removes words from both ends of a run that are not part of the name. */
function trimmed(uses: WordUses, run: TokenRun): TokenRun {
  const { tokens } = uses
  let { start, end } = run
  while (start < end && isOutsideName(uses, { start, end })) start += 1
  while (end > start) {
    const token = tokens[end - 1]!
    if (isUnit(tokens, end - 1) || (token.shape === 'number' && isUnit(tokens, end))) {
      end -= 1
      continue
    }
    if (token.shape === 'number' ? end - start > 1 : token.shape !== 'lower' && !STOP_WORDS.has(token.lower)) break
    end -= 1
  }
  return { start, end }
}

/** Returns true if a token is a currency code next to a number or a common word: "50 EUR", "Net EUR". */
function isUnit(tokens: readonly Token[], at: number): boolean {
  const [token, before] = [tokens[at], tokens[at - 1]]
  if (token?.shape !== 'upper' || before === undefined || !isCurrency(token.text)) return false
  return before.shape === 'number' || isCommonWord(before.lower)
}

function isVerbal(word: string): boolean {
  return word.length >= VERBAL_LETTERS_MIN && VERBAL.test(word)
}

/** Returns true if a word typically ends the name of an organization or place: "Ltd", "Street". */
function isNameEnding({ lower }: Token): boolean {
  return ORGANISATION_ENDINGS.has(lower) || PLACE_ENDINGS.has(lower)
}

/** Returns true if capitalized common words were cut off before a name: "Identity" in "Embracing Identity". */
function isRemainder({ tokens }: WordUses, start: number): boolean {
  const before = tokens[start - 1]
  return before !== undefined && isCapital(before) && joins(tokens[start]!, before) && !GREETINGS.has(before.lower)
}

/** Returns the confidence that a run of several words is a name; 0 if it cannot be one. */
function wordsConfidence({ tokens, capitalized }: WordUses, { start }: TokenRun, words: readonly Token[]): number {
  const first = tokens[start]!
  if (words.every(({ lower }) => isCommonWord(lower) || isNationality(lower))) return 0
  if (isGivenName(first.lower) || TITLES.has(tokens[start - 1]?.lower ?? '')) return CONFIDENCE.known
  if (isNameEnding(words.at(-1)!)) return CONFIDENCE.known
  if (capitalized[start] === 1) return GIVEN_WORDS.has(first.lower) ? CONFIDENCE.inside : 0
  return CONFIDENCE.several
}

/** Returns the confidence that a single word is a name; 0 if it cannot be one. */
function wordConfidence(uses: WordUses, { start, end }: TokenRun): number {
  const { tokens, lowerCased, named, capitalized, capitalizesNouns } = uses
  const { lower, text, gap, shape } = tokens[start]!
  if (text.length < 2 || isCommonWord(lower) || isNationality(lower)) return 0
  if (isKnown(lower)) return CONFIDENCE.known
  if (capitalized[start] === 1) return 0
  if (shape === 'upper') {
    const isShort = text.length >= ACRONYM_LETTERS.min && text.length <= ACRONYM_LETTERS.max
    const isName = gap !== 'end' || named.has(lower) || (!TITLES.has(lower) && isBeforeVerb(tokens[end]))
    return isShort && !lowerCased.has(lower) && isName ? CONFIDENCE.acronym : 0
  }
  if (shape === 'mixed') return CONFIDENCE.inside
  if (lowerCased.has(lower)) return 0
  if (capitalizesNouns) return HONORIFICS.has(tokens[start - 1]?.lower ?? '') ? CONFIDENCE.known : 0
  if (gap !== 'end') return isRemainder(uses, start) ? 0 : CONFIDENCE.inside
  if (named.has(lower)) return CONFIDENCE.repeated
  return isPersonalVerb(tokens[end]) && !isVerbal(lower) ? CONFIDENCE.doing : 0
}

/** Returns true if a token is a verb whose subject is usually a named person or organization. */
function isPersonalVerb(next: Token | undefined): boolean {
  return next?.gap === 'space' && DOING.has(next.lower)
}

/** Returns true if a token may be a verb: "DNB approved". An acronym before a verb is mostly a name. */
function isBeforeVerb(next: Token | undefined): boolean {
  return isPersonalVerb(next) || (next?.gap === 'space' && next.shape === 'lower' && PAST.test(next.lower))
}

/** Returns the confidence that a run is a name; 0 if it cannot be one. */
function confidenceOf(uses: WordUses, run: TokenRun): number {
  const isOne = run.end - run.start === 1 && uses.tokens[run.start]!.shape !== 'number'
  if (isOne) return wordConfidence(uses, run)
  const words = uses.tokens.slice(run.start, run.end).filter(({ shape }) => shape !== 'number')
  return words.length > 1 ? wordsConfidence(uses, run, words) : words.length === 1 ? wordConfidence(uses, run) : 0
}

/**
 * Returns the mentions in a text in order, in linear time. A mention is a run of capitalized words that looks like a
 * name, judged by the lexicon and by how the rest of the text writes its words.
 */
export function findMentions(text: string, tokens: readonly Token[] = tokensOf(text)): FoundMention[] {
  const uses = analyseWordUses(tokens)
  const found: FoundMention[] = []
  for (let at = 0; at < tokens.length && found.length < MENTIONS_MAX; ) {
    const token = tokens[at]!
    if (!isCapital(token)) {
      const end = givenEnd(tokens, at)
      if (end > at) found.push(toMention(text, tokens, { start: at, end }, CONFIDENCE.known))
      at = Math.max(at + 1, end)
      continue
    }
    if (isNumbered(tokens, at)) {
      const [start, end] = [token.from, tokens[at + 1]!.to]
      if (INCIDENT_WORDS.has(token.lower)) {
        found.push({ name: text.slice(start, end), type: 'incident', start, end, confidence: CONFIDENCE.known })
      }
      at += 2
      continue
    }
    const run = { start: at, end: runEnd(uses, at) }
    at = run.end
    const name = trimmed(uses, run)
    if (name.start >= name.end) continue
    const confidence = confidenceOf(uses, name)
    if (confidence === 0) continue
    found.push(toMention(text, tokens, name, confidence))
  }
  return found
}

function toMention(text: string, tokens: readonly Token[], run: TokenRun, confidence: number): FoundMention {
  const [start, end] = [tokens[run.start]!.from, tokens[run.end - 1]!.to]
  return { name: text.slice(start, end), type: typeOf(tokens, run), start, end, confidence }
}

/** Returns the end index of the run of given names that begins at `start`, in a script without letter case. */
function givenEnd(tokens: readonly Token[], start: number): number {
  let end = start
  const isOfName = (token: Token) => token.shape === 'other' && !token.isCode && isGivenName(token.lower)
  while (end < tokens.length && isOfName(tokens[end]!) && (end === start || tokens[end]!.gap === 'space')) end += 1
  return end
}
