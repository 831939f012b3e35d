import { anyOf } from '../lexicon/entries.ts'
import { DATE_PREPOSITIONS, ORDINAL_ENDINGS } from '../lexicon/writing.ts'
import { beginsWithDigit, hasSpace, withoutStart } from './characters.ts'
import { monthNumber } from './month-number.ts'
import { compoundTerm, termOf } from './stem.ts'
import type { Word } from './words.ts'

/** An address, issue key, handle, path, compound, amount or date in a text. */
export interface FoundIdentifier {
  /** Start offset in the folded text. */
  readonly from: number
  readonly to: number
  /** Lower-case key in the format of `identifierKey`; undefined for a compound, amount or date. */
  readonly key: string | undefined
  /** The whole identifier as written, in lower case. */
  readonly form: string
  readonly term: string
  /** Term of the parts joined to one word: `rollback` for "roll-back". Undefined if they cannot be joined. */
  readonly solid: string | undefined
}

/** Matches URLs, handles, channels and joined words. The latter begin only at a word's start, for linear time. */
const FORMS = new RegExp(
  [
    /https?:\/\/[^\s<>"'`)\]}]+/u,
    /(?<![\p{L}\p{N}_.@/#])[@#][\p{L}\p{N}][\p{L}\p{N}_.-]*/u,
    /(?<![\p{L}\p{N}_])[\p{L}\p{N}_]+(?:[-_./@:+\\]+[\p{L}\p{N}_]+)+/u,
    /(?<![\p{L}\p{N}_])[\p{L}\p{N}]*_[\p{L}\p{N}_]*/u,
  ]
    .map((form) => form.source)
    .join('|'),
  'gu',
)
const EMAIL = /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u
const ISSUE_KEY = /^[a-z][a-z0-9]{1,9}-\d{1,9}$/
const PATH = /^(?:[^\s/]+\/)+[^\s/]*\.[a-z0-9]{1,8}$/
/** Matches the text up to the last character that is no separator. It is greedy, so that it takes linear time. */
const UNTIL_SEPARATORS = /^.*[^.,;:!?_/\\-]/s
/** Maximum length in characters. Longer ones are encoded data, which nobody searches for. */
const LENGTH_MAX = 200

function keyOf(form: string): string | undefined {
  if (form.startsWith('http://') || form.startsWith('https://')) return urlKey(form)
  if (form.startsWith('@') || form.startsWith('#')) return form
  if (EMAIL.test(form)) return `email:${form}`
  if (ISSUE_KEY.test(form)) return `key:${form}`
  return PATH.test(form) ? `path:${form}` : undefined
}

/** Matches words joined by hyphens and underscores only. */
const JOINED = /^[\p{L}\p{N}]+(?:[-_]+[\p{L}\p{N}]+)+$/u
const JOINTS = /[-_]+/g
/** Matches two numbers joined by hyphens or underscores, such as a range or a date. */
const JOINED_NUMBERS = /\p{N}[-_]+\p{N}/u

/** Returns an identifier without its separators and as a singular: `roll-backs` and `roll_back` become `rollback`. */
function solidOf(form: string): string | undefined {
  return JOINED.test(form) && !JOINED_NUMBERS.test(form) ? termOf(form.replace(JOINTS, '')) : undefined
}

/** Removes the scheme of a lower-case URL. */
export function withoutScheme(url: string): string {
  return url.replace(/^[a-z]+:\/\//, '')
}

/** Returns the key of a URL, without scheme, `www.`, fragment and trailing slash. */
export function urlKey(url: string): string {
  const bare = withoutStart(withoutScheme(url.toLowerCase()), 'www.')
  return `url:${bare.replace(/#.*$/, '').replace(/\/+$/, '')}`
}

/** Characters that join words to an identifier or begin one. */
const JOINING = new Set('@#_/\\:.+-')
/** Maximum number of characters between two words of an identifier, such as `://`. */
const JOINT_LENGTH_MAX = 3

function isJoint(folded: string, from: number, to: number): boolean {
  if (from === to || to - from > JOINT_LENGTH_MAX) return false
  for (let at = from; at < to; at += 1) if (!JOINING.has(folded[at]!)) return false
  return true
}

/** Returns the range of non-space characters around an offset. */
function runAround(folded: string, at: number): { from: number; to: number } {
  let from = at
  let to = at
  while (from > 0 && !hasSpace(folded[from - 1]!)) from -= 1
  while (to < folded.length && !hasSpace(folded[to]!)) to += 1
  return { from, to }
}

/** Matches a version number with the prefix "v". */
const VERSION = /^v\d+(?:\.\d+)+/
/** Matches separators of path segments and of a port. */
const SEPARATORS = /[/\\:]+/
const SEGMENT = /[\p{L}\p{N}][._-]+[\p{L}\p{N}]/u
const SEGMENTS_MAX = 6

/** Returns the terms of a compound: one that is equal for all separators, and the one of its spelling as one word. */
function wholeOf(form: string): Pick<FoundIdentifier, 'term' | 'solid'> {
  const solid = solidOf(form)
  if (solid !== undefined) return { term: compoundTerm(solid), solid }
  return { term: VERSION.test(form) ? form.slice(1) : (dateOf(form) ?? form), solid }
}

function ofAmount({ plain }: FoundNumber): Pick<FoundIdentifier, 'term' | 'solid'> {
  return { term: compoundTerm(plain), solid: plain }
}

/** Returns the parts of a path that are compounds themselves, or the host of an address with a port. */
function segmentsOf(form: string, key: string | undefined): string[] {
  if (key !== undefined && !key.startsWith('path:')) return []
  const segments = form.split(SEPARATORS, SEGMENTS_MAX)
  return segments.length < 2 ? [] : segments.filter((segment) => SEGMENT.test(segment))
}

/**
 * Characters that may separate the digits of a number. FOLLOWING has the characters that may follow such a separator:
 * digits, and the first letter of "million".
 */
const PARTING = " .,'"
const FOLLOWING = '0123456789kmtbKMTB'

/** Returns false for most numbers that cannot be part of an amount, by their adjacent characters. */
function canBeAmount(folded: string, from: number, to: number): boolean {
  if (from > 0 && folded[from - 1] !== ' ' && PARTING.includes(folded[from - 1]!)) return false
  const isBare = folded.charAt(to - 1) <= '9'
  return !isBare || (to + 1 < folded.length && PARTING.includes(folded[to]!) && FOLLOWING.includes(folded[to + 1]!))
}

/** Adds the amount that begins at a word, and the date that ends at it. */
function addNumbers(folded: string, words: readonly Word[], index: number, found: FoundIdentifier[]): void {
  const { from, to } = words[index]!
  const add = (start: number, end: number, whole: Pick<FoundIdentifier, 'term' | 'solid'>): void => {
    found.push({ from: start, to: end, key: undefined, form: whole.term, ...whole })
  }
  const amount = canBeAmount(folded, from, to) ? amountAt(folded, from) : undefined
  if (amount) add(from, amount.to, ofAmount(amount))
  const date = dateEndingAt(words, index)
  if (date) add(date.first.from, to, { term: date.plain, solid: undefined })
}

/** Returns the identifiers, compounds and numbers of a folded text in order. */
export function identifiersOf(folded: string, words: readonly Word[]): FoundIdentifier[] {
  const found: FoundIdentifier[] = []
  let searched = 0
  for (const [index, word] of words.entries()) {
    if (word.from < searched) continue
    const next = words[index + 1]
    const begins = word.from > 0 && '@#_'.includes(folded[word.from - 1]!)
    if (!begins && !(next !== undefined && isJoint(folded, word.to, next.from))) {
      if (beginsWithDigit(word.text)) addNumbers(folded, words, index, found)
      continue
    }
    const { from, to } = runAround(folded, word.from)
    searched = to
    for (const match of folded.slice(from, to).matchAll(FORMS)) {
      const form = (UNTIL_SEPARATORS.exec(match[0])?.[0] ?? '').toLowerCase()
      if (form.length < 2 || form.length > LENGTH_MAX) continue
      const start = from + match.index
      const end = start + form.length
      const key = keyOf(form)
      const amount = beginsWithDigit(form) ? amountAt(folded, start) : undefined
      const whole = amount && amount.to >= end ? ofAmount(amount) : wholeOf(form)
      found.push({ from: start, to: end, key, form, ...whole })
      for (const segment of segmentsOf(form, key)) {
        found.push({ from: start, to: end, key: undefined, form: segment, ...wholeOf(segment) })
      }
    }
  }
  return found
}

/** A number or date in a text in canonical form. */
interface FoundNumber {
  /** End offset in the folded text. */
  readonly to: number
  /** A number in plain digits, or a date as YYYY-MM-DD. */
  readonly plain: string
}

const MAGNITUDES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tsd: 1e3,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
  millions: 1e6,
  millionen: 1e6,
  millones: 1e6,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
  billions: 1e9,
  milliarden: 1e9,
  milliards: 1e9,
}
const MAGNITUDE = Object.keys(MAGNITUDES).join('|')
/** Matches an amount: digits grouped by one separator or plain, with an optional magnitude. */
const AMOUNT = new RegExp(
  `(?:(\\d{1,3}(?:([., '])\\d{3})(?:\\2\\d{3}){0,3})|(\\d{1,9}(?:[.,]\\d{1,3})?))(?: ?(${MAGNITUDE}))?` +
    '(?![\\p{L}\\p{N}]|[.,:/-]\\d)',
  'iuy',
)
const GROUPING = /[., ']/g

/** Returns the amount at an offset. Returns undefined if it is already written in plain digits. */
function amountAt(folded: string, from: number): FoundNumber | undefined {
  AMOUNT.lastIndex = from
  const [text, grouped, , plain = '', size] = AMOUNT.exec(folded) ?? []
  if (text === undefined || (grouped === undefined && size === undefined)) return undefined
  const times = MAGNITUDES[size?.toLowerCase() ?? ''] ?? 1
  const amount = Math.round(Number(grouped?.replace(GROUPING, '') ?? plain.replace(',', '.')) * times)
  return { to: from + text.length, plain: String(amount) }
}

const YEAR_CHARS = 4
const YEAR = /^(?:19|20)\d\d$/
const DAY = new RegExp(`^(\\d{1,2})${anyOf(ORDINAL_ENDINGS)}?$`)
const DAYS_MAX = 31

/** Returns the date that ends with the year at index `at`, and its first word. The month must be written as a word. */
function dateEndingAt(words: readonly Word[], at: number): { first: Word; plain: string } | undefined {
  const year = words[at]!.text
  if (year.length !== YEAR_CHARS || !YEAR.test(year)) return undefined
  const before: Word[] = []
  for (let back = at - 1; back >= 0 && before.length < 2; back -= 1) {
    if (!DATE_PREPOSITIONS.has(words[back]!.text)) before.push(words[back]!)
    else if (at - back > 3) break
  }
  const [last, first] = before
  if (first === undefined || last === undefined) return undefined
  const monthOfLast = monthNumber(last.text)
  const month = monthOfLast ?? monthNumber(first.text)
  const day = Number(DAY.exec(monthOfLast !== undefined ? first.text : last.text)?.[1])
  if (month === undefined || !(day >= 1 && day <= DAYS_MAX)) return undefined
  return { first, plain: `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}` }
}

const NUMERIC_DATE = /^(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d\d)$/
const MONTHS_MAX = 12

/** Returns a numeric date as YYYY-MM-DD. Without dots, one of the two numbers must be above 12. */
function dateOf(form: string): string | undefined {
  const [, one = '', sign, two = '', year = ''] = NUMERIC_DATE.exec(form) ?? []
  if (sign === undefined) return undefined
  const isMonthFirst = sign !== '.' && Number(two) > MONTHS_MAX
  if (sign !== '.' && !isMonthFirst && Number(one) <= MONTHS_MAX) return undefined
  const [day, month] = isMonthFirst ? [two, one] : [one, two]
  if (Number(month) > MONTHS_MAX || Number(day) > DAYS_MAX) return undefined
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
