import { areShortFor, isCommonFamily, isCommonGiven } from '../../lexicon/names.ts'
import { normaliseName } from '../../text/names.ts'
import { withoutLastDigits } from '../../text/signs.ts'
import { foldText } from '../../text/words.ts'

/** A name of at least two words, read as people write theirs. */
export interface FullName {
  given: string
  family: string
  /** All its words, sorted. */
  words: readonly string[]
}

/** How two names stand to each other, the one that says most first. */
export type NameRelation = 'same' | 'fuller' | 'short' | 'initial' | 'handle' | 'same handle' | 'conflict' | 'none'

/** Handles that are shorter are borne by many. */
const HANDLE_CHARS_MIN = 4
const TAG = /\+.*$/u
/** The hidden address that a code host gives: its number, then the login. */
const HIDDEN = /^\d+\+/u
const SIGNS = /[._-]+/gu

/** Letters alone, in lower case without accents: also of those that folding leaves as they are. */
function plain(name: string): string {
  return foldText(normaliseName(name)).replaceAll('ø', 'o').replaceAll('ı', 'i').replaceAll('ł', 'l')
}

/** The name in its parts; undefined for one of a single word, which is a first name or a handle. */
export function fullNameOf(name: string): FullName | undefined {
  const [last = '', first] = name.split(',')
  const words = plain(first ? `${first} ${last}` : name)
    .split(' ')
    .filter(Boolean)
  const [given, family] = [words[0], words.at(-1)]
  if (words.length < 2 || !given || !family || family.length < 2) return undefined
  return { given, family, words: words.toSorted() }
}

/** A name of a single word, or an address's mailbox, without what is added to either. */
export function handleOf(written: string): string | undefined {
  const [local = ''] = plain(written.toLowerCase().replace(HIDDEN, '').split('@')[0]!.replace(TAG, '')).split('@')
  const handle = local.replaceAll(' ', '').replaceAll(SIGNS, '')
  return handle.length >= HANDLE_CHARS_MIN ? handle : undefined
}

/** The handle without the number that makes it free at its host. */
export function bareHandle(handle: string): string {
  return withoutLastDigits(handle)
}

/** The handles that people make of a name. */
export function handlesFor({ given, family }: FullName): string[] {
  const made = [given + family, family + given, given[0] + family, given + family[0], family + given[0]]
  return made.filter((handle) => handle.length >= HANDLE_CHARS_MIN)
}

/** How two full names stand to each other. */
export function relationOf(one: FullName, other: FullName): NameRelation {
  if (one.words.join(' ') === other.words.join(' ')) return 'same'
  if (one.family !== other.family) return 'conflict'
  if (one.given === other.given) {
    const [ours, theirs] = [between(one), between(other)]
    return ours.length > 0 && theirs.length > 0 && !ours.some((word) => startsAny(word, theirs)) ? 'conflict' : 'fuller'
  }
  if (areShortFor(one.given, other.given)) return 'short'
  const isInitial = Math.min(one.given.length, other.given.length) === 1 && one.given[0] === other.given[0]
  return isInitial ? 'initial' : 'conflict'
}

/** The words between the first and the last. */
function between({ words, given, family }: FullName): string[] {
  return words.filter((word) => word !== given && word !== family)
}

function startsAny(word: string, others: readonly string[]): boolean {
  return others.some((other) => other.startsWith(word) || word.startsWith(other))
}

/** How many of the two parts of a name very many people bear. */
export function commonParts({ given, family }: FullName): number {
  return Number(isCommonGiven(given)) + Number(isCommonFamily(family))
}
