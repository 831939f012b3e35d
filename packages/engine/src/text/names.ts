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

/** Words of fewer letters are written in lower case within names too, and numbers have no case. */
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
