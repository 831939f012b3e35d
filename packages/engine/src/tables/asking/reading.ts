import { ROWS } from '../../lexicon/rows.ts'
import type { Condition, Group, View } from '../plan.ts'
import type { QuestionWord } from '../words.ts'

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
  asks?: 'count' | 'rows' | 'sum' | 'average'
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
