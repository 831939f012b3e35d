import { areShortForms, isCommonFamily, isCommonGiven } from '../../lexicon/names.ts'
import { withoutLastDigits } from '../../text/characters.ts'
import { normaliseName } from '../../text/names.ts'
import { foldText } from '../../text/words.ts'

/** A personal name of at least two words. */
export interface FullName {
  given: string
  family: string
  /** All words of the name, sorted. */
  words: readonly string[]
}

/** Relation of two names, strongest evidence first. */
export type NameRelation = 'same' | 'fuller' | 'short' | 'initial' | 'handle' | 'same handle' | 'conflict' | 'none'

/** Minimum length of a handle. Shorter ones are shared by many people. */
const HANDLE_CHARS_MIN = 4
const TAG = /\+.*$/u
/** Matches the number before the login in a private address of a code host. */
const HIDDEN = /^\d+\+/u
const SEPARATORS = /[._-]+/gu

/** Returns the name in lower case without accents. Also converts letters that Unicode folding leaves unchanged. */
function plain(name: string): string {
  return foldText(normaliseName(name)).replaceAll('ø', 'o').replaceAll('ı', 'i').replaceAll('ł', 'l')
}

/** Parses a name. Returns undefined for a single word, which is a first name or a handle. */
export function fullNameOf(name: string): FullName | undefined {
  const [last = '', first] = name.split(',')
  const words = plain(first ? `${first} ${last}` : name)
    .split(' ')
    .filter(Boolean)
  const [given, family] = [words[0], words.at(-1)]
  if (words.length < 2 || !given || !family || family.length < 2) return undefined
  return { given, family, words: words.toSorted() }
}

/** Returns the handle in a single-word name or an email address. Returns undefined if it is too short. */
export function handleOf(written: string): string | undefined {
  const [local = ''] = plain(written.toLowerCase().replace(HIDDEN, '').split('@')[0]!.replace(TAG, '')).split('@')
  const handle = local.replaceAll(' ', '').replaceAll(SEPARATORS, '')
  return handle.length >= HANDLE_CHARS_MIN ? handle : undefined
}

/** Returns the handle without its final number. The number only makes the handle unique at its host. */
export function bareHandle(handle: string): string {
  return withoutLastDigits(handle)
}

/** Returns the handles that people usually form from a name. */
export function handlesFor({ given, family }: FullName): string[] {
  const made = [given + family, family + given, given[0] + family, given + family[0], family + given[0]]
  return made.filter((handle) => handle.length >= HANDLE_CHARS_MIN)
}

/** Returns the relation of two full names. */
export function relationOf(one: FullName, other: FullName): NameRelation {
  if (one.words.join(' ') === other.words.join(' ')) return 'same'
  if (one.family !== other.family) return 'conflict'
  if (one.given === other.given) {
    const [ours, theirs] = [between(one), between(other)]
    return ours.length > 0 && theirs.length > 0 && !ours.some((word) => startsAny(word, theirs)) ? 'conflict' : 'fuller'
  }
  if (areShortForms(one.given, other.given)) return 'short'
  const isInitial = Math.min(one.given.length, other.given.length) === 1 && one.given[0] === other.given[0]
  return isInitial ? 'initial' : 'conflict'
}

/** Returns the words between the first and the last name. */
function between({ words, given, family }: FullName): string[] {
  return words.filter((word) => word !== given && word !== family)
}

function startsAny(word: string, others: readonly string[]): boolean {
  return others.some((other) => other.startsWith(word) || word.startsWith(other))
}

/** Returns how many of the given name and the family name are very common: 0, 1 or 2. */
export function commonParts({ given, family }: FullName): number {
  return Number(isCommonGiven(given)) + Number(isCommonFamily(family))
}
