import type { Attachment } from 'postal-mime'
import { present } from '../pick.ts'

/** Files of one mail whose text is read, and characters of each. */
const FILES_MAX = 10
const CHARS_MAX = 64 * 1024
const READ = new Set(['text/plain', 'text/markdown', 'text/csv', 'text/x-markdown', 'application/json'])
const CALENDAR = new Set(['text/calendar', 'application/ics'])

/** The text of a mail's attachments: plain text files, and what invitations say. */
export function attachedText(attachments: readonly Attachment[]): string[] {
  return present(attachments.map(textOf)).slice(0, FILES_MAX)
}

function textOf({ mimeType, filename, content }: Attachment): string | undefined {
  if (CALENDAR.has(mimeType)) return invitation(decoded(content))
  if (!READ.has(mimeType)) return undefined
  const text = decoded(content).trim()
  return text === '' ? undefined : present([filename ? `[file: ${filename}]` : undefined, text]).join('\n')
}

function decoded(content: Attachment['content']): string {
  if (typeof content === 'string') return content.slice(0, CHARS_MAX)
  const bytes = content instanceof Uint8Array ? content : new Uint8Array(content)
  return new TextDecoder().decode(bytes.subarray(0, CHARS_MAX))
}

const FIELDS = { summary: 'Invitation', dtstart: 'From', dtend: 'To', location: 'Where', description: 'About' }
const MOMENT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/

/** The fields of an iCalendar event that a person reads. */
function invitation(calendar: string): string | undefined {
  const unfolded = calendar.replace(/\r?\n[ \t]/g, '')
  const from = unfolded.indexOf('BEGIN:VEVENT')
  const to = unfolded.indexOf('END:VEVENT', from)
  if (from < 0 || to < 0) return undefined
  const event = unfolded.slice(from, to)
  const isCancelled = /^METHOD:CANCEL\s*$/im.test(unfolded) || /^STATUS:CANCELLED\s*$/im.test(event)
  const lines = Object.entries(FIELDS).map(([field, label]) => {
    const value = new RegExp(`^${field}(?:;[^:\\r\\n]*)?:(.+)$`, 'im').exec(event)?.[1]?.trim()
    return value && `${isCancelled ? label.replace('Invitation', 'Cancelled') : label}: ${readable(value)}`
  })
  return present(lines.map((line) => line || undefined)).join('\n') || undefined
}

function readable(value: string): string {
  const [, year, month, day, hour, minute, zone] = MOMENT.exec(value) ?? []
  if (!year) return value.replace(/\\n/gi, '\n').replace(/\\([,;\\])/g, '$1')
  const date = `${year}-${month}-${day}`
  return hour ? `${date} ${hour}:${minute}${zone ? ' UTC' : ''}` : date
}
