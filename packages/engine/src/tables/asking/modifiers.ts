import { ROWS } from '../../lexicon/asked.ts'
import { FIELD_ROLES } from '../../lexicon/work.ts'
import { isDigits } from '../../text/signs.ts'
import type { Column, Condition } from '../plan.ts'
import {
  type Asking,
  actOf,
  change,
  columnAt,
  either,
  having,
  maybe,
  once,
  ownerColumn,
  type PartialReading,
  phaseValues,
  type Rule,
  seq,
  stateColumn,
  words,
} from './reading.ts'
import { columnsAt, timesAt, valuesAt } from './values.ts'

/** Columns whose values are said of rows without naming the column: "urgent issues", "reviews approved". */
const SAID_ALONE = [FIELD_ROLES.state, FIELD_ROLES.outcome, FIELD_ROLES.grade].flat()

export const isPersonText = (column: Column): boolean => column.kind === 'text' && column.isPerson
const isPlainText = (column: Column): boolean => column.kind === 'text' && !column.isPerson
const isLabels = (column: Column): boolean => FIELD_ROLES.labels.includes(column.name)
const isSaidAlone = (column: Column): boolean => isPlainText(column) && SAID_ALONE.includes(column.name)
const isAny = (): boolean => true

const isIn = (column: number, cells: readonly string[]): Condition => ({ column, is: 'in', values: [...cells] })

/** The next words name a value of a column that `fits` takes. */
function value(fits: (column: Column) => boolean): Rule {
  return (asking, reading) =>
    valuesAt(asking, reading, fits).map(({ column, cells, at }) => ({ ...having(reading, isIn(column, cells)), at }))
}

/** A column's name beside one of its values, in either order. */
const namedValue: Rule = (asking, reading) => [
  ...columnsAt(asking, reading).flatMap(({ column, at }) =>
    [...words('isOf')(asking, { ...reading, at }), { ...reading, at }].flatMap((next) =>
      valuesAt(asking, next, isAny)
        .filter((named) => named.column === column)
        .map((named) => ({ ...having(reading, isIn(column, named.cells)), at: named.at })),
    ),
  ),
  ...valuesAt(asking, reading, isAny).flatMap(({ column, cells, at }) =>
    columnsAt(asking, { ...reading, at })
      .filter((named) => named.column === column)
      .map((named) => ({ ...having(reading, isIn(column, cells)), at: named.at })),
  ),
]

const the = maybe(words('the'))
const holds = words('holds')

/** Work that is open, or done, when the view has no state of that very name. */
const phase: Rule = (asking, reading) => {
  const { view, tokens } = asking
  const word = tokens[reading.at]?.text ?? ''
  const asked = ROWS.open.includes(word) ? 'open' : ROWS.done.includes(word) ? 'done' : undefined
  const column = stateColumn(view)
  if (asked === undefined || column === undefined || view.columns[column]!.spellings.has(word)) return []
  const condition = phaseValues(view, asked)
  return condition ? [{ ...having(reading, condition), at: reading.at + 1 }] : []
}

/** A verb: what it says holds, and a person or a time after it belongs to it. Its base form needs an auxiliary. */
function verbForm(isBaseTaken: boolean): Rule {
  return (asking, reading) => {
    const word = asking.tokens[reading.at]?.text ?? ''
    const act = once(asking, `act ${isBaseTaken} ${word}`, () => actOf(asking.view, word, isBaseTaken))
    return act ? [{ ...having(reading, ...act.where), act, at: reading.at + 1 }] : []
  }
}

/** Reads a past form of a verb: "merged", "wrote". */
export const verb = verbForm(false)
/** A verb in any form, as it follows "did". */
export const anyVerb = verbForm(true)

/** A person in the role that `role` gives them. */
function person(role: (asking: Asking, reading: PartialReading) => number | undefined): Rule {
  return (asking, reading) => {
    const column = role(asking, reading)
    if (column === undefined || column < 0) return []
    return valuesAt(asking, reading, isPersonText)
      .filter((named) => named.column === column)
      .map(({ cells, at }) => ({ ...having(reading, isIn(column, cells)), at }))
  }
}

const authorOf = ({ view }: Asking): number => columnAt(view, 'author')
/** Whose rows they are, when a person has them: those of whoever works on them, else of whoever made them. */
const holderOf = (asking: Asking): number => ownerColumn(asking.view) ?? authorOf(asking)
/** The person of the verb; without a verb the author, unless a word like "merged" was read as a state. */
function agentOf(asking: Asking, { act, at }: PartialReading): number | undefined {
  if (act) return act.person
  const before = asking.tokens[at - 2]?.text ?? ''
  return actOf(asking.view, before, false) ? undefined : authorOf(asking)
}

/** "Priya closed", "did Priya close": the person comes before the verb that says what they did. */
function personDoes(does: Rule): Rule {
  return (asking, reading) =>
    valuesAt(asking, reading, isPersonText).flatMap((named) =>
      does(asking, { ...reading, at: named.at })
        .filter(({ act }) => act?.person === named.column)
        .map((next) => having(next, isIn(named.column, named.cells))),
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
    return column === undefined ? undefined : having(reading, { column, is: 'empty' })
  }),
)

function presence(is: 'empty' | 'filled'): Rule {
  return seq(words(is), (asking, reading) =>
    columnsAt(asking, reading).map(({ column, at }) => ({ ...having(reading, { column, is }), at })),
  )
}

/** A time of a verb, or of the record when no other can be meant: what has a state was in another one then. */
export function timeColumn({ view }: Asking, { act }: PartialReading): number | undefined {
  if (act) return act.time
  const times = view.columns.flatMap(({ kind }, at) => (kind === 'time' ? [at] : []))
  return times.length === 1 && stateColumn(view) === undefined ? times[0] : undefined
}

const time: Rule = (asking, reading) => {
  const column = timeColumn(asking, reading)
  return column === undefined ? [] : stretches(asking, reading, column, false)
}

function stretches(asking: Asking, reading: PartialReading, column: number, isAhead: boolean): PartialReading[] {
  return timesAt(asking, reading, isAhead).map(({ from, to, at }) => ({
    ...having(reading, { column, is: 'within', from, to }),
    at,
  }))
}

const due: Rule = seq(words('due'), (asking, reading) => {
  const column = asking.view.columns.findIndex(({ name, kind }) => kind === 'time' && FIELD_ROLES.due.includes(name))
  return column < 0 ? [] : stretches(asking, reading, column, true)
})

/** A time of a column that is named: "with a due date before 6 August". */
const namedTime: Rule = seq(holds, the, (asking, reading) =>
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

/** A longer number is none that a cell could hold. */
const NUMBER_DIGITS_MAX = 12

const comparison: Rule = (asking, reading) =>
  COMPARISONS.flatMap(([is, said]) =>
    words(said)(asking, reading).flatMap((next) => {
      const token = asking.tokens[next.at]?.text ?? ''
      if (!isDigits(token) || token.length > NUMBER_DIGITS_MAX || next.column === undefined) return []
      const condition = { column: next.column, is, value: Number(token) }
      return [{ ...having(next, condition), at: next.at + 1 }]
    }),
  )

const numberColumns = (asking: Asking, reading: PartialReading) =>
  columnsAt(asking, reading).filter(({ column }) => asking.view.columns[column]!.kind === 'number')

/** "more than 500 additions", "additions greater than 500". */
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
  return [...after, ...before].map(({ column: _, ...next }) => ({
    ...next,
    ...(reading.column !== undefined && { column: reading.column }),
  }))
})

const auxiliary = words('auxiliary')
const plainPlace = either(value(isPlainText), namedValue)

/** Words that change nothing about which rows are meant. */
export const filler: Rule = words('fillers')

/** "insured": what is said to be so. */
const flag: Rule = (asking, reading) =>
  columnsAt(asking, reading)
    .filter(({ column }) => asking.view.columns[column]!.kind === 'flag')
    .map(({ column, at }) => ({ ...having(reading, { column, is: 'true' }), at }))

/** Reads what may stand before the noun: "open", "high priority", "merged", "unassigned". */
export const adjective: Rule = either(value(isPlainText), namedValue, flag, phase, verb, unassigned)

/** Reads one condition on the rows after their noun. */
export const modifier: Rule = either(
  filler,
  value(isSaidAlone),
  flag,
  phase,
  verb,
  seq(words('byAgent'), person(agentOf)),
  seq(words('fromAuthor'), person(authorOf)),
  personDoes(verb),
  seq(auxiliary, personDoes(anyVerb)),
  seq(words('didWe'), anyVerb),
  seq(auxiliary, person(holderOf), words('got')),
  seq(auxiliary, the, plainPlace, words('contains')),
  seq(words('places'), the, plainPlace),
  seq(holds, the, namedValue),
  seq(words('labelled'), maybe(words('as')), the, value(isLabels)),
  assignedTo,
  unassigned,
  presence('empty'),
  presence('filled'),
  due,
  namedTime,
  compared,
  time,
)
