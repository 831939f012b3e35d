import { convert } from 'html-to-text'
import postalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { sha256 } from '../../../base/digest.ts'
import { moment, present } from '../pick.ts'
import { type Entity, entity, type MappedRecord, toRecord } from '../to-record.ts'
import { unquoted } from './quoted-mails.ts'

/** Limits of the MIME parser: nesting depth of parts, and bytes of headers. */
const NESTING_MAX = 64
const HEADER_BYTES_MAX = 1024 * 1024
const REFERENCES_SHOWN = 50

export type ReadMail = Pick<Email, 'headers' | 'attachments'> & {
  [Part in 'messageId' | 'references' | 'inReplyTo' | 'subject' | 'date' | 'text' | 'html']?: string | undefined
} & { [Part in 'from' | 'sender']?: Address | undefined } & {
  [Part in 'to' | 'cc' | 'bcc' | 'replyTo']?: Address[] | undefined
}

/** Parses an email and returns its record, followed by the records of the emails that it forwards or quotes. */
export async function mailRecords(raw: Uint8Array | string): Promise<[MappedRecord, ...MappedRecord[]]> {
  const mail = await parsed(raw)
  const within: string[] = []
  for (const { content } of mail.attachments.filter(isMail).slice(0, MAILS_WITHIN_MAX)) {
    within.push(asForwarded(await parsed(typeof content === 'string' ? content : new Uint8Array(content))))
  }
  return recordsOf(mail, raw, within)
}

/** Maximum number of attached emails that are read. Their own attachments are not read. */
const MAILS_WITHIN_MAX = 10

function parsed(raw: Uint8Array | string): Promise<Email> {
  return postalMime.parse(withoutLongFiles(raw), { maxNestingDepth: NESTING_MAX, maxHeadersSize: HEADER_BYTES_MAX })
}

function isMail({ mimeType }: Attachment): boolean {
  return mimeType === 'message/rfc822'
}

/** Returns an attached email in the text form of a forwarded one: sender, date, subject and body. */
function asForwarded(mail: ReadMail): string {
  const [author] = people([mail.from ?? mail.sender])
  const address = author?.identifiers?.email
  const from = author && (address && address !== author.name ? `${author.name} <${address}>` : author.name)
  const head = [from && `From: ${from}`, mail.date && `Sent: ${mail.date}`, mail.subject && `Subject: ${mail.subject}`]
  return present([head.filter(Boolean).join('\n') || undefined, bodyOf(mail)]).join('\n\n')
}

/** Returns the records of a parsed email and of those that it forwards or quotes. A missing id becomes a digest. */
export function recordsOf(
  mail: ReadMail,
  source: Uint8Array | string,
  within: readonly string[] = [],
): [MappedRecord, ...MappedRecord[]] {
  const id = messageId(mail.messageId) ?? sha256(source).toString('hex')
  const references = (mail.references?.match(/<[^<>\s]+>/g) ?? []).flatMap((one) => messageId(one) ?? [])
  const repliesTo = messageId(mail.inReplyTo)
  const root = references[0] ?? repliesTo ?? id
  const author = people([mail.from ?? mail.sender])[0]
  const list = mailingList(headerOf(mail, 'list-id'))
  const conversation = entity('thread', `Thread ${root}`, { thread: root })
  const files = mail.attachments.map(({ filename }) => filename ?? undefined)
  const sentAt = moment(mail.date)
  const subject = mail.subject && fromWindows1252(mail.subject)
  const own = present([bodyOf(mail), ...attachedText(mail.attachments)]).join('\n\n')
  const holder = { id, root, subject, repliesTo, references, author }
  const { text, answers, answered, records } = unquoted([own, ...within].map(fromWindows1252), holder)
  const record = toRecord({
    externalId: `email/${id}`,
    type: 'email',
    title: subject,
    text,
    occurredAt: sentAt,
    author,
    participants: people([...(mail.to ?? []), ...(mail.cc ?? []), ...(mail.bcc ?? []), ...(mail.replyTo ?? [])]),
    entities: [conversation, list],
    relations: [{ subject: conversation, predicate: 'part_of', object: list }],
    properties: {
      message_id: id,
      thread: root,
      reply_to: repliesTo ? `email/${repliesTo}` : answers,
      answers: answered,
      references: references.slice(-REFERENCES_SHOWN),
      to: addresses(mail.to),
      cc: addresses(mail.cc),
      files: present(files),
      list: list?.name,
    },
  })
  return [record, ...records]
}

function messageId(header: string | undefined): string | undefined {
  const id = /<([^<>\s]+)>/.exec(header ?? '')?.[1] ?? header?.trim()
  return id || undefined
}

function headerOf({ headers }: ReadMail, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value
}

/** Parses a List-Id header (RFC 2919), such as `Announcements <announce.lists.example.org>`. */
function mailingList(header: string | undefined): Entity | undefined {
  const [name = '', rest = ''] = (header ?? '').split('<', 2)
  const [id, ...after] = rest.split('>', 2)
  return id && after.length > 0 ? entity('channel', name.replaceAll('"', '').trim() || id, { id }) : undefined
}

function people(found: readonly (Address | undefined)[]): Entity[] {
  const single = present([...found]).flatMap((one) => ('group' in one && one.group ? one.group : [one]))
  return present(
    single.map(({ name, address }) =>
      entity('person', fromWindows1252(name?.trim() ?? '') || address, { email: address?.toLowerCase() }),
    ),
  )
}

function addresses(found: readonly Address[] | undefined): string[] {
  return people(found ?? []).flatMap(({ identifiers }) => [identifiers?.email ?? []].flat())
}

/** Returns the plain text of an email, or its HTML converted to text if it has no plain text. */
function bodyOf(mail: ReadMail): string | undefined {
  const plain = mail.text?.trim()
  if (plain) return plain
  return mail.html ? htmlText(mail.html) : undefined
}

/** Maximum number of lines of an email that are parsed. The parser's time grows with the number of lines. */
const LINES_MAX = 32_768
/** Maximum number of lines of one encoded file. Consecutive lines of equal length without spaces count as one file. */
const FILE_LINES_MAX = 8_000
/** Cost of a line of an encoded file relative to an ordinary line. */
const FILE_LINE_COST = 1 / 8
const FILE_LINE_BYTES_MIN = 40
const NEWLINE = 0x0a
const SPACE = 0x20

/** Truncates an email to `LINES_MAX` lines, and each encoded file in it to `FILE_LINES_MAX` lines. */
function withoutLongFiles(raw: Uint8Array | string): Uint8Array {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const chunks: Buffer[] = []
  let from = 0
  let at = 0
  let lines = 0
  let [length, equalLines] = [0, 0]
  while (at < bytes.length && lines < LINES_MAX) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? bytes.length : newline + 1
    const isEqualLength =
      end - at === length && length >= FILE_LINE_BYTES_MIN && !bytes.subarray(at, end).includes(SPACE)
    equalLines = isEqualLength ? equalLines + 1 : 0
    length = end - at
    if (equalLines < FILE_LINES_MAX) lines += isEqualLength ? FILE_LINE_COST : 1
    else {
      if (at > from) chunks.push(bytes.subarray(from, at))
      from = end
    }
    at = end
  }
  if (from === 0 && at === bytes.length) return bytes
  return Buffer.concat([...chunks, bytes.subarray(from, at)])
}

/** The characters of windows-1252 at the code points where Unicode has control characters. */
const CP1252_CHARS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const FIRST = 0x80

/** Replaces control characters by those of windows-1252, which some decoders read as Latin-1. */
function fromWindows1252(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (character) => CP1252_CHARS[character.charCodeAt(0) - FIRST]!)
}

/** Maximum length of HTML that is converted, in characters. */
const CHARS_MAX = 512 * 1024
const DEPTH_MAX = 64
const CHILDREN_MAX = 5_000
/** Maximum number of open elements. The parser's time per opening tag grows with the number of open elements. */
const OPEN_MAX = 2_000
const TAG = /<(\/?)([a-z][^\s/>]*)/gi
/** Void elements, and elements that the next one of their kind closes. */
const UNNESTED = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
  ...['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option'],
])

/** Converts HTML to plain text. */
export function htmlText(html: string): string {
  return convert(html.slice(0, readable(html)), {
    wordwrap: false,
    limits: { maxDepth: DEPTH_MAX, maxChildNodes: CHILDREN_MAX, ellipsis: '…' },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', options: { uppercaseHeaderCells: false } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
    ],
  }).replace(TRAILING_SPACES, '')
}

/** The suffix of table cells leaves a space at the end of each row. */
const TRAILING_SPACES = /(?<! ) +$/gm

/** Returns the number of characters to convert. The HTML is cut where too many elements are open. */
function readable(html: string): number {
  const open = new Map<string, number>()
  let all = 0
  for (const { index, 1: slash, 2: given = '' } of html.slice(0, CHARS_MAX).matchAll(TAG)) {
    const name = given.toLowerCase()
    const count = open.get(name) ?? 0
    if (UNNESTED.has(name) || (slash && count === 0)) continue
    open.set(name, count + (slash ? -1 : 1))
    all += slash ? -1 : 1
    if (all > OPEN_MAX) return index
  }
  return CHARS_MAX
}

/** Maximum number of attachments whose text is read, and of characters read from each. */
const FILES_MAX = 10
const ATTACHED_CHARS_MAX = 64 * 1024
const READ = new Set(['text/plain', 'text/markdown', 'text/csv', 'text/x-markdown', 'application/json'])
const CALENDAR = new Set(['text/calendar', 'application/ics'])

/** Returns the text of an email's attachments: plain text files and calendar invitations. */
function attachedText(attachments: readonly Attachment[]): string[] {
  return present(attachments.map(textOf)).slice(0, FILES_MAX)
}

function textOf({ mimeType, filename, content }: Attachment): string | undefined {
  if (CALENDAR.has(mimeType)) return invitation(decoded(content))
  if (!READ.has(mimeType)) return undefined
  const text = decoded(content).trim()
  return text === '' ? undefined : present([filename ? `[file: ${filename}]` : undefined, text]).join('\n')
}

function decoded(content: Attachment['content']): string {
  if (typeof content === 'string') return content.slice(0, ATTACHED_CHARS_MAX)
  const bytes = content instanceof Uint8Array ? content : new Uint8Array(content)
  return new TextDecoder().decode(bytes.subarray(0, ATTACHED_CHARS_MAX))
}

const FIELDS = { summary: 'Invitation', dtstart: 'From', dtend: 'To', location: 'Where', description: 'About' }
const MOMENT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/

/** Returns the fields of an iCalendar event (RFC 5545) as readable lines. */
function invitation(calendar: string): string | undefined {
  const unfolded = calendar.replace(/\r?\n[ \t]/g, '')
  const from = unfolded.indexOf('BEGIN:VEVENT')
  const to = unfolded.indexOf('END:VEVENT', from)
  if (from < 0 || to < 0) return undefined
  const event = unfolded.slice(from, to)
  const isCancelled = /^METHOD:CANCEL\s*$/im.test(unfolded) || /^STATUS:CANCELLED\s*$/im.test(event)
  const lines = Object.entries(FIELDS).map(([field, label]) => {
    const value = new RegExp(`^${field}(?:;[^:\\r\\n]*)?:(.+)$`, 'im').exec(event)?.[1]?.trim()
    return value && `${isCancelled ? label.replace('Invitation', 'Cancelled') : label}: ${readableField(value)}`
  })
  return present(lines.map((line) => line || undefined)).join('\n') || undefined
}

function readableField(value: string): string {
  const [, year, month, day, hour, minute, zone] = MOMENT.exec(value) ?? []
  if (!year) return value.replace(/\\n/gi, '\n').replace(/\\([,;\\])/g, '$1')
  const date = `${year}-${month}-${day}`
  return hour ? `${date} ${hour}:${minute}${zone ? ' UTC' : ''}` : date
}
