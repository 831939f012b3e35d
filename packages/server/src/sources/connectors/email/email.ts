import { type Address, addressParser } from 'postal-mime'
import { type Connector, mapped } from '../connector.ts'
import { guessRecord } from '../json/guess-record.ts'
import { list, present, text } from '../pick.ts'
import { mailRecords, type ReadMail, recordsOf } from './map-mail.ts'

/** Connector for emails: raw (`message/rfc822`), in JSON as `raw` or `raw_base64`, or parsed by an email service. */
export const email: Connector = {
  providers: ['email', 'mail', 'imap', 'smtp'],
  product: 'E-mail',
  forms: ['mail', 'json'],
  eventId: ({ body }) => text(body, 'message_id'),
  map: async ({ body }) => {
    const raw = body instanceof Uint8Array ? body : rawOf(body)
    if (raw !== undefined) return mapped('mail', await mailRecords(raw))
    const mail = mailFromFields(body)
    return mapped('mail', mail ? recordsOf(mail, JSON.stringify(body)) : guessRecord(body))
  },
}

function rawOf(body: unknown): Uint8Array | string | undefined {
  const encoded = text(body, 'raw_base64')
  return encoded === undefined ? text(body, 'raw') : Buffer.from(encoded, 'base64')
}

/** Reads an email that an email service has parsed, by the field names of Postmark, Mailgun and SendGrid. */
function mailFromFields(body: unknown): ReadMail | undefined {
  const plain = first(body, ['TextBody', 'body-plain', 'text', 'plain'])
  const html = first(body, ['HtmlBody', 'body-html', 'html'])
  const from = first(body, ['From', 'from', 'sender'])
  const isMail = from !== undefined && addressParser(from).some(({ address }) => address?.includes('@'))
  if (!isMail || (plain ?? html) === undefined) return undefined
  const header = (name: string) => headerIn(body, name)
  const addresses = (names: string[]) => addressesOf(first(body, names))
  return {
    messageId: header('message-id') ?? first(body, ['Message-Id', 'message_id', 'MessageID']),
    references: header('references') ?? first(body, ['References']),
    inReplyTo: header('in-reply-to') ?? first(body, ['In-Reply-To']),
    subject: first(body, ['Subject', 'subject']),
    date: header('date') ?? first(body, ['Date', 'date', 'timestamp']),
    from: addressesOf(from)[0],
    to: addresses(['To', 'to', 'recipient']),
    cc: addresses(['Cc', 'cc']),
    text: plain,
    html,
    headers: present([listHeader(header('list-id'))]),
    attachments: list(body, 'Attachments').map((file) => ({
      filename: text(file, 'Name') ?? null,
      mimeType: (text(file, 'ContentType') ?? '').split(';', 1)[0]!.toLowerCase(),
      disposition: null,
      content: Buffer.from(text(file, 'Content') ?? '', 'base64'),
    })),
  }
}

function listHeader(value: string | undefined) {
  return value === undefined ? undefined : { key: 'list-id', originalKey: 'List-Id', value }
}

function first(body: unknown, names: readonly string[]): string | undefined {
  return present(names.map((name) => text(body, name)))[0]
}

function addressesOf(given: string | undefined): Address[] {
  return given === undefined ? [] : addressParser(given)
}

/** Returns a header of a parsed email. Services send headers as objects with a name, as pairs, or as lines. */
function headerIn(body: unknown, name: string): string | undefined {
  for (const header of list(body, 'Headers')) {
    if (text(header, 'Name')?.toLowerCase() === name) return text(header, 'Value')
  }
  for (const pair of pairsIn(text(body, 'message-headers'))) {
    if (text(pair, 0)?.toLowerCase() === name) return text(pair, 1)
  }
  const lines = text(body, 'headers')?.replace(/\r?\n[ \t]+/g, ' ')
  return new RegExp(`^${name}:\\s*(.+)$`, 'im').exec(lines ?? '')?.[1]?.trim()
}

function pairsIn(json: string | undefined): unknown[] {
  try {
    return list({ pairs: JSON.parse(json ?? '[]') as unknown }, 'pairs')
  } catch {
    return []
  }
}
