import { type Connector, mapped } from '../connector.ts'
import { guessRecord } from '../json/guess.ts'
import { text } from '../pick.ts'
import { mailFromFields } from './from-fields.ts'
import { mailRecord, recordOf } from './map-mail.ts'

/** Mails: as they are (`message/rfc822`), in JSON as `raw` or `raw_base64`, or taken apart by a mail service. */
export const email: Connector = {
  providers: ['email', 'mail', 'imap', 'smtp'],
  forms: ['mail', 'json'],
  eventId: ({ body }) => text(body, 'message_id'),
  map: async ({ body }) => {
    const raw = body instanceof Uint8Array ? body : rawOf(body)
    if (raw !== undefined) return mapped('mail', [await mailRecord(firstLines(raw))])
    const mail = mailFromFields(body)
    return mapped('mail', [mail ? recordOf(mail, JSON.stringify(body)) : guessRecord(body)])
  },
}

/** A delivered mail has half as many lines, whatever is attached to it; every line costs the reader some time. */
const LINES_MAX = 32_768

/** The mail up to so many lines; the rest of a longer one is left unread. */
function firstLines(raw: Uint8Array | string): Uint8Array {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw
  let end = -1
  for (let line = 0; line < LINES_MAX; line += 1) {
    end = bytes.indexOf(NEWLINE, end + 1)
    if (end < 0) return bytes
  }
  return bytes.subarray(0, end)
}

const NEWLINE = 0x0a

function rawOf(body: unknown): Uint8Array | string | undefined {
  const encoded = text(body, 'raw_base64')
  return encoded === undefined ? text(body, 'raw') : Buffer.from(encoded, 'base64')
}
