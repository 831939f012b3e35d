import { COUNTRY_OF, STOP_WORDS } from '../lexicon/languages.ts'
import { NAME_CONNECTORS } from '../lexicon/names.ts'
import type { FoundIdentifier } from './identifiers.ts'
import { joinName } from './names.ts'
import type { Word } from './words.ts'

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
const NUMBER = /^\d{1,4}$/

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
    if (!(word.isCapital || NAME_CONNECTORS.has(word.text) || NUMBER.test(word.text))) break
    if (!word.continues) {
      // "Walter IV, Count of Brienne": one comma, as titles of things have it; more of them make a list.
      if (!word.followsComma || !word.isCapital || kind === 'joined') break
      kind = 'joined'
    }
    name += ` ${word.text}`
    if (word.isCapital || NUMBER.test(word.text))
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
