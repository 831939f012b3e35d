import { groupByPerson, groupColumn, grouping } from './groups.ts'
import { adjective, filler, modifier, verb } from './modifiers.ts'
import { change, either, many, maybe, type Rule, seq, words } from './reading.ts'
import { columnsAt } from './values.ts'
import { columnAt, ownerColumn } from './verbs.ts'

const the = many(words('the', 'all', 'any', 'every', 'of the', 'of', 'our'))

const noun: Rule = ({ view, tokens }, reading) =>
  view.nouns
    .filter((form) => form.every((word, index) => tokens[reading.at + index]?.text === word))
    .map((form) => ({ ...reading, at: reading.at + form.length }))

const tail = many(either(modifier, grouping))
const rowsMeant = seq(the, many(adjective), noun)
const phrase = seq(rowsMeant, tail)

const asks = (kind: 'count' | 'rows' | 'sum' | 'average'): Rule => change(() => ({ asks: kind }))

const isWhat = words('what is', 'what was', 'what are', 'what were', 'what s', 'which is', 'which are', 'tell me')
const show = words('list', 'show', 'show me', 'give me', 'find', 'get', 'display', 'list me')
const which = words('which', 'what')
const ofRows = words('of', 'in', 'for', 'across', 'from')
const isOrWas = words('is', 'are', 'was', 'were')
const hasOrHad = words('has', 'have', 'had', 'with', 'having')

const countLead = either(
  words('how many'),
  seq(maybe(isWhat), maybe(show), the, maybe(words('total')), words('number of', 'count of')),
  seq(words('count'), maybe(words('up'))),
)

/** Numbers that name a thing; nobody adds them up. */
const NAMING = /^(?:number|no|id|iid|index|version|year|.*_(?:id|number))$/

const column: Rule = (asking, reading) =>
  columnsAt(asking, reading)
    .filter((named) => {
      const { kind, name } = asking.view.columns[named.column]!
      return kind === 'number' && !NAMING.test(name)
    })
    .map((named) => ({ ...reading, column: named.column, at: named.at }))

const MOST = ['most', 'the most', 'highest', 'the highest', 'largest', 'the largest', 'greatest', 'the greatest']
const LEAST = ['fewest', 'the fewest', 'least', 'the least', 'lowest', 'the lowest', 'smallest', 'the smallest']
const numberOf = words('number of', 'count of', 'total', 'total number of', 'sum of')

const most = change(() => ({ best: { isLeast: false } }))
const fewest = change(() => ({ best: { isLeast: true } }))

/** "the most", "the lowest number of": of rows. */
const best = either(
  seq(words('most', 'the most'), most),
  seq(words('fewest', 'the fewest', 'least', 'the least'), fewest),
  seq(words(...MOST), words('number of', 'count of'), most),
  seq(words(...LEAST), words('number of', 'count of'), fewest),
)

/** "the most additions", "the lowest total of additions": of a column. */
const bestColumn = either(
  seq(words(...MOST), maybe(numberOf), column, most),
  seq(words(...LEAST), maybe(numberOf), column, fewest),
)

const extremeColumn: Rule = seq(
  bestColumn,
  change(({ best: asked, column: of }) =>
    asked && of !== undefined ? { extreme: { column: of, isLeast: asked.isLeast } } : undefined,
  ),
)

const latest = change(() => ({ timeExtreme: { isLeast: false } }))
const earliest = change(() => ({ timeExtreme: { isLeast: true } }))
const inTime = either(
  seq(words('latest', 'newest', 'most recent', 'last'), latest),
  seq(words('first', 'oldest', 'earliest'), earliest),
)
const inTimeAdverb = either(
  seq(words('last', 'most recently', 'latest'), latest),
  seq(words('first', 'earliest'), earliest),
)

/** The first word asks for people, whose role the verb tells. */
const who = either(words('who'), seq(which, words('person', 'people', 'user', 'member')))
const agent: Rule = (asking, reading) => groupByPerson(reading.act?.person)(asking, reading)
const owner: Rule = (asking, reading) =>
  groupByPerson(ownerColumn(asking.view) ?? columnAt(asking.view, 'author'))(asking, reading)

const whoMost = seq(
  who,
  either(
    seq(maybe(hasOrHad), verb, agent, best, phrase),
    seq(hasOrHad, owner, best, phrase),
    seq(
      words('is assigned', 'was assigned'),
      change((_, { view }) => (ownerColumn(view) === undefined ? undefined : {})),
      owner,
      best,
      phrase,
    ),
  ),
)

const whichMost = seq(
  maybe(words('in', 'on', 'for')),
  which,
  groupColumn,
  either(
    seq(maybe(words('has', 'have', 'had')), best, phrase),
    seq(isOrWas, best, phrase, maybe(words('in', 'on', 'to'))),
    seq(maybe(words('has', 'have', 'had')), bestColumn, ofRows, phrase),
    seq(words('do', 'does', 'did'), phrase, words('have', 'has'), bestColumn),
  ),
)

const countFrame = either(
  seq(countLead, phrase, asks('count')),
  seq(words('for each', 'per', 'by', 'in each'), groupColumn, words('how many'), phrase, asks('count')),
  seq(
    maybe(words('break down', 'group', 'count', 'show', 'show me', 'list')),
    phrase,
    change(({ group }) => (group ? { asks: 'count' } : undefined)),
  ),
)

const listFrame = either(
  seq(either(show, which, isWhat), phrase, asks('rows')),
  seq(either(show, which, isWhat), rowsMeant, tail, maybe(hasOrHad), extremeColumn, tail, asks('rows')),
  seq(maybe(either(isWhat, show, which)), the, inTime, many(adjective), noun, tail, asks('rows')),
  seq(which, rowsMeant, maybe(filler), verb, inTimeAdverb, tail, asks('rows')),
  seq(isWhat, the, inTimeAdverb, verb, many(adjective), noun, tail, asks('rows')),
)

/** "Who is in the team": people are rows of their own. */
const whoFrame: Rule = (asking, reading) =>
  asking.view.type === 'person'
    ? seq(words('who is', 'who are', 'who was', 'who were'), tail, asks('rows'))(asking, reading)
    : []

const total = words('total', 'sum of', 'total number of', 'combined', 'sum of the', 'total of')
const mean = words('average', 'mean', 'average number of', 'mean number of')

const sumFrame = either(
  seq(maybe(isWhat), the, total, the, column, ofRows, phrase, asks('sum')),
  seq(maybe(isWhat), the, mean, the, column, ofRows, phrase, asks('average')),
  seq(
    words('how many'),
    column,
    words('do', 'does', 'did'),
    phrase,
    words('have', 'have in total', 'have altogether'),
    asks('sum'),
  ),
)

/** Every form of question that rows answer. */
export const question: Rule = either(countFrame, listFrame, whoFrame, whoMost, whichMost, sumFrame)
