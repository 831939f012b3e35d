import type { ChatMessage, Phase, QuestionIntent } from '@cairnstore/contract'
import type { KeyHash } from '../text/names.ts'
import { terms } from '../text/terms.ts'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { analyseQuestion, QUESTION_CHARS_READ, type Question } from './analyse-question.ts'
import { type Broad, type NameLookup, readBroad } from './broad.ts'
import { type EmptyTime, emptyTime, type NearestTimes } from './empty-time.ts'
import { findTimesWithRecords, hasParts, type QuestionTimes, type StatedTimes } from './find-times.ts'
import {
  asksRows,
  type Conversation,
  factsAsked,
  findEvent,
  type KnownRows,
  phasesAsked,
  type QuestionEvent,
  type RequestedFacts,
  readConversation,
} from './kinds-asked.ts'
import { analyseParts, type QuestionParts, type QuestionSpelling } from './parts.ts'
import type { Question as Part } from './question.ts'
import { respell, type Spelling } from './respell.ts'
import { type QueryStems, queryStems } from './select-passages.ts'
import { type TimeSpan, UTC } from './time-span.ts'
import { questionText, type Wording, wordingOf } from './wording.ts'
import { overviewTerms } from './written-names.ts'

/** Result of the question analysis. */
export interface Intent {
  /** The question after spelling correction. */
  wording: Wording
  /** Reference day of relative times: YYYY-MM-DD. */
  referenceDate: string
  conversation: Conversation
  /** The question as a whole, and its parts in order; `parts` is empty if there is only one. */
  whole: Part
  parts: readonly Part[]
  /** Original wording, for the message that is returned if the question is not answered. */
  spelt: QuestionSpelling
  /** Times in the question, or the time of the event that it names. Undefined if no record in scope is from them. */
  times: QuestionTimes | undefined
  /** Times in the question, with or without records. */
  named: StatedTimes | undefined
  /** Times in the question if no record in scope is from them. */
  emptyTime: EmptyTime | undefined
  /** Set if the question does not ask for a single fact. */
  broad: Broad | undefined
  /** Phases of work, if the question asks for everything in them and has no other topic. */
  phases: readonly Phase[] | undefined
  /** Event that defines the time, if the question has no date. */
  event: QuestionEvent | undefined
  /** Facts about the user that the question asks for. */
  factsAsked: RequestedFacts | undefined
  /** Wordings for the query parser, the original first, then the corrected one; empty if it is no table query. */
  rowWordings: readonly Wording[]
  /** Query for the ranking: hashed terms and names. Words that express times are removed. */
  query: Question
  /** The same query with all words. It is used for pinned records, which may be from any time. */
  fullQuery: Question
  /** Word stems by which passages of long texts are selected. */
  stems: QueryStems
  /** Messages that explain how implicit parts of the question were interpreted. */
  notes: readonly string[]
  /** Terms of the corrected words, and a message about the corrections. */
  respelt: { note: string; terms: readonly string[] } | undefined
}

interface RecordTimes<S> {
  occursIn(time: TimeSpan, scope: S | null): boolean
  nearestTimes(time: TimeSpan, scope: S | null): NearestTimes
}

interface UnderstandOptions<S> extends KnownRows {
  /** Earlier turns, oldest first. */
  history?: readonly ChatMessage[] | undefined
  /** Reference date, YYYY-MM-DD. */
  referenceDate: string
  /** Time zone of the dates in the question. Defaults to UTC. */
  timeZone?: string | undefined
  /** Index of the records in scope, and the dictionary. */
  view: Spelling<S> & {
    readonly graph: RecordTimes<S> & NameLookup<S>
  }
  scope: S | null
}

/** Time of an event, taken from a record about it. */
export interface DatedEvent {
  range: TimeSpan
  /** Sentence that explains how it was found. */
  note: string
  /**
   * True if the record is certainly about the event, so that the record's day is the day of the event. Records that
   * only mention an event may be much later.
   */
  isSure: boolean
}

/** Minimum number of terms other than the event's name, for a question that has a topic of its own. */
const TERMS_BESIDE_EVENT_MIN = 2

/** Analyzes a question for ranking, answers and table queries. Takes bounded time for any length. */
export function understand<S>(
  question: string,
  { history, referenceDate, timeZone = UTC, view, scope, rowNouns }: UnderstandOptions<S>,
): Intent {
  const { text, note, read: corrected = [] } = respell(question, view, scope)
  const conversation = readConversation(text, history)
  const hasRecords = (time: TimeSpan) => view.graph.occursIn(time, scope)
  const nearestTimes = (time: TimeSpan) => view.graph.nearestTimes(time, scope)
  const latestBefore = (time: TimeSpan) => nearestTimes(time).beforeMs
  const stated = findTimesWithRecords(text, { referenceDate, timeZone }, { isOf: hasRecords, latestBefore })
  const named = stated && { ...stated, isAll: asksForTimes(stated, conversation) }
  const isOfRecords = named?.ranges.some(hasRecords)
  const times = isOfRecords ? named : undefined
  const isEmpty = named !== undefined && !isOfRecords
  const empty = isEmpty ? emptyTime(named, referenceDate, nearestTimes) : undefined
  const fullQuery = queryOf(text, conversation, view.hash)
  const { whole, parts, spelt } = analyseAsked(text, question, conversation, times, named?.rest)
  const wordings = [...new Set([question, text])]
  const isAlone = parts.length === 0 && conversation.subject === '' && !named
  return {
    wording: wordingOf(text),
    referenceDate,
    conversation,
    whole,
    parts,
    spelt,
    times,
    named,
    emptyTime: empty,
    broad: readBroad({ text, kind: whole.kind, isAlone }, view.graph.namesIn(fullQuery, scope)),
    phases: isAlone ? phasesAsked(text, whole.kind) : undefined,
    event: named ? undefined : findEvent(text),
    factsAsked: factsAsked(question),
    rowWordings: [...wordings, ...conversation.questions].some((each) => asksRows(each, { rowNouns }))
      ? wordings.map(wordingOf)
      : [],
    query: times && !times.isPartial ? queryOf(times.rest, conversation, view.hash) : fullQuery,
    fullQuery,
    stems: queryStems(text),
    notes: empty?.sentence === undefined ? [] : [empty.sentence],
    respelt: note === undefined ? undefined : { note, terms: terms(corrected.join(' ')) },
  }
}

/** Returns the intent with the event's time as the time of the question. */
export function withEvent(intent: Intent, { range, note, isSure }: DatedEvent, hash: KeyHash): Intent {
  const { conversation, event } = intent
  const text = questionText(intent.wording)
  const rest = text.replace(event?.said ?? '', ', ')
  // A record that only mentions the event may be much later. Its day is then only a hint, and the words of the event
  // stay in the query.
  const times = { ranges: [range], isPartial: !isSure || hasParts(rest) }
  // "What changed since the incident?" has no topic except the incident.
  const about = isSure && terms(rest).length >= TERMS_BESIDE_EVENT_MIN ? rest : text
  const notes = [...intent.notes, note]
  const { whole, parts } = analyseAsked(text, text, conversation, times, rest)
  return { ...intent, whole, parts, times, query: queryOf(about, conversation, hash), notes }
}

/** Analyzes a text together with its conversation. */
function queryOf(text: string, { turns, subject }: Conversation, hash: KeyHash): Question {
  return analyseQuestion(text, turns, hash, subject)
}

function analyseAsked(
  text: string,
  written: string,
  { subject }: Conversation,
  times: QuestionTimes | undefined,
  timeless: string | undefined,
): QuestionParts {
  const context = { times: times?.isPartial ? undefined : times?.ranges, timeless, subject }
  return analyseParts(text, terms, context, written)
}

/** Returns true if a question asks for everything in its times and has no other topic: "Summarize last week." */
function asksForTimes({ rest, isPartial }: StatedTimes, { subject, turns }: Conversation): boolean {
  return !isPartial && subject === '' && turns.length === 0 && terms(rest).every(overviewTerms(terms))
}

/** Finds names of a question among the records in scope. */
interface NamesInScope<S> {
  readonly graph: {
    namesIn(question: Question, scope: S | null): { at: number; length: number; isOfPeople: boolean }[]
  }
}

/** Converts an intent to the API format that explains how a question was interpreted. */
export function describeIntent<S>(intent: Intent, { graph }: NamesInScope<S>, scope: S | null): QuestionIntent {
  const { whole, parts, times, broad, event, conversation, rowWordings, fullQuery, notes, respelt } = intent
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
    ...(conversation.subject !== '' && { subject: conversation.subject }),
    asks_rows: rowWordings.length > 0,
    notes: [respelt?.note ?? [], ...notes].flat(),
  }
}

/** Greatest time value of a Date, in milliseconds. */
const MOMENT_MS_MAX = 8.64e15

function moment(ms: number): string | null {
  return Math.abs(ms) > MOMENT_MS_MAX ? null : new Date(ms).toISOString()
}
