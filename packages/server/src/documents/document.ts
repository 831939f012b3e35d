/** A file as it came: its bytes, its path, and the media type that was told with it. */
export interface DocumentFile {
  readonly name: string
  readonly type?: string | undefined
  readonly bytes: Uint8Array
}

/** A value as a cell or a field holds it; times are RFC 3339, days `YYYY-MM-DD`. */
export type Value = string | number | boolean

/** A person as a document names one. */
export interface NamedPerson {
  readonly name: string
  readonly emails?: readonly string[]
  readonly phones?: readonly string[]
}

/** Begins a document: the parts, rows and things that follow are of it. */
export interface DocumentHead {
  readonly kind: 'head'
  readonly format: string
  /** The files that it lies in within the file that was read, from the outermost on; empty for the file itself. */
  readonly within: readonly string[]
  readonly title?: string | undefined
  readonly authors?: readonly NamedPerson[]
  /** When it was written, by its own properties: RFC 3339, or a day. */
  readonly at?: string | undefined
  readonly url?: string | undefined
  readonly properties?: Readonly<Record<string, Value>>
}

/** A stretch of a document's text as Markdown, of at most `PART_CHARS_MAX` characters. */
export interface DocumentPart {
  readonly kind: 'part'
  readonly text: string
  readonly locators: readonly { start: number; locator: string }[]
}

/** A row of a table under its header. */
export interface TableRow {
  readonly kind: 'row'
  /** What the table is called: the sheet, else the file. */
  readonly table: string
  /** Counted from 1, as a spreadsheet shows it. */
  readonly row: number
  readonly locator?: string | undefined
  readonly cells: readonly (readonly [column: string, value: Value])[]
  /** Displayed values by column, if they say more than the values: "$44,386.95". */
  readonly shown?: Readonly<Record<string, string>> | undefined
  /** Units of numbers by column: "%", "$", "EUR". */
  readonly units?: Readonly<Record<string, string>> | undefined
}

/** An entry of a calendar. */
export interface CalendarEvent {
  readonly kind: 'event'
  readonly uid: string
  readonly title?: string | undefined
  readonly text?: string | undefined
  readonly url?: string | undefined
  readonly start?: string | undefined
  readonly organiser?: NamedPerson | undefined
  readonly attendees: readonly NamedPerson[]
  readonly properties: Readonly<Record<string, Value>>
}

/** A card of an address book. */
export interface Contact extends NamedPerson {
  readonly kind: 'contact'
  readonly uid?: string | undefined
  readonly aliases: readonly string[]
  readonly organisation?: string | undefined
  readonly text: string
  readonly properties: Readonly<Record<string, Value>>
}

/** An object of a list of JSON or YAML. */
interface ListedValue {
  readonly kind: 'value'
  readonly value: object
}

/** So many more rows, entries or values are known to come; told before the first of them. */
export interface Coming {
  readonly kind: 'coming'
  readonly records: number
}

/** A file within the one that was read, of which nothing is taken. */
interface LeftOut {
  readonly kind: 'left_out'
  readonly within: readonly string[]
  readonly reason: RefusalReason
  readonly detail: string
}

/** What is read from a file, item by item. */
export type DocumentItem =
  | DocumentHead
  | DocumentPart
  | TableRow
  | CalendarEvent
  | Contact
  | ListedValue
  | LeftOut
  | Coming

/** Characters of one part: so much of a text is surely searched, with what stands beside it. */
export const PART_CHARS_MAX = 300_000

/** Why a file is not read, each with what can be done. */
export const REFUSALS = {
  unsupported_file: 'Files of this kind are not read.',
  file_too_large: 'A document has at most 64 MiB; split it, or send its text.',
  file_damaged: 'The file is damaged or cut off; save it anew, or fetch it again.',
  file_encrypted: 'The file is encrypted; save it without a password.',
  no_text: 'The file holds pictures and no text; send it through text recognition (OCR) first.',
  not_recognised: 'The model that reads such files gave no text; add the file again later.',
  under_callers_key: 'What is under a key of its caller is shown to no model; send the text of the file.',
  empty_file: 'There is nothing in the file.',
  took_too_long: 'Reading took longer than 30 seconds for one step; split the file, or send its text.',
  took_too_much: 'The file unpacks to more than is read at once; split it, or send its text.',
  reader_failed: 'The process that reads the file ended unexpectedly; save the file anew, or send its text.',
} as const
export type RefusalReason = keyof typeof REFUSALS

/** Why one file is not read. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: RefusalReason
  readonly detail: string

  constructor(reason: RefusalReason, detail: string = REFUSALS[reason]) {
    super(detail)
    this.reason = reason
    this.detail = detail
  }
}

/** A page, a slide, a row or a chapter as it is read. */
export interface Unit {
  readonly text: string
  readonly locator?: string | undefined
}

/** Places of one part; a record has no more. */
const LOCATORS_MAX = 5_000
const BETWEEN = '\n\n'

/**
 * Puts units together to parts, each as long as parts may be and ended between two units; a unit that is longer is cut
 * between two lines, else within one.
 */
export async function* partsOf(
  units: AsyncIterable<Unit> | Iterable<Unit>,
  between = BETWEEN,
): AsyncGenerator<DocumentPart> {
  let texts: string[] = []
  let chars = 0
  let locators: { start: number; locator: string }[] = []
  const take = (): DocumentPart => {
    const part = { kind: 'part', text: texts.join(between), locators } as const
    texts = []
    chars = 0
    locators = []
    return part
  }
  for await (const { text, locator } of units) {
    for (const piece of piecesOf(text)) {
      const isFull = chars + between.length + piece.length > PART_CHARS_MAX || locators.length >= LOCATORS_MAX
      if (texts.length > 0 && isFull) yield take()
      const start = texts.length > 0 ? chars + between.length : 0
      if (locator !== undefined && locators.at(-1)?.locator !== locator) locators.push({ start, locator })
      texts.push(piece)
      chars = start + piece.length
    }
  }
  if (texts.length > 0) yield take()
}

/** Splits a text into pieces that each fit into one part. */
function* piecesOf(text: string): Generator<string> {
  let from = 0
  while (text.length - from > PART_CHARS_MAX) {
    const window = text.slice(from, from + PART_CHARS_MAX)
    const paragraph = window.lastIndexOf('\n\n')
    const end = [paragraph, window.lastIndexOf('\n'), window.lastIndexOf(' ')].find((at) => at > PART_CHARS_MAX / 2)
    const size = end ?? wholePairs(window)
    yield window.slice(0, size).trim()
    from += size
  }
  const rest = from === 0 ? text : text.slice(from).trimStart()
  if (rest.trim() !== '') yield rest
}

/** The length of a window that ends in no half of a surrogate pair. */
function wholePairs(window: string): number {
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length
}

/** The kinds of files that hold no text but can be read by a model. */
export interface Medium {
  readonly kind: 'picture' | 'sound'
  /** As such files are called: png, jpeg, mp3. */
  readonly format: string
}

/** A picture or a sound whose text is wanted. */
export interface Unrecognised {
  readonly bytes: Uint8Array
  readonly format: string
  /** Aborted when nobody waits for the text any more. */
  readonly signal: AbortSignal
}

/** A model elsewhere that says what text is in files of one kind. */
export interface Recogniser {
  /** What `read_by` of its texts says. */
  readonly way: string
  readonly model: string
  readonly bytesMax: number
  /**
   * The text of a file, which is data like any other that strangers wrote; the account is charged for it. One file is
   * read after the other, whoever asks. Throws a Refusal that says why there is none.
   */
  read(accountId: string, file: Unrecognised): Promise<string>
}

/** The recognisers that are configured. */
export type Recognisers = { readonly [K in Medium['kind']]?: Recogniser }

/** A row of a table as Markdown. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

/** Returns the header lines of a Markdown table. */
export function markdownHeader(names: readonly string[]): string {
  return `${markdownRow(names)}\n|${' --- |'.repeat(names.length)}`
}

/** A table as Markdown under its first row; of one column, or one row, its lines. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const told = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const width = Math.max(0, ...told.map((row) => row.length))
  if (width < 2 || told.length < 2)
    return told.map((row) => row.filter((cell) => cell.trim() !== '').join(' – ')).join('\n\n')
  const [head = [], ...others] = told.map((row) => [...row, ...Array<string>(width - row.length).fill('')])
  return [markdownHeader(head), ...others.map(markdownRow)].join('\n')
}

/** A heading as Markdown; nothing for one without words. */
export function markdownHeading(level: number, text: string): string {
  const said = oneLine(text)
  return said === '' ? '' : `${'#'.repeat(Math.min(LEVELS, Math.max(1, level)))} ${said}`
}

const LEVELS = 6

/** A link as Markdown, where its address is one that a person could open. */
export function markdownLink(text: string, url: string | undefined): string {
  const said = oneLine(text)
  if (!url || !OPENED.test(url) || said === '' || said === url) return text
  return `[${said.replace(/[[\]]/g, '')}](${url.replace(/[\s()<>]/g, encodeURIComponent)})`
}

const OPENED = /^(?:https?:|mailto:)/i

/** Without breaks of lines, and single spaces alone. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
