import { ROWS } from '../../lexicon/asked.ts'
import type { Condition, Plan } from '../plan.ts'
import { adjective, filter, isAmount, isPersonText, numberAt, priceColumn, titleColumn } from './filters.ts'
import { isFormOf, type PartialParse, type QueryContext, type Rule, words } from './partial-parse.ts'
import { columnsAt, isComparable, unitAt, unitNamed, unitOfColumn, valuesAt } from './values.ts'

/** A word or phrase that asks for a count, an amount or a comparison. */
const CUES = ['howMany', 'howMuch', 'inTotal', 'sum', 'mean', 'most', 'fewest', 'largest', 'smallest'] as const
type Cue = (typeof CUES)[number] | 'which' | 'who'

/** A parse whose parts are in any order. */
interface SlotParse extends PartialParse {
  cues: readonly Cue[]
  hasNoun: boolean
  /** Columns that are named without a value. */
  columns: readonly number[]
  /** Number of words that mean nothing for the rows. */
  ignored: number
  /** True if it has an unknown verb, which only an amount may have. */
  hasAmountVerb: boolean
  /** True if a word such as "cost" or "money" refers to the column of prices. */
  hasMoney: boolean
  /** Number of words before the verb of "did Ann …", if the last words are an auxiliary and a subject; otherwise 0. */
  verbAt: number
}

/** Maximum number of parallel parses at a word. A question with more is too ambiguous. */
const PARSES_MAX = 100
const LETTERS = /^\p{L}+$/u

/**
 * Returns the plans of a question whose parts are in any order: cues such as "how many", the noun, columns, values and
 * conditions. Every other word must be a function word or a verb that says nothing more about the rows, such as
 * "stand". Of several parses, those with the fewest such words count.
 */
export function planBySlots(asking: QueryContext): Plan[] {
  const start: SlotParse = {
    at: 0,
    where: [],
    cues: [],
    hasNoun: false,
    columns: [],
    ignored: 0,
    hasAmountVerb: false,
    hasMoney: false,
    verbAt: 0,
  }
  if (!asking.tokens.some((_, at) => namesRows(asking, { ...start, at }))) return []
  const byEnd = new Map<number, Map<string, SlotParse>>([[0, new Map([['', start]])]])
  for (let at = 0; at < asking.tokens.length; at += 1) {
    const parses = byEnd.get(at)
    if (!parses || parses.size > PARSES_MAX) continue
    for (const next of [...parses.values()].flatMap((parse) => continuations(asking, parse))) {
      const known = byEnd.get(next.at) ?? new Map<string, SlotParse>()
      byEnd.set(next.at, known.set(JSON.stringify(next), next))
    }
  }
  const complete = [...(byEnd.get(asking.tokens.length)?.values() ?? [])].flatMap((parse) => {
    const plan = toPlan(asking, parse)
    return plan ? [{ plan, ignored: parse.ignored }] : []
  })
  const least = Math.min(...complete.map(({ ignored }) => ignored))
  const plans = complete.filter(({ ignored }) => ignored === least).map(({ plan }) => plan)
  return [...new Map(plans.map((plan) => [JSON.stringify(plan), plan])).values()]
}

/** Returns true if a word names the rows, a column or money. Without one there is no plan. */
function namesRows(asking: QueryContext, parse: SlotParse): boolean {
  const isMoney = words('moneyVerbs', 'owing', 'paying', 'costing', 'dearest', 'cheapest')(asking, parse).length > 0
  return isMoney || [nouns, columns, superlatives].some((rule) => rule(asking, parse).length > 0)
}

/** Returns all parses that are longer by one part. */
function continuations(asking: QueryContext, parse: SlotParse): SlotParse[] {
  const apply = (rule: Rule, from: SlotParse) => rule(asking, from) as SlotParse[]
  const cue = (name: Cue, ...ideas: (keyof typeof ROWS)[]) =>
    apply(words(...ideas), { ...parse, cues: [...parse.cues, name] })
  const groups = apply(words('by', 'each', 'perEach'), parse).flatMap((next) =>
    columnsAt(asking, next).map(({ column, at }) => ({ ...parse, group: { column }, at })),
  )
  const conditions = [...apply(filter, parse), ...apply(adjective, parse)].filter(
    ({ at, where }) => at > parse.at && where.length > parse.where.length,
  )
  return [
    ...CUES.flatMap((each) => cue(each, each)),
    ...cue('which', 'which', 'show', 'whatIs'),
    ...cue('howMany', 'count', 'numberOf'),
    ...cue('who', 'who'),
    ...cue('most', 'dearest').map((next) => ({ ...next, hasMoney: true })),
    ...cue('fewest', 'cheapest').map((next) => ({ ...next, hasMoney: true })),
    ...apply(words('moneyVerbs', 'owing', 'paying', 'costing'), {
      ...parse,
      hasMoney: true,
      ignored: parse.ignored + 1,
    }),
    ...apply(words('functionWords', 'neutralVerbs'), { ...parse, ignored: parse.ignored + 1 }),
    ...subjects(asking, parse),
    ...unknownVerb(asking, parse),
    ...nouns(asking, parse),
    ...columns(asking, parse),
    ...superlatives(asking, parse),
    ...(parse.group ? [] : groups),
    ...conditions,
    ...bounds(asking, parse),
    ...bareValues(asking, parse),
  ]
}

/** Parses "did Ann" and "do we". */
function subjects(asking: QueryContext, parse: SlotParse): SlotParse[] {
  return (words('do')(asking, parse) as SlotParse[]).flatMap((next) => {
    const ends = [
      ...bareValues(asking, next),
      ...nouns(asking, next),
      ...(words('pronouns')(asking, next) as SlotParse[]),
    ]
    return ends.map((each) => ({ ...each, ignored: each.ignored + 1, verbAt: each.at }))
  })
}

const NEGATIONS = new Set(ROWS.negations)

/** Parses any verb after "did Ann". The plan is valid only if the question names the column of amounts. */
function unknownVerb({ tokens }: QueryContext, parse: SlotParse): SlotParse[] {
  const word = tokens[parse.at]!.text
  if (parse.verbAt === 0 || parse.verbAt !== parse.at || !LETTERS.test(word) || NEGATIONS.has(word)) return []
  return [{ ...parse, at: parse.at + 1, ignored: parse.ignored + 2, hasAmountVerb: true }]
}

/** Parses a noun for the rows, or the name of the column that has their titles. */
function nouns(asking: QueryContext, parse: SlotParse): SlotParse[] {
  const title = titleColumn(asking)
  const ends = [
    ...asking.view.nouns
      .filter((form) => form.every((word, index) => asking.tokens[parse.at + index]?.text === word))
      .map((form) => parse.at + form.length),
    ...columnsAt(asking, parse).flatMap(({ column, at }) => (column === title ? [at] : [])),
  ]
  return ends.map((at) => ({ ...parse, hasNoun: true, at }))
}

/** Parses the name of a column. An amount is also named by a unit or verb that only it has: "yielded". */
function columns(asking: QueryContext, parse: SlotParse): SlotParse[] {
  const word = asking.tokens[parse.at]?.text ?? ''
  const unit = unitNamed(word)
  const measured = asking.view.columns.flatMap((each, column) => {
    const isMeant = unit !== undefined ? unitOfColumn(each) === unit : isFormOf(word, each.words[0] ?? '')
    return isAmount(each) && isMeant ? [{ column, at: parse.at + 1 }] : []
  })
  const named = columnsAt(asking, parse)
  return [...named, ...(named.length === 0 && measured.length === 1 ? measured : [])].map(({ column, at }) => ({
    ...parse,
    columns: [...new Set([...parse.columns, column])],
    at,
  }))
}

/** Superlatives with the words and units of the columns that they compare: "heaviest" is the most of a weight. */
const MEASURES = ROWS.measures.map((entry) => {
  const [most = '', least = '', ...measures] = entry.split(' ')
  return { most, least, measures }
})

/** Parses "longest" if only one column has lengths or durations. */
function superlatives({ view, tokens }: QueryContext, parse: SlotParse): SlotParse[] {
  const word = tokens[parse.at]?.text ?? ''
  return MEASURES.filter(({ most, least }) => word === most || word === least).flatMap(({ most, measures }) => {
    const found = view.columns.flatMap((each, column) => {
      const said = [...each.words, unitOfColumn(each) ?? '']
      return isAmount(each) && said.some((own) => measures.includes(own)) ? [column] : []
    })
    const cue: Cue = word === most ? 'most' : 'fewest'
    const next = { ...parse, cues: [...parse.cues, cue], at: parse.at + 1 }
    return found.length === 1 ? [{ ...next, columns: [...new Set([...parse.columns, ...found])] }] : []
  })
}

/** Parses a bound that follows its number: "ten nights or longer", "£90 or more". */
function bounds(asking: QueryContext, parse: SlotParse): SlotParse[] {
  const number = numberAt(asking, parse.at)
  if (!number) return []
  const unit = unitAt(asking, number.at - 1)
  const { columns: all } = asking.view
  const ofUnit = all.flatMap((each, column) => (isAmount(each) && unitOfColumn(each) === unit ? [column] : []))
  const [last] = parse.columns.filter((column) => isAmount(all[column]!)).slice(-1)
  const named = columnsAt(asking, { ...parse, at: number.at }).filter(({ column }) => isAmount(all[column]!))
  const before = last === undefined || !isComparable(all[last]!, unit) ? [] : [{ column: last, at: number.at }]
  const measured = unit !== undefined && ofUnit.length === 1 ? [{ column: ofUnit[0]!, at: number.at }] : []
  return [...named, ...measured, ...before].flatMap(({ column, at }) =>
    (
      [
        ['>=', 'orMore'],
        ['<=', 'orLess'],
      ] as const
    ).flatMap(([is, said]) =>
      (words(said)(asking, { ...parse, at }) as SlotParse[]).map((next) => ({
        ...next,
        columns: parse.columns.filter((each) => each !== column),
        where: [...parse.where, { column, is, value: number.value }],
      })),
    ),
  )
}

/** Parses a value without its column's name. A person must occur in the column. */
function bareValues(asking: QueryContext, parse: SlotParse): SlotParse[] {
  return valuesAt(asking, parse, ({ kind }) => kind === 'text')
    .filter(({ column, cells }) => cells.every((cell) => asking.view.columns[column]!.labels.has(cell)))
    .map(({ column, cells, at }) => ({
      ...parse,
      where: [...parse.where, { column, is: 'in' as const, values: cells }],
      at,
    }))
}

/** Returns the plan of a complete parse, or undefined if its parts do not make a question. */
function toPlan(asking: QueryContext, parse: SlotParse): Plan | undefined {
  const { view } = asking
  const where = merged(parse.where)
  const named = parse.columns.filter((column) => isAmount(view.columns[column]!))
  const others = parse.columns.filter((column) => !named.includes(column))
  const has = (...cues: readonly Cue[]) => cues.some((cue) => parse.cues.includes(cue))
  // "How many crews paid over 100?" counts rows, "how much did they pay?" adds prices.
  const [price] = parse.hasMoney && !has('howMany') ? priceColumn(asking, parse) : []
  const [column = price?.column] = named
  if (named.length > 1 || others.length > 1) return undefined
  if (parse.hasAmountVerb && column === undefined) return undefined
  const plan = { type: view.type, where }
  const isLeast = has('fewest', 'smallest')
  if (isLeast || has('most', 'largest')) return toBest(asking, parse, plan, column, others[0], isLeast)
  if (others.length > 0) return column === undefined ? toValue(asking, plan, others[0]!) : undefined
  if (parse.group) {
    const counts = has('howMany') && column === undefined && parse.hasNoun
    return counts ? { ...plan, asks: 'groups', group: parse.group } : undefined
  }
  if (column !== undefined) {
    if (has('mean')) return { ...plan, asks: 'average', column }
    if (has('sum', 'inTotal')) return { ...plan, asks: 'sum', column }
    if (isOneRow(asking, where)) return { ...plan, asks: 'value', column }
    const isPrice = ROWS.currencies.includes(unitOfColumn(view.columns[column]!) ?? '')
    const isAmountAsked = has('howMuch') || (has('howMany') && !isPrice)
    return isAmountAsked && where.length > 0 ? { ...plan, asks: 'sum', column } : undefined
  }
  if (!parse.hasNoun || has('howMuch', 'mean', 'sum')) return undefined
  if (has('howMany')) return { ...plan, asks: 'count' }
  return where.length > 0 ? { ...plan, asks: 'rows' } : undefined
}

type Base = Pick<Plan, 'type' | 'where'>

/** Returns the plan for the rows, or the values of a column, that have the most or the least. */
function toBest(
  { view }: QueryContext,
  { cues, hasNoun, act }: SlotParse,
  base: Base,
  column: number | undefined,
  named: number | undefined,
  isLeast: boolean,
): Plan | undefined {
  const people = view.columns.flatMap((each, at) =>
    isPersonText(each) && each.cells.some((cell) => cell !== null) ? [at] : [],
  )
  const agent = act?.person ?? (people.length === 1 ? people[0] : undefined)
  const group = named ?? (cues.includes('who') ? agent : undefined)
  if (group !== undefined) {
    if (!['text', 'list', 'flag'].includes(view.columns[group]!.kind)) return undefined
    if (column === undefined && !hasNoun) return undefined
    return { ...base, asks: 'best', group: { column: group }, isLeast, ...(column !== undefined && { sum: column }) }
  }
  if (column === undefined || cues.includes('who')) return undefined
  return { ...base, asks: 'extreme', column, isLeast }
}

/** Returns the plan for a cell that is not an amount, of the row that the question names. */
function toValue(asking: QueryContext, base: Base, column: number): Plan | undefined {
  return isOneRow(asking, base.where) ? { ...base, asks: 'value', column } : undefined
}

/** Returns true if the only condition is the title of exactly one row. */
function isOneRow(asking: QueryContext, where: readonly Condition[]): boolean {
  const [only, ...more] = where
  if (only?.is !== 'in' || more.length > 0 || only.column !== titleColumn(asking)) return false
  return asking.view.columns[only.column]!.cells.filter((cell) => only.values.includes(String(cell))).length === 1
}

/** Returns the conditions, sorted and without duplicates. Two values of one column are alternatives. */
function merged(where: readonly Condition[]): Condition[] {
  const values = new Map<number, Set<string>>()
  const others = new Map<string, Condition>()
  for (const each of where) {
    if (each.is === 'in') values.set(each.column, new Set([...(values.get(each.column) ?? []), ...each.values]))
    else others.set(JSON.stringify(each), each)
  }
  const all: Condition[] = [
    ...[...values].map(([column, of]) => ({ column, is: 'in' as const, values: [...of].sort() })),
    ...others.values(),
  ]
  return all.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}
