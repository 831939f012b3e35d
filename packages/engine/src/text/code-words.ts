import { anyOf } from '../lexicon/entries.ts'
import { FAMILY_PREFIXES } from '../lexicon/names.ts'
import type { Word } from './words.ts'

/** The parts of a word in mixed case: words, and acronyms also in the plural, each with digits around it. */
const PARTS = /\p{N}*(?:\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{M}]*)\p{N}*/gu
const LOWER = /^\p{Ll}/u
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
export function partsOf(folded: string, { isMixed, from, to }: Word): string[] {
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
  if (parts.length === 0 || parts.length >= CODE_PARTS_MIN || LOWER.test(folded[word.from]!)) return parts
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
