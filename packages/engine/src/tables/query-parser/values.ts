import { ROWS } from '../../lexicon/asked.ts'
import { anyOf } from '../../lexicon/entries.ts'
import { MONTH_NAMES, NUMBERS } from '../../lexicon/languages.ts'
import { MS_PER_DAY, parseIsoDay } from '../../text/civil-date.ts'
import { plural, singular } from '../../text/kinds.ts'
import { findTimes, LONG_UNIT, spanOf, type Unit } from '../../understand/find-times.ts'
import type { Column } from '../plan.ts'
import { memoized, type PartialParse, type QueryContext } from './partial-parse.ts'

/** Maximum number of words of a value. */
const WORDS_MAX = 8

/** Cells of a column that some words name. */
interface NamedValue {
  column: number
  cells: string[]
  at: number
}

/** Synonyms of column names. */
const SYNONYMS = new Map(
  ROWS.synonyms.map((entry) => entry.split(' ')).map(([name = '', ...others]) => [name, others] as const),
)

/** Returns the values that the next words name, in columns that `fits` accepts. An ambiguous name yields none. */
export function valuesAt(asking: QueryContext, { at }: PartialParse, fits: (column: Column) => boolean): NamedValue[] {
  const all = memoized(asking, `values ${at}`, () => allValuesAt(asking, at))
  return all.filter(({ column }) => fits(asking.view.columns[column]!))
}

function allValuesAt({ view, tokens }: QueryContext, at: number): NamedValue[] {
  const found: NamedValue[] = []
  for (const [index, column] of view.columns.entries()) {
    if (column.kind !== 'text' && column.kind !== 'list') continue
    for (let length = Math.min(WORDS_MAX, tokens.length - at); length > 0; length -= 1) {
      const span = tokens.slice(at, at + length).map(({ text }) => text)
      const cells = column.isPerson ? person(column, span, view.people) : named(column, span)
      if (cells) found.push({ column: index, cells, at: at + length })
    }
  }
  return found
}

function named({ spellings, labels }: Column, span: readonly string[]): string[] | undefined {
  const joined = span.join(' ')
  const cells = spellings.get(joined) ?? spellings.get(singular(joined) ?? joined)
  if (!cells) return undefined
  const shown = new Set([...cells].map((cell) => labels.get(cell)?.toLowerCase()))
  return shown.size === 1 ? [...cells].sort() : undefined
}

/** Returns a person of the column, otherwise any known person. An ambiguous name yields none. */
function person(column: Column, span: readonly string[], people: QueryContext['view']['people']): string[] | undefined {
  const joined = span.join(' ')
  const cells = column.spellings.get(joined) ?? people.spellings.get(joined)
  return cells?.size === 1 ? [...cells] : undefined
}

/** Returns the columns that the next words name, in singular or plural. */
export function columnsAt(asking: QueryContext, { at }: PartialParse): { column: number; at: number }[] {
  const { view, tokens } = asking
  return memoized(asking, `columns ${at}`, () =>
    view.columns.flatMap((column, index) =>
      namesOf(column)
        .filter((name) => name.every((word, place) => isNamedBy(word, tokens[at + place]?.text ?? '')))
        .map((name) => ({ column: index, at: at + name.length })),
    ),
  )
}

/** Maximum length of an abbreviation. */
const ABBREVIATION_MAX = 5
/** Matches a letter that an abbreviation may leave out. */
const VOWEL = /[aeiou]/

/** Returns true if a word is in a column's name or abbreviated there: `Qty` is quantity, `Dept` department. */
function isNamedBy(name: string, word: string): boolean {
  if (word === name) return true
  if (name.length < 2 || name.length > ABBREVIATION_MAX || word.length < 2 * name.length) return false
  let same = 0
  while (same < name.length && name[same] === word[same]) same += 1
  if (same === 0 || same === name.length || VOWEL.test(name.slice(same))) return false
  let at = same
  for (const letter of name.slice(same)) {
    at = word.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return name.at(-1) === word.at(-1)
}

/** Symbols of units of measurement by their names: "kilos" is kg. */
const UNITS = new Map(
  ROWS.units
    .map((entry) => entry.split(' '))
    .flatMap(([symbol = '', ...names]) => [[symbol, symbol] as const, ...names.map((name) => [name, symbol] as const)]),
)

/** Returns the symbol of a unit of measurement or a currency: kg, eur. Undefined for another word. */
export function unitNamed(word: string | undefined): string | undefined {
  return word === undefined ? undefined : UNITS.get(word)
}

/** Returns the unit of a column's numbers, by its cells or the last word of its name: "Sugar (°Oe)". */
export function unitOfColumn(column: Column): string | undefined {
  const { words, kind } = column
  return knownUnit(column) ?? (kind === 'number' && words.length > 1 ? words.at(-1) : undefined)
}

function knownUnit({ words, unit }: Column): string | undefined {
  return unitNamed(unit?.toLowerCase()) ?? unitNamed(words.at(-1))
}

/** Returns true if a number with this unit can be compared with a column. A price may have no currency in its name. */
export function isComparable(column: Column, unit: string | undefined): boolean {
  if (unit === undefined || unitOfColumn(column) === unit) return true
  return ROWS.currencies.includes(unit) && knownUnit(column) === undefined
}

/** Returns the unit that a word of the question names, known or the unit of a column. */
export function unitAt({ view, tokens }: QueryContext, at: number): string | undefined {
  const word = tokens[at]?.text
  return unitNamed(word) ?? (view.columns.some((column) => unitOfColumn(column) === word) ? word : undefined)
}

function namesOf({ words }: Column): string[][] {
  const own = words.length > 1 && unitNamed(words.at(-1)) ? [words, words.slice(0, -1)] : [words]
  const forms = [...own, ...(SYNONYMS.get(words.join('_')) ?? []).map((synonym) => [synonym])]
  const numbered = forms.flatMap((form) => {
    const last = form.at(-1) ?? ''
    const head = form.slice(0, -1)
    return [form, [...head, plural(last)], [...head, singular(last) ?? last]]
  })
  return [...new Map(numbered.map((form) => [form.join(' '), form])).values()]
}

/** Maximum number of words of a time expression: "between the 16th of June 2026 and the 18th of June 2026". */
const TIME_WORDS_MAX = 12
const MONTH = new RegExp(`\\b${anyOf(MONTH_NAMES)}\\b`, 'i')
const YEAR = /\b(1[5-9]|20)\d\d\b/
const YEAR_LAST = /\b((?:1[5-9]|20)\d\d)$/
const BETWEEN = new RegExp(`^(${anyOf(ROWS.rangeStarts)}) (.+?) (${anyOf(ROWS.rangeEnds)}) (.+)$`)

/** Matches the beginning of a time expression. It is a pre-filter: other words are not parsed as a time. */
const TIMELY = new RegExp(`^(?:\\d|(?:${anyOf(ROWS.beforeTimes, NUMBERS)}) |${anyOf(ROWS.nearDays)})`)

const INCLUSIVE = new RegExp(`^on or (${anyOf(ROWS.sides)}) (.+)$`)
const UNTIL = new RegExp(`^${anyOf(ROWS.untils)} (.+)$`)
const NEXT = new RegExp(`^next ${LONG_UNIT}$`)

/** A time span in milliseconds. A missing bound is null. */
interface NamedTime {
  from: number | null
  to: number | null
  at: number
}

/** Returns the time spans that the next words name. `isAhead`: a month is in the reference date's year. */
export function timesAt(asking: QueryContext, { at }: PartialParse, isAhead: boolean): NamedTime[] {
  return memoized(asking, `times ${at} ${isAhead}`, () => readTimes(asking, at, isAhead))
}

function readTimes({ text, tokens, referenceDate }: QueryContext, at: number, isAhead: boolean): NamedTime[] {
  const found: NamedTime[] = []
  for (let length = Math.min(TIME_WORDS_MAX, tokens.length - at); length > 0; length -= 1) {
    const [first, last] = [tokens[at]!, tokens[at + length - 1]!]
    const span = text.slice(first.from, last.to).toLowerCase()
    const range = readSpan(withYear(span, referenceDate, isAhead), referenceDate)
    if (range) found.push({ ...range, at: at + length })
  }
  return found
}

function readSpan(span: string, referenceDate: string): Omit<NamedTime, 'at'> | undefined {
  const next = readNext(span, referenceDate)
  if (next) return next
  const inclusive = INCLUSIVE.exec(span)
  const until = UNTIL.exec(span)
  const day = wholeRange(inclusive ? `on ${inclusive[2]}` : until ? `on ${until[1]}` : span, referenceDate)
  if (!day) return undefined
  if (inclusive?.[1] === 'after') return { from: day.from, to: null }
  return inclusive || until ? { from: null, to: day.to } : day
}

function wholeRange(span: string, referenceDate: string): Omit<NamedTime, 'at'> | undefined {
  if (!TIMELY.test(span)) return undefined
  const { ranges, rest } = findTimes(span, referenceDate) ?? { ranges: [], rest: '' }
  const [range] = ranges
  if (!range || ranges.length > 1 || !/^[\s,]*$/.test(rest)) return undefined
  const bound = (ms: number) => (Number.isFinite(ms) ? ms : null)
  return { from: bound(range.fromMs), to: bound(range.toMs) }
}

function readNext(span: string, referenceDate: string): Omit<NamedTime, 'at'> | undefined {
  const today = parseIsoDay(referenceDate)
  const unit = span === 'tomorrow' ? 'day' : NEXT.exec(span)?.[1]
  if (today === undefined || unit === undefined) return undefined
  const [first, last] = spanOf(unit as Unit, today, 1)
  return { from: first * MS_PER_DAY, to: (last + 1) * MS_PER_DAY }
}

/** Adds a missing year: that of the second date to the first, or with `isAhead` the current year. */
function withYear(span: string, referenceDate: string, isAhead: boolean): string {
  const between = BETWEEN.exec(span)
  const year = YEAR_LAST.exec(span)?.[1] ?? (isAhead ? referenceDate.slice(0, 'YYYY'.length) : undefined)
  if (year === undefined) return span
  const dated = (text: string) => (MONTH.test(text) && !YEAR.test(text) ? `${text} ${year}` : text)
  return between ? `${between[1]} ${dated(between[2]!)} ${between[3]} ${dated(between[4]!)}` : dated(span)
}
