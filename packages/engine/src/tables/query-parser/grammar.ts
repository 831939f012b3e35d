import {
  adjective,
  anyVerb,
  filler,
  filter,
  isAmount,
  isPersonText,
  plainPlace,
  plainValue,
  priceColumn,
  rowByTitle,
  timeColumn,
  titleColumn,
  unpaid,
  verb,
} from './filters.ts'
import {
  change,
  columnAt,
  either,
  many,
  maybe,
  ownerColumn,
  type PartialParse,
  type QueryContext,
  type Rule,
  seq,
  withConditions,
  words,
} from './partial-parse.ts'
import { columnsAt, valuesAt } from './values.ts'

const SPANS = ['day', 'month', 'year'] as const
const PEOPLE = words('people', 'one')

/** Parses a column name as the grouping. */
const groupColumn: Rule = (asking, reading) =>
  columnsAt(asking, reading)
    .filter(({ column }) => ['text', 'list', 'flag'].includes(asking.view.columns[column]!.kind))
    .map(({ column, at }) => ({ ...reading, group: { column }, at }))

/** Parses a day, month or year of the verb's time as the grouping, or of the record's time if it is unambiguous. */
const groupSpan: Rule = (asking, reading) => {
  const column = timeColumn(asking, reading)
  if (column === undefined) return []
  return SPANS.flatMap((span) => words(span)(asking, reading).map((next) => ({ ...next, group: { column, span } })))
}

const byAgent = change(({ act }) => (act?.person === undefined ? undefined : { group: { column: act.person } }))

/** Parses people as the grouping, in the role that the verb defines. Without a verb the role is unknown. */
const groupAgent: Rule = seq(PEOPLE, byAgent)

const each = words('each')
const group = either(groupColumn, groupSpan, groupAgent)

/** Parses a person before the verb as the grouping: "each person wrote", "did each person write". */
const eachDoes: Rule = seq(words('doesEach', 'each'), PEOPLE, anyVerb, byAgent)

/** Parses "by who merged them". */
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
  (asking: QueryContext, reading: PartialParse) =>
    reading.group ? [] : rule(asking, reading)

const grouping: Rule = oneGroup(
  either(
    seq(words('by'), group),
    seq(each, either(groupSpan)),
    seq(words('eachHas'), groupColumn, maybe(words('contain'))),
    eachDoes,
    byWho,
    assignedToEach,
  ),
)

/** Groups by a person column, for a question that begins with "who". */
function groupByPerson(column: number | undefined): Rule {
  return (asking, reading) => {
    const isPerson = column !== undefined && column >= 0 && isPersonText(asking.view.columns[column]!)
    return isPerson ? [{ ...reading, group: { column } }] : []
  }
}

const the = many(words('allOf'))

/** Parses the noun for the rows. The rows of a sheet with a column `Name` are people. */
const noun: Rule = (asking, reading) => [...nounOfView(asking, reading), ...peopleNamed(asking, reading)]

const peopleNamed: Rule = (asking, reading) => {
  const title = asking.view.columns[titleColumn(asking)]
  return title?.words.at(-1) === 'name' ? PEOPLE(asking, reading) : []
}

const nounOfView: Rule = ({ view, tokens }, reading) =>
  view.nouns
    .filter((form) => form.every((word, index) => tokens[reading.at + index]?.text === word))
    .map((form) => ({ ...reading, at: reading.at + form.length }))

const tail = many(either(filter, grouping))
const rowsMeant = seq(the, many(adjective), noun)
/** Parses a value in the place of the noun: "How many mainsails", if a column has the value "mainsail". */
const rowsOfValue = seq(the, plainValue)
const phrase = seq(rowsMeant, tail)

const asks = (kind: 'count' | 'rows' | 'sum' | 'average' | 'value'): Rule => change(() => ({ asks: kind }))

const isWhat = words('whatIs')
const show = words('show')
const which = words('which')
const ofRows = words('ofRows')
const isOrWas = words('are')
const hasOrHad = words('hold')

const countLead = either(
  words('howMany'),
  seq(maybe(isWhat), maybe(show), the, maybe(words('whole')), words('numberOf')),
  seq(words('count'), maybe(words('up'))),
)

const column: Rule = (asking, reading) =>
  columnsAt(asking, reading)
    .filter((named) => isAmount(asking.view.columns[named.column]!))
    .map((named) => ({ ...reading, column: named.column, at: named.at }))

/** Selects the only column of amounts, which a question can omit: "the largest expense". */
const onlyColumn = change((_, { view }) => {
  const amounts = view.columns.filter(isAmount)
  return amounts.length === 1 ? { column: view.columns.indexOf(amounts[0]!) } : undefined
})

const numberOf = words('totalOf')

const most = change(() => ({ best: { isLeast: false } }))
const fewest = change(() => ({ best: { isLeast: true } }))

/** Parses "the most" and "the lowest number of": compares the numbers of rows of groups. */
const best = either(
  seq(words('most'), most),
  seq(words('fewest'), fewest),
  seq(words('most', 'largest'), words('numberOf'), most),
  seq(words('fewest', 'smallest'), words('numberOf'), fewest),
)

/** Parses "the most additions" and "the lowest total of additions": compares sums of a column. */
const bestColumn = either(
  seq(words('most', 'largest'), maybe(numberOf), column, most),
  seq(words('fewest', 'smallest'), maybe(numberOf), column, fewest),
)

const bestOfOnly = either(seq(words('largest'), onlyColumn, most), seq(words('smallest'), onlyColumn, fewest))

const extremeOf = (best: Rule): Rule =>
  seq(
    best,
    change(({ best: asked, column: of }) =>
      asked && of !== undefined ? { extreme: { column: of, isLeast: asked.isLeast } } : undefined,
    ),
  )

/** Parses "the most expensive" and "cheapest". */
const extremePrice: Rule = extremeOf(
  either(seq(words('dearest'), priceColumn, most), seq(words('cheapest'), priceColumn, fewest)),
)

const latest = change(() => ({ timeExtreme: { isLeast: false } }))
const earliest = change(() => ({ timeExtreme: { isLeast: true } }))
const inTime = either(seq(words('latest'), latest), seq(words('earliest'), earliest))
const inTimeAdverb = either(seq(words('lastly'), latest), seq(words('firstly'), earliest))

/** Parses the beginning of a question that asks for people. The verb defines their role. */
const who = either(words('who'), seq(which, words('people')))
const agent: Rule = (asking, reading) => groupByPerson(reading.act?.person)(asking, reading)
const owner: Rule = (asking, reading) =>
  groupByPerson(ownerColumn(asking.view) ?? columnAt(asking.view, 'author'))(asking, reading)

const whoMost = seq(
  who,
  either(
    seq(maybe(hasOrHad), verb, agent, best, phrase),
    seq(hasOrHad, owner, best, phrase),
    seq(
      words('isAssigned'),
      change((_, { view }) => (ownerColumn(view) === undefined ? undefined : {})),
      owner,
      best,
      phrase,
    ),
  ),
)

const whichMost = seq(
  maybe(words('inPlace')),
  which,
  groupColumn,
  either(
    seq(maybe(words('have')), best, phrase),
    seq(isOrWas, best, phrase, maybe(words('behind'))),
    seq(maybe(words('have')), bestColumn, ofRows, phrase),
    seq(words('do'), phrase, words('hasAny'), bestColumn),
  ),
)

const countRule = either(
  seq(countLead, phrase, asks('count')),
  seq(countLead, rowsOfValue, many(filter), asks('count')),
  seq(words('perEach'), groupColumn, words('howMany'), phrase, asks('count')),
  seq(
    maybe(words('group')),
    phrase,
    change(({ group }) => (group ? { asks: 'count' } : undefined)),
  ),
)

const listRule = either(
  seq(either(show, which, isWhat), phrase, asks('rows')),
  seq(either(show, which, isWhat), rowsMeant, tail, maybe(hasOrHad), extremeOf(bestColumn), tail, asks('rows')),
  seq(which, rowsMeant, tail, isOrWas, extremeOf(bestOfOnly), tail, asks('rows')),
  seq(maybe(either(isWhat, show, which)), the, extremeOf(bestOfOnly), many(adjective), noun, tail, asks('rows')),
  seq(maybe(either(isWhat, show, which)), the, inTime, many(adjective), noun, tail, asks('rows')),
  seq(which, rowsMeant, maybe(filler), verb, inTimeAdverb, tail, asks('rows')),
  seq(isWhat, the, inTimeAdverb, verb, many(adjective), noun, tail, asks('rows')),
  seq(maybe(either(isWhat, which)), the, extremePrice, many(adjective), noun, tail, asks('rows')),
  seq(which, rowsMeant, isOrWas, extremePrice, tail, asks('rows')),
  seq(isWhat, extremeOf(bestColumn), tail, asks('rows')),
)

/**
 * Parses questions with "who". In "Who is in the team" the rows are people. In "Who has not paid" they are the rows of
 * a sheet, unless a verb names the column of the person who did it.
 */
const whoRule: Rule = (asking, reading) => {
  if (asking.view.type === 'person') return seq(words('whoIs'), tail, asks('rows'))(asking, reading)
  if (titleColumn(asking) < 0) return []
  const found = seq(who, maybe(hasOrHad), filter, tail, asks('rows'))(asking, reading)
  return found.filter(({ act, where }) => act === undefined && where.length > 0)
}

const total = words('sum')
const mean = words('mean')

const inTotal = words('inTotal')
/** Parses "of Nord Lines" and "for North": restricts the rows of a sum. */
const restricting: Rule = seq(words('places'), the, plainPlace)

/** Selects the only column of amounts, or of prices. */
const amount = either(onlyColumn, priceColumn)

/** Parses "owe" and "spend". If a column records payment, "owe" restricts the rows to unpaid ones. */
const money: Rule = either(
  words('paying'),
  seq(
    words('owing'),
    change((reading, { view }) => {
      const open = unpaid(view)
      return open ? withConditions(reading, open) : {}
    }),
  ),
)

/** Parses "does North have" and "did Ann stay": one row, by its title. */
const rowHas = seq(words('do'), the, rowByTitle, words('staying', 'contains'))

/** Parses a value of a column other than the title, which several rows may share. */
const sharedValue: Rule = (asking, reading) =>
  valuesAt(asking, reading, ({ kind }) => kind === 'text')
    .filter(({ column }) => column !== titleColumn(asking))
    .map(({ column, cells, at }) => ({
      ...withConditions(reading, { column, is: 'in', values: [...cells] }),
      at,
    }))

/** Parses "did Ann work at the depot": all rows with the value. */
const rowsHave = seq(words('do', 'have'), the, sharedValue, words('staying', 'contains'), many(filter))

const sumRule = either(
  seq(maybe(isWhat), the, total, the, column, ofRows, phrase, asks('sum')),
  seq(maybe(isWhat), the, total, onlyColumn, maybe(ofRows), phrase, asks('sum')),
  seq(maybe(isWhat), the, mean, the, column, ofRows, phrase, asks('average')),
  seq(words('howMany'), column, words('do'), phrase, words('haveInTotal'), asks('sum')),
  seq(words('howMany'), column, rowHas, inTotal, asks('sum')),
  seq(words('howMany'), column, rowsHave, maybe(inTotal), asks('sum')),
  seq(words('howMany'), many(filler), column, many(filler), inTotal, many(restricting), asks('sum')),
  seq(maybe(isWhat), the, total, the, column, many(restricting), asks('sum')),
  seq(maybe(isWhat), the, mean, the, column, many(restricting), asks('average')),
  seq(words('howMuch'), words('do', 'have'), the, plainPlace, money, onlyColumn, maybe(inTotal), asks('sum')),
  seq(words('howMuch'), words('do'), phrase, words('amounting', 'paying'), amount, maybe(inTotal), asks('sum')),
  seq(words('howMuch'), isOrWas, phrase, words('worth'), amount, asks('sum')),
)

const anyColumn: Rule = (asking, reading) =>
  columnsAt(asking, reading).map((named) => ({ ...reading, column: named.column, at: named.at }))

/** Selects the column of the verb's person: "Who owns Rex?" asks for the owner. */
const agentValue = change(({ act }) => (act?.person === undefined ? undefined : { column: act.person }))

/** Parses "What is the budget of North?" and "How many seats does North have?": one cell of a sheet. */
const valueRule = either(
  seq(isWhat, the, anyColumn, words('places'), the, rowByTitle, asks('value')),
  seq(words('howMany', 'howMuch'), anyColumn, words('have'), the, rowByTitle, asks('value')),
  seq(words('howMany', 'howMuch'), anyColumn, rowHas, asks('value')),
  seq(words('howMuch'), words('do'), the, rowByTitle, words('costing'), priceColumn, asks('value')),
  seq(who, anyVerb, the, rowByTitle, agentValue, asks('value')),
)

/** Grammar of all questions that the query parser accepts. */
export const question: Rule = either(countRule, listRule, whoRule, whoMost, whichMost, sumRule, valueRule)
