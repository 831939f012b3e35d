import { addressParser } from 'postal-mime'
import { writtenMoment } from '../pick.ts'
import type { MappedRecord } from '../to-record.ts'
import { recordsOf } from './map-mail.ts'

/** Maximum length of an email's header, in characters. A longer one is not recognized as a header. */
const HEAD_CHARS_MAX = 8_000
const HEAD_END = /\n[ \t]*(?:\n|$)/
const FOLDED = /\n[ \t]+/g
const FIELD = /^([A-Za-z][A-Za-z-]{1,30}):[ \t]*(.*)$/

/**
 * Returns the record of an email that is stored as a text file, and those of the emails that it forwards or quotes.
 * Their ids derive from the file's path. Such a text starts with header fields, including the sender, and a blank line.
 * Returns undefined for any other text.
 */
export function mailFromText(content: string, path: string): MappedRecord[] | undefined {
  const text = content.trimStart()
  const end = text.slice(0, HEAD_CHARS_MAX).search(HEAD_END)
  const lines = text.slice(0, Math.max(0, end)).replace(FOLDED, ' ').split('\n')
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name, value = ''] = FIELD.exec(line.trim()) ?? []
    if (name === undefined) return undefined
    fields.set(name.toLowerCase(), value.trim())
  }
  const [from, subject] = [fields.get('from'), fields.get('subject')]
  // A travel itinerary has "From" and "To" fields too, so a subject or an email address is required.
  if (!from || (subject === undefined && !from.includes('@'))) return undefined
  const people = (name: string) => addressParser(fields.get(name) ?? '')
  const sent = fields.get('date') ?? fields.get('sent')
  const mail = {
    from: addressParser(from)[0],
    to: people('to'),
    cc: people('cc'),
    subject,
    date: sent && writtenMoment(sent),
    messageId: fields.get('message-id'),
    inReplyTo: fields.get('in-reply-to'),
    references: fields.get('references'),
    text: text.slice(end),
    headers: [],
    attachments: [],
  }
  const [record, ...others] = recordsOf(mail, content)
  return [
    { ...record, external_id: path, properties: { ...record.properties, path } },
    ...others.map((other) => ({
      ...other,
      external_id: `${path}#${other.external_id}`,
      properties: { ...other.properties, path },
    })),
  ]
}
