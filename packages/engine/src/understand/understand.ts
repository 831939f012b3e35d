import type { ChatMessage, Phase, QuestionIntent } from '@cairnstore/contract'
import type { KeyHash } from '../text/names.ts'
import { terms } from '../text/terms.ts'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { analyseQuestion, QUESTION_CHARS_READ, type Question } from './analyse-question.ts'
import { type Broad, type NamesKnown, readBroad } from './broad.ts'
import { type EmptyTime, emptyTime, type TimesBeside } from './empty-time.ts'
import {
  asksRows,
  type EventAsked,
  eventAsked,
  type FactsAsked,
  factsAsked,
  phasesAsked,
  type RowsKnown,
  readTalk,
  type Talk,
} from './kinds-asked.ts'
import { type AskedParts, readAsked, type Spelt } from './parts.ts'
import type { Question as Part } from './question.ts'
import { respell, type Spelling } from './respell.ts'
import { type Sought, soughtIn } from './telling-text.ts'
import { type TimeSpan, UTC } from './time-span.ts'
import { type AskedTimes, hasParts, knownTimesAsked, type TimesAsked } from './times-asked.ts'
import { questionText, type Wording, wordingOf } from './wording.ts'
import { overviewTerms } from './written-names.ts'

/** Everything that is read from a question. */
export interface Intent {
  /** The question in the words of the records where it has slips of the pen. */
  wording: Wording
  /** The day that relative times are counted from: YYYY-MM-DD. */
  referenceDate: string
  /** What it takes from the turns before it. */
  talk: Talk
  /** What it asks for as a whole, and part by part in the order asked; `parts` is empty when it has one part alone. */
  whole: Part
  parts: readonly Part[]
  /** What a refusal can say of it, as it was written. */
  spelt: Spelt
  /** The times it asks about, when any record in scope is of them or of the event that tells them. */
  times: AskedTimes | undefined
  /** The times that it names, whether or not any record is of them. */
  named: TimesAsked | undefined
  /** Those, where none in scope is of them. */
  emptyTime: EmptyTime | undefined
  /** What it asks for as a whole, when it asks for no one fact. */
  broad: Broad | undefined
  /** The phases of work that it asks for everything in, when it says nothing more. */
  phases: readonly Phase[] | undefined
  /** The event by which it tells a time, when it names no date. */
  event: EventAsked | undefined
  /** What it asks of who asks it, where facts may tell that. */
  factsAsked: FactsAsked | undefined
  /** How it is asked of rows: as it was written, then in the words of the records; empty when it asks for none. */
  rowWordings: readonly Wording[]
  /** What records are ranked by: its terms and names as hashes, without words that only tell the times. */
  query: Question
  /** The same with all its words, for records that are pinned, of whatever time. */
  fullQuery: Question
  /** How the words begin that long texts are looked through for. */
  sought: Sought
  /** How what it does not say outright was understood, as sentences. */
  notes: readonly string[]
  /** The corrections of misspelled words, and a sentence that reports them. */
  respelt: { note: string; terms: readonly string[] } | undefined
}

interface KnownTimes<S> {
  occursIn(time: TimeSpan, scope: S | null): boolean
  timesBeside(time: TimeSpan, scope: S | null): TimesBeside
}

interface ReadWith<S> extends RowsKnown {
  /** Turns before it, oldest first. */
  history?: readonly ChatMessage[] | undefined
  /** YYYY-MM-DD. */
  referenceDate: string
  /** The time zone of the dates in the question. UTC if absent. */
  timeZone?: string | undefined
  /** The index of the records in scope, and the dictionary. */
  view: Spelling<S> & {
    readonly graph: KnownTimes<S> & NamesKnown<S>
  }
  scope: S | null
}

/** When an event was, by a record of it. */
export interface EventFound {
  range: TimeSpan
  /** How that was found, as a sentence. */
  note: string
  /** Whether the record is about the event, so that its day is the event's; one may speak of it much later. */
  isSure: boolean
}

/** Terms beside an event's name at least for a question to be about more than the event. */
const TERMS_BESIDE_EVENT_MIN = 2

/**
 * Reads a question for all that answers it: ranking, briefs and rows are given the intent and look up in their records
 * what it names. Pure, and bounded for a text of any length.
 */
export function understand<S>(
  question: string,
  { history, referenceDate, timeZone = UTC, view, scope, rowNouns }: ReadWith<S>,
): Intent {
  const { text, note, read = [] } = respell(question, view, scope)
  const talk = readTalk(text, history)
  const isOf = (time: TimeSpan) => view.graph.occursIn(time, scope)
  const timesBeside = (time: TimeSpan) => view.graph.timesBeside(time, scope)
  const latestBefore = (time: TimeSpan) => timesBeside(time).beforeMs
  const timed = knownTimesAsked(text, { referenceDate, timeZone }, { isOf, latestBefore })
  const named = timed && { ...timed, isAll: asksForTimes(timed, talk) }
  const isOfRecords = named?.ranges.some(isOf)
  const times = isOfRecords ? named : undefined
  const isEmpty = named !== undefined && !isOfRecords
  const empty = isEmpty ? emptyTime(named, referenceDate, timesBeside) : undefined
  const fullQuery = analysed(text, talk, view.hash)
  const { whole, parts, spelt } = asked(text, question, talk, times, named?.rest)
  const wordings = [...new Set([question, text])]
  const isAlone = parts.length === 0 && talk.subject === '' && !named
  return {
    wording: wordingOf(text),
    referenceDate,
    talk,
    whole,
    parts,
    spelt,
    times,
    named,
    emptyTime: empty,
    broad: readBroad({ text, kind: whole.kind, isAlone }, view.graph.namesIn(fullQuery, scope)),
    phases: isAlone ? phasesAsked(text, whole.kind) : undefined,
    event: named ? undefined : eventAsked(text),
    factsAsked: factsAsked(question),
    rowWordings: [...wordings, ...talk.questions].some((each) => asksRows(each, { rowNouns }))
      ? wordings.map(wordingOf)
      : [],
    query: times && !times.isPartial ? analysed(times.rest, talk, view.hash) : fullQuery,
    fullQuery,
    sought: soughtIn(text),
    notes: empty?.told === undefined ? [] : [empty.told],
    respelt: note === undefined ? undefined : { note, terms: terms(read.join(' ')) },
  }
}

/** The question with its event as the time that it asks about. */
export function withEvent(intent: Intent, { range, note, isSure }: EventFound, hash: KeyHash): Intent {
  const { talk, event } = intent
  const text = questionText(intent.wording)
  const rest = text.replace(event?.said ?? '', ', ')
  // A message that only speaks of the event may do so long after it: its day is a hint, and the event's words count on.
  const times = { ranges: [range], isPartial: !isSure || hasParts(rest) }
  // "What changed since the incident?" asks about nothing but the incident.
  const about = isSure && terms(rest).length >= TERMS_BESIDE_EVENT_MIN ? rest : text
  const notes = [...intent.notes, note]
  const { whole, parts } = asked(text, text, talk, times, rest)
  return { ...intent, whole, parts, times, query: analysed(about, talk, hash), notes }
}

/** Words that only tell the times are left to these, where records are of them. */
function analysed(text: string, { turns, subject }: Talk, hash: KeyHash): Question {
  return analyseQuestion(text, turns, hash, subject)
}

function asked(
  text: string,
  written: string,
  { subject }: Talk,
  times: AskedTimes | undefined,
  timeless: string | undefined,
): AskedParts {
  const beside = { times: times?.isPartial ? undefined : times?.ranges, timeless, subject }
  return readAsked(text, terms, beside, written)
}

/** Whether all that a question says beside its times asks for what there was: "Summarize the last two weeks." */
function asksForTimes({ rest, isPartial }: TimesAsked, { subject, turns }: Talk): boolean {
  return !isPartial && subject === '' && turns.length === 0 && terms(rest).every(overviewTerms(terms))
}

/** Finds names of a question among the records in scope. */
interface KnownNames<S> {
  readonly graph: {
    namesIn(question: Question, scope: S | null): { at: number; length: number; isOfPeople: boolean }[]
  }
}

/** An intent as it is shown to whoever asks how a question was understood. */
export function showIntent<S>(intent: Intent, { graph }: KnownNames<S>, scope: S | null): QuestionIntent {
  const { whole, parts, times, broad, event, talk, rowWordings, fullQuery, notes, respelt } = intent
  const text = questionText(intent.wording)
  const folded = foldText(text.slice(0, QUESTION_CHARS_READ))
  const words = wordsOfFolded(folded)
  const names = new Map<string, boolean>()
  for (const { at, length, isOfPeople } of graph.namesIn(fullQuery, scope)) {
    const [first, last] = [words[at], words[at + length - 1]]
    // What stands behind the question's own words is of the turns before it.
    if (first && last) names.set(folded.slice(first.from, last.to), isOfPeople)
  }
  const toMoments = ({ fromMs, toMs }: Pick<TimeSpan, 'fromMs' | 'toMs'>) => ({
    from: moment(fromMs),
    until: moment(toMs),
  })
  return {
    text,
    parts: (parts.length > 0 ? parts : [whole]).map(({ wording, kind, terms }) => {
      const part = questionText(wording)
      const said = foldText(part)
      const own = [...names.keys()].filter((name) => said.includes(name))
      return { text: part, kind, terms, names: own, people: own.filter((name) => names.get(name)) }
    }),
    times: (times?.ranges ?? []).map((span: TimeSpan) => toMoments(span.instants ?? span)),
    ...(broad && { broad: broad.of }),
    ...(event && times && { event: event.said }),
    ...(talk.subject !== '' && { subject: talk.subject }),
    asks_rows: rowWordings.length > 0,
    notes: [respelt?.note ?? [], ...notes].flat(),
  }
}

/** Milliseconds beyond which a date cannot be written. */
const MOMENT_MS_MAX = 8.64e15

function moment(ms: number): string | null {
  return Math.abs(ms) > MOMENT_MS_MAX ? null : new Date(ms).toISOString()
}
