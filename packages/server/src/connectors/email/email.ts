import { type Connector, mapped } from '../connector.ts'
import { guessRecord } from '../json/guess.ts'
import { text } from '../pick.ts'
import { mailRecord } from './map-mail.ts'

/** Mails: as they are (`message/rfc822`), or in JSON as `raw`, or as `raw_base64`. */
export const email: Connector = {
  providers: ['email', 'mail', 'imap', 'smtp'],
  forms: ['mail', 'json'],
  eventId: ({ body }) => text(body, 'message_id'),
  map: async ({ body }) => {
    const raw = body instanceof Uint8Array ? body : rawOf(body)
    return mapped('mail', [raw === undefined ? guessRecord(body) : await mailRecord(raw)])
  },
}

function rawOf(body: unknown): Uint8Array | string | undefined {
  const encoded = text(body, 'raw_base64')
  return encoded === undefined ? text(body, 'raw') : Buffer.from(encoded, 'base64')
}
