import { TIME_WORDS } from '../lexicon/languages.ts'
import { urlKey } from './identifiers.ts'
import { isUnspaced, wordsOf } from './words.ts'

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
  return wordsOf(name).every(({ text }) => TIMES.has(text) || /^\d+$/.test(text))
}

/** The key of a name whoever bears it: what text and questions link by. */
export function nameKey(name: string): string {
  return `n:${normaliseName(name)}`
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
  if (kind === 'email') return `email:${cleaned.replace(/^mailto:/, '')}`
  if (kind === 'handle') return `@${cleaned.replace(/^@/, '')}`
  if (kind === 'channel') return `#${cleaned.replace(/^#/, '')}`
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
  return word.length < NAME_LETTERS_MIN || /^\d/.test(word)
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
