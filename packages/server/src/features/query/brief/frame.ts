import type { BriefRecord } from './brief.ts'
import { type Candidate, standsAlone } from './candidates.ts'
import { dateToken, dayOf } from './civil-date.ts'
import { plainLine } from './clean-text.ts'
import { bareTitle, nameWords } from './names.ts'
import { absoluteDays } from './relative-days.ts'
import { recordKey, recordLabel, typeWords } from './states.ts'
import { isQuestion, LEANS_BACK } from './traits.ts'

/** What the brief tells from one record in one breath, in the order of the record. */
export interface Piece {
  record: number
  candidates: Candidate[]
}

/** A piece as prose; `computed` names what was worked out for it. */
export interface FramedPiece {
  text: string
  computed?: string
}

const MESSAGE =
  /message|chat|comment|e?mail|thread|post|reply|slack|sms|note|turn|\bdm\b|review|conversation|transcript/i
const MESSENGERS = /slack|teams|discord|mail|telegram|whatsapp|intercom|zendesk|twitter|mattermost|zulip/i

/** Whether the record is something that somebody said to others. */
export function isMessage(record: BriefRecord): boolean {
  return MESSAGE.test(record.type) || (MESSENGERS.test(record.provider ?? '') && !record.title)
}

/** The piece as prose: messages quoted with their author and day, documents told with their source behind. */
export function framePiece(piece: Piece, records: readonly BriefRecord[], before: Piece | undefined): FramedPiece {
  const record = records[piece.record]!
  const made = piece.candidates.filter((candidate) => candidate.source !== 'sentence')
  const said = piece.candidates.filter((candidate) => candidate.source === 'sentence')
  const notes = made.map((candidate) => candidate.computed!)
  const texts = made.map((candidate) => candidate.text)
  if (said.length > 0) {
    const quoted = isMessage(record) || !said.every(standsAlone)
    const days = quoted
      ? absoluteDays(joinSaid(said), record.occurredAtMs)
      : { text: said.map(sentenceText).join(' '), notes: [] }
    notes.push(...days.notes)
    const previous = before ? records[before.record] : undefined
    const told = quoted ? quote(record, said[0]!, days.text, previous) : tell(record, said[0]!, days.text)
    if (piece.candidates[0] === said[0]) texts.unshift(told)
    else texts.push(told)
  }
  const framed: FramedPiece = { text: texts.join(' ') }
  if (notes.length > 0) framed.computed = notes.join('; ')
  return framed
}

function sentenceText({ text: said, lead }: Candidate): string {
  const text = lead === undefined ? said : `${lead}: ${said}`
  return /[.!?。！？…।؟]["'”’»)\]]*$/u.test(text) ? text : `${text.replace(/[\s,;:–—-]+$/, '')}.`
}

/** Sentences as one quotation, with an ellipsis where something between them is left out. */
function joinSaid(said: readonly Candidate[]): string {
  return said
    .map((candidate, at) => {
      const gap = at > 0 && candidate.position !== said[at - 1]!.position + 1 ? '… ' : ''
      return `${gap}${sentenceText(candidate)}`
    })
    .join(' ')
}

function quote(record: BriefRecord, first: Candidate, text: string, previous: BriefRecord | undefined): string {
  const day = record.occurredAtMs === undefined ? undefined : dayOf(record.occurredAtMs)
  const sameDay = day !== undefined && previous?.occurredAtMs !== undefined && dayOf(previous.occurredAtMs) === day
  const when = day === undefined ? '' : sameDay ? 'The same day ' : `On ${dateToken(day)} `
  const inner = text.replace(/[“”]/g, (mark) => (mark === '“' ? '‘' : '’'))
  const where = isMessage(record) || !recordLabel(record) ? '' : ` in ${recordLabel(record)}`
  if (record.author) {
    const author = plainLine(record.author.name)
    return `${when}${author} ${verbOf(first.text, author, isMessage(record), previous)}${where}: “${inner}”`
  }
  const dated = day === undefined ? '' : ` of ${dateToken(day)}`
  if (where !== '') return `${recordLabel(record)}${dated} says: “${inner}”`
  const noun = typeWords(record.type)
  return `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}${dated} says: “${inner}”`
}

function verbOf(text: string, author: string, message: boolean, previous: BriefRecord | undefined): string {
  if (isQuestion(text)) return 'asked'
  if (previous?.author && plainLine(previous.author.name) === author && isMessage(previous) && message) return 'added'
  return previous && isMessage(previous) && message ? 'noted' : 'wrote'
}

/** Plain telling: the source in brackets, without what the sentence names itself. */
function tell(record: BriefRecord, first: Candidate, text: string): string {
  const title = record.title ? bareTitle(plainLine(record.title)) : ''
  const told = ` ${nameWords(text).join(' ')} `
  const named = title !== '' && told.includes(` ${nameWords(title).join(' ')} `)
  if (title !== '' && !named && LEANS_BACK.test(first.text) && record.occurredAtMs === undefined)
    return `About ${title}: ${text}`
  const source = named ? '' : sourceName(record)
  const day = record.occurredAtMs === undefined ? '' : dateToken(dayOf(record.occurredAtMs))
  const bracket = [source, day].filter((part) => part !== '').join(', ')
  if (bracket === '') return text
  const bracketed = /\s?\(([^()]*)\)\.$/.exec(text)
  if (bracketed) return `${text.slice(0, bracketed.index)} (${bracketed[1]}; ${bracket}).`
  return text.endsWith('.') ? `${text.slice(0, -1)} (${bracket}).` : `${text} (${bracket})`
}

/** What a record is called in brackets: key or title, else its author, else its type. */
export function sourceName(record: BriefRecord): string {
  if (!isMessage(record)) {
    const name = recordKey(record) ?? (record.title ? plainLine(record.title) : '')
    if (name !== '') return name
  }
  return record.author ? plainLine(record.author.name) : typeWords(record.type)
}
