import { COUNTRY_OF, STOP_WORDS, TIME_WORDS } from '../lexicon/languages.ts'
import { NAME_CONNECTORS } from '../lexicon/names.ts'
import { type FoundIdentifier, urlKey } from './identifiers.ts'
import { beginsWithDigit, isDigits, withoutStart } from './signs.ts'
import { termOf } from './stem.ts'
import { isUnspaced, type Word, wordsOf } from './words.ts'

/** Words as one normalised name: a space between them, none where the script writes none. */
export function joinName(words: readonly string[]): string {
  let name = ''
  for (const word of words) name += name === '' || (isUnspaced(word) && isUnspaced(name.at(-1)!)) ? word : ` ${word}`
  return name
}

/** A name folded to lower-case words without accents, punctuation and possessive endings. */
export function normaliseName(name: string): string {
  return joinName(wordsOf(name).map((word) => word.text))
}

const TIMES: ReadonlySet<string> = new Set(TIME_WORDS.map((word) => word.toLowerCase()))

/** Whether a name is only that of a time: "July", "Monday 3". */
export function isTimeName(name: string): boolean {
  return wordsOf(name).every(({ text }) => TIMES.has(text) || isDigits(text))
}

/** The key of a name whoever bears it: what text and questions link by. */
export function nameKey(name: string): string {
  return `n:${normaliseName(name)}`
}

/** Maximum number of words of a declared name that are indexed. */
const NAME_PARTS_MAX = 8

/** Returns the index key of a term of a declared name. It identifies no entity, only a word of a name. */
export function namePartKey(term: string): string {
  return `part:${term}`
}

/** Returns the index keys of the words of a declared name. */
export function namePartKeys(name: string): string[] {
  const words = wordsOf(name).slice(0, NAME_PARTS_MAX)
  return words.flatMap(({ text }) => {
    const term = termOf(text)
    return term === undefined ? [] : namePartKey(term)
  })
}

/** The key of a name within an entity type: what resolution may merge by. */
export function typedNameKey(type: string, name: string): string {
  return `name:${type.trim().toLowerCase()}:${normaliseName(name)}`
}

/**
 * The key of an identifier: `email:…`, `url:…`, `key:…`, `path:…`, `@handle`, `#channel`; any other kind, such as
 * a login, carries its provider when given. Case, spaces around it, characters that nobody sees and a URL's usual
 * variants do not matter.
 */
export function identifierKey(kind: string, value: string, provider?: string): string {
  const cleaned = cleanIdentifier(value)
  if (kind === 'url') return urlKey(cleaned)
  if (kind === 'email') return `email:${withoutStart(cleaned, 'mailto:')}`
  if (kind === 'handle') return `@${withoutStart(cleaned, '@')}`
  if (kind === 'channel') return `#${withoutStart(cleaned, '#')}`
  return provider === undefined ? `${kind}:${cleaned}` : `${kind}:${provider.toLowerCase()}:${cleaned}`
}

/** The value of an identifier as it is compared: in lower case; empty when nobody sees any of it. */
export function cleanIdentifier(value: string): string {
  return value.normalize('NFKC').replace(INVISIBLE, '').trim().toLowerCase()
}

/** What copying brings along: joiners, soft hyphens, marks of direction and of byte order. */
const INVISIBLE = /\p{Cf}/gu

/** Shorter words, and numbers, may stand in lower case within a name: of, the, 2. */
const NAME_LETTERS_MIN = 4

function isShort(word: string): boolean {
  return word.length < NAME_LETTERS_MIN || beginsWithDigit(word)
}

/** The names a title gives its thing, normalised: the whole, and aliases that people use instead. */
export function titleNames(title: string): { full: string; aliases: string[] } {
  const full = normaliseName(title)
  const aliases = new Set<string>()
  const bare = normaliseName(title.replace(/\s*[([（][^)\]）]*[)\]）]/g, ' '))
  if (bare !== '') aliases.add(bare)
  const comma = title.indexOf(',')
  if (comma > 0) {
    const words = wordsOf(title.slice(0, comma))
    const before = joinName(words.map((word) => word.text))
    // "Springfield Gardens, Illinois" is a name with its place; "heat transfer, recovery and drag" is a list.
    const isName = words.every(({ text, isCapital, isCaseless }) => isCapital || isCaseless || isShort(text))
    if (before.includes(' ') && isName) aliases.add(before)
  }
  aliases.delete(full)
  return { full, aliases: [...aliases] }
}

/** Turns a key into a non-negative integer below 2^52; equal keys give equal numbers for as long as an index lives. */
export type KeyHash = (key: string) => number

/** Bits of a hash that fit above the low 32, so that the whole stays an exact double and 6.5 bytes long. */
const HIGH_BITS = 20
const HIGH_MASK = (1 << HIGH_BITS) - 1
const LOW_SPAN = 2 ** 32

/** The hash of sandboxes without a caller's key: fast, well spread, the same in every process; it hides nothing. */
export const plainKeyHash: KeyHash = (key) => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (b & HIGH_MASK) * LOW_SPAN + (a >>> 0)
}

/**
 * What a candidate mention is, which decides what makes it count: `span`, `word` and `identifier` count when an
 * entity owns the key or enough records share it, `weak` when an entity owns it or other records make it a name, and
 * `joined`, which has a comma inside, only when an entity owns it.
 */
type MentionKind = 'span' | 'word' | 'identifier' | 'weak' | 'joined'

/** A place in a text where a name or identifier may stand; which of them count is decided by who asks. */
export interface Mention {
  readonly key: string
  readonly kind: MentionKind
  /** Index of its first word. */
  readonly at: number
  /** Length in words. */
  readonly length: number
}

/** Candidates kept for one text: some two thousand words of prose full of names; later ones add nothing new. */
export const MENTIONS_MAX = 1_000
/** Words in the longest name that is looked for. */
export const NAME_WORDS_MAX = 8
/** Segments in the longest name of a script without case, where every word sequence is a candidate. */
const CASELESS_WORDS_MAX = 3
/** Words in the longest identifier. */
const IDENTIFIER_WORDS_MAX = 15
/** Shorter capitalised words are mostly abbreviations that mean many things. */
const WORD_LETTERS_MIN = 4
const NUMBER_DIGITS_MAX = 4

function isShortNumber({ text }: Word): boolean {
  return isDigits(text) && text.length <= NUMBER_DIGITS_MAX
}

function startKind(word: Word): MentionKind {
  return word.startsSentence && STOP_WORDS.has(word.text) ? 'weak' : 'span'
}

function wordKind(word: Word): MentionKind {
  return !word.startsSentence && word.text.length >= WORD_LETTERS_MIN && !STOP_WORDS.has(word.text) ? 'word' : 'weak'
}

function addSpans(words: readonly Word[], start: number, mentions: Mention[]): void {
  const first = words[start]!
  let kind = startKind(first)
  let name = first.text
  for (let end = start + 1; end < words.length && end - start < NAME_WORDS_MAX; end += 1) {
    const word = words[end]!
    if (!(word.isCapital || NAME_CONNECTORS.has(word.text) || isShortNumber(word))) break
    if (!word.continues) {
      // "Walter IV, Count of Brienne": one comma, as titles of things have it; more of them make a list.
      if (!word.followsComma || !word.isCapital || kind === 'joined') break
      kind = 'joined'
    }
    name += ` ${word.text}`
    if (word.isCapital || isShortNumber(word))
      mentions.push({ key: `n:${name}`, kind, at: start, length: end - start + 1 })
  }
}

function addWord(word: Word, at: number, mentions: Mention[]): void {
  if (STOP_WORDS.has(word.text) && !word.isAcronym) return
  if (word.text.length < 2) return
  mentions.push({ key: `n:${word.text}`, kind: wordKind(word), at, length: 1 })
  const country = COUNTRY_OF.get(word.text)
  if (country !== undefined) mentions.push({ key: `n:${country}`, kind: 'weak', at, length: 1 })
}

function addCaseless(words: readonly Word[], start: number, mentions: Mention[]): void {
  const parts: string[] = []
  for (let end = start; end < words.length && end - start < CASELESS_WORDS_MAX; end += 1) {
    const word = words[end]!
    if (!word.isCaseless || (end > start && !word.continues)) break
    parts.push(word.text)
    const name = joinName(parts)
    if (name.length > 1) mentions.push({ key: `n:${name}`, kind: 'weak', at: start, length: end - start + 1 })
  }
}

function addIdentifiers(words: readonly Word[], identifiers: readonly FoundIdentifier[], mentions: Mention[]): void {
  let at = 0
  for (const { key, from, to } of identifiers) {
    while (at < words.length && words[at]!.to <= from) at += 1
    let length = 0
    while (at + length < words.length && words[at + length]!.from < to) length += 1
    if (key === undefined || length === 0) continue
    mentions.push({ key, kind: 'identifier', at, length: Math.min(length, IDENTIFIER_WORDS_MAX) })
  }
}

/** Every candidate mention of a text, ordered by place and, at one place, the longest first. */
export function mentionsOf(words: readonly Word[], identifiers: readonly FoundIdentifier[]): Mention[] {
  const mentions: Mention[] = []
  addIdentifiers(words, identifiers, mentions)
  for (let at = 0; at < words.length && mentions.length < MENTIONS_MAX; at += 1) {
    const word = words[at]!
    if (word.isCapital) {
      addSpans(words, at, mentions)
      addWord(word, at, mentions)
    } else if (word.isCaseless) addCaseless(words, at, mentions)
  }
  // The sort is stable, so a word comes before the country that it may stand for.
  return mentions.sort((a, b) => a.at - b.at || b.length - a.length).slice(0, MENTIONS_MAX)
}
