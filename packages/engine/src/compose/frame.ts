import { dateToken, dayOf } from '../text/civil-date.ts'
import { bareTitle, plainLine } from '../text/clean-text.ts'
import { upperFirst } from '../text/words.ts'
import { daysOf, findDates } from '../understand/named-dates.ts'
import type { BriefRecord } from './brief.ts'
import { type Candidate, standsAlone } from './candidates.ts'
import { nameWords } from './names.ts'
import { absoluteDays } from './relative-days.ts'
import { editedAtMs, isMessage, parentOf, phaseOf, recordKey, recordLabel, typeWords } from './states.ts'
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

/** The piece as prose: messages quoted with their author and day, documents told with their source behind. */
export function framePiece(piece: Piece, records: readonly BriefRecord[], before: Piece | undefined): FramedPiece {
  const record = records[piece.record]!
  const made = piece.candidates.filter((candidate) => candidate.source !== 'sentence')
  const said = saidIn(piece)
  const notes = made.map((candidate) => candidate.computed!)
  const texts = made.map((candidate) => candidate.text)
  if (said.length > 0) {
    const quoted = isQuoted(said, record)
    const days = quoted
      ? inOrder(said).map((run) => absoluteDays(joinSaid(run), record.occurredAtMs))
      : [{ text: said.map((each, at) => capitalised(sentenceText(each, said[at - 1]))).join(' '), notes: [] }]
    notes.push(...days.flatMap((each) => each.notes))
    const text = days[0]!.text
    const opens = piece.candidates[0] === said[0]
    const isNamed = !opens && made.at(-1)!.source === 'state'
    const told = quoted
      ? quote(record, said[0]!, days.map(quotation).join(' '), before && previousOf(before, records))
      : isNamed && needsHead(said[0]!)
        ? text
        : tell(record, said[0]!, text)
    if (opens) texts.unshift(told)
    else if (isNamed && !quoted && needsHead(said[0]!)) texts.push(`${texts.pop()!.replace(/\.$/, ':')} ${told}`)
    else texts.push(told)
  }
  const framed: FramedPiece = { text: texts.join(' ') }
  if (notes.length > 0) framed.computed = notes.join('; ')
  return framed
}

function saidIn({ candidates }: Piece): Candidate[] {
  return candidates.filter((candidate) => candidate.source === 'sentence')
}

function isQuoted(said: readonly Candidate[], record: BriefRecord): boolean {
  return isMessage(record) || !said.every(standsAlone)
}

/** What the next piece can lean on: the record told before, when its day and its author were named. */
function previousOf(before: Piece, records: readonly BriefRecord[]): BriefRecord | undefined {
  const said = saidIn(before)
  const record = records[before.record]!
  return said.length > 0 && isQuoted(said, record) ? record : undefined
}

/** Whether a sentence of a document says too little without what the document is called. */
function needsHead({ text, lead }: Candidate): boolean {
  return lead === undefined && LEANS_BACK.test(text)
}

/** A sentence after the label or heading that it is understood by, unless that stands before the sentence before it. */
function sentenceText({ text: said, lead }: Candidate, before?: Candidate): string {
  const isLed = lead !== undefined && lead !== before?.lead
  const text = isLed ? `${lead}${lead.endsWith('?') ? '' : ':'} ${said}` : said
  return /[.!?。！？…।؟]["'”’»)\]]*$/u.test(text) ? text : `${text.replace(/[\s,;:–—-]+$/, '')}.`
}

/** A list's item that begins with a small letter as a sentence; a name that is written small stays as it is. */
function capitalised(text: string): string {
  return text.replace(/^\p{Ll}(?=\p{Ll}*[ ,;])/u, (letter) => letter.toUpperCase())
}

/** Sentences in runs of the record's order: what stands before the answer is told after it, in marks of its own. */
function inOrder(said: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = []
  for (const each of said) {
    const run = runs.at(-1)
    if (run && run.at(-1)!.position < each.position) run.push(each)
    else runs.push([each])
  }
  return runs
}

function quotation({ text }: { text: string }): string {
  return `“${text.replace(/[“”]/g, (mark) => (mark === '“' ? '‘' : '’'))}”`
}

/** Sentences as one quotation, with an ellipsis where something between them is left out. */
function joinSaid(said: readonly Candidate[]): string {
  return said.reduce((text, candidate, at) => {
    if (at === 0) return sentenceText(candidate)
    const gap = candidate.position === said[at - 1]!.position + 1 ? '' : '… '
    return `${text}${/[。！？｡]$/.test(text) && gap === '' ? '' : ' '}${gap}${sentenceText(candidate)}`
  }, '')
}

function quote(record: BriefRecord, first: Candidate, quoted: string, previous: BriefRecord | undefined): string {
  const day = record.occurredAtMs === undefined ? undefined : dayOf(record.occurredAtMs)
  const sameDay = day !== undefined && previous?.occurredAtMs !== undefined && dayOf(previous.occurredAtMs) === day
  const where = isMessage(record) ? placeOf(record) : recordLabel(record) ? ` in ${recordLabel(record)}` : ''
  const isDated = day === undefined || namesDay(where, day)
  const when = isDated ? '' : sameDay ? 'The same day ' : `On ${dateToken(day)} `
  if (record.author) {
    const author = plainLine(record.author.name)
    return `${when}${author} ${verbOf(first, record, previous)}${where}: ${quoted}`
  }
  const dated = isDated ? '' : ` of ${dateToken(day)}`
  if (where !== '' && !isMessage(record)) return `${recordLabel(record)}${dated} says: ${quoted}`
  const noun = typeWords(record.type)
  return `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}${dated}${where} says: ${quoted}`
}

/** What a comment or a review is on, by its fields. */
function placeOf(record: BriefRecord): string {
  const parent = parentOf(record)
  return parent === undefined ? '' : ` on ${parent}`
}

function verbOf({ text, isOthers }: Candidate, record: BriefRecord, previous: BriefRecord | undefined): string {
  if (isOthers) return 'quoted'
  if (isQuestion(text)) return 'asked'
  if (!previous || !isMessage(previous) || !isMessage(record)) return 'wrote'
  // What was said before cannot be added.
  if ((record.occurredAtMs ?? 0) < (previous.occurredAtMs ?? 0)) return 'wrote'
  const [author, other] = [record, previous].map((each) => plainLine(each.author?.name ?? ''))
  return author === other ? 'added' : 'noted'
}

/** Plain telling: the source in brackets, without what the sentence names itself, or before what needs its head. */
function tell(record: BriefRecord, first: Candidate, text: string): string {
  const title = titleOf(record)
  const named = isNamedIn(title, text)
  const day = dayTold(record, headOf(record))
  if (title !== '' && !named && LEANS_BACK.test(first.text) && record.occurredAtMs === undefined)
    return `About ${title}: ${text}`
  const isBracketed = /\)\.$/.test(text)
  if (!named && (needsHead(first) || isBracketed) && record.occurredAtMs !== undefined)
    return `${headOf(record)}${day === '' ? '' : ` (${day})`}: ${text}`
  const bracket = bracketOf(record, text)
  if (bracket === '') return text
  return text.endsWith('.') && !isBracketed ? `${text.slice(0, -1)} (${bracket}).` : `${text} (${bracket})`
}

/** What names the source of a text in brackets, with its day; of what the text names itself the day alone. */
export function bracketOf(record: BriefRecord, text: string): string {
  const isNamed = isNamedIn(titleOf(record), text)
  const source = isNamed ? '' : sourceName(record)
  return [source, dayTold(record, isNamed ? titleOf(record) : source)].filter((part) => part !== '').join(', ')
}

function titleOf({ title }: BriefRecord): string {
  return title ? bareTitle(plainLine(title)) : ''
}

function isNamedIn(title: string, text: string): boolean {
  return title !== '' && ` ${nameWords(text).join(' ')} `.includes(` ${nameWords(title).join(' ')} `)
}

/** The day of a record, unless what it is called names that already. */
function dayTold(record: BriefRecord, shown: string): string {
  if (record.occurredAtMs === undefined || isLiving(record)) return ''
  const day = dayOf(record.occurredAtMs)
  return namesDay(shown, day) ? '' : dateToken(day)
}

/** Whether a text names a day with its year. */
function namesDay(text: string, day: number): boolean {
  return findDates(text, day).some((date) => date.year !== undefined && daysOf(date, day).every((each) => each === day))
}

/** What a record is called where it opens a sentence. */
function headOf(record: BriefRecord): string {
  return recordLabel(record) ?? upperFirst(sourceName(record))
}

/** Whether a record's text may be newer than its day: it was edited since, or tells of work that goes on. */
function isLiving(record: BriefRecord): boolean {
  const edited = editedAtMs(record)
  if (edited !== undefined && dayOf(edited) > dayOf(record.occurredAtMs!)) return true
  return phaseOf(record) === 'open'
}

/** What a record is called in brackets: key or title, else its author, else its type. */
export function sourceName(record: BriefRecord): string {
  if (!isMessage(record)) {
    const [key, title] = [recordKey(record), record.title ? plainLine(record.title) : '']
    const name = key === undefined || (key.startsWith('#') && title !== '') ? title : key
    if (name !== '') return name
  }
  const noun = typeWords(record.type)
  if (!record.author) return noun
  return isMessage(record) ? plainLine(record.author.name) : `${noun} by ${plainLine(record.author.name)}`
}
