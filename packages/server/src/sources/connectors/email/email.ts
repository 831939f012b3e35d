import { type Connector, mapped } from '../connector.ts'
import { guessRecord } from '../json/guess.ts'
import { text } from '../pick.ts'
import { mailFromFields } from './from-fields.ts'
import { mailRecord, recordOf } from './map-mail.ts'

/** Mails: as they are (`message/rfc822`), in JSON as `raw` or `raw_base64`, or taken apart by a mail service. */
export const email: Connector = {
  providers: ['email', 'mail', 'imap', 'smtp'],
  product: 'E-mail',
  forms: ['mail', 'json'],
  eventId: ({ body }) => text(body, 'message_id'),
  map: async ({ body }) => {
    const raw = body instanceof Uint8Array ? body : rawOf(body)
    if (raw !== undefined) return mapped('mail', [await mailRecord(raw)])
    const mail = mailFromFields(body)
    return mapped('mail', [mail ? recordOf(mail, JSON.stringify(body)) : guessRecord(body)])
  },
}

function rawOf(body: unknown): Uint8Array | string | undefined {
  const encoded = text(body, 'raw_base64')
  return encoded === undefined ? text(body, 'raw') : Buffer.from(encoded, 'base64')
}
