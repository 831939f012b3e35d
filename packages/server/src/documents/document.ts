/** A received file: its bytes, its path, and the media type that was sent with it. */
export interface DocumentFile {
  readonly name: string
  readonly type?: string | undefined
  readonly bytes: Uint8Array
}

/** A value of a cell or a field. Times are RFC 3339, dates are `YYYY-MM-DD`. */
export type Value = string | number | boolean

export interface NamedPerson {
  readonly name: string
  readonly emails?: readonly string[]
  readonly phones?: readonly string[]
}

/** Start of a document. The parts, rows and other items after it belong to it. */
export interface DocumentHead {
  readonly kind: 'head'
  readonly format: string
  /** Names of the enclosing files within the file that is read, outermost first; empty for this file itself. */
  readonly within: readonly string[]
  readonly title?: string | undefined
  readonly authors?: readonly NamedPerson[]
  /** Date of the document from its metadata: RFC 3339, or `YYYY-MM-DD`. */
  readonly at?: string | undefined
  readonly url?: string | undefined
  readonly properties?: Readonly<Record<string, Value>>
}

/** A section of a document's text as Markdown, at most `PART_CHARS_MAX` characters long. */
export interface DocumentPart {
  readonly kind: 'part'
  readonly text: string
  readonly locators: readonly { start: number; locator: string }[]
}

/** A row of a table with a header. */
export interface TableRow {
  readonly kind: 'row'
  /** Name of the table: that of the sheet, otherwise that of the file. */
  readonly table: string
  /** Row number, counted from 1 as in a spreadsheet. */
  readonly row: number
  readonly locator?: string | undefined
  readonly cells: readonly (readonly [column: string, value: Value])[]
  /** Values as displayed, by column, if that contains more than the value: "$44,386.95". */
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

/** An object of a JSON or YAML list. */
interface ListedValue {
  readonly kind: 'value'
  readonly value: object
}

/** Announces the number of rows, entries or values before the first of them. */
export interface ExpectedCount {
  readonly kind: 'coming'
  readonly records: number
}

/** A file inside the file that is read. It could not be read. */
interface SkippedFile {
  readonly kind: 'left_out'
  readonly within: readonly string[]
  readonly reason: RefusalReason
  readonly detail: string
}

/** An item of a file. A file is read item after item. */
export type DocumentItem =
  | DocumentHead
  | DocumentPart
  | TableRow
  | CalendarEvent
  | Contact
  | ListedValue
  | SkippedFile
  | ExpectedCount

/** Maximum number of characters per part. A text of this length can be fully indexed together with its other fields. */
export const PART_CHARS_MAX = 300_000

/** Messages for files that are not read, each with advice. */
export const REFUSALS = {
  unsupported_file: 'This file type is not supported.',
  file_too_large: 'A document has at most 64 MiB; split it, or send its text.',
  file_damaged: 'The file is damaged or truncated; save or download it again.',
  file_encrypted: 'The file is encrypted; save it without a password.',
  no_text: 'The file contains images and no text; run text recognition (OCR) on it first.',
  not_recognised: 'The recognition model returned no text; add the file again later.',
  under_callers_key: 'Data under a customer-managed key is not sent to a model; send the text of the file.',
  empty_file: 'The file is empty.',
  took_too_long: 'Reading took longer than 30 seconds for one step; split the file, or send its text.',
  took_too_much: 'The file unpacks to more data than can be read at once; split it, or send its text.',
  reader_failed: 'The process that reads the file ended unexpectedly; save the file again, or send its text.',
} as const
export type RefusalReason = keyof typeof REFUSALS

/** Thrown for a file that cannot be read. */
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

/** A page, slide, row or chapter of a document. */
export interface Unit {
  readonly text: string
  readonly locator?: string | undefined
}

/** Maximum number of locators per part. A record cannot have more. */
const LOCATORS_MAX = 5_000
const SEPARATOR = '\n\n'

/**
 * Combines units into parts. A part ends between two units. A unit that is too long is split between two lines,
 * otherwise within a line.
 */
export async function* partsOf(
  units: AsyncIterable<Unit> | Iterable<Unit>,
  between = SEPARATOR,
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
    for (const segment of splitLongText(text)) {
      const isFull = chars + between.length + segment.length > PART_CHARS_MAX || locators.length >= LOCATORS_MAX
      if (texts.length > 0 && isFull) yield take()
      const start = texts.length > 0 ? chars + between.length : 0
      if (locator !== undefined && locators.at(-1)?.locator !== locator) locators.push({ start, locator })
      texts.push(segment)
      chars = start + segment.length
    }
  }
  if (texts.length > 0) yield take()
}

/** Splits a text into segments that each fit into one part. */
function* splitLongText(text: string): Generator<string> {
  let from = 0
  while (text.length - from > PART_CHARS_MAX) {
    const window = text.slice(from, from + PART_CHARS_MAX)
    const paragraph = window.lastIndexOf('\n\n')
    const end = [paragraph, window.lastIndexOf('\n'), window.lastIndexOf(' ')].find((at) => at > PART_CHARS_MAX / 2)
    const size = end ?? surrogateSafeLength(window)
    yield window.slice(0, size).trim()
    from += size
  }
  const rest = from === 0 ? text : text.slice(from).trimStart()
  if (rest.trim() !== '') yield rest
}

/** Returns the length of a window, minus one if it would end in half of a surrogate pair. */
function surrogateSafeLength(window: string): number {
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length
}

/** A kind of file without text that a model can read. */
export interface Medium {
  readonly kind: 'picture' | 'sound'
  /** Format name, such as png, jpeg or mp3. */
  readonly format: string
}

/** A picture or a recording whose text is requested. */
export interface RecognitionInput {
  readonly bytes: Uint8Array
  readonly format: string
  /** Aborts when no caller waits for the text any more. */
  readonly signal: AbortSignal
}

/** A remote model that recognizes the text in files of one kind. */
export interface Recogniser {
  /** Value of `read_by` in the records of its texts. */
  readonly way: string
  readonly model: string
  readonly bytesMax: number
  /**
   * Returns the text of a file. The text is untrusted data. The account is charged for it. Only one file is read at a
   * time, over all accounts. Throws a Refusal if there is no text.
   */
  read(accountId: string, file: RecognitionInput): Promise<string>
}

/** The configured recognizers. */
export type Recognisers = { readonly [K in Medium['kind']]?: Recogniser }

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

export function markdownHeader(names: readonly string[]): string {
  return `${markdownRow(names)}\n|${' --- |'.repeat(names.length)}`
}

/** Returns a table as Markdown, its first row as the header. One column or one row becomes plain lines. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const width = Math.max(0, ...filled.map((row) => row.length))
  if (width < 2 || filled.length < 2)
    return filled.map((row) => row.filter((cell) => cell.trim() !== '').join(' – ')).join('\n\n')
  const [head = [], ...others] = filled.map((row) => [...row, ...Array<string>(width - row.length).fill('')])
  return [markdownHeader(head), ...others.map(markdownRow)].join('\n')
}

/** Returns a heading as Markdown; empty for a heading without text. */
export function markdownHeading(level: number, text: string): string {
  const heading = oneLine(text)
  return heading === '' ? '' : `${'#'.repeat(Math.min(LEVELS, Math.max(1, level)))} ${heading}`
}

const LEVELS = 6

/** Returns a link as Markdown, or only its text if the URL is not one for a browser or an email program. */
export function markdownLink(text: string, url: string | undefined): string {
  const label = oneLine(text)
  if (!url || !LINK_PROTOCOL.test(url) || label === '' || label === url) return text
  return `[${label.replace(/[[\]]/g, '')}](${url.replace(/[\s()<>]/g, encodeURIComponent)})`
}

const LINK_PROTOCOL = /^(?:https?:|mailto:)/i

/** Replaces line breaks and runs of spaces by single spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
