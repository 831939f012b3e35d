import { entriesOf, type Written } from './entries.ts'
import mail from './mail.json' with { type: 'json' }

/** What mail programs write above mail that they quote or forward, by what it is for. */
type MailIdea =
  | 'from'
  | 'to'
  | 'date'
  | 'subject'
  | 'copies'
  | 'more'
  | 'original'
  | 'forwarded'
  | 'forwardPrefixes'
  | 'openings'
  | 'wrote'

/** Each language has as many of them as its mail programs write. */
const LANGUAGES: readonly Partial<Record<MailIdea, Written>>[] = mail

/** Returns what all languages have for an idea. */
function inMail(idea: MailIdea): string[] {
  return [...new Set(LANGUAGES.flatMap((language) => entriesOf(language[idea])))]
}

/** The names of the fields above a quoted mail, by what they hold. */
export const MAIL_FIELD_NAMES = {
  from: inMail('from'),
  to: inMail('to'),
  date: inMail('date'),
  subject: inMail('subject'),
  more: [...inMail('copies'), ...inMail('more')],
} as const
/** The fields of English mails, which are no sentence wherever they stand. */
export const FIELDS_OF_MAIL = (['from', 'to', 'copies', 'date', 'subject'] as const).flatMap((idea) =>
  entriesOf(LANGUAGES[0]?.[idea]),
)
/** What stands in the line above a mail that is quoted whole, and above one that was forwarded. */
export const ORIGINALS = inMail('original')
export const FORWARDS = inMail('forwarded')
/** What the subject of a forwarded mail begins with: "Fwd: Valve". */
export const FORWARD_PREFIXES = inMail('forwardPrefixes')
/** What the line above quoted words begins and ends with: "On Monday Ana wrote:". */
export const REPLY_OPENINGS = inMail('openings')
export const REPLY_VERBS = inMail('wrote')
