import { ROWS } from '../../lexicon/asked.ts'
import { anyOf } from '../../lexicon/entries.ts'
import { NUMBERS } from '../../lexicon/languages.ts'
import { type Column, type Condition, holdsTitles } from '../plan.ts'
import {
  change,
  columnAt,
  either,
  hasRole,
  isPast,
  maybe,
  memoized,
  ownerColumn,
  type PartialParse,
  phaseValues,
  type QueryContext,
  type Rule,
  seq,
  stateColumn,
  verbMeaning,
  withConditions,
  words,
} from './partial-parse.ts'
import { columnsAt, isComparable, timesAt, unitAt, unitOfColumn, valuesAt } from './values.ts'

export const isPersonText = (column: Column): boolean => column.kind === 'text' && column.isPerson
const isText = ({ kind }: Column): boolean => kind === 'text'
const isPlainText = (column: Column): boolean => column.kind === 'text' && !column.isPerson
const isLabels = (column: Column): boolean => hasRole(column, 'labels')
/** Returns true for columns whose values can be used without the column's name: "urgent issues", "reviews approved". */
const isStandalone = (column: Column): boolean => isPlainText(column) && hasRole(column, 'state', 'outcome', 'grade')
const isAny = (): boolean => true

const isIn = (column: number, cells: readonly string[]): Condition => ({ column, is: 'in', values: [...cells] })

/** Parses a value of a column that `fits` accepts. */
function value(fits: (column: Column) => boolean): Rule {
  return (asking, reading) =>
    valuesAt(asking, reading, fits).map(({ column, cells, at }) => ({
      ...withConditions(reading, isIn(column, cells)),
      at,
    }))
}

/** Parses a column's name next to one of its values, in either order. */
const namedValue: Rule = (asking, reading) => [
  ...columnsAt(asking, reading).flatMap(({ column, at }) =>
    [...words('isOf')(asking, { ...reading, at }), { ...reading, at }].flatMap((next) =>
      valuesAt(asking, next, isAny)
        .filter((named) => named.column === column)
        .map((named) => ({ ...withConditions(reading, isIn(column, named.cells)), at: named.at })),
    ),
  ),
  ...valuesAt(asking, reading, isAny).flatMap(({ column, cells, at }) =>
    columnsAt(asking, { ...reading, at })
      .filter((named) => named.column === column)
      .map((named) => ({ ...withConditions(reading, isIn(column, cells)), at: named.at })),
  ),
]

const the = maybe(words('the'))
const holds = words('holds')

/** Parses "open" or "done", unless the view has a state with that name. */
const phase: Rule = (asking, reading) => {
  const { view, tokens } = asking
  const word = tokens[reading.at]?.text ?? ''
  const asked = ROWS.open.includes(word) ? 'open' : ROWS.done.includes(word) ? 'done' : undefined
  const column = stateColumn(view)
  if (asked === undefined || column === undefined || view.columns[column]!.spellings.has(word)) return []
  const condition = phaseValues(view, asked)
  return condition ? [{ ...withConditions(reading, condition), at: reading.at + 1 }] : []
}

/** Parses a verb with its condition and a following person or time. The base form needs an auxiliary. */
function verbForm(isBaseTaken: boolean): Rule {
  return (asking, reading) => {
    const word = asking.tokens[reading.at]?.text ?? ''
    const act = memoized(asking, `act ${isBaseTaken} ${word}`, () => verbMeaning(asking.view, word, isBaseTaken))
    return act ? [{ ...withConditions(reading, ...act.where), act, at: reading.at + 1 }] : []
  }
}

/** Parses a past form of a verb: "merged", "wrote". */
export const verb = verbForm(false)
/** Parses a verb in any form that can follow "did". */
export const anyVerb = verbForm(true)

/** Parses "will be returned" if the column of that action has times from the reference date on. */
const planned: Rule = seq(
  words('willBe'),
  verb,
  change(({ act }, { view, referenceDate }) => {
    const cells = act?.time === undefined ? [] : view.columns[act.time]!.cells
    return cells.some((cell) => typeof cell === 'number' && cell >= Date.parse(referenceDate)) ? {} : undefined
  }),
)

function person(role: (asking: QueryContext, reading: PartialParse) => number | undefined): Rule {
  return (asking, reading) => {
    const column = role(asking, reading)
    if (column === undefined || column < 0) return []
    return valuesAt(asking, reading, isText)
      .filter((named) => named.column === column)
      .map(({ cells, at }) => ({ ...withConditions(reading, isIn(column, cells)), at }))
  }
}

const authorOf = ({ view }: QueryContext): number => columnAt(view, 'author')
/** Returns the column of the person to whom the rows belong: the owner, otherwise the author. */
const holderOf = (asking: QueryContext): number => ownerColumn(asking.view) ?? authorOf(asking)
/**
 * Returns the person column of the verb. Without a verb it is the author, unless a word such as "merged" was parsed as
 * a state.
 */
function agentOf(asking: QueryContext, { act, at }: PartialParse): number | undefined {
  if (act) return act.person
  const before = asking.tokens[at - 2]?.text ?? ''
  return verbMeaning(asking.view, before, false) ? undefined : authorOf(asking)
}

/** Parses a person before the verb: "Priya closed", "did Priya close". */
function personDoes(does: Rule): Rule {
  return (asking, reading) =>
    valuesAt(asking, reading, isText).flatMap((named) =>
      does(asking, { ...reading, at: named.at })
        .filter(({ act }) => act?.person === named.column)
        .map((next) => withConditions(next, isIn(named.column, named.cells))),
    )
}

const assignedTo: Rule = seq(
  words('assignedTo'),
  person(({ view }) => ownerColumn(view)),
)

const unassigned: Rule = seq(
  words('unassigned'),
  change((reading, { view }) => {
    const column = ownerColumn(view)
    return column === undefined ? undefined : withConditions(reading, { column, is: 'empty' })
  }),
)

function presence(is: 'empty' | 'filled'): Rule {
  return seq(words(is), (asking, reading) =>
    columnsAt(asking, reading).map(({ column, at }) => ({ ...withConditions(reading, { column, is }), at })),
  )
}

/** Parses "with none on hand": rows with zero in a column of numbers, or without a value in another column. */
const none: Rule = seq(words('none', 'empty'), (asking, reading) =>
  columnsAt(asking, reading).flatMap(({ column, at }) => {
    const { kind, cells } = asking.view.columns[column]!
    const conditions: Condition[] = [
      ...(kind === 'number' && cells.includes(0) ? [{ column, is: '=' as const, value: 0 }] : []),
      ...(cells.includes(null) ? [{ column, is: 'empty' as const }] : []),
    ]
    return conditions.map((condition) => ({ ...withConditions(reading, condition), at }))
  }),
)

const YES = new Set(ROWS.yes)
const NO = new Set(ROWS.no)

/** Returns the condition that an action is done, for a column named after it: "Paid" is true, `yes` or not empty. */
function doneOrNot({ kind, labels }: Column, column: number, isDone: boolean): Condition {
  if (kind === 'flag') return { column, is: isDone ? 'true' : 'false' }
  const cells = [...labels].map(([cell, label]) => ({ cell, label: label.toLowerCase() }))
  const isYesNo = kind === 'text' && cells.length > 0 && cells.every(({ label }) => YES.has(label) || NO.has(label))
  if (isYesNo && cells.some(({ label }) => NO.has(label))) {
    return {
      column,
      is: 'in',
      values: cells.filter(({ label }) => (isDone ? YES : NO).has(label)).map(({ cell }) => cell),
    }
  }
  return { column, is: isDone ? 'filled' : 'empty' }
}

/** Parses a word for an action after which a column is named: "paid", "not paid", "unpaid". */
const done: Rule = (asking, reading) =>
  asking.view.columns.flatMap((each, column) => {
    const { kind, words: named } = each
    if (!isPast(named[0] ?? '') || !['flag', 'time', 'text'].includes(kind)) return []
    const [first = '', ...rest] = named
    // "Paid on" is named by "paid", too.
    const isEvent = kind === 'time' && rest.length === 1 && ROWS.timeEndings.includes(rest[0]!)
    const said = (at: number, forms: readonly string[]) =>
      forms.every((word, index) => asking.tokens[at + index]?.text === word) ? [at + forms.length] : []
    const yes = [...said(reading.at, named), ...(isEvent ? said(reading.at, [first]) : [])]
    const no = [
      ...ROWS.undone.flatMap((prefix) => said(reading.at, [`${prefix}${first}`, ...rest])),
      ...words('not')(asking, reading).flatMap(({ at }) => [...said(at, named), ...(isEvent ? said(at, [first]) : [])]),
    ]
    const to = (isDone: boolean) => (at: number) => ({
      ...withConditions(reading, doneOrNot(each, column, isDone)),
      at,
    })
    return [...yes.map(to(true)), ...no.map(to(false))]
  })

/** Returns the condition for unpaid rows; undefined if no column records payment. */
export function unpaid(view: QueryContext['view']): Condition | undefined {
  const column = view.columns.findIndex(({ words: [first] }) => first === 'paid')
  return column < 0 ? undefined : doneOrNot(view.columns[column]!, column, false)
}

/**
 * Returns the time column of the verb. Without a verb, returns the record's time: the only column of times, or the one
 * named "date". Returns undefined if the view has a state column: the state may have had another value at that time.
 */
export function timeColumn({ view }: QueryContext, { act }: PartialParse): number | undefined {
  if (act) return act.time
  const isTime = ({ kind, cells }: Column) => kind === 'time' && cells.some((cell) => cell !== null)
  const times = view.columns.flatMap((column, at) => (isTime(column) ? [at] : []))
  const own = times.filter((at) => ROWS.ownDates.includes(view.columns[at]!.words.join(' ')))
  const [only, ...others] = own.length > 0 ? own : times
  return others.length === 0 && stateColumn(view) === undefined ? only : undefined
}

const time: Rule = (asking, reading) => {
  const column = timeColumn(asking, reading)
  return column === undefined ? [] : stretches(asking, reading, column, false)
}

/**
 * Parses a time of a column. A month without a year is the latest one, or with `isAhead` that of the current year. If
 * no cell is in the latest one, the current year is meant as well: "delivered in December" may be planned.
 */
function stretches(asking: QueryContext, reading: PartialParse, column: number, isAhead: boolean): PartialParse[] {
  const cells = asking.view.columns[column]!.cells
  const isEmpty = ({ from, to }: { from: number | null; to: number | null }) =>
    !cells.some((cell) => typeof cell === 'number' && cell >= (from ?? -Infinity) && cell < (to ?? Infinity))
  const latest = timesAt(asking, reading, isAhead)
  const ahead = isAhead || !latest.some(isEmpty) ? [] : timesAt(asking, reading, true)
  return latest.map((each) => {
    const { from, to, at } = (isEmpty(each) && ahead.find((other) => other.at === each.at && !isEmpty(other))) || each
    return { ...withConditions(reading, { column, is: 'within', from, to }), at }
  })
}

const due: Rule = seq(words('due'), (asking, reading) => {
  const column = asking.view.columns.findIndex((each) => each.kind === 'time' && hasRole(each, 'due'))
  return column < 0 ? [] : stretches(asking, reading, column, true)
})

/** Parses a time of a named column: "with a due date before 6 August", "due before 6 August". */
const namedTime: Rule = seq(maybe(holds), the, (asking, reading) =>
  columnsAt(asking, reading)
    .filter(({ column }) => asking.view.columns[column]!.kind === 'time')
    .flatMap(({ column, at }) => stretches(asking, { ...reading, at }, column, true)),
)

const COMPARISONS = [
  ['>', 'more'],
  ['>=', 'atLeast'],
  ['<', 'fewer'],
  ['<=', 'atMost'],
  ['=', 'exactly'],
] as const

/** Matches a number with optional thousands separators and decimals. */
const NUMBER = /^\d{1,12}(?:,\d{3})*(?:\.\d+)?/

/** Parses the number that begins at a word, with the unit after it. */
export function numberAt(asking: QueryContext, at: number): { value: number; at: number } | undefined {
  const { text, tokens } = asking
  const named = NUMBERS.indexOf(tokens[at]?.text ?? '')
  if (named >= 0) return { value: named + 1, at: at + (unitAt(asking, at + 1) ? 2 : 1) }
  const from = tokens[at]?.from
  const written = from === undefined ? undefined : NUMBER.exec(text.slice(from))?.[0]
  if (from === undefined || written === undefined) return undefined
  const end = tokens.findIndex(({ to }) => to >= from + written.length)
  if (end < 0 || tokens[end]!.to !== from + written.length) return undefined
  const unit = unitAt(asking, end + 1) ? 1 : 0
  return { value: Number(written.replaceAll(',', '')), at: end + 1 + unit }
}

const comparison: Rule = (asking, reading) =>
  COMPARISONS.flatMap(([is, said]) =>
    words(said)(asking, reading).flatMap((next) => {
      const number = numberAt(asking, next.at)
      const column = asking.view.columns[next.column ?? -1]
      if (number === undefined || next.column === undefined || !column) return []
      if (!isComparable(column, unitAt(asking, number.at - 1))) return []
      const condition = { column: next.column, is, value: number.value }
      return [{ ...withConditions(next, condition), at: number.at }]
    }),
  )

/** Parses a number after the name of its column: "room 12". */
const namedNumber: Rule = (asking, reading) =>
  columnsAt(asking, reading).flatMap(({ column, at }) => {
    const number = asking.view.columns[column]!.kind === 'number' ? numberAt(asking, at) : undefined
    return number ? [{ ...withConditions(reading, { column, is: '=', value: number.value }), at: number.at }] : []
  })

/** Selects the only column of prices. */
export const priceColumn: Rule = (asking, reading) => {
  const { columns } = asking.view
  const named = columns.filter((each) => isAmount(each) && each.words.some((word) => ROWS.prices.includes(word)))
  const inMoney = columns.filter((each) => isAmount(each) && ROWS.currencies.includes(unitOfColumn(each) ?? ''))
  const prices = named.length > 0 ? named : inMoney
  return prices.length === 1 ? [{ ...reading, column: columns.indexOf(prices[0]!) }] : []
}

/** Parses "cost more than 5": compares the only column of prices. */
const costing: Rule = seq(words('costing'), priceColumn, comparison)

const numberColumns = (asking: QueryContext, reading: PartialParse) =>
  columnsAt(asking, reading).filter(({ column }) => asking.view.columns[column]!.kind === 'number')

/** Parses comparisons: "more than 500 additions", "additions greater than 500". */
const compared: Rule = seq(maybe(holds), (asking, reading) => {
  const after = numberColumns(asking, reading).flatMap(({ column, at }) =>
    maybe(words('isOf'))(asking, { ...reading, column, at }).flatMap((next) => comparison(asking, next)),
  )
  const before = asking.view.columns.flatMap(({ kind }, column) =>
    kind !== 'number'
      ? []
      : comparison(asking, { ...reading, column }).flatMap((next) =>
          numberColumns(asking, next)
            .filter((named) => named.column === column)
            .map(({ at }) => ({ ...next, at })),
        ),
  )
  const amounts = asking.view.columns.flatMap((each, column) => (isAmount(each) ? [column] : []))
  // "over 500" needs no column if only one has amounts.
  const alone = amounts.length === 1 ? comparison(asking, { ...reading, column: amounts[0]! }) : []
  const inMoney = seq(priceColumn, comparison)(asking, reading).filter(({ at }) =>
    ROWS.currencies.includes(asking.tokens[at - 1]?.text ?? ''),
  )
  const measured = asking.view.columns.flatMap((each, column) => {
    const unit = each.kind === 'number' ? unitOfColumn(each) : undefined
    if (unit === undefined) return []
    return comparison(asking, { ...reading, column }).filter(({ at }) => unitAt(asking, at - 1) === unit)
  })
  return [...after, ...before, ...(alone.length > 0 ? alone : inMoney), ...measured].map(({ column: _, ...next }) => ({
    ...next,
    ...(reading.column !== undefined && { column: reading.column }),
  }))
})

/** Matches the names of columns of identifying numbers, which cannot be compared or added. */
const NAMING = new RegExp(`^(?:${anyOf(ROWS.naming)}|.*_(?:id|number))$`)

/** Returns true for a column of numbers that can be compared and added. */
export const isAmount = ({ kind, words: named }: Column): boolean => kind === 'number' && !NAMING.test(named.join('_'))

const auxiliary = words('auxiliary')
export const plainValue = value(isPlainText)
export const plainPlace = either(plainValue, namedValue)

/** Returns the index of the column with the titles of a sheet's rows; -1 for other records. */
export function titleColumn(asking: QueryContext): number {
  const { columns, rows } = asking.view
  return memoized(asking, 'title column', () => columns.findIndex((column) => holdsTitles(column, rows)))
}

/** Parses a row of a sheet by its title, with or without the name of that column: "region North". */
export const rowByTitle: Rule = (asking, reading) => {
  const column = titleColumn(asking)
  if (column < 0) return []
  const named = columnsAt(asking, reading).filter((each) => each.column === column)
  return [reading.at, ...named.map(({ at }) => at)].flatMap((from) =>
    valuesAt(asking, { ...reading, at: from }, isText)
      .filter((value) => value.column === column)
      .map(({ cells, at }) => ({ ...withConditions(reading, isIn(column, cells)), at })),
  )
}

/** Parses words that do not affect which rows match. */
export const filler: Rule = words('fillers')

/** Parses the name of a Boolean column as a condition: "insured". */
const flag: Rule = (asking, reading) =>
  columnsAt(asking, reading)
    .filter(({ column }) => asking.view.columns[column]!.kind === 'flag')
    .map(({ column, at }) => ({ ...withConditions(reading, { column, is: 'true' }), at }))

/** Parses the words that may precede the noun: "open", "high priority", "merged", "unassigned". */
export const adjective: Rule = either(value(isPlainText), namedValue, flag, done, phase, verb, unassigned)

/** Parses a condition on the rows after their noun. */
export const filter: Rule = either(
  filler,
  value(isStandalone),
  flag,
  done,
  phase,
  verb,
  planned,
  seq(words('byAgent'), person(agentOf)),
  seq(words('fromAuthor'), person(authorOf)),
  personDoes(verb),
  seq(auxiliary, personDoes(anyVerb)),
  seq(words('didWe'), anyVerb),
  seq(auxiliary, person(holderOf), words('got')),
  seq(auxiliary, the, plainPlace, words('contains')),
  seq(maybe(words('staying')), words('places'), the, either(plainPlace, namedNumber)),
  seq(words('have'), either(done, seq(the, plainPlace))),
  seq(holds, the, namedValue),
  seq(words('labelled'), maybe(words('as')), the, value(isLabels)),
  assignedTo,
  unassigned,
  presence('empty'),
  none,
  presence('filled'),
  due,
  namedTime,
  compared,
  costing,
  time,
)
