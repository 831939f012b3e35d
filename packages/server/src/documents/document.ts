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
export interface ListedValue {
  readonly kind: 'value'
  readonly value: object
}

/** So many more rows, entries or values are known to come; told before the first of them. */
export interface Coming {
  readonly kind: 'coming'
  readonly records: number
}

/** A file within the one that was read, of which nothing is taken. */
export interface LeftOut {
  readonly kind: 'left_out'
  readonly within: readonly string[]
  readonly reason: RefusalReason
  readonly detail: string
}

/** What a file comes to, item by item. */
export type DocumentItem =
  | DocumentHead
  | DocumentPart
  | TableRow
  | CalendarEvent
  | Contact
  | ListedValue
  | LeftOut
  | Coming

/** Reads a file of one format. Throws `Refusal`. */
export type ReadFormat = (file: DocumentFile) => AsyncGenerator<DocumentItem> | Generator<DocumentItem>

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
