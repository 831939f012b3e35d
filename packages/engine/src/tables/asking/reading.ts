import { ROWS } from '../../lexicon/asked.ts'
import { FIELD_ROLES, isUnfinished, phaseOfState } from '../../lexicon/work.ts'
import { endsInConsonantY, plural } from '../../text/kinds.ts'
import { withoutEnd } from '../../text/signs.ts'
import type { Column, Condition, Group, QuestionWord, View } from '../plan.ts'

/** A question as it is read against one view. */
export interface Asking {
  view: View
  text: string
  tokens: QuestionWord[]
  /** YYYY-MM-DD, from which relative dates are counted. */
  referenceDate: string
  /** Results cached by place in the question, since many readings pass the same place. */
  memo: Map<string, unknown>
}

/** What a verb means for the rows of a view: the columns of who did it and when, and what holds once it is done. */
export interface Act {
  person?: number
  time?: number
  where: Condition[]
}

/** A reading of the question up to a word. */
export interface PartialReading {
  at: number
  where: readonly Condition[]
  /** The latest verb, to which a person or a time after it belongs. */
  act?: Act
  asks?: 'count' | 'rows' | 'sum' | 'average' | 'value'
  group?: Group
  /** The most or the fewest is asked. */
  best?: { isLeast: boolean }
  /** The column that is added up, averaged or compared. */
  column?: number
  /** The first or the last in time is asked, of the act's time or of the record's. */
  timeExtreme?: { isLeast: boolean }
  extreme?: { column: number; isLeast: boolean }
}

/** Every way to go on from a reading; none when the words do not fit. */
export type Rule = (asking: Asking, reading: PartialReading) => PartialReading[]

/** Repetitions of one rule in a question; more is no question. */
const REPEATS_MAX = 12
/** Readings that are followed at once; a question with more is too ambiguous to be answered by rows. */
const READINGS_MAX = 200

/** What `work` gives, worked out once for one question and view. */
export function once<T>({ memo }: Asking, key: string, work: () => T): T {
  if (!memo.has(key)) memo.set(key, work())
  return memo.get(key) as T
}

function keyOf({ at, where, act, asks, group, best, column, timeExtreme, extreme }: PartialReading): string {
  return JSON.stringify([at, where, act, asks, group, best, column, timeExtreme, extreme])
}

/** Equal readings of the same words count once. */
function distinct(readings: PartialReading[]): PartialReading[] {
  return readings.length < 2 ? readings : [...new Map(readings.map((reading) => [keyOf(reading), reading])).values()]
}

/** One of the phrases that say any of some ideas, word for word. */
export function words(...ideas: (keyof typeof ROWS)[]): Rule {
  const lists = ideas.flatMap((idea) => ROWS[idea]).map((phrase) => phrase.split(' '))
  return ({ tokens }, reading) =>
    lists
      .filter((list) => list.every((word, index) => tokens[reading.at + index]?.text === word))
      .map((list) => ({ ...reading, at: reading.at + list.length }))
}

/** Each rule after the other. */
export function seq(...rules: Rule[]): Rule {
  return (asking, reading) => {
    let readings = [reading]
    for (const rule of rules) {
      readings = distinct(readings.flatMap((each) => rule(asking, each)))
      if (readings.length > READINGS_MAX) return []
    }
    return readings
  }
}

/** Any of the rules. */
export function either(...rules: Rule[]): Rule {
  return (asking, reading) => rules.flatMap((rule) => rule(asking, reading))
}

/** With or without the rule. */
export function maybe(rule: Rule): Rule {
  return (asking, reading) => [reading, ...rule(asking, reading)]
}

/** The rule any number of times; each must take at least a word. */
export function many(rule: Rule): Rule {
  return (asking, reading) => {
    const all = [reading]
    let latest = [reading]
    for (let times = 0; times < REPEATS_MAX && latest.length > 0; times += 1) {
      latest = distinct(latest.flatMap((each) => rule(asking, each).filter((next) => next.at > each.at)))
      if (all.length + latest.length > READINGS_MAX) return []
      all.push(...latest)
    }
    return distinct(all)
  }
}

/** Changes what has been understood, or ends the reading. */
export function change(from: (reading: PartialReading, asking: Asking) => Partial<PartialReading> | undefined): Rule {
  return (asking, reading) => {
    const changed = from(reading, asking)
    return changed ? [{ ...reading, ...changed }] : []
  }
}

/** The reading with one more condition. */
export function having(reading: PartialReading, ...conditions: Condition[]): PartialReading {
  return { ...reading, where: [...reading.where, ...conditions] }
}

/** Verbs for making a record: whoever did it is its author, and when is when it happened. */
const MAKING = ROWS.making
/** Verbs for finishing work: trackers name the same moment differently. */
const FINISHING = ROWS.finishing
const IRREGULAR = new Map(
  ROWS.irregular.map((entry) => entry.split(' ')).map(([verb = '', ...forms]) => [verb, forms] as const),
)
const AT = ROWS.timeEndings

function formsOf(verb: string): string[] {
  const stem = endsInConsonantY(verb) ? `${verb.slice(0, -1)}i` : verb
  return [verb, ...(IRREGULAR.get(verb) ?? [verb.endsWith('e') ? `${verb}d` : `${stem}ed`])]
}

/** Whether a word is a form of the verb whose participle or base a column's name begins with. */
function isFormOf(word: string, stem: string): boolean {
  return word === stem || `${word}d` === stem || `${word}ed` === stem || formsOf(stem).includes(word)
}

/** Whether a word has the form of something done: participles end so, but for those that are listed. */
export function isPast(word: string): boolean {
  return word.endsWith('ed') || [...IRREGULAR.values()].flat().includes(word)
}

const AGENT_ENDING = /(?:e[er]|or)$/
const DOUBLED = /([^aeiou])\1$/

/** Returns true if a word is a form of the verb that an agent noun is derived from: "supplies" of "supplier". */
function isVerbOfAgent(word: string, noun: string): boolean {
  if (!AGENT_ENDING.test(noun)) return false
  const stem = noun.replace(AGENT_ENDING, '')
  const bases = [stem, `${stem}e`, stem.replace(/i$/, 'y'), stem.replace(DOUBLED, '$1')].filter(
    ({ length }) => length > 1,
  )
  return bases.some((base) => base === withoutEnd(word, 's') || plural(base) === word || formsOf(base).includes(word))
}

/** Returns the text column whose name is the agent noun of a verb. */
function agentColumn(view: View, word: string): number | undefined {
  const at = view.columns.findIndex(
    ({ kind, words: [noun = '', ...more] }) => kind === 'text' && more.length === 0 && isVerbOfAgent(word, noun),
  )
  return at < 0 ? undefined : at
}

/** The columns `X_at` and `X_by` by their stems, as `merged`. */
function stemmed(view: View, ends: readonly string[], fits: (column: Column) => boolean): Map<string, number> {
  const found = new Map<string, number>()
  for (const [at, column] of view.columns.entries()) {
    const [stem, end, ...more] = column.words
    if (stem && end && more.length === 0 && ends.includes(end) && fits(column) && !found.has(stem)) found.set(stem, at)
  }
  return found
}

/** What a word says was done, if it is a verb that the columns of the view know of; `open` alone may be a state. */
export function actOf(view: View, word: string, isBaseTaken: boolean): Act | undefined {
  if (!isBaseTaken && !isPast(word)) return undefined
  const times = stemmed(view, AT, ({ kind }) => kind === 'time')
  const people = stemmed(view, ['by'], ({ kind }) => kind === 'text')
  const stem = [...times.keys(), ...people.keys()].find((each) => isFormOf(word, each))
  const isFinishing = FINISHING.some((verb) => formsOf(verb).includes(word))
  if (stem) {
    return toAct(times.get(stem), people.get(stem) ?? (isFinishing ? ownerColumn(view) : undefined), undefined)
  }
  const agent = agentColumn(view, word)
  if (agent !== undefined) return { person: agent, where: [] }
  if (MAKING.some((verb) => formsOf(verb).includes(word))) {
    return { person: columnAt(view, 'author'), time: columnAt(view, 'occurred_at'), where: [] }
  }
  if (!isFinishing) return undefined
  const finished = [...times.keys()].find((each) => FINISHING.some((verb) => formsOf(verb).includes(each)))
  const by = [...people.keys()].find((each) => FINISHING.some((verb) => formsOf(verb).includes(each)))
  const act = toAct(times.get(finished ?? ''), people.get(by ?? '') ?? ownerColumn(view), phaseValues(view, 'done'))
  return act.where.length > 0 ? act : undefined
}

/** Done is what has a time at which it was done, else what is in a state of being done, else what somebody did. */
function toAct(time: number | undefined, person: number | undefined, state: Condition | undefined): Act {
  const done = time === undefined ? state : undefined
  const column = time ?? person
  const filled = column === undefined ? [] : [{ column, is: 'filled' as const }]
  return { ...(time !== undefined && { time }), ...(person !== undefined && { person }), where: done ? [done] : filled }
}

/** The index of a column by its name; -1 is never given out. */
export function columnAt(view: View, name: string): number {
  return view.columns.findIndex((column) => column.name === name)
}

/** The column of the person whose work a row is, where rows have one. */
export function ownerColumn(view: View): number | undefined {
  for (const name of FIELD_ROLES.owner) {
    const at = columnAt(view, name)
    if (at >= 0) return at
  }
  return undefined
}

/** The index of the column that says how far work has come. */
export function stateColumn(view: View): number | undefined {
  const at = view.columns.findIndex(({ name, kind }) => kind === 'text' && FIELD_ROLES.state.includes(name))
  return at < 0 ? undefined : at
}

/** The column of what records declare of how far they have come. */
export const PHASE_COLUMN = 'phase'

/** Whether a column says how far work has come: by its source's word for it, or by what the record declares. */
export function isOfProgress(view: View, column: number): boolean {
  return column === stateColumn(view) || view.columns[column]?.name === PHASE_COLUMN
}

/**
 * The rows whose work is open, or done. Nothing when a state of the view is neither, since then nobody can tell what
 * belongs where.
 */
export function phaseValues(view: View, asked: 'open' | 'done'): Condition | undefined {
  const state = stateColumn(view)
  const declared = view.columns.findIndex(({ name }) => name === PHASE_COLUMN)
  const isToldByAll = declared >= 0 && view.columns[declared]!.cells.every((cell) => cell !== null)
  const column = isToldByAll ? declared : state
  if (column === undefined) return undefined
  const values: string[] = []
  for (const [cell, label] of view.columns[column]!.labels) {
    const phase = phaseOfState(label)
    if (phase === undefined) return undefined
    if (isUnfinished(phase) === (asked === 'open')) values.push(cell)
  }
  return { column, is: 'in', values: values.sort() }
}
