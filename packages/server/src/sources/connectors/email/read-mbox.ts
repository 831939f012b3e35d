import { type ExportItem, NOT_UNDERSTOOD, type ReadError } from '../export-reader.ts'
import type { MappedRecord } from '../to-record.ts'
import { mailRecords } from './map-mail.ts'

/** Maximum size of an email with its attachments, in bytes. */
const MAIL_BYTES_MAX = 32 * 1024 * 1024
const NEWLINE = 0x0a
/** Maximum length of a separator line. Longer ones occur only in damaged mailboxes. */
const SEPARATOR_CHARS_MAX = 1_024
const SEPARATOR = Buffer.from('From ')
/** A quoted separator line. One level of quoting is removed (mboxrd format). */
const QUOTED = /^>(>*From )/gm

/** Returns true if the bytes start like an mbox file. */
export function isMbox(head: Uint8Array): boolean {
  const line = Buffer.from(head.subarray(0, SEPARATOR_CHARS_MAX)).toString('latin1').split('\n', 1)[0]!
  return /^From \S/.test(line) && /\d/.test(line)
}

/** Returns true if the bytes start like one email: with header fields that are typical of emails. */
export function isMail(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1')
  return /^[\w-]+:[^\n]*\n/.test(text) && /^(?:from|message-id|received|mime-version):/im.test(text)
}

/** Yields the emails of an mbox file of any size. Only one email at a time is in memory. `line` counts emails. */
export async function* readMbox(chunks: AsyncIterable<Uint8Array>, file?: string): AsyncGenerator<ExportItem> {
  let line = 0
  for await (const mail of mailsOf(chunks)) {
    line += 1
    const place = { line, ...(file !== undefined && { file }) }
    const { others = [], ...read } = await readMail(mail)
    yield { ...place, ...read }
    for (const record of others) yield { ...place, record }
  }
}

/** Returns the record of one email and those of the emails that it forwards or quotes, or the error. */
export async function readMail(
  mail: Uint8Array | undefined,
): Promise<({ record: MappedRecord } | ReadError) & { others?: MappedRecord[] }> {
  if (!mail) return { error: TOO_LARGE }
  try {
    const [record, ...others] = await mailRecords(mail)
    return { record, others }
  } catch {
    return { error: NOT_UNDERSTOOD }
  }
}

const TOO_LARGE = { reason: 'mail_too_large', detail: 'This email and its attachments are larger than 32 MiB.' }

/** Number of lines that are joined into one buffer. A Buffer object per line takes more memory than the line itself. */
const BATCH_LINES = 1_024

/** Yields the bytes of each email between two separators; undefined for an email that is too large. */
async function* mailsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let lines: Buffer[] = []
  let parts: Buffer[] = []
  let bytes = 0
  let isInMail = false
  const gather = () => {
    parts.push(Buffer.concat(lines))
    lines = []
  }
  const take = (): Uint8Array | undefined => {
    gather()
    const mail = bytes > MAIL_BYTES_MAX ? undefined : unquoted(Buffer.concat(parts))
    parts = []
    bytes = 0
    return mail
  }
  for await (const line of linesOf(chunks)) {
    if (line.isStart && line.bytes.subarray(0, SEPARATOR.length).equals(SEPARATOR)) {
      if (isInMail) yield take()
      isInMail = true
    } else if (isInMail) {
      bytes += line.bytes.length
      if (bytes > MAIL_BYTES_MAX) [parts, lines] = [[], []]
      else if (lines.push(line.bytes) >= BATCH_LINES) gather()
    }
  }
  if (isInMail && bytes > 0) yield take()
}

function unquoted(mail: Buffer): Buffer {
  const text = mail.toString('latin1')
  return text.includes('>From ') ? Buffer.from(text.replace(QUOTED, '$1'), 'latin1') : mail
}

/** Yields the lines of a stream with their ends. A line that crosses chunks comes in parts. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Buffer; isStart: boolean }> {
  let pending = Buffer.alloc(0)
  let isStart = true
  for await (const chunk of chunks) {
    // A separator may be split across chunks, so a short tail waits for the next chunk.
    const joined = pending.length > 0 ? Buffer.concat([pending, chunk]) : Buffer.from(chunk)
    let from = 0
    for (let end = joined.indexOf(NEWLINE); end !== -1; end = joined.indexOf(NEWLINE, from)) {
      yield { bytes: joined.subarray(from, end + 1), isStart }
      isStart = true
      from = end + 1
    }
    pending = joined.subarray(from)
    if (pending.length < SEPARATOR.length) continue
    yield { bytes: pending, isStart }
    isStart = false
    pending = Buffer.alloc(0)
  }
  if (pending.length > 0) yield { bytes: pending, isStart }
}
