import { anyOf } from '../lexicon/entries.ts'
import { FAMILY_PREFIXES } from '../lexicon/names.ts'
import { PHRASAL_VERBS } from '../lexicon/writing.ts'
import { type FoundIdentifier, identifiersOf } from './identifiers.ts'
import { beginsWithSmall } from './signs.ts'
import { shortHash, stem, termOf, wholeTerm } from './stem.ts'
import { foldText, type Word, wordsOfFolded } from './words.ts'

/** Calls `visit` with each term of a folded text, given its words and identifiers, and with the word that it is. */
export function eachTerm(
  folded: string,
  words: readonly Word[],
  identifiers: readonly FoundIdentifier[],
  visit: (term: string, word?: Word) => void,
): void {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    const hash = shortHash(word.text)
    if (hash !== undefined) visit(wholeTerm(hash))
    const term = termOf(word.text)
    if (term === undefined) continue
    const parts = codePartsOf(folded, word)
    visit(parts.length > 0 ? wholeTerm(term) : term, word)
    for (const part of parts) {
      const partTerm = termOf(part)
      if (partTerm !== undefined) visit(partTerm)
    }
    const phrasal = phrasalOf(folded, term, word, words[at + 1])
    if (phrasal !== undefined) visit(wholeTerm(phrasal))
  }
  for (const { term } of identifiers) visit(term)
  for (const pair of pairsOf(words)) visit(pair)
}

/** The terms a text is indexed under, in order with repeats: stems, and identifiers whole. */
export function terms(text: string): string[] {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const result: string[] = []
  eachTerm(folded, words, identifiersOf(folded, words), (term) => result.push(term))
  return result
}

/**
 * Characters of which two side by side often are a word: ideographs, the letters of foreign names in Japanese, and the
 * syllables of Korean, whose words carry their particles.
 */
const PAIRED = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}ー]/u
const PAIR = 2

/**
 * Every two characters side by side in runs of scripts that write no spaces, as terms. Where a word ends there is a
 * guess that depends on what stands around it, so that what is asked for by itself would not be found within a longer
 * word. Pairs that are a word by themselves are left out.
 */
export function pairsOf(words: readonly Word[]): string[] {
  const pairs: string[] = []
  let last = ''
  let lastTo = -1
  for (const { text, from, to, isCaseless } of words) {
    if (!isCaseless || !PAIRED.test(text)) {
      last = ''
      continue
    }
    const letters = [...text]
    if (lastTo !== from) last = ''
    for (const [at, letter] of letters.entries()) {
      const isWord = at > 0 && letters.length === PAIR
      if (last !== '' && !isWord && PAIRED.test(letter)) pairs.push(last + letter)
      last = PAIRED.test(letter) ? letter : ''
    }
    lastTo = to
  }
  return pairs
}

/** By a verb's stem and a small word what they are as one word. */
const WHOLES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  PHRASAL_VERBS.map(([verb = '', ...particles]) => [
    stem(verb),
    new Map(particles.map((particle) => [particle, termOf(verb + particle)!])),
  ]),
)

const SPACE = 32
const PARTICLE_CHARS_MAX = 7
/** By the code of a letter, whether small words begin with it: most words are passed over by that. */
const BEGINS_PARTICLE: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  [...WHOLES.values()].some((wholes) => [...wholes.keys()].some((particle) => particle.charCodeAt(0) === code)),
)

/** The term of a verb and the word after it as one word: "logged in" as `login`; of others undefined. */
export function phrasalOf(folded: string, verbTerm: string, verb: Word, next: Word | undefined): string | undefined {
  if (next === undefined || next.text.length > PARTICLE_CHARS_MAX) return undefined
  if (BEGINS_PARTICLE[next.text.charCodeAt(0)] !== true) return undefined
  if (next.from !== verb.to + 1 || folded.charCodeAt(verb.to) !== SPACE) return undefined
  return WHOLES.get(verbTerm)?.get(next.text)
}

/** The parts of a word in mixed case: words, and acronyms also in the plural, each with digits around it. */
const PARTS = /\p{N}*(?:\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{M}]*)\p{N}*/gu
/** A number at the end of a word of at least two letters: node20, http502. */
const NUMBERED = /^([a-z]{2,})(\d{2,})$/
/** How a family's name begins whose second capital makes it no two words: McDonald, DeSantis. */
const FAMILY = new RegExp(`^${anyOf(FAMILY_PREFIXES)}\\p{Lu}\\p{Ll}`, 'u')
/** Parts with which a word is put together like a name in a program, and like no brand. */
const CODE_PARTS_MIN = 3
/** Characters before or after a name in a program. */
const BEFORE_CODE = /[\p{L}\p{N})\]][._]$|::$|->$|`$/u
const AFTER_CODE = /^(?:\(|::|->|`|[._][\p{L}\p{N}])/u
const BESIDE_CHARS = 3

/** The words of which one in mixed case is put together, in lower case; none of one that is not. */
function partsOf(folded: string, { isMixed, from, to }: Word): string[] {
  if (!isMixed) return []
  const raw = folded.slice(from, to)
  const parts: string[] = []
  let single = ''
  for (const [part] of raw.matchAll(PARTS)) {
    // One letter is no word: iPhone, LaTeX, IPv4Address.
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
 * The parts under which a word of a text is found as well. Two capitalised words in one are a brand (GitHub) as often
 * as a name in a program, which then shows in what stands beside it; a brand stays one word.
 */
export function codePartsOf(folded: string, word: Word): string[] {
  const parts = partsOf(folded, word)
  if (parts.length === 0 || parts.length >= CODE_PARTS_MIN || beginsWithSmall(folded[word.from]!)) return parts
  const isCode =
    BEFORE_CODE.test(folded.slice(Math.max(0, word.from - BESIDE_CHARS), word.from)) ||
    AFTER_CODE.test(folded.slice(word.to, word.to + BESIDE_CHARS))
  return isCode ? parts : []
}

/** What a word of a question may stand for in several: its parts, or letters and the number after them. */
export function spokenPartsOf(folded: string, word: Word): string[] {
  const numbered = NUMBERED.exec(word.text)
  return numbered ? [numbered[1]!, numbered[2]!] : partsOf(folded, word)
}
