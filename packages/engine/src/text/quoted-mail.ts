import { anyOf } from '../lexicon/entries.ts'
import {
  FORWARD_PREFIXES,
  FORWARDS,
  MAIL_FIELD_NAMES,
  ORIGINALS,
  REPLY_OPENINGS,
  REPLY_VERBS,
} from '../lexicon/mail.ts'

/** A mail within the text of another mail, with the fields from its header lines. */
export interface QuotedMail {
  /** The reason that the mail is included: it was forwarded or answered. */
  kind: 'forwarded' | 'answered'
  from: string | undefined
  to: string | undefined
  date: string | undefined
  subject: string | undefined
  text: string
}

/** A mail that was split into its own text and the mails that it quotes or forwards. */
interface SplitMail {
  own: string
  quoted: QuotedMail[]
}

/** Maximum number of mails that are split off. The text of further mails stays in the last one. */
const QUOTED_MAX = 30
/** Maximum number of header lines of a quoted mail, and maximum length of a header line. */
const FIELDS_MAX = 12
const FIELD_CHARS_MAX = 2_000
/** Maximum number of empty lines between a line such as "Forwarded message" and the header fields below it. */
const GAP_LINES_MAX = 2
/** Maximum number of lines that a wrapped attribution line ("Ana wrote:") spans. */
const INTRO_LINES_MAX = 3

type FieldName = keyof typeof MAIL_FIELD_NAMES

const NAMES = Object.entries(MAIL_FIELD_NAMES) as [FieldName, readonly string[]][]
const FIELD_OF = new Map(NAMES.toReversed().flatMap(([field, names]) => names.map((name) => [name, field] as const)))
const FIELD = /^[*_]{0,2}([\p{L}][\p{L} '’-]{0,30}?)\s?[:：][*_]{0,2}\s?(.*)$/u
const MARK = new RegExp(`^[-–—_=\\s]*(${anyOf(FORWARDS)})|^[-–—_=]{2,}\\s*${anyOf(ORIGINALS)}`, 'iu')
/** Matches the rest of a line after MARK: punctuation, then an optional name or address. */
const MARK_END = /^[^\p{L}\p{N}]*(?:[\p{L}\p{N}][\p{L}\p{N}<>@.,' ]*)?$/u
/** Outlook draws a rule above a quoted mail. */
const RULE = /^[_–—-]{5,}$/
const INTRO = new RegExp(
  `^(?:${anyOf(REPLY_OPENINGS)}\\s.{4,200}${anyOf(REPLY_VERBS)}|.{4,200}\\d.{0,200}${anyOf(REPLY_VERBS)}|` +
    '.{4,200}<[^<>\\s]+@[^<>\\s]+>.{0,60})\\s?[:：]$',
  'iu',
)
/** Patterns for the author in an attribution line, most reliable first. */
const WRITERS = [
  new RegExp(`${anyOf(REPLY_VERBS)}\\s+([^<>:]{2,100}<[^<>\\s]+@[^<>\\s]+>)`, 'iu'),
  /(?:[,:]|\d)\s*([^\d,:<>]{2,100}<[^<>\s]+@[^<>\s]+>)/u,
  /<([^<>\s]+@[^<>\s]+)>/u,
  new RegExp(`,\\s*([\\p{L}][^\\d,:<>]{1,80}?)\\s+${anyOf(REPLY_VERBS)}`, 'iu'),
]
const FORWARDING = new RegExp(`^\\s*\\[?(?:${anyOf(FORWARD_PREFIXES)})\\s?[:：]`, 'iu')
const QUOTE_MARKS = /^(?:>[ \t]?)+/
const SIGNATURE = /^-- ?$/

/** Returns true if the subject of a mail marks it as forwarding another mail. */
export function isForwarding(subject: string | undefined): boolean {
  return FORWARDING.test(subject ?? '')
}

/** Returns true if a line only marks the start of a quoted or forwarded mail: "--- Forwarded message ---". */
function isQuotingMark(line: string): boolean {
  const mark = MARK.exec(line)
  return mark !== null && MARK_END.test(line.slice(mark[0].length))
}

/** Finds a mail header quickly, since few texts have one. Adjacent classes are disjoint, so it takes linear time. */
const HINT = new RegExp(
  `^[ \\t>]*(?:[_–—-]{5,}[ \\t]*$|[*_]{0,2}${anyOf(MAIL_FIELD_NAMES.from)}\\s?[:：]|` +
    `(?:[-–—_=][-–—_= ]*)?${anyOf(FORWARDS, ORIGINALS)})`,
  'imu',
)

/** Returns the spans of the header lines above quoted or forwarded mails, in order. */
export function quotedHeads(text: string): { start: number; end: number }[] {
  if (!HINT.test(text)) return []
  const raw = text.split('\n')
  const lines = raw.map(lineOf)
  const heads: { start: number; end: number }[] = []
  let start = 0
  for (let at = 0; at < lines.length; ) {
    const head = heads.length < QUOTED_MAX ? headAt(lines, at) : undefined
    const count = head && !head.isMarked ? head.lines : 1
    const end = raw.slice(at, at + count).reduce((sum, line) => sum + line.length + 1, start)
    if (head && !head.isMarked) heads.push({ start, end })
    start = end
    at += count
  }
  return heads
}

interface Line {
  /** Number of quote marks (`>`) before the line. */
  depth: number
  /** The line without its quote marks. */
  shown: string
}

/** Header of a quoted mail: its number of lines, and the quote depth of the mail's text. */
interface Head {
  lines: number
  depth: number
  mail: Omit<QuotedMail, 'text'>
  /** True if the mail is delimited by quote marks only. It then ends at the first line with fewer of them. */
  isMarked: boolean
}

/**
 * Splits a mail's text at the forwarded or quoted mails in it. Each begins at a mark such as "Forwarded message", at
 * header fields such as `From:` in any language of the lexicon, or at an attribution line such as "Ana wrote:".
 * Quotations with replies in between stay in the text.
 */
export function splitMail(text: string): SplitMail {
  const lines = text.split('\n').map(lineOf)
  const parts: { mail: Omit<QuotedMail, 'text'> | undefined; head: Head | undefined; lines: string[] }[] = [
    { mail: undefined, head: undefined, lines: [] },
  ]
  for (let at = 0; at < lines.length; ) {
    const head = parts.length <= QUOTED_MAX ? headAt(lines, at) : undefined
    if (head) {
      parts.push({ mail: head.mail, head, lines: [] })
      at += head.lines
      continue
    }
    const line = lines[at]!
    let part = parts.at(-1)!
    // A line with fewer quote marks than the current mail belongs to the mail that quotes it.
    if (part.head && line.depth < part.head.depth && line.shown.trim() !== '') {
      part = parts.findLast(({ head: own }) => (own?.depth ?? 0) <= line.depth) ?? parts[0]!
    }
    part.lines.push(withMarks(line, part.head?.depth ?? 0))
    at += 1
  }
  const [own, ...quoted] = parts
  return {
    own: trimmed(own!.lines),
    quoted: quoted.flatMap(({ mail, lines: said }) => {
      const body = trimmed(said)
      return mail && body !== '' ? [{ ...mail, text: body }] : []
    }),
  }
}

function lineOf(raw: string): Line {
  const marks = QUOTE_MARKS.exec(raw)?.[0] ?? ''
  return { depth: marks.replace(/[^>]/g, '').length, shown: raw.slice(marks.length) }
}

/** Returns a line with the quote marks that remain inside a mail quoted at depth `within`. */
function withMarks({ depth, shown }: Line, within: number): string {
  return depth > within ? `${'> '.repeat(depth - within)}${shown}` : shown
}

function trimmed(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^\s*\n/, '')
    .trim()
}

/** Returns the header of the quoted mail that begins at a line; undefined if none does. */
function headAt(lines: readonly Line[], at: number): Head | undefined {
  const shown = lines[at]!.shown.trim()
  if (shown === '' || shown.length > FIELD_CHARS_MAX) return undefined
  const isForward = isQuotingMark(shown) && MARK.exec(shown)?.[1] !== undefined
  if (isQuotingMark(shown) || RULE.test(shown)) {
    const fields = fieldsFrom(lines, at + 1)
    const isWhole = fields !== undefined && fields.found.size > 1 && fields.found.has('from')
    return isWhole ? { ...headOf(fields, isForward), lines: fields.end - at } : undefined
  }
  if (fieldIn(shown)?.field === 'from') {
    const fields = fieldsFrom(lines, at)
    const from = fields?.found.get('from') ?? ''
    const isMail = fields && fields.found.size > 1 && (fields.found.has('subject') || from.includes('@'))
    return isMail ? { ...headOf(fields, false), lines: fields.end - at } : undefined
  }
  return introAt(lines, at)
}

interface Fields {
  found: Map<FieldName, string>
  /** Index of the line after the last field. */
  end: number
  depth: number
}

function headOf({ found, depth }: Fields, isForward: boolean): Omit<Head, 'lines'> {
  const [from, to, date, subject] = (['from', 'to', 'date', 'subject'] as const).map((name) => found.get(name))
  return { depth, isMarked: false, mail: { kind: isForward ? 'forwarded' : 'answered', from, to, date, subject } }
}

function fieldIn(line: string): { field: FieldName; value: string } | undefined {
  const [, name = '', value = ''] = line.length <= FIELD_CHARS_MAX ? (FIELD.exec(line) ?? []) : []
  const field = FIELD_OF.get(name.trim().toLowerCase())
  return field && { field, value: value.trim() }
}

/** Returns the fields at a line, after optional empty lines. */
function fieldsFrom(lines: readonly Line[], from: number): Fields | undefined {
  let at = from
  while (at < lines.length && at - from < GAP_LINES_MAX && lines[at]!.shown.trim() === '') at += 1
  const found = new Map<FieldName, string>()
  const depth = lines[at]?.depth ?? 0
  let last: FieldName | undefined
  let end = at
  for (; end < lines.length && end - at < FIELDS_MAX; end++) {
    const { shown, depth: own } = lines[end]!
    const field = own === depth ? fieldIn(shown.trim()) : undefined
    if (field) {
      last = field.field
      if (!found.has(field.field)) found.set(field.field, field.value)
    } else if (last && own === depth && /^[ \t]+\S/.test(shown)) {
      found.set(last, `${found.get(last)} ${shown.trim()}`.slice(0, FIELD_CHARS_MAX))
    } else break
  }
  return found.size > 0 ? { found, end, depth } : undefined
}

/** Returns the header for an attribution line if everything below is quoted; undefined if it has replies. */
function introAt(lines: readonly Line[], at: number): Head | undefined {
  const { depth } = lines[at]!
  let intro = ''
  for (let count = 1; count <= INTRO_LINES_MAX; count++) {
    const line = lines[at + count - 1]
    if (!line || line.depth !== depth || line.shown.trim() === '') return undefined
    intro = `${intro}${intro.endsWith('<') ? '' : ' '}${line.shown.trim()}`.trim()
    if (intro.length > FIELD_CHARS_MAX) return undefined
    if (!/[:：]$/.test(intro)) continue
    return INTRO.test(intro) && isQuotedToEnd(lines, at + count, depth)
      ? { lines: count, depth: depth + 1, isMarked: true, mail: writerIn(intro) }
      : undefined
  }
  return undefined
}

function isQuotedToEnd(lines: readonly Line[], from: number, depth: number): boolean {
  let isQuoted = false
  for (const { depth: own, shown } of lines.slice(from)) {
    if (own > depth) isQuoted = true
    else if (own === depth && SIGNATURE.test(shown) && isQuoted) return true
    else if (shown.trim() !== '') return own < depth && isQuoted
  }
  return isQuoted
}

function writerIn(intro: string): Omit<QuotedMail, 'text'> {
  const from = WRITERS.flatMap((form) => form.exec(intro)?.[1]?.trim() ?? [])[0]
  const date = DATE.exec(intro)?.[0]
  return { kind: 'answered', from, to: undefined, date, subject: undefined }
}

/** Pattern source for an optional time after a date: ", 10:32 AM". */
const CLOCK = '(?:,?\\s(?:\\p{L}{1,3}\\s)?\\d{1,2}:\\d{2}(?:\\s?[AP]M)?)?'
const DATE = new RegExp(
  `\\d{1,2}\\.?\\s\\p{L}{3,12}\\.?\\s\\d{4}${CLOCK}|\\p{L}{3,12}\\s\\d{1,2},\\s\\d{4}${CLOCK}`,
  'iu',
)
