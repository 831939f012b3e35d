import { isForwarding, type QuotedMail, splitMail } from '@cairnstore/engine/text'
import { addressParser } from 'postal-mime'
import { SECOND_HAND_AS_OF } from '../../../base/second-hand.ts'
import { writtenMoment } from '../pick.ts'
import { digestOf, type Entity, entity, type MappedRecord, toRecord } from '../to-record.ts'

/** Maximum length of a short reply, in characters. A short reply is stored with the text that it answers. */
const SHORT_CHARS = 120
/** Maximum length of the answered text that is stored with a short reply, in characters. */
const ANSWERED_CHARS = 600

/** The email that contains the quoted emails. */
interface ContainingMail {
  id: string
  root: string
  subject: string | undefined
  /** Id of the email that it replies to. */
  repliesTo: string | undefined
  /** Ids of the earlier emails in its thread, the latest last. */
  references: readonly string[]
  author: Entity | undefined
}

/** The text of an email without the emails that it contains, and these emails as records. */
export interface Unquoted {
  text: string
  /** External id of the quoted email that a short reply answers. */
  answers: string | undefined
  answered: string | undefined
  records: MappedRecord[]
}

/**
 * Separates the quoted and forwarded emails from the text of an email. Each becomes a record by its own author. A
 * forwarded email gets a new id. A quoted email gets the id of the original, with a version that never replaces it.
 * @param texts the text of the email, then the text of each attached email
 */
export function unquoted(texts: readonly string[], holder: ContainingMail): Unquoted {
  const records: MappedRecord[] = []
  const owns: string[] = []
  let answers: string | undefined
  let answered: string | undefined
  for (const [at, text] of texts.entries()) {
    const { own, quoted } = splitMail(text)
    owns.push(own)
    for (const [level, mail] of quoted.entries()) {
      const isForwarded = at > 0 || mail.kind === 'forwarded' || isForwarding(holder.subject)
      const record = isForwarded ? forwardedRecord(mail, holder, records.length) : answeredRecord(mail, holder, level)
      records.push(record)
      if (isForwarded || level > 0 || own.length > SHORT_CHARS) continue
      answers = record.external_id
      answered = mail.text.slice(0, ANSWERED_CHARS)
    }
  }
  return { text: owns.filter(Boolean).join('\n\n'), answers, answered, records }
}

function forwardedRecord(mail: QuotedMail, { id, root, author }: ContainingMail, index: number): MappedRecord {
  return quotedRecord(mail, `email/${id}/forwarded/${index + 1}`, {
    participants: [author],
    properties: { thread: root, forwarded_by: author?.name, forwarded_in: `email/${id}` },
  })
}

/** Returns the record of a quoted email. Quotes have the latest email first; references have it last. */
function answeredRecord(
  mail: QuotedMail,
  { id, root, repliesTo, references }: ContainingMail,
  level: number,
): MappedRecord {
  const known = level === 0 ? (repliesTo ?? references.at(-1)) : references.at(-1 - level)
  const made = `quoted-${digestOf([mail.from ?? '', mail.text])}`
  return quotedRecord(mail, `email/${known ?? made}`, { properties: { thread: root, quoted_in: `email/${id}` } })
}

function quotedRecord(
  { from, to, date, subject, text }: QuotedMail,
  externalId: string,
  more: { participants?: (Entity | undefined)[]; properties: Record<string, unknown> },
): MappedRecord {
  return toRecord({
    externalId,
    type: 'email',
    title: subject,
    text,
    occurredAt: date === undefined ? undefined : writtenMoment(date.replace(/,?\s\p{L}{1,3}\s(?=\d{1,2}:)/u, ' ')),
    asOf: SECOND_HAND_AS_OF,
    author: peopleIn(from)[0],
    participants: [...peopleIn(to), ...(more.participants ?? [])],
    properties: { sent: date, ...more.properties },
  })
}

/** Returns the people in a displayed header field: "Ana Sol <ana@x.example>", "Ana Sol [mailto:ana@x.example]". */
function peopleIn(field: string | undefined): Entity[] {
  const written = (field ?? '').replace(/[[<]mailto:([^\]>\s]+)[\]>]/gi, '<$1>').replaceAll(';', ',')
  return addressParser(written).flatMap(({ name, address }) => {
    const email = address?.includes('@') ? address.toLowerCase() : undefined
    return entity('person', name?.trim() || address, { email }) ?? []
  })
}
