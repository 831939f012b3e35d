import { ROWS } from '../../lexicon/asked.ts'
import { FIELD_ROLES, isUnfinished, phaseOfState } from '../../lexicon/work.ts'
import { withoutEnd } from '../../text/characters.ts'
import { endsInConsonantY, plural } from '../../text/kinds.ts'
import type { Column, Condition, Group, QuestionWord, View } from '../plan.ts'

/** A question while it is parsed against one view. */
export interface QueryContext {
  view: View
  text: string
  tokens: QuestionWord[]
  /** Reference date of relative dates, YYYY-MM-DD. */
  referenceDate: string
  /** Cached results by position in the question. Many parses reach the same positions. */
  memo: Map<string, unknown>
}

/** Meaning of a verb for the rows of a view: columns of its person and time, and conditions that it implies. */
export interface VerbMeaning {
  person?: number
  time?: number
  where: Condition[]
}

/** A parse of the beginning of a question, up to a word. */
export interface PartialParse {
  at: number
  where: readonly Condition[]
  /** The latest verb. A following person or time belongs to it. */
  act?: VerbMeaning
  asks?: 'count' | 'rows' | 'sum' | 'average' | 'value'
  group?: Group
  /** Set if the question asks for the most or fewest. */
  best?: { isLeast: boolean }
  /** Column that is summed, averaged or compared. */
  column?: number
  /** Set if the question asks for the first or last in time, by the date column of its verb or by the record's time. */
  timeExtreme?: { isLeast: boolean }
  extreme?: { column: number; isLeast: boolean }
}

/** Returns all continuations of a parse; none if the words do not match. */
export type Rule = (asking: QueryContext, reading: PartialParse) => PartialParse[]

/** Maximum number of repetitions of a rule. */
const REPEATS_MAX = 12
/** Maximum number of parallel parses. A question with more is too ambiguous. */
const READINGS_MAX = 200

/** Returns the cached result of `work` for one question and view. */
export function memoized<T>({ memo }: QueryContext, key: string, work: () => T): T {
  if (!memo.has(key)) memo.set(key, work())
  return memo.get(key) as T
}

function keyOf({ at, where, act, asks, group, best, column, timeExtreme, extreme }: PartialParse): string {
  return JSON.stringify([at, where, act, asks, group, best, column, timeExtreme, extreme])
}

/** Removes duplicate parses. */
function distinct(readings: PartialParse[]): PartialParse[] {
  return readings.length < 2 ? readings : [...new Map(readings.map((reading) => [keyOf(reading), reading])).values()]
}

/** Creates a rule that matches any phrase of some lexicon lists word for word. */
export function words(...ideas: (keyof typeof ROWS)[]): Rule {
  const lists = ideas.flatMap((idea) => ROWS[idea]).map((phrase) => phrase.split(' '))
  return ({ tokens }, reading) =>
    lists
      .filter((list) => list.every((word, index) => tokens[reading.at + index]?.text === word))
      .map((list) => ({ ...reading, at: reading.at + list.length }))
}

/** Creates a rule that applies rules in sequence. */
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

/** Creates a rule that applies any of the rules. */
export function either(...rules: Rule[]): Rule {
  return (asking, reading) => rules.flatMap((rule) => rule(asking, reading))
}

/** Creates a rule that applies a rule optionally. */
export function maybe(rule: Rule): Rule {
  return (asking, reading) => [reading, ...rule(asking, reading)]
}

/** Creates a rule that repeats a rule any number of times. Each repetition must consume a word. */
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

/** Creates a rule that changes the parse, or rejects it if `from` returns undefined. */
export function change(from: (reading: PartialParse, asking: QueryContext) => Partial<PartialParse> | undefined): Rule {
  return (asking, reading) => {
    const changed = from(reading, asking)
    return changed ? [{ ...reading, ...changed }] : []
  }
}

/** Returns the parse with more conditions. "Is filled" is dropped if another condition on the column implies it. */
export function withConditions(reading: PartialParse, ...conditions: Condition[]): PartialParse {
  const all = [...reading.where, ...conditions]
  const isImplied = ({ column, is }: Condition) =>
    is === 'filled' && all.some((other) => other.column === column && other.is !== 'filled' && other.is !== 'empty')
  return { ...reading, where: all.filter((each) => !isImplied(each)) }
}

/** Verbs for creating a record. The person of such a verb is the author, and its time is the record's time. */
const MAKING = ROWS.making
/** Verbs for finishing work. Trackers use different ones for the same event. */
const FINISHING = ROWS.finishing
const IRREGULAR = new Map(
  ROWS.irregular.map((entry) => entry.split(' ')).map(([verb = '', ...forms]) => [verb, forms] as const),
)
const AT = ROWS.timeEndings

function formsOf(verb: string): string[] {
  const stem = endsInConsonantY(verb) ? `${verb.slice(0, -1)}i` : verb
  return [verb, ...(IRREGULAR.get(verb) ?? [verb.endsWith('e') ? `${verb}d` : `${stem}ed`])]
}

/** Returns true if a word is a form of the verb with which a column's name begins, as base form or participle. */
export function isFormOf(word: string, stem: string): boolean {
  return word === stem || `${word}d` === stem || `${word}ed` === stem || formsOf(stem).includes(word)
}

/** Returns true if a word has the form of a past participle: a regular ending or a listed irregular form. */
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

/** Minimum number of letters that a past participle and the noun of its action share. */
const ACTION_STEM_MIN = 4

/** Returns the only column of times that is named after the action of a regular verb: "delivered" and `Delivery`. */
function actionColumn(view: View, word: string): number | undefined {
  const stem = withoutEnd(word, 'ed')
  if (stem === word || stem.length < ACTION_STEM_MIN) return undefined
  const found = view.columns.flatMap(({ kind, words: [noun = ''] }, at) =>
    kind === 'time' && noun !== word && noun.startsWith(stem) ? [at] : [],
  )
  return found.length === 1 ? found[0] : undefined
}

/** Returns the columns named `X_at` or `X_by` by their stem, such as `merged`. */
function stemmed(view: View, ends: readonly string[], fits: (column: Column) => boolean): Map<string, number> {
  const found = new Map<string, number>()
  for (const [at, column] of view.columns.entries()) {
    const [stem, end, ...more] = column.words
    if (stem && end && more.length === 0 && ends.includes(end) && fits(column) && !found.has(stem)) found.set(stem, at)
  }
  return found
}

/** Returns the meaning of a verb that the view's columns support. A base form such as `open` may also be a state. */
export function verbMeaning(view: View, word: string, isBaseTaken: boolean): VerbMeaning | undefined {
  if (!isBaseTaken && !isPast(word)) return undefined
  const times = stemmed(view, AT, ({ kind }) => kind === 'time')
  const people = stemmed(view, ['by'], ({ kind }) => kind === 'text')
  const stem = [...times.keys(), ...people.keys()].find((each) => isFormOf(word, each))
  const ofAction = stem === undefined && isPast(word) ? actionColumn(view, word) : undefined
  if (ofAction !== undefined) return { time: ofAction, where: [{ column: ofAction, is: 'filled' }] }
  const isFinishing = FINISHING.some((verb) => formsOf(verb).includes(word))
  if (stem) {
    return toVerbMeaning(times.get(stem), people.get(stem) ?? (isFinishing ? ownerColumn(view) : undefined), undefined)
  }
  const agent = agentColumn(view, word)
  if (agent !== undefined) return { person: agent, where: [] }
  if (MAKING.some((verb) => formsOf(verb).includes(word))) {
    return { person: columnAt(view, 'author'), time: columnAt(view, 'occurred_at'), where: [] }
  }
  if (!isFinishing) return undefined
  const finished = [...times.keys()].find((each) => FINISHING.some((verb) => formsOf(verb).includes(each)))
  const by = [...people.keys()].find((each) => FINISHING.some((verb) => formsOf(verb).includes(each)))
  const act = toVerbMeaning(
    times.get(finished ?? ''),
    people.get(by ?? '') ?? ownerColumn(view),
    phaseValues(view, 'done'),
  )
  return act.where.length > 0 ? act : undefined
}

/**
 * Returns the meaning of a verb. The condition that it implies is a time of completion, otherwise a completed state,
 * otherwise a person.
 */
function toVerbMeaning(
  time: number | undefined,
  person: number | undefined,
  state: Condition | undefined,
): VerbMeaning {
  const done = time === undefined ? state : undefined
  const column = time ?? person
  const filled = column === undefined ? [] : [{ column, is: 'filled' as const }]
  return { ...(time !== undefined && { time }), ...(person !== undefined && { person }), where: done ? [done] : filled }
}

/** Returns true if a column's name is usual for a role, in any case: `Due date` for `due`. */
export function hasRole({ words }: Column, ...roles: readonly (keyof typeof FIELD_ROLES)[]): boolean {
  return roles.some((role) => FIELD_ROLES[role].includes(words.join('_')))
}

/** Returns the index of a column by its name, or -1. */
export function columnAt(view: View, name: string): number {
  return view.columns.findIndex((column) => column.name === name)
}

/** Returns the column of the person who is responsible for a row, if there is one. */
export function ownerColumn(view: View): number | undefined {
  const owners = view.columns.filter((column) => hasRole(column, 'owner'))
  const rankOf = ({ words }: Column) => FIELD_ROLES.owner.indexOf(words.join('_'))
  const [first] = owners.sort((one, other) => rankOf(one) - rankOf(other))
  return first && view.columns.indexOf(first)
}

/** Returns the index of the column with the status of work. */
export function stateColumn(view: View): number | undefined {
  const at = view.columns.findIndex((column) => column.kind === 'text' && hasRole(column, 'state'))
  return at < 0 ? undefined : at
}

/** Column of the declared phase. */
export const PHASE_COLUMN = 'phase'

/** Returns true if a column states the progress of work: the source's status or the declared phase. */
export function isOfProgress(view: View, column: number): boolean {
  return column === stateColumn(view) || view.columns[column]?.name === PHASE_COLUMN
}

/**
 * Returns the condition for open or completed work. Returns undefined if the view has a status that is neither, because
 * its rows could not be classified.
 */
export function phaseValues(view: View, asked: 'open' | 'done'): Condition | undefined {
  const state = stateColumn(view)
  const declared = view.columns.findIndex(({ name }) => name === PHASE_COLUMN)
  const isDeclaredByAll = declared >= 0 && view.columns[declared]!.cells.every((cell) => cell !== null)
  const column = isDeclaredByAll ? declared : state
  if (column === undefined) return undefined
  const values: string[] = []
  for (const [cell, label] of view.columns[column]!.labels) {
    const phase = phaseOfState(label)
    if (phase === undefined) return undefined
    if (isUnfinished(phase) === (asked === 'open')) values.push(cell)
  }
  return { column, is: 'in', values: values.sort() }
}
