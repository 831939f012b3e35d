import { isForwarding, type QuotedMail, splitMail } from '@cairnstore/engine/text'
import { addressParser } from 'postal-mime'
import { SECOND_HAND_AS_OF } from '../../../base/second-hand.ts'
import { digestOf, type MappedRecord, type Thing, thing, toRecord } from '../draft.ts'
import { writtenMoment } from '../pick.ts'

/** A reply of no more characters says little without what it answers. */
const SHORT_CHARS = 120
/** What is kept of the words that a short reply answers. */
const ANSWERED_CHARS = 600

/** Where quoted mails stand: the mail that holds them. */
interface Holder {
  id: string
  root: string
  subject: string | undefined
  /** The id of the mail that it answers. */
  repliesTo: string | undefined
  /** The mails that led to it, the latest last. */
  references: readonly string[]
  author: Thing | undefined
}

/** The text of a mail without the mails in it, these as records, and what a short reply answers. */
export interface Unquoted {
  text: string
  /** The external id of the mail that it answers, where only its quotation is known. */
  answers: string | undefined
  answered: string | undefined
  records: MappedRecord[]
}

/**
 * Takes the mails that a mail quotes or forwards out of its text. Each becomes a record said by its own author: a
 * forwarded one under an id of its own, an answered one under the id of the mail that was answered, as a version that
 * never takes the place of that mail itself.
 * @param texts the text of the mail, then that of each mail attached to it
 */
export function unquoted(texts: readonly string[], holder: Holder): Unquoted {
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

function forwardedRecord(mail: QuotedMail, { id, root, author }: Holder, place: number): MappedRecord {
  return quotedRecord(mail, `email/${id}/forwarded/${place + 1}`, {
    participants: [author],
    properties: { thread: root, forwarded_by: author?.name, forwarded_in: `email/${id}` },
  })
}

/** Mails are quoted with the latest first, as their ids stand in the references with the latest last. */
function answeredRecord(mail: QuotedMail, { id, root, repliesTo, references }: Holder, level: number): MappedRecord {
  const known = level === 0 ? (repliesTo ?? references.at(-1)) : references.at(-1 - level)
  const made = `quoted-${digestOf([mail.from ?? '', mail.text])}`
  return quotedRecord(mail, `email/${known ?? made}`, { properties: { thread: root, quoted_in: `email/${id}` } })
}

function quotedRecord(
  { from, to, date, subject, text }: QuotedMail,
  externalId: string,
  more: { participants?: (Thing | undefined)[]; properties: Record<string, unknown> },
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

/** People in a field as mail programs show it: "Ana Sol <ana@x.example>", "Ana Sol [mailto:ana@x.example]". */
function peopleIn(field: string | undefined): Thing[] {
  const written = (field ?? '').replace(/[[<]mailto:([^\]>\s]+)[\]>]/gi, '<$1>').replaceAll(';', ',')
  return addressParser(written).flatMap(({ name, address }) => {
    const email = address?.includes('@') ? address.toLowerCase() : undefined
    return thing('person', name?.trim() || address, { email }) ?? []
  })
}
