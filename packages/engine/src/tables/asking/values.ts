import { ROWS } from '../../lexicon/asked.ts'
import { anyOf } from '../../lexicon/entries.ts'
import { MONTH_NAMES, NUMBERS } from '../../lexicon/languages.ts'
import { MS_PER_DAY, parseIsoDay } from '../../text/civil-date.ts'
import { plural } from '../../text/kinds.ts'
import { withoutEnd } from '../../text/signs.ts'
import { LONG_UNIT, spanOf, timesAsked, type Unit } from '../../understand/times-asked.ts'
import type { Column } from '../plan.ts'
import { type Asking, once, type PartialReading } from './reading.ts'

/** Words that one value or one column's name may have. */
const WORDS_MAX = 8

/** A value that some words name: cells of one column. */
interface NamedValue {
  column: number
  cells: string[]
  at: number
}

/** Words beside a column's own name that mean it. */
const SYNONYMS = new Map(
  ROWS.synonyms.map((entry) => entry.split(' ')).map(([name = '', ...others]) => [name, others] as const),
)

/** The values of a column, one of those that `fits` takes, that the next words name; a name of several fits none. */
export function valuesAt(asking: Asking, { at }: PartialReading, fits: (column: Column) => boolean): NamedValue[] {
  const all = once(asking, `values ${at}`, () => allValuesAt(asking, at))
  return all.filter(({ column }) => fits(asking.view.columns[column]!))
}

function allValuesAt({ view, tokens }: Asking, at: number): NamedValue[] {
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
  const cells = spellings.get(joined) ?? spellings.get(singular(joined))
  if (!cells) return undefined
  const shown = new Set([...cells].map((cell) => labels.get(cell)?.toLowerCase()))
  return shown.size === 1 ? [...cells].sort() : undefined
}

function singular(word: string): string {
  const bare = withoutEnd(word, 's')
  return plural(bare) === word ? bare : word
}

/** Somebody of the column, else somebody else who is known: nobody is meant by a name that several have. */
function person(column: Column, span: readonly string[], people: Asking['view']['people']): string[] | undefined {
  const joined = span.join(' ')
  const cells = column.spellings.get(joined) ?? people.spellings.get(joined)
  return cells?.size === 1 ? [...cells] : undefined
}

/** The columns that the next words name, in the singular or the plural. */
export function columnsAt(asking: Asking, { at }: PartialReading): { column: number; at: number }[] {
  const { view, tokens } = asking
  return once(asking, `columns ${at}`, () =>
    view.columns.flatMap((column, index) =>
      namesOf(column)
        .filter((name) => name.every((word, place) => tokens[at + place]?.text === word))
        .map((name) => ({ column: index, at: at + name.length })),
    ),
  )
}

function namesOf({ name, words, kind }: Column): string[][] {
  const forms = [words, ...(SYNONYMS.get(name) ?? []).map((synonym) => [synonym])]
  const numbered = forms.flatMap((form) => {
    const last = form.at(-1) ?? ''
    const head = form.slice(0, -1)
    const single = withoutEnd(last, 's')
    return [form, [...head, plural(last)], ...(kind === 'list' || plural(single) === last ? [[...head, single]] : [])]
  })
  return [...new Map(numbered.map((form) => [form.join(' '), form])).values()]
}

/** Words that one expression of time may have: "between the 16th of June 2026 and the 18th of June 2026". */
const TIME_WORDS_MAX = 12
const MONTH = new RegExp(`\\b${anyOf(MONTH_NAMES)}\\b`, 'i')
const YEAR = /\b(1[5-9]|20)\d\d\b/
const YEAR_LAST = /\b((?:1[5-9]|20)\d\d)$/
const BETWEEN = new RegExp(`^(${anyOf(ROWS.rangeStarts)}) (.+?) (${anyOf(ROWS.rangeEnds)}) (.+)$`)

/** The beginnings of time expressions; only words after one of these are read as a time. */
const TIMELY = new RegExp(`^(?:\\d|(?:${anyOf(ROWS.beforeTimes, NUMBERS)}) |${anyOf(ROWS.nearDays)})`)

const INCLUSIVE = new RegExp(`^on or (${anyOf(ROWS.sides)}) (.+)$`)
const UNTIL = new RegExp(`^${anyOf(ROWS.untils)} (.+)$`)
const NEXT = new RegExp(`^next ${LONG_UNIT}$`)

/** A stretch of time that some words name, open to a side without a bound, in milliseconds. */
interface NamedTime {
  from: number | null
  to: number | null
  at: number
}

/**
 * Each stretch of time that the next words name as a whole. Where times still to come are meant (`isAhead`), a month
 * without a year is of the reference date's year; elsewhere it is the latest one that has begun.
 */
export function timesAt(asking: Asking, { at }: PartialReading, isAhead: boolean): NamedTime[] {
  return once(asking, `times ${at} ${isAhead}`, () => readTimes(asking, at, isAhead))
}

function readTimes({ text, tokens, referenceDate }: Asking, at: number, isAhead: boolean): NamedTime[] {
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
  const { ranges, rest } = timesAsked(span, referenceDate) ?? { ranges: [], rest: '' }
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

/** Each of two dates has the year that is only said with the second; a date ahead without one has this year. */
function withYear(span: string, referenceDate: string, isAhead: boolean): string {
  const between = BETWEEN.exec(span)
  const year = YEAR_LAST.exec(span)?.[1] ?? (isAhead ? referenceDate.slice(0, 'YYYY'.length) : undefined)
  if (year === undefined) return span
  const dated = (text: string) => (MONTH.test(text) && !YEAR.test(text) ? `${text} ${year}` : text)
  return between ? `${between[1]} ${dated(between[2]!)} ${between[3]} ${dated(between[4]!)}` : dated(span)
}
