import { dayIn, documentEntity, readMarkdown, stemOf } from '../markdown/read-markdown.ts'
import { moment, writtenMoment } from '../pick.ts'
import { type Entity, entity, type MappedRecord, toRecord } from '../to-record.ts'
import { isSpeaker, namesWithoutComma, SPEAKER, SPEAKER_AND_TIME, type Speaker, speakerOf } from './speaker.ts'

const DAY = '(\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4}),?[ T]'
const TIME = '(\\d?\\d):(\\d\\d)(?::\\d\\d(?:[.,]\\d{1,3})?)?(?: ?([ap])\\.?m\\.?)?'
const STAMP = `(?:\\[(?:${DAY})?|${DAY})?${TIME}\\]?`
/** Time before the speaker: "[07:46] Ana: yes", "[2026-05-04, 07:46] <ana> yes", "2026-05-04 07:46 - Ana: yes". */
const STAMPED = new RegExp(
  `^(?:\\[(?:${DAY})?|${DAY})${TIME}\\]?(?: -)? +(?:<[@+]?)?${SPEAKER}(?:>:?|:)(?: +(.*))?$`,
  'iu',
)
/** Time after the speaker: "Ana (07:46): yes", or "**Ana** 07:46" with the speech in the lines below. */
const NAMED = new RegExp(`^${SPEAKER_AND_TIME} +[[(]?${TIME}[\\])]?(?::(?: +(.*))?)?$`, 'iu')
/** A line with a time but without a speaker: "[07:46] Ana joined". */
const STAMP_ONLY = new RegExp(`^${STAMP}(?: -)?(?: +(.*))?$`, 'iu')
/** Lines without a time: one that starts with a speaker, and a stage direction: "(laughter)", "*** break ***". */
const UNSTAMPED = new RegExp(`^${SPEAKER}:(?: +(.*))?$`, 'u')
const ASIDE = /^(?:\(.{1,200}\)|\[.{1,200}\]|\*{1,3}[^*].{0,200}\*{1,3}|-{2,}.{0,200}|={2,}.{0,200})$/
const HEADING = /^#{1,6}\s+(\S.*)$/
const WRITTEN_DAY = /\p{L}{3,9}\.? \d{1,2},? \d{4}|\d{1,2}\.? \p{L}{3,9}\.? \d{4}/u
/** Maximum length of a line that may start a turn, in characters. */
const LINE_CHARS_MAX = 2_000
/** Minimum number of turns in a transcript, and maximum average number of lines per turn. */
const TURNS_MIN = 3
const LINES_MAX = 4
/** Times in a schedule are usually multiples of this many minutes; times of speech are not. */
const PLANNED_MINUTES = 5
const HALF_DAY_HOURS = 12

/** One uninterrupted statement of a speaker, or a line without a speaker between statements. */
interface Turn {
  readonly speaker: Speaker | undefined
  readonly hour: number
  readonly minute: number
  /** The date as written in the line or in the heading above it. */
  readonly day: string | undefined
  readonly lines: string[]
}

/**
 * Returns the messages of a transcript: a text whose lines, or pairs of lines, state the speaker and the time. Returns
 * undefined for any other text, and for a schedule, in which all times are round. Times are read as UTC. A line with a
 * time but without a speaker becomes a message without an author.
 */
export function transcriptRecords(content: string, path: string, scope: string): MappedRecord[] | undefined {
  const { body, heading } = readMarkdown(content)
  const turns = turnsOf(body)
  if (!turns) return undefined
  const stem = stemOf(path)
  const dayOf = dayReader(turns)
  const whole = dayIn(stem)?.slice(0, DAY_CHARS)
  const chat = documentEntity(path, scope, heading ?? stem, [stem])
  return turns.map((turn, at) => {
    const day = dayOf(turn.day) ?? whole
    const time = [turn.hour, turn.minute].map((each) => String(each).padStart(2, '0')).join(':')
    return turnRecord({
      path,
      number: at + 1,
      chat,
      speaker: turn.speaker,
      text: turn.lines.join('\n'),
      occurredAt: day && moment(`${day}T${time}Z`),
    })
  })
}

interface TurnInput {
  path: string
  /** Counted from 1. */
  number: number
  chat: Entity | undefined
  speaker: Speaker | undefined
  text: string
  occurredAt: string | undefined
  offset?: string
}

export function turnRecord({ path, number, chat, speaker, text, occurredAt, offset }: TurnInput): MappedRecord {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined
  return toRecord({
    externalId: `${path}#${number}`,
    type: 'message',
    text,
    occurredAt,
    author: entity('person', speaker?.name),
    entities: [chat],
    properties: { path, folder, role: speaker?.role, offset },
  })
}

const DAY_CHARS = '2026-05-04'.length
const YEAR_CHARS = '2026'.length

function turnsOf(text: string): Turn[] | undefined {
  const turns: Turn[] = []
  const names = namesWithoutComma(text.split('\n').map(writtenSpeakerOf))
  const state: TranscriptState = { last: undefined, speakers: new Set(), names, isStamped: false }
  let day: string | undefined
  let lines = 0
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' && turns.length === 0) continue
    const heading = HEADING.exec(line)?.[1]
    if (heading !== undefined) day = dayIn(heading) ?? WRITTEN_DAY.exec(heading)?.[0] ?? day
    else {
      const isShort = line !== '' && line.length <= LINE_CHARS_MAX
      const turn = isShort ? parseTurn(line.replaceAll('**', ''), day, state) : undefined
      // Text above the first turn would be lost, so such a file is not read as a transcript.
      if (!turn && turns.length === 0) return undefined
      if (turn) {
        turns.push(turn)
        state.last = turn
        if (turn.speaker) state.speakers.add(turn.speaker.name)
      } else turns.at(-1)!.lines.push(raw)
      lines += line === '' ? 0 : 1
    }
  }
  const filled = turns.filter(({ lines: spokenLines }) => spokenLines.some((line) => line.trim() !== ''))
  const spoken = filled.filter(({ speaker }) => speaker !== undefined)
  const isTranscript = spoken.length >= TURNS_MIN && new Set(spoken.map(({ speaker }) => speaker!.name)).size > 1
  const isConversational =
    lines <= spoken.length * LINES_MAX && spoken.some(({ minute }) => minute % PLANNED_MINUTES > 0)
  return isTranscript && isConversational ? filled : undefined
}

/** The parser state of a transcript. */
interface TranscriptState {
  last: Turn | undefined
  readonly speakers: Set<string>
  /** The speakers that the text writes without a comma. */
  readonly names: ReadonlySet<string>
  /** True once a line has started with its time. */
  isStamped: boolean
}

/** Returns the speaker of a line as written, with the role; undefined for a line without one. */
function writtenSpeakerOf(raw: string): string | undefined {
  const line = raw.length <= LINE_CHARS_MAX ? raw.trim().replaceAll('**', '') : ''
  return STAMPED.exec(line)?.[6] ?? NAMED.exec(line)?.[1] ?? UNSTAMPED.exec(line)?.[1]
}

/** Returns the turn that a line starts; undefined for a line that continues the previous turn. */
function parseTurn(line: string, above: string | undefined, state: TranscriptState): Turn | undefined {
  const stamped = STAMPED.exec(line)
  const named = stamped ? undefined : NAMED.exec(line)
  if (!stamped && !named) return parseContinuation(line, above, state)
  const [inBrackets, bare, hours, minute, half, written, text] = stamped
    ? stamped.slice(1)
    : [undefined, undefined, ...named!.slice(2, 5), named![1], named![5]]
  const speaker = speakerOf(written!, state.names)
  if (!isSpeaker(speaker)) return parseContinuation(line, above, state)
  const day = inBrackets ?? bare ?? above
  state.isStamped ||= stamped !== null
  return { speaker, hour: hourOf(hours!, half), minute: Number(minute), day, lines: text ? [text] : [] }
}

function hourOf(hours: string, half: string | undefined): number {
  if (!half) return Number(hours)
  return (Number(hours) % HALF_DAY_HOURS) + (/p/i.test(half) ? HALF_DAY_HOURS : 0)
}

/** Returns a turn without a speaker, or of a known speaker. Without a time, it gets that of the previous turn. */
function parseContinuation(
  line: string,
  above: string | undefined,
  { last, speakers, names, isStamped }: TranscriptState,
): Turn | undefined {
  if (!last) return undefined
  const { hour, minute, day } = last
  const [, inBrackets, bare, hours, minutes, half, rest] = (isStamped && STAMP_ONLY.exec(line)) || []
  const time = { hour: hourOf(hours ?? '', half), minute: Number(minutes), day: inBrackets ?? bare ?? above }
  if (hours !== undefined) return { speaker: undefined, ...time, lines: rest ? [rest] : [] }
  if (ASIDE.test(line)) return { speaker: undefined, hour, minute, day, lines: [line] }
  const [, written, text] = UNSTAMPED.exec(line) ?? []
  const speaker = written === undefined ? undefined : speakerOf(written, names)
  return speaker && speakers.has(speaker.name) ? { speaker, hour, minute, day, lines: text ? [text] : [] } : undefined
}

const NUMERIC_DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})$/
const MONTHS = 12

/** Returns a parser for the dates of one transcript. A number above 12 in any of them shows which part is the day. */
function dayReader(turns: readonly Turn[]): (day: string | undefined) => string | undefined {
  const parts = turns.flatMap(({ day }) => [NUMERIC_DAY.exec(day ?? '') ?? []].filter((found) => found.length > 0))
  const isDayFirst = parts.some(([, one]) => Number(one) > MONTHS)
  const isMonthFirst = parts.some(([, , two]) => Number(two) > MONTHS)
  return (day) => {
    const [, one = '', two = '', year = ''] = NUMERIC_DAY.exec(day ?? '') ?? []
    if (year === '') return day && writtenMoment(day)?.slice(0, DAY_CHARS)
    if (isDayFirst === isMonthFirst) return undefined
    const [date, month] = isDayFirst ? [one, two] : [two, one]
    return `${year.padStart(YEAR_CHARS, '20')}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  }
}
