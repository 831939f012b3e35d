import { anyOf } from '../lexicon/entries.ts'
import { FAMILY_PREFIXES } from '../lexicon/names.ts'
import { PHRASAL_VERBS } from '../lexicon/writing.ts'
import { beginsWithLowerCase } from './characters.ts'
import { type FoundIdentifier, identifiersOf } from './identifiers.ts'
import { compoundTerm, shortHash, stem, termOf } from './stem.ts'
import { foldText, type Word, wordsOfFolded } from './words.ts'

/** Calls `visit` with each term of a folded text. The second argument is the word, if the term comes from one. */
export function eachTerm(
  folded: string,
  words: readonly Word[],
  identifiers: readonly FoundIdentifier[],
  visit: (term: string, word?: Word) => void,
): void {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    const hash = shortHash(word.text)
    if (hash !== undefined) visit(compoundTerm(hash))
    const term = termOf(word.text)
    if (term === undefined) continue
    const parts = codePartsOf(folded, word)
    visit(parts.length > 0 ? compoundTerm(term) : term, word)
    for (const part of parts) {
      const partTerm = termOf(part)
      if (partTerm !== undefined) visit(partTerm)
    }
    const phrasal = phrasalTermOf(folded, term, word, words[at + 1])
    if (phrasal !== undefined) visit(compoundTerm(phrasal))
  }
  for (const { term } of identifiers) visit(term)
  for (const pair of pairsOf(words)) visit(pair)
}

/** Returns the index terms of a text, in order with repetitions: stems and whole identifiers. */
export function terms(text: string): string[] {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const result: string[] = []
  eachTerm(folded, words, identifiersOf(folded, words), (term) => result.push(term))
  return result
}

/**
 * Matches characters of scripts in which two adjacent characters often form a word: ideographs, katakana, and Korean
 * syllables, whose words include particles.
 */
const PAIRED_SCRIPTS = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}ー]/u
const PAIR = 2

/**
 * Returns all pairs of adjacent characters in scripts without spaces, as terms. Word segmentation there depends on the
 * context, so a short query would not match inside a longer word. Pairs that are segmented as a word are left out.
 */
export function pairsOf(words: readonly Word[]): string[] {
  const pairs: string[] = []
  let last = ''
  let lastTo = -1
  for (const { text, from, to, isCaseless } of words) {
    if (!isCaseless || !PAIRED_SCRIPTS.test(text)) {
      last = ''
      continue
    }
    const letters = [...text]
    if (lastTo !== from) last = ''
    for (const [at, letter] of letters.entries()) {
      const isWord = at > 0 && letters.length === PAIR
      if (last !== '' && !isWord && PAIRED_SCRIPTS.test(letter)) pairs.push(last + letter)
      last = PAIRED_SCRIPTS.test(letter) ? letter : ''
    }
    lastTo = to
  }
  return pairs
}

/** Joined form of a phrasal verb, by the verb's stem and the particle. */
const JOINED_PHRASAL_VERBS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  PHRASAL_VERBS.map(([verb = '', ...particles]) => [
    stem(verb),
    new Map(particles.map((particle) => [particle, termOf(verb + particle)!])),
  ]),
)

const SPACE = 32
const PARTICLE_CHARS_MAX = 7
/** True for each character code that a particle begins with. It rejects most words quickly. */
const BEGINS_PARTICLE: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  [...JOINED_PHRASAL_VERBS.values()].some((wholes) =>
    [...wholes.keys()].some((particle) => particle.charCodeAt(0) === code),
  ),
)

/** Returns the term of a phrasal verb as one word: "logged in" as `login`; undefined for other words. */
export function phrasalTermOf(
  folded: string,
  verbTerm: string,
  verb: Word,
  next: Word | undefined,
): string | undefined {
  if (next === undefined || next.text.length > PARTICLE_CHARS_MAX) return undefined
  if (BEGINS_PARTICLE[next.text.charCodeAt(0)] !== true) return undefined
  if (next.from !== verb.to + 1 || folded.charCodeAt(verb.to) !== SPACE) return undefined
  return JOINED_PHRASAL_VERBS.get(verbTerm)?.get(next.text)
}

/** Matches the parts of a word in mixed case: words and acronyms (singular or plural), with adjacent digits. */
const PARTS = /\p{N}*(?:\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{M}]*)\p{N}*/gu
/** Matches a word with a number at its end: node20, http502. */
const NUMBERED = /^([a-z]{2,})(\d{2,})$/
/** Matches a family name with a prefix whose second capital does not begin a new word: McDonald, DeSantis. */
const FAMILY = new RegExp(`^${anyOf(FAMILY_PREFIXES)}\\p{Lu}\\p{Ll}`, 'u')
/** Minimum number of parts of a word that is a program identifier and not a brand. */
const CODE_PARTS_MIN = 3
/** Matches the characters before a program identifier. AFTER_CODE matches those after one. */
const BEFORE_CODE = /[\p{L}\p{N})\]][._]$|::$|->$|`$/u
const AFTER_CODE = /^(?:\(|::|->|`|[._][\p{L}\p{N}])/u
const BESIDE_CHARS = 3

/** Returns the lower-case parts of a word in mixed case; empty for other words. */
function partsOf(folded: string, { isMixed, from, to }: Word): string[] {
  if (!isMixed) return []
  const raw = folded.slice(from, to)
  const parts: string[] = []
  let single = ''
  for (const [part] of raw.matchAll(PARTS)) {
    // A single letter is not a part: iPhone, LaTeX, IPv4Address.
    if (part.length === 1) single += part
    else {
      parts.push((single + part).toLowerCase())
      single = ''
    }
  }
  if (single !== '' || parts.length < 2) return []
  return parts.length === 2 && FAMILY.test(raw) ? [] : parts
}

/**
 * Returns the parts under which a word is also indexed. A word with two capitalized parts is a brand (GitHub) or a
 * program identifier, depending on the adjacent characters. A brand is not split.
 */
export function codePartsOf(folded: string, word: Word): string[] {
  const parts = partsOf(folded, word)
  if (parts.length === 0 || parts.length >= CODE_PARTS_MIN || beginsWithLowerCase(folded[word.from]!)) return parts
  const isCode =
    BEFORE_CODE.test(folded.slice(Math.max(0, word.from - BESIDE_CHARS), word.from)) ||
    AFTER_CODE.test(folded.slice(word.to, word.to + BESIDE_CHARS))
  return isCode ? parts : []
}

/** Returns the parts of a question's word that records may write separately: "GitHub", "node20". */
export function queryPartsOf(folded: string, word: Word): string[] {
  const numbered = NUMBERED.exec(word.text)
  return numbered ? [numbered[1]!, numbered[2]!] : partsOf(folded, word)
}
