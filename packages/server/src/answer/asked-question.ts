import type { Discover, Interpret } from '@cairn/contract'
import type { AskedTimes, TimeSpan } from '@cairn/engine/rank'
import { dayOf, MS_PER_DAY, terms, writeDay } from '@cairn/engine/text'
import {
  analyseQuestion,
  type EventAsked,
  eventAsked,
  hasParts,
  overviewTerms,
  type Question,
  readTalk,
  respell,
  type Talk,
  type TimesAsked,
  timesAsked,
} from '@cairn/engine/understand'
import type { Ground } from '../store/ground.ts'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Ctx } from './context.ts'
import { referenceDate } from './question.ts'

/** A question as the graph ranks by it. */
export interface AskedQuestion {
  /** As it is read: with the words of the records where it has slips of the pen. */
  text: string
  question: Question
  /** The times it asks about, when any record in scope is of them. */
  times: AskedTimes | undefined
  /** What the question takes from the turns before it. */
  talk: Talk
  /** How what it does not say outright was understood, as sentences. */
  notes: string[]
}

/** Records in which an event is looked for, and what one of them scores at least beside the best. */
const EVENT_RECORDS = 10
const EVENT_RECORDS_OF_KEY = 50
const EVENT_SCORE_MIN = 0.5
const TERMS_BESIDE_EVENT_MIN = 2
/** What is spoken of only once it has happened, so that the first record of it is nearest to it. */
const UNPLANNED = /incident|outage|failure|breach|crash|bug|accident|fire|flood|\d$/i

/** Reads a question with its history; words that only tell the times are left to these when records are of them. */
export async function readAsked(
  ctx: Pick<Ctx, 'clock'>,
  asked: Pick<Discover | Interpret, 'query' | 'history' | 'reference_date'>,
  view: SandboxView,
  ground: Ground,
): Promise<AskedQuestion> {
  const { text, note: spelling } = respell(asked.query, view, ground.scope)
  const named = timesAsked(text, referenceDate(ctx, asked.reference_date))
  const talk = readTalk(text, asked.history)
  const isOfRecords = named?.ranges.some((range) => view.graph.occursIn(range, ground.scope))
  const times = isOfRecords ? { ...named!, isAll: asksForTimes(named!, talk) } : undefined
  const analyse = (said: string) => analyseQuestion(said, talk.turns, view.hash, talk.subject)
  const event = named ? undefined : eventAsked(text)
  const found = event && (await findEvent(view, ground, event))
  const read = { text, talk, notes: [spelling, found?.note].filter((note) => note !== undefined) }
  if (!event || !found) return { ...read, question: analyse(times && !times.isPartial ? times.rest : text), times }
  const { range, isSure } = found
  // A message that only speaks of the event may do so long after it: its day is a hint, and the event's words count on.
  if (!isSure) return { ...read, question: analyse(text), times: { ranges: [range], isPartial: true } }
  const rest = text.replace(event.said, ', ')
  // "What changed since the incident?" asks about nothing but the incident.
  const about = terms(rest).length >= TERMS_BESIDE_EVENT_MIN ? rest : text
  return { ...read, question: analyse(about), times: { ranges: [range], isPartial: hasParts(rest) } }
}

/** Whether all that a question says beside its times asks for what there was: "Summarize the last two weeks." */
function asksForTimes({ rest, isPartial }: TimesAsked, { subject, turns }: Talk): boolean {
  return !isPartial && subject === '' && turns.length === 0 && terms(rest).every(overviewTerms(terms))
}

/** The time that an event tells, by the day of the record that is about it, or less surely of one that speaks of it. */
async function findEvent(
  view: SandboxView,
  { scope }: Ground,
  { side, name, said }: EventAsked,
): Promise<{ range: TimeSpan; note: string; isSure: boolean } | undefined> {
  const question = analyseQuestion(name, [], view.hash)
  const [keyed] = /\d$/.test(name) ? view.graph.entitiesNamed(question, scope) : []
  const ids = keyed
    ? view.graph.recordsOf(keyed, scope, EVENT_RECORDS_OF_KEY)
    : view.graph.rank(question, scope, EVENT_RECORDS).flatMap(({ id, score }) => (score < EVENT_SCORE_MIN ? [] : id))
  const records = await readRecords(view, ids)
  const dated = ids.flatMap((id) => {
    const { title, external_id: key, occurred_at: at } = records.get(id)?.content ?? {}
    return at === undefined ? [] : [{ atMs: Date.parse(at), label: title ?? key, isTitled: title !== undefined }]
  })
  if (UNPLANNED.test(name)) dated.sort((one, other) => one.atMs - other.atMs)
  const [first] = dated
  if (!first) return undefined
  const range = rangeOf(side, first.atMs)
  if (!view.graph.occursIn(range, scope)) return undefined
  return {
    range,
    isSure: keyed !== undefined || first.isTitled,
    note: `“${said}” is counted from ${writeDay(dayOf(first.atMs))}, the day of “${first.label}”.`,
  }
}

function rangeOf(side: EventAsked['side'], atMs: number): TimeSpan {
  const dayMs = dayOf(atMs) * MS_PER_DAY
  if (side === 'before') return { fromMs: Number.NEGATIVE_INFINITY, toMs: dayMs }
  return { fromMs: dayMs, toMs: side === 'during' ? dayMs + MS_PER_DAY : Number.POSITIVE_INFINITY }
}
