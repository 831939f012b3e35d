import { ONE_AT_A_TIME, ROLE } from '../lexicon/facts.ts'
import { dateToken, dayOf, MS_PER_DAY, parseIsoDay, writeDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import { predicateWords } from '../text/kinds.ts'
import type { BriefRecord, BriefRelation } from './brief.ts'
import { clause, isEvent, PROGRESS, pronounced, SAYS_SINCE } from './relations.ts'
import { entityLabel, joinAnd } from './states.ts'

/** A fact from the records' relations: its current state and, if it changed, its history. */
export interface Fact {
  /** Entity that the fact is about, and the predicate. */
  subject: string
  predicate: string
  /** True if the fact has ended. */
  isOver: boolean
  text: string
  computed: string
  /** Indexes of the records that state it. The record with the current state comes first. */
  records: number[]
  /** Time since when the current state holds; undefined if unknown. */
  sinceMs?: number
  /** Previous values as displayed; empty unless the fact changed. */
  former: string[]
  /** Current value as displayed, if the fact changed. */
  present?: string
  /** True if the fact only states progress, such as a status. */
  progress: boolean
}

interface ToldRelation {
  subject: string
  predicate: string
  object: string
  /** Display names of subject and object. */
  named: Record<'subject' | 'object', string>
  relation: BriefRelation
  record: number
  /** Time of the record. It is the earliest known time if the relation has no start. */
  toldMs: number | undefined
}

const FACTS_MAX = 200
const STEPS_MAX = 4
/**
 * Returns the relations of all records as facts. Equal relations are merged, and successive values become one fact with
 * a history.
 */
export function gatherFacts(records: readonly BriefRecord[], referenceMs: number | undefined): Fact[] {
  const all: ToldRelation[] = []
  records.forEach((record, at) => {
    const names = new Map(record.entities.map((entity) => [entity.canonicalId, entity.name]))
    const labels = new Map(record.entities.map((entity) => [plainLine(entity.name), entityLabel(entity)]))
    for (const relation of record.relations ?? []) {
      const subject = plainLine(names.get(relation.subject) ?? relation.subject)
      const object = plainLine(names.get(relation.object) ?? relation.object)
      const predicate = predicateWords(plainLine(relation.predicate))
      if (subject === '' || object === '' || predicate === '') continue
      const named = { subject: labels.get(subject) ?? subject, object: labels.get(object) ?? object }
      all.push({ subject, predicate, object, named, relation, record: at, toldMs: record.occurredAtMs })
    }
  })
  const groups = new Map<string, ToldRelation[]>()
  for (const told of withEnds(all)) {
    const { subject, predicate, object } = told
    const key = (ROLE.test(predicate) ? `→|${predicate}|${object}` : `←|${predicate}|${subject}`).toLowerCase()
    groups.set(key, [...(groups.get(key) ?? []), told])
  }
  return [...groups.values()].flatMap((group) => groupFacts(group, referenceMs)).slice(0, FACTS_MAX)
}

function groupFacts(group: readonly ToldRelation[], referenceMs: number | undefined): Fact[] {
  const side = ROLE.test(group[0]!.predicate) ? 'subject' : 'object'
  const distinct = mergeEqual(group, side)
  const steps = distinct.map(({ told }) => told[0]!)
  if (steps.length > 1 && isSuccession(steps)) return [succession(distinct, side, referenceMs)]
  return distinct.map(({ told }) => single(told, referenceMs))
}

/**
 * Adds ends to relations whose end another record states: "I left Acme" ends "I work at Acme". Both become one fact.
 */
function withEnds(all: readonly ToldRelation[]): readonly ToldRelation[] {
  const ends = all.filter(({ relation }) => relation.validToMs !== undefined && relation.validFromMs === undefined)
  if (ends.length === 0) return all
  const tripleOf = ({ subject, predicate, object }: ToldRelation) =>
    `${subject}|${predicateWords(predicate)}|${object}`.toLowerCase()
  const pairs = ends.flatMap((end): [ToldRelation, ToldRelation][] => {
    const begun = all.filter(
      (each) =>
        tripleOf(each) === tripleOf(end) &&
        each.relation.validToMs === undefined &&
        (knownFrom(each) ?? Number.NEGATIVE_INFINITY) < end.relation.validToMs!,
    )
    return begun.map((each) => [each, end])
  })
  const closed = new Map<ToldRelation, ToldRelation>()
  for (const [begun, end] of pairs) {
    const relation = { ...begun.relation, validToMs: end.relation.validToMs! }
    closed.set(begun, { ...begun, relation })
    closed.set(end, { ...end, predicate: begun.predicate, relation, toldMs: begun.toldMs })
  }
  return all.map((each) => closed.get(each) ?? each)
}

/** Merges equal relations of several records and orders them by start time. */
function mergeEqual(group: readonly ToldRelation[], side: 'subject' | 'object'): { told: ToldRelation[] }[] {
  const byKey = new Map<string, { told: ToldRelation[] }>()
  for (const told of group) {
    const key = `${told[side].toLowerCase()}|${startOf(told)}`
    const known = byKey.get(key)
    if (known) known.told.push(told)
    else byKey.set(key, { told: [told] })
  }
  const merged = [...byKey.values()].sort((a, b) => startOf(a.told[0]!) - startOf(b.told[0]!))
  // Repeating the same value later is not a change.
  return merged.reduce<{ told: ToldRelation[] }[]>((steps, { told }) => {
    const last = steps[steps.length - 1]
    if (last && last.told[0]![side].toLowerCase() === told[0]![side].toLowerCase()) last.told.push(...told)
    else steps.push({ told })
    return steps
  }, [])
}

function startOf(told: ToldRelation): number {
  return knownFrom(told) ?? Number.MIN_SAFE_INTEGER
}

/**
 * Returns the start of a relation. For a predicate with one value at a time, the record's time is used if the start is
 * unknown.
 */
function knownFrom({ relation, predicate, toldMs }: ToldRelation): number | undefined {
  return relation.validFromMs ?? (ROLE.test(predicate) || ONE_AT_A_TIME.test(predicate) ? toldMs : undefined)
}

/**
 * Returns true if the values held one after the other: each ended before the next, or the predicate has one value at a
 * time.
 */
function isSuccession(steps: readonly ToldRelation[]): boolean {
  const later = steps.slice(1)
  if (later.some((step) => knownFrom(step) === undefined)) return false
  // Values that start at the same time hold together.
  if (later.some((step, at) => knownFrom(step) === knownFrom(steps[at]!))) return false
  const apart = later.every((step, at) => {
    const end = steps[at]!.relation.validToMs
    return end === undefined || end <= knownFrom(step)!
  })
  const ended = steps.slice(0, -1).every(({ relation }) => relation.validToMs !== undefined)
  return apart && (ended || ONE_AT_A_TIME.test(steps[0]!.predicate))
}

function succession(
  distinct: readonly { told: ToldRelation[] }[],
  side: 'subject' | 'object',
  referenceMs = Number.POSITIVE_INFINITY,
): Fact {
  const all = distinct.map(({ told }) => told[0]!)
  const begun = all.filter((step) => knownFrom(step) === undefined || knownFrom(step)! < referenceMs)
  const steps = (begun.length > 0 ? begun : all.slice(0, 1)).slice(-STEPS_MAX)
  const next = all[all.indexOf(steps[steps.length - 1]!) + 1]
  const latest = steps[steps.length - 1]!
  const start = knownFrom(latest)
  const isTold = start !== undefined && latest.relation.validFromMs === undefined
  const before = steps.slice(PROGRESS.test(latest.predicate) ? -2 : 0, -1).reverse()
  const earlier = before.map((step, at) => {
    const ended = step.relation.validToMs
    const next = knownFrom(steps[steps.indexOf(step) + 1]!)!
    const until = ended !== undefined && (at > 0 || ended < next) ? ` (until ${day(ended)})` : ''
    const value = pronounced(step[side], day)
    return `${PROGRESS.test(step.predicate) ? value.toLowerCase() : value}${until}`
  })
  const [subject, object] = [pronounced(latest.named.subject, day), pronounced(latest.named.object, day)]
  const now =
    start === undefined || isTold
      ? `${clause(subject, latest.predicate, object)}${isTold ? ` as of ${day(start)}` : ''}`
      : withSince(clause(subject, latest.predicate, object, 'since'), day(start))
  const told = [
    ...(earlier.length > 0 ? [`before that it was ${earlier.join(', and before that ')}`] : []),
    ...(next ? [`from ${day(knownFrom(next)!)} it is ${pronounced(next[side], day)}`] : []),
  ]
  return {
    subject: latest.subject,
    predicate: latest.predicate,
    isOver: false,
    text: `${[now, ...told].join('; ')}.`,
    computed: (next ? [...steps, next] : steps).map(shown).join('; '),
    records: [...new Set([...distinct].reverse().flatMap(({ told }) => told.map(({ record }) => record)))],
    ...(start !== undefined && { sinceMs: start }),
    progress: PROGRESS.test(latest.predicate),
    present: writtenDay(latest[side]),
    former: before.map((step) => writtenDay(step[side])).filter((value) => value !== writtenDay(latest[side])),
  }
}

function single(told: readonly ToldRelation[], referenceMs: number | undefined): Fact {
  const { relation, predicate, named } = told[0]!
  const ended = relation.validToMs !== undefined && referenceMs !== undefined && relation.validToMs <= referenceMs
  const [subject, object] = [pronounced(named.subject, day), pronounced(named.object, day)]
  const said = clause(subject, predicate, object, ended ? 'ended' : 'now')
  const fact: Fact = {
    subject: told[0]!.subject,
    predicate,
    isOver: ended,
    text: `${said}${held(told[0]!, referenceMs)}.`,
    computed: `${shown(told[0]!)}${ended ? `; ended: ${said}` : ''}`,
    records: [...new Set(told.map(({ record }) => record))],
    former: [],
    progress: PROGRESS.test(predicate),
  }
  if (relation.validFromMs !== undefined) fact.sinceMs = relation.validFromMs
  return fact
}

/** Returns the value; an ISO day is written out without the year. */
function writtenDay(value: string): string {
  return pronounced(value, (ms) => writeDay(dayOf(ms)).replace(/ \d+$/, ''))
}

function day(ms: number): string {
  return dateToken(dayOf(ms))
}

/** Appends "since" directly after a perfect form of "to be", and in parentheses after other verbs. */
export function withSince(said: string, since: string): string {
  return SAYS_SINCE.test(said) ? `${said} since ${since}` : `${said} (since ${since})`
}

function held({ relation, predicate }: ToldRelation, referenceMs = Number.POSITIVE_INFINITY): string {
  const from = relation.validFromMs === undefined ? undefined : day(relation.validFromMs)
  const to = relation.validToMs === undefined ? undefined : day(relation.validToMs)
  if (from !== undefined && to !== undefined) return ` (${from} to ${lastDay(relation)})`
  if (from !== undefined && isEvent(predicate)) return ` (${from})`
  if (from !== undefined) return relation.validFromMs! < referenceMs ? ` (since ${from})` : ` (from ${from})`
  return to === undefined ? '' : ` (until ${to})`
}

/** Returns the last day of a relation. The end is exclusive, so an end at midnight means the day before. */
function lastDay({ validFromMs, validToMs }: BriefRelation): string {
  const isMidnight = validToMs! % MS_PER_DAY === 0 && dayOf(validToMs!) > dayOf(validFromMs!)
  return day(isMidnight ? validToMs! - 1 : validToMs!)
}

/** Renders a relation as the computation of a statement. */
function shown({ subject, predicate, object, relation, toldMs }: ToldRelation): string {
  const days = [subject, object].flatMap((text) => {
    const iso = parseIsoDay(text)
    return iso === undefined ? [] : [`${text} is ${writeDay(iso)}`]
  })
  const from = relation.validFromMs === undefined ? '' : `, from ${writeDay(dayOf(relation.validFromMs))}`
  const last = relation.validToMs === undefined ? '' : ` (last day ${writeDay(dayOf(relation.validToMs - 1))})`
  const to = relation.validToMs === undefined ? '' : `, to ${writeDay(dayOf(relation.validToMs))}${last}`
  const told =
    relation.validFromMs === undefined && toldMs !== undefined ? `, recorded on ${writeDay(dayOf(toldMs))}` : ''
  const noted = days.length > 0 ? ` (${joinAnd(days)})` : ''
  return `relation ${subject} · ${predicate} · ${object}${noted}${from}${to}${told}`
}
