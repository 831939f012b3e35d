import { anyVerb, isPersonText, timeColumn } from './modifiers.ts'
import { type Asking, change, either, maybe, type PartialReading, type Rule, seq, words } from './reading.ts'
import { columnsAt } from './values.ts'
import { ownerColumn } from './verbs.ts'

const SPANS = ['day', 'month', 'year'] as const
const PEOPLE = words('people', 'one')

/** The column that the next words name, as what rows are grouped by. */
export const groupColumn: Rule = (asking, reading) =>
  columnsAt(asking, reading)
    .filter(({ column }) => ['text', 'list', 'flag'].includes(asking.view.columns[column]!.kind))
    .map(({ column, at }) => ({ ...reading, group: { column }, at }))

/** A day, month or year of the verb's time, or of the record's when no other can be meant. */
const groupSpan: Rule = (asking, reading) => {
  const column = timeColumn(asking, reading)
  if (column === undefined) return []
  return SPANS.flatMap((span) => words(span)(asking, reading).map((next) => ({ ...next, group: { column, span } })))
}

const byAgent = change(({ act }) => (act?.person === undefined ? undefined : { group: { column: act.person } }))

/** People in the role that the verb gives them; without a verb nobody can tell which. */
const groupAgent: Rule = seq(PEOPLE, byAgent)

const each = words('each')
const group = either(groupColumn, groupSpan, groupAgent)

/** "each person wrote", "did each person write": the verb comes after whom it is about. */
const eachDoes: Rule = seq(words('doesEach', 'each'), PEOPLE, anyVerb, byAgent)

/** "by who merged them". */
const byWho: Rule = seq(words('byWho'), anyVerb, words('them'), byAgent)

const assignedToEach: Rule = seq(
  words('assignedToEach'),
  PEOPLE,
  change((_, { view }) => {
    const column = ownerColumn(view)
    return column === undefined ? undefined : { group: { column } }
  }),
)

const oneGroup =
  (rule: Rule): Rule =>
  (asking: Asking, reading: PartialReading) =>
    reading.group ? [] : rule(asking, reading)

/** What says by what the rows are grouped. */
export const grouping: Rule = oneGroup(
  either(
    seq(words('by'), group),
    seq(each, either(groupSpan)),
    seq(words('eachHas'), groupColumn, maybe(words('contain'))),
    eachDoes,
    byWho,
    assignedToEach,
  ),
)

/** A person column as the group, for a question that begins with "who". */
export function groupByPerson(column: number | undefined): Rule {
  return (asking, reading) => {
    const isPerson = column !== undefined && column >= 0 && isPersonText(asking.view.columns[column]!)
    return isPerson ? [{ ...reading, group: { column } }] : []
  }
}
