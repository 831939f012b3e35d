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

/** Result of the question analysis. */
export interface Intent {
  /** The question after spelling correction. */
  wording: Wording
  /** Reference day of relative times: YYYY-MM-DD. */
  referenceDate: string
  /** Conversation context. */
  talk: Talk
  /** The question as a whole, and its parts in order; `parts` is empty if there is only one. */
  whole: Part
  parts: readonly Part[]
  /** Original wording for the message if it is not answered. */
  spelt: Spelt
  /** Times in the question, or of its event, if any record in scope is from them. */
  times: AskedTimes | undefined
  /** Times in the question, with or without records. */
  named: TimesAsked | undefined
  /** Times in the question if no record in scope is from them. */
  emptyTime: EmptyTime | undefined
  /** Set if the question asks for no single fact. */
  broad: Broad | undefined
  /** Phases of work, if the question asks for everything in them and nothing else. */
  phases: readonly Phase[] | undefined
  /** Event that defines the time, if the question has no date. */
  event: EventAsked | undefined
  /** Facts about the user that the question asks for. */
  factsAsked: FactsAsked | undefined
  /** Wordings for the query parser: original, then corrected; empty if it is not a table query. */
  rowWordings: readonly Wording[]
  /** Query for the ranking: hashed terms and names, without words for the times. */
  query: Question
  /** The same query with all words, for pinned records of any time. */
  fullQuery: Question
  /** Word stems by which passages of long texts are selected. */
  sought: Sought
  /** Sentences that explain how implicit statements were interpreted. */
  notes: readonly string[]
  /** Terms of the corrected words, and a sentence that reports the corrections. */
  respelt: { note: string; terms: readonly string[] } | undefined
}

interface KnownTimes<S> {
  occursIn(time: TimeSpan, scope: S | null): boolean
  timesBeside(time: TimeSpan, scope: S | null): TimesBeside
}

interface ReadWith<S> extends RowsKnown {
  /** Earlier turns, oldest first. */
  history?: readonly ChatMessage[] | undefined
  /** Reference date, YYYY-MM-DD. */
  referenceDate: string
  /** Time zone of the dates in the question. Defaults to UTC. */
  timeZone?: string | undefined
  /** Index of the records in scope, and the dictionary. */
  view: Spelling<S> & {
    readonly graph: KnownTimes<S> & NamesKnown<S>
  }
  scope: S | null
}

/** Time of an event, taken from a record of it. */
export interface EventFound {
  range: TimeSpan
  /** Sentence that explains how it was found. */
  note: string
  /**
   * True if the record is about the event, so that its day is that of the event. Other records may mention it much
   * later.
   */
  isSure: boolean
}

/** Minimum number of terms besides the event's name for a question that is about more than the event. */
const TERMS_BESIDE_EVENT_MIN = 2

/**
 * Analyzes a question for ranking, answers and table queries. The function is pure, and its run time is bounded for a
 * text of any length.
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

/** Returns the intent with the event's time as the time of the question. */
export function withEvent(intent: Intent, { range, note, isSure }: EventFound, hash: KeyHash): Intent {
  const { talk, event } = intent
  const text = questionText(intent.wording)
  const rest = text.replace(event?.said ?? '', ', ')
  // A record that only mentions the event may be much later. Its day is then a hint, and the event's words still count.
  const times = { ranges: [range], isPartial: !isSure || hasParts(rest) }
  // "What changed since the incident?" has no topic except the incident.
  const about = isSure && terms(rest).length >= TERMS_BESIDE_EVENT_MIN ? rest : text
  const notes = [...intent.notes, note]
  const { whole, parts } = asked(text, text, talk, times, rest)
  return { ...intent, whole, parts, times, query: analysed(about, talk, hash), notes }
}

/** Analyzes a text together with its conversation. */
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

/** Returns true if the question, without its times, asks only for everything: "Summarize the last two weeks." */
function asksForTimes({ rest, isPartial }: TimesAsked, { subject, turns }: Talk): boolean {
  return !isPartial && subject === '' && turns.length === 0 && terms(rest).every(overviewTerms(terms))
}

/** Finds names of a question among the records in scope. */
interface KnownNames<S> {
  readonly graph: {
    namesIn(question: Question, scope: S | null): { at: number; length: number; isOfPeople: boolean }[]
  }
}

/** Converts an intent to the API format that explains how a question was interpreted. */
export function showIntent<S>(intent: Intent, { graph }: KnownNames<S>, scope: S | null): QuestionIntent {
  const { whole, parts, times, broad, event, talk, rowWordings, fullQuery, notes, respelt } = intent
  const text = questionText(intent.wording)
  const folded = foldText(text.slice(0, QUESTION_CHARS_READ))
  const words = wordsOfFolded(folded)
  const names = new Map<string, boolean>()
  for (const { at, length, isOfPeople } of graph.namesIn(fullQuery, scope)) {
    const [first, last] = [words[at], words[at + length - 1]]
    // Positions after the question's own words belong to earlier messages.
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

/** Greatest time value of a Date, in milliseconds. */
const MOMENT_MS_MAX = 8.64e15

function moment(ms: number): string | null {
  return Math.abs(ms) > MOMENT_MS_MAX ? null : new Date(ms).toISOString()
}
