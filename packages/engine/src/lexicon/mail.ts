import { entriesOf, type Written } from './entries.ts'
import mail from './mail.json' with { type: 'json' }

/** Categories of the phrases that mail programs write above quoted or forwarded mail. */
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

/** Phrases, one entry per language. A language may lack some of them. */
const LANGUAGES: readonly Partial<Record<MailIdea, Written>>[] = mail

/** Returns the phrases of a category in all languages. */
function inMail(idea: MailIdea): string[] {
  return [...new Set(LANGUAGES.flatMap((language) => entriesOf(language[idea])))]
}

/** Names of the header fields above a quoted mail, by field. */
export const MAIL_FIELD_NAMES = {
  from: inMail('from'),
  to: inMail('to'),
  date: inMail('date'),
  subject: inMail('subject'),
  more: [...inMail('copies'), ...inMail('more')],
} as const
/** Field names of English mail headers. A line that starts with one is not a sentence. */
export const FIELDS_OF_MAIL = (['from', 'to', 'copies', 'date', 'subject'] as const).flatMap((idea) =>
  entriesOf(LANGUAGES[0]?.[idea]),
)
/** Phrases that mark a fully quoted mail: "Original Message". FORWARDS has those that mark a forwarded mail. */
export const ORIGINALS = inMail('original')
export const FORWARDS = inMail('forwarded')
/** Prefixes of the subject of a forwarded mail: "Fwd: Valve". */
export const FORWARD_PREFIXES = inMail('forwardPrefixes')
/** First and last words of the attribution line above a quotation: "On Monday Ana wrote:". */
export const REPLY_OPENINGS = inMail('openings')
export const REPLY_VERBS = inMail('wrote')
