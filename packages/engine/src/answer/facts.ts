import { ONE_AT_A_TIME, ROLE } from '../lexicon/facts.ts'
import { dateToken, dayOf, MS_PER_DAY, parseIsoDay, writeDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import { predicateWords } from '../text/kinds.ts'
import type { BriefRecord, BriefRelation } from './brief.ts'
import { clause, isEvent, PROGRESS, SAYS_SINCE, withDay } from './relations.ts'
import { entityLabel, joinAnd } from './states.ts'

/** A fact from the records' relations: its current state and, if it changed, its history. */
export interface Fact {
  /** Name of the entity that the fact is about. The next field is the predicate. */
  subject: string
  predicate: string
  /** True if the fact has ended. */
  isOver: boolean
  text: string
  computed: string
  /** Indexes of the records that state it. The record with the current state comes first. */
  records: number[]
  /** Start time of the current state; undefined if unknown. */
  sinceMs?: number
  /** Previous values as displayed; empty unless the fact changed. */
  former: string[]
  /** Current value as displayed, if the fact changed. */
  present?: string
  /** True if the fact only states progress, such as a status. */
  progress: boolean
}

interface StatedRelation {
  subject: string
  predicate: string
  object: string
  named: Record<'subject' | 'object', string>
  relation: BriefRelation
  record: number
  /** Time of the record. If the relation has no start, this is the earliest time at which it is known to hold. */
  recordedMs: number | undefined
}

const FACTS_MAX = 200
const STEPS_MAX = 4
/** Returns the relations of all records as facts. Successive values become one fact with a history. */
export function gatherFacts(records: readonly BriefRecord[], referenceMs: number | undefined): Fact[] {
  const all: StatedRelation[] = []
  records.forEach((record, at) => {
    const names = new Map(record.entities.map((entity) => [entity.canonicalId, entity.name]))
    const labels = new Map(record.entities.map((entity) => [plainLine(entity.name), entityLabel(entity)]))
    for (const relation of record.relations ?? []) {
      const subject = plainLine(names.get(relation.subject) ?? relation.subject)
      const object = plainLine(names.get(relation.object) ?? relation.object)
      const predicate = predicateWords(plainLine(relation.predicate))
      if (subject === '' || object === '' || predicate === '') continue
      const named = { subject: labels.get(subject) ?? subject, object: labels.get(object) ?? object }
      all.push({ subject, predicate, object, named, relation, record: at, recordedMs: record.occurredAtMs })
    }
  })
  const groups = new Map<string, StatedRelation[]>()
  for (const stated of withEnds(all)) {
    const { subject, predicate, object } = stated
    const key = (ROLE.test(predicate) ? `→|${predicate}|${object}` : `←|${predicate}|${subject}`).toLowerCase()
    groups.set(key, [...(groups.get(key) ?? []), stated])
  }
  return [...groups.values()].flatMap((group) => groupFacts(group, referenceMs)).slice(0, FACTS_MAX)
}

function groupFacts(group: readonly StatedRelation[], referenceMs: number | undefined): Fact[] {
  const side = ROLE.test(group[0]!.predicate) ? 'subject' : 'object'
  const distinct = mergeEqual(group, side)
  const steps = distinct.map(({ relations }) => relations[0]!)
  if (steps.length > 1 && isHistory(steps)) return [factWithHistory(distinct, side, referenceMs)]
  return distinct.map(({ relations }) => singleFact(relations, referenceMs))
}

/** Sets the end of relations that another record ends: "I left Acme" ends "I work at Acme". Both become one fact. */
function withEnds(all: readonly StatedRelation[]): readonly StatedRelation[] {
  const ends = all.filter(({ relation }) => relation.validToMs !== undefined && relation.validFromMs === undefined)
  if (ends.length === 0) return all
  const tripleOf = ({ subject, predicate, object }: StatedRelation) =>
    `${subject}|${predicateWords(predicate)}|${object}`.toLowerCase()
  const pairs = ends.flatMap((end): [StatedRelation, StatedRelation][] => {
    const begun = all.filter(
      (each) =>
        tripleOf(each) === tripleOf(end) &&
        each.relation.validToMs === undefined &&
        (knownFrom(each) ?? Number.NEGATIVE_INFINITY) < end.relation.validToMs!,
    )
    return begun.map((each) => [each, end])
  })
  const closed = new Map<StatedRelation, StatedRelation>()
  for (const [begun, end] of pairs) {
    const relation = { ...begun.relation, validToMs: end.relation.validToMs! }
    closed.set(begun, { ...begun, relation })
    closed.set(end, { ...end, predicate: begun.predicate, relation, recordedMs: begun.recordedMs })
  }
  return all.map((each) => closed.get(each) ?? each)
}

/** Merges equal relations of several records and orders them by start time. */
function mergeEqual(group: readonly StatedRelation[], side: 'subject' | 'object'): { relations: StatedRelation[] }[] {
  const byKey = new Map<string, { relations: StatedRelation[] }>()
  for (const stated of group) {
    const key = `${stated[side].toLowerCase()}|${startOf(stated)}`
    const known = byKey.get(key)
    if (known) known.relations.push(stated)
    else byKey.set(key, { relations: [stated] })
  }
  const merged = [...byKey.values()].sort((a, b) => startOf(a.relations[0]!) - startOf(b.relations[0]!))
  // Repeating the same value later is not a change.
  return merged.reduce<{ relations: StatedRelation[] }[]>((steps, { relations }) => {
    const last = steps[steps.length - 1]
    if (last && last.relations[0]![side].toLowerCase() === relations[0]![side].toLowerCase())
      last.relations.push(...relations)
    else steps.push({ relations })
    return steps
  }, [])
}

function startOf(relation: StatedRelation): number {
  return knownFrom(relation) ?? Number.MIN_SAFE_INTEGER
}

/** Returns the start of a relation, or the record's time for a predicate with one value at a time. */
function knownFrom({ relation, predicate, recordedMs }: StatedRelation): number | undefined {
  return relation.validFromMs ?? (ROLE.test(predicate) || ONE_AT_A_TIME.test(predicate) ? recordedMs : undefined)
}

/** Returns true if each value ended before the next, or the predicate has one value at a time. */
function isHistory(steps: readonly StatedRelation[]): boolean {
  const later = steps.slice(1)
  if (later.some((step) => knownFrom(step) === undefined)) return false
  // Values with the same start hold at the same time.
  if (later.some((step, at) => knownFrom(step) === knownFrom(steps[at]!))) return false
  const apart = later.every((step, at) => {
    const end = steps[at]!.relation.validToMs
    return end === undefined || end <= knownFrom(step)!
  })
  const ended = steps.slice(0, -1).every(({ relation }) => relation.validToMs !== undefined)
  return apart && (ended || ONE_AT_A_TIME.test(steps[0]!.predicate))
}

function factWithHistory(
  distinct: readonly { relations: StatedRelation[] }[],
  side: 'subject' | 'object',
  referenceMs = Number.POSITIVE_INFINITY,
): Fact {
  const all = distinct.map(({ relations }) => relations[0]!)
  const begun = all.filter((step) => knownFrom(step) === undefined || knownFrom(step)! < referenceMs)
  const steps = (begun.length > 0 ? begun : all.slice(0, 1)).slice(-STEPS_MAX)
  const next = all[all.indexOf(steps[steps.length - 1]!) + 1]
  const latest = steps[steps.length - 1]!
  const start = knownFrom(latest)
  const isRecordTime = start !== undefined && latest.relation.validFromMs === undefined
  const before = steps.slice(PROGRESS.test(latest.predicate) ? -2 : 0, -1).reverse()
  const earlier = before.map((step, at) => {
    const ended = step.relation.validToMs
    const next = knownFrom(steps[steps.indexOf(step) + 1]!)!
    const until = ended !== undefined && (at > 0 || ended < next) ? ` (until ${day(ended)})` : ''
    const value = withDay(step[side], day)
    return `${PROGRESS.test(step.predicate) ? value.toLowerCase() : value}${until}`
  })
  const [subject, object] = [withDay(latest.named.subject, day), withDay(latest.named.object, day)]
  const now =
    start === undefined || isRecordTime
      ? `${clause(subject, latest.predicate, object)}${isRecordTime ? ` as of ${day(start)}` : ''}`
      : withSince(clause(subject, latest.predicate, object, 'since'), day(start))
  const clauses = [
    ...(earlier.length > 0 ? [`before that it was ${earlier.join(', and before that ')}`] : []),
    ...(next ? [`from ${day(knownFrom(next)!)} it is ${withDay(next[side], day)}`] : []),
  ]
  return {
    subject: latest.subject,
    predicate: latest.predicate,
    isOver: false,
    text: `${[now, ...clauses].join('; ')}.`,
    computed: (next ? [...steps, next] : steps).map(computationOf).join('; '),
    records: [...new Set([...distinct].reverse().flatMap(({ relations }) => relations.map(({ record }) => record)))],
    ...(start !== undefined && { sinceMs: start }),
    progress: PROGRESS.test(latest.predicate),
    present: writtenDay(latest[side]),
    former: before.map((step) => writtenDay(step[side])).filter((value) => value !== writtenDay(latest[side])),
  }
}

function singleFact(relations: readonly StatedRelation[], referenceMs: number | undefined): Fact {
  const { relation, predicate, named } = relations[0]!
  const ended = relation.validToMs !== undefined && referenceMs !== undefined && relation.validToMs <= referenceMs
  const [subject, object] = [withDay(named.subject, day), withDay(named.object, day)]
  const said = clause(subject, predicate, object, ended ? 'ended' : 'now')
  const fact: Fact = {
    subject: relations[0]!.subject,
    predicate,
    isOver: ended,
    text: `${said}${validityOf(relations[0]!, referenceMs)}.`,
    computed: `${computationOf(relations[0]!)}${ended ? `; ended: ${said}` : ''}`,
    records: [...new Set(relations.map(({ record }) => record))],
    former: [],
    progress: PROGRESS.test(predicate),
  }
  if (relation.validFromMs !== undefined) fact.sinceMs = relation.validFromMs
  return fact
}

/** Returns the value; an ISO day is written out without the year. */
function writtenDay(value: string): string {
  return withDay(value, (ms) => writeDay(dayOf(ms)).replace(/ \d+$/, ''))
}

function day(ms: number): string {
  return dateToken(dayOf(ms))
}

/** Appends "since" directly after a perfect form of "to be", and in parentheses after other verbs. */
export function withSince(said: string, since: string): string {
  return SAYS_SINCE.test(said) ? `${said} since ${since}` : `${said} (since ${since})`
}

function validityOf({ relation, predicate }: StatedRelation, referenceMs = Number.POSITIVE_INFINITY): string {
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
function computationOf({ subject, predicate, object, relation, recordedMs }: StatedRelation): string {
  const days = [subject, object].flatMap((text) => {
    const iso = parseIsoDay(text)
    return iso === undefined ? [] : [`${text} is ${writeDay(iso)}`]
  })
  const from = relation.validFromMs === undefined ? '' : `, from ${writeDay(dayOf(relation.validFromMs))}`
  const last = relation.validToMs === undefined ? '' : ` (last day ${writeDay(dayOf(relation.validToMs - 1))})`
  const to = relation.validToMs === undefined ? '' : `, to ${writeDay(dayOf(relation.validToMs))}${last}`
  const recorded =
    relation.validFromMs === undefined && recordedMs !== undefined ? `, recorded on ${writeDay(dayOf(recordedMs))}` : ''
  const noted = days.length > 0 ? ` (${joinAnd(days)})` : ''
  return `relation ${subject} · ${predicate} · ${object}${noted}${from}${to}${recorded}`
}
