import { COUNTRY_OF, STOP_WORDS, TIME_WORDS } from '../lexicon/languages.ts'
import { NAME_CONNECTORS } from '../lexicon/names.ts'
import { beginsWithDigit, isDigits, withoutStart } from './characters.ts'
import { type FoundIdentifier, urlKey } from './identifiers.ts'
import { termOf } from './stem.ts'
import { isUnspaced, type Word, wordsOf } from './words.ts'

/** Joins words to a normalized name: with spaces, or without them in scripts that use none. */
export function joinName(words: readonly string[]): string {
  let name = ''
  for (const word of words) name += name === '' || (isUnspaced(word) && isUnspaced(name.at(-1)!)) ? word : ` ${word}`
  return name
}

/** Returns a name as folded lower-case words, without accents, punctuation and possessive endings. */
export function normaliseName(name: string): string {
  return joinName(wordsOf(name).map((word) => word.text))
}

const TIMES: ReadonlySet<string> = new Set(TIME_WORDS.map((word) => word.toLowerCase()))

/** Returns true if a name consists only of words for times: "July", "Monday 3". */
export function isTimeName(name: string): boolean {
  return wordsOf(name).every(({ text }) => TIMES.has(text) || isDigits(text))
}

/** Returns the key of a name for any entity type. Texts and questions are linked to entities by it. */
export function nameKey(name: string): string {
  return `n:${normaliseName(name)}`
}

/** Maximum number of words of a declared name that are indexed. */
const NAME_PARTS_MAX = 8

/** Returns the index key of one word of a declared name. It finds names with this word and identifies no entity. */
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

/** Returns the key of a name within an entity type. Entity resolution merges entities with equal keys. */
export function typedNameKey(type: string, name: string): string {
  return `name:${type.trim().toLowerCase()}:${normaliseName(name)}`
}

/**
 * Returns the key of an identifier: `email:…`, `url:…`, `key:…`, `path:…`, `@handle`, `#channel`. The key of any other
 * kind, such as a login, includes the provider if given. Case, surrounding spaces, invisible characters and the usual
 * variants of a URL are normalized.
 */
export function identifierKey(kind: string, value: string, provider?: string): string {
  const cleaned = cleanIdentifier(value)
  if (kind === 'url') return urlKey(cleaned)
  if (kind === 'email') return `email:${withoutStart(cleaned, 'mailto:')}`
  if (kind === 'handle') return `@${withoutStart(cleaned, '@')}`
  if (kind === 'channel') return `#${withoutStart(cleaned, '#')}`
  return provider === undefined ? `${kind}:${cleaned}` : `${kind}:${provider.toLowerCase()}:${cleaned}`
}

/** Returns the normalized value of an identifier in lower case; empty if it has no visible characters. */
export function cleanIdentifier(value: string): string {
  return value.normalize('NFKC').replace(INVISIBLE, '').trim().toLowerCase()
}

/** Invisible characters that are often copied: joiners, soft hyphens, direction and byte order marks. */
const INVISIBLE = /\p{Cf}/gu

/** Minimum length of a word that must be capitalized in a name. Shorter words, such as "of", need not be. */
const NAME_LETTERS_MIN = 4

function isShort(word: string): boolean {
  return word.length < NAME_LETTERS_MIN || beginsWithDigit(word)
}

/** Returns the normalized names in a title: the whole title, and its aliases. */
export function titleNames(title: string): { full: string; aliases: string[] } {
  const full = normaliseName(title)
  const aliases = new Set<string>()
  const bare = normaliseName(title.replace(/\s*[([（][^)\]）]*[)\]）]/g, ' '))
  if (bare !== '') aliases.add(bare)
  const comma = title.indexOf(',')
  if (comma > 0) {
    const words = wordsOf(title.slice(0, comma))
    const before = joinName(words.map((word) => word.text))
    // "Springfield Gardens, Illinois" is a name with its location; "heat transfer, recovery and drag" is a list.
    const isName = words.every(({ text, isCapital, isCaseless }) => isCapital || isCaseless || isShort(text))
    if (before.includes(' ') && isName) aliases.add(before)
  }
  aliases.delete(full)
  return { full, aliases: [...aliases] }
}

/** Maps a key to a non-negative integer below 2^52. It must not change during the lifetime of an index. */
export type KeyHash = (key: string) => number

/** Bits of a hash above the low 32. With 52 bits the hash is an exact double. */
const HIGH_BITS = 20
const HIGH_MASK = (1 << HIGH_BITS) - 1
const LOW_SPAN = 2 ** 32

/** Hash (cyrb53) for sandboxes without a customer-managed key: fast and the same in every process, but not secret. */
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
 * Kind of a candidate mention. `span`, `word` and `identifier` count if an entity has the key or enough records share
 * it. `weak` counts if an entity has the key or other records write it like a name. `joined` contains a comma and
 * counts only if an entity has the key.
 */
type MentionKind = 'span' | 'word' | 'identifier' | 'weak' | 'joined'

/** A candidate name or identifier in a text. The caller decides which candidates count. */
export interface Mention {
  readonly key: string
  readonly kind: MentionKind
  /** Index of its first word. */
  readonly at: number
  /** Length in words. */
  readonly length: number
}

/** Maximum number of candidates per text, enough for about two thousand words full of names. */
export const MENTIONS_MAX = 1_000
/** Maximum number of words of a name. */
export const NAME_WORDS_MAX = 8
/** Maximum number of segments of a name in a script without case, where every word sequence is a candidate. */
const CASELESS_WORDS_MAX = 3
const IDENTIFIER_WORDS_MAX = 15
/** Minimum length of a capitalized word. Shorter ones are mostly ambiguous abbreviations. */
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
      // "Walter IV, Count of Brienne": titles contain one comma. More commas make a list.
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

/** Returns all candidate mentions of a text, ordered by position; the longest comes first at each position. */
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
  // The sort is stable, so a nationality stays before the country that it may mean.
  return mentions.sort((a, b) => a.at - b.at || b.length - a.length).slice(0, MENTIONS_MAX)
}

/** Minimum number of letters of a joined name. Shorter ones coincide with other words. */
const JOINED_CHARS_MIN = 5

/** Returns the words of a name as one: "vscode" for "VS Code". Empty for a single word, and for a short name. */
export function joinedName(name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const joined = words.join('')
  return words.length > 1 && joined.length >= JOINED_CHARS_MIN ? joined : ''
}
