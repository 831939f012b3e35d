import { type MappedRecord, thing, toRecord } from '../draft.ts'
import { dayIn, documentThing, readMarkdown, stemOf } from '../markdown/read-markdown.ts'
import { moment, writtenMoment } from '../pick.ts'

const DAY = '(\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4}),?[ T]'
const TIME = '(\\d?\\d):(\\d\\d)(?::\\d\\d)?(?: ?([ap])\\.?m\\.?)?'
const NAME = "(\\p{L}[\\p{L}\\p{M}\\p{N} .'’_-]{0,38}?)"
/** "[07:46] Ana: yes", "[2026-05-04, 07:46] <ana> yes", "2026-05-04 07:46 - Ana: yes". */
const STAMPED = new RegExp(
  `^(?:\\[(?:${DAY})?|${DAY})${TIME}\\]?(?: -)? +(?:<[@+]?)?${NAME}(?:>:?|:)(?: +(.*))?$`,
  'iu',
)
/** "Ana (07:46): yes", "**Ana** 07:46" with what she says in the lines below. */
const NAMED = new RegExp(`^${NAME} +[[(]?${TIME}[\\])]?(?::(?: +(.*))?)?$`, 'iu')
const HEADING = /^#{1,6}\s+(\S.*)$/
const WRITTEN_DAY = /\p{L}{3,9}\.? \d{1,2},? \d{4}|\d{1,2}\.? \p{L}{3,9}\.? \d{4}/u
/** Characters of a line that may begin a turn. */
const LINE_CHARS_MAX = 2_000
/** Turns without which a text is no talk, and lines that one of them has at most on the average. */
const TURNS_MIN = 3
const LINES_MAX = 4
/** Minutes at which what is planned begins; people speak at any. */
const PLANNED_MINUTES = 5
const HALF_DAY_HOURS = 12

/** What one person says at once. */
interface Turn {
  readonly speaker: string
  readonly hour: number
  readonly minute: number
  /** As the line or the heading above says it. */
  readonly day: string | undefined
  readonly said: string[]
}

/**
 * The messages of a talk that is written down in a text, each line or pair of lines with who speaks and at what time;
 * undefined for any other text, and for a plan, whose times are all round. Times are taken for UTC.
 */
export function transcriptRecords(content: string, path: string, scope: string): MappedRecord[] | undefined {
  const { body, heading } = readMarkdown(content)
  const turns = turnsOf(body)
  if (!turns) return undefined
  const stem = stemOf(path)
  const dayOf = dayReader(turns)
  const whole = dayIn(stem)?.slice(0, DAY_CHARS)
  const chat = documentThing(path, scope, heading ?? stem, [stem])
  return turns.map((turn, at) => {
    const day = dayOf(turn.day) ?? whole
    const time = [turn.hour, turn.minute].map((each) => String(each).padStart(2, '0')).join(':')
    return toRecord({
      externalId: `${path}#${at + 1}`,
      type: 'message',
      text: turn.said.join('\n'),
      occurredAt: day && moment(`${day}T${time}Z`),
      author: thing('person', turn.speaker),
      entities: [chat],
      properties: { path, folder: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined },
    })
  })
}

const DAY_CHARS = '2026-05-04'.length

function turnsOf(text: string): Turn[] | undefined {
  const turns: Turn[] = []
  let day: string | undefined
  let lines = 0
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' && turns.length === 0) continue
    const heading = HEADING.exec(line)?.[1]
    if (heading !== undefined) day = dayIn(heading) ?? WRITTEN_DAY.exec(heading)?.[0] ?? day
    else {
      const turn = line.length > LINE_CHARS_MAX ? undefined : turnIn(line.replaceAll('**', ''), day)
      // What stands over a talk would be lost.
      if (!turn && turns.length === 0) return undefined
      if (turn) turns.push(turn)
      else turns.at(-1)!.said.push(raw)
      lines += line === '' ? 0 : 1
    }
  }
  const spoken = turns.filter(({ said }) => said.some((line) => line.trim() !== ''))
  const isTalk = spoken.length >= TURNS_MIN && new Set(spoken.map(({ speaker }) => speaker)).size > 1
  const isSaid = lines <= spoken.length * LINES_MAX && spoken.some(({ minute }) => minute % PLANNED_MINUTES > 0)
  return isTalk && isSaid ? spoken : undefined
}

function turnIn(line: string, above: string | undefined): Turn | undefined {
  const stamped = STAMPED.exec(line)
  const named = stamped ? undefined : NAMED.exec(line)
  if (!stamped && !named) return undefined
  const [inBrackets, bare, hours, minute, half, speaker, said] = stamped
    ? stamped.slice(1)
    : [undefined, undefined, ...named!.slice(2, 5), named![1], named![5]]
  const hour = half ? (Number(hours) % HALF_DAY_HOURS) + (/p/i.test(half) ? HALF_DAY_HOURS : 0) : Number(hours)
  const day = inBrackets ?? bare ?? above
  return { speaker: speaker!.trim(), hour, minute: Number(minute), day, said: said ? [said] : [] }
}

const NUMERIC_DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})$/
const MONTHS = 12

/** Reads days as one talk writes them: which of two numbers is the day is told by one that can be no month. */
function dayReader(turns: readonly Turn[]): (day: string | undefined) => string | undefined {
  const parts = turns.flatMap(({ day }) => [NUMERIC_DAY.exec(day ?? '') ?? []].filter((found) => found.length > 0))
  const isDayFirst = parts.some(([, one]) => Number(one) > MONTHS)
  const isMonthFirst = parts.some(([, , two]) => Number(two) > MONTHS)
  return (day) => {
    const [, one = '', two = '', year = ''] = NUMERIC_DAY.exec(day ?? '') ?? []
    if (year === '') return day && writtenMoment(day)?.slice(0, DAY_CHARS)
    if (isDayFirst === isMonthFirst) return undefined
    const [date, month] = isDayFirst ? [one, two] : [two, one]
    return `${year.padStart(DAY_CHARS - 6, '20')}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  }
}
