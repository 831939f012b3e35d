import { sha256 } from '../../../base/digest.ts'
import type {
  CalendarEvent,
  Contact,
  DocumentHead,
  DocumentItem,
  DocumentPart,
  NamedPerson,
  TableRow,
} from '../../../documents/document.ts'
import { guessRecord } from '../json/guess-record.ts'
import { rowText } from '../json/row-text.ts'
import { dayIn, documentEntity, stemOf } from '../markdown/read-markdown.ts'
import { moment, present } from '../pick.ts'
import { type Entity, entity, type MappedRecord, type RecordDraft, toRecord } from '../to-record.ts'
import { statedDay } from './stated-day.ts'

/** Origin of the documents in one file. */
export interface FileLocation {
  /** The file's path, which is its record's id; undefined for a file without a name. */
  readonly path: string | undefined
  /** Id of the document's record. Parts and rows derive their ids from it. */
  readonly id: string
  /** Identifies the source, so that its entities differ from those of other sources. */
  readonly scope: string
  /** The email that the file was attached to. */
  readonly mail?: MappedRecord
}

/** Row property with the units of the row's numbers, by column. */
const CELL_UNITS = 'cell_units'
/** A level-1 or level-2 Markdown heading. */
const FIRST_HEADING = /^#{1,2} (\S.*)$/m
const HEADING_WITHIN = 2_000
const TITLE_CHARS_MAX = 120

/** Returns a function that maps the items of one file to records. It must be called with the items in order. */
export function openDocumentMapper(file: FileLocation): (item: DocumentItem) => MappedRecord | undefined {
  let document = placeOf(file, [])
  let head: DocumentHead = { kind: 'head', format: 'text', within: [] }
  let parts = 0
  let day: string | undefined
  return (item) => {
    switch (item.kind) {
      case 'head':
        head = item
        document = placeOf(file, item.within)
        parts = 0
        day = undefined
        return undefined
      case 'part':
        parts += 1
        if (parts === 1 && DATED_FORMATS.has(head.format)) day = statedDay(item.text)
        return partRecord(item, { file, head, document, number: parts, day })
      case 'row':
        return rowRecord(item, document)
      case 'event':
        return eventRecord(item, document)
      case 'contact':
        return contactRecord(item, document)
      case 'value':
        return valueRecord(item.value, document)
      case 'coming':
      case 'left_out':
        return undefined
    }
  }
}

/** Location of a document: its id, and its path among the files. */
interface DocumentLocation {
  id: string
  path: string | undefined
}

function placeOf({ id, path }: FileLocation, within: readonly string[]): DocumentLocation {
  const inside = within.map((name) => `/${name}`).join('')
  return { id: id + inside, path: path === undefined && inside === '' ? undefined : (path ?? '') + inside }
}

interface PartLocation {
  file: FileLocation
  head: DocumentHead
  document: DocumentLocation
  /** Counted from 1. */
  number: number
  /** The document's own date, as stated in its text. */
  day: string | undefined
}

/** Formats whose metadata has the time when the file was created or printed. The date of the content is earlier. */
const DATED_FORMATS: ReadonlySet<string> = new Set(['pdf', 'docx', 'odt', 'rtf', 'pptx', 'odp'])

function partRecord(part: DocumentPart, { file, head, document, number, day }: PartLocation): MappedRecord {
  const { path } = document
  const stem = path === undefined ? undefined : stemOf(path)
  const heading = FIRST_HEADING.exec(part.text.slice(0, HEADING_WITHIN))?.[1]
  const whole = head.title ?? (number === 1 ? heading : undefined) ?? stem ?? firstLine(part.text)
  const named = stem && dayIn(stem)
  const from = part.locators[0]?.locator
  const to = part.locators.at(-1)?.locator
  const title =
    number === 1 ? whole : `${whole} (${from === undefined ? number : from === to ? from : `${from} – ${to}`})`
  const authors = toPersons(head.authors)
  const own = documentEntity(document.id, file.scope, whole, stem ? [stem] : [])
  const mail = file.mail
  const drafted: RecordDraft & { externalId: string } = {
    externalId: number === 1 ? document.id : `${document.id}#part ${number}`,
    type: 'document',
    title,
    text: part.text,
    url: head.url,
    occurredAt:
      day ??
      (DATED_FORMATS.has(head.format) ? named : undefined) ??
      moment(head.at) ??
      named ??
      mail?.occurred_at ??
      undefined,
    author: authors[0] ?? (mail?.author as Entity | undefined),
    participants: authors.slice(1),
    entities: [own],
    locators: part.locators,
    properties: {
      ...head.properties,
      path,
      folder: path?.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined,
      format: head.format,
      mail: mail?.external_id,
      part: number > 1 ? number : undefined,
    },
  }
  return toRecord(drafted)
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]!.replace(/^#+ /, '').slice(0, TITLE_CHARS_MAX)
}

/** Maps a table row to a record. Its type derives from the table's name, and its cells become properties. */
function rowRecord(
  { table, row, cells, shown = {}, units, locator }: TableRow,
  document: DocumentLocation,
): MappedRecord {
  const shownCells = cells.map(([column, value]) => [column, shown[column] ?? String(value)] as const)
  const at = cells.findIndex(([, value]) => typeof value === 'string')
  const name = shownCells[at]?.[1]
  const others = shownCells.filter((_, index) => index !== at)
  return toRecord({
    externalId: `${document.id}#${table}!${row}`,
    type: kindOf(table),
    title: name ?? `${table} ${row}`,
    text: rowText(name, others) || (name ?? ''),
    properties: {
      ...Object.fromEntries(cells),
      ...(units && { [CELL_UNITS]: units }),
      ...(document.path !== undefined && { path: document.path }),
    },
    locators: locator === undefined ? [] : [{ start: 0, locator }],
  })
}

/** A date, copy number or version in a table's name. It is removed so that rows of all editions have one type. */
const EDITION = /(?:^|_)(?:(?:19|20)\d\d(?:_?(?:[01]\d|q[1-4]|h[12])(?:_?[0-3]\d)?)?|\(\d{1,3}\)|v\d{1,3})(?=_|$)/g

/** Returns the record type of a table's rows: the table's name in the English singular. Count questions use it. */
function kindOf(table: string): string {
  const whole = table
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
  const bare = whole.replace(EDITION, '').replace(/^_+|_+$/g, '')
  const name = (/\p{L}{2}/u.test(bare) ? bare : whole) || 'row'
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`
  return /[^su]s$/.test(name) ? name.slice(0, -1) : name
}

function eventRecord(event: CalendarEvent, document: DocumentLocation): MappedRecord {
  const { start, end, location } = event.properties
  const lines = [start && `Start: ${start}`, end && `End: ${end}`, location && `Where: ${location}`]
  return toRecord({
    externalId: `${document.id}#${event.uid}`,
    type: 'event',
    title: event.title,
    text: [event.title, lines.filter(Boolean).join('\n'), event.text].filter(Boolean).join('\n\n'),
    url: event.url,
    occurredAt: moment(event.start),
    author: event.organiser && toPersons([event.organiser])[0],
    participants: toPersons(event.attendees),
    properties: { ...event.properties, path: document.path },
  })
}

function contactRecord(contact: Contact, document: DocumentLocation): MappedRecord {
  const [person] = toPersons([contact])
  const organisation = entity('organisation', contact.organisation)
  return toRecord({
    externalId: `${document.id}#${contact.uid ?? contact.emails?.[0] ?? contact.name}`,
    type: 'contact',
    title: contact.name,
    text: contact.text,
    entities: [
      person && { ...person, ...(contact.aliases.length > 0 && { aliases: [...contact.aliases] }) },
      organisation,
    ],
    relations: [{ subject: person, predicate: 'works_for', object: organisation }],
    properties: { ...contact.properties, path: document.path },
  })
}

/** Maps an object of a list by its field names. Its id is unique within its file. */
function valueRecord(value: object, document: DocumentLocation): MappedRecord | undefined {
  const record = guessRecord(value)
  if (!record) return undefined
  const stem = document.path === undefined ? undefined : stemOf(document.path)
  const kind =
    record.type !== 'record' ? record.type : (messageType(record, stem) ?? (stem && kindOf(stem)) ?? 'record')
  const id = `${document.id}#${record.external_id}`
  const short =
    id.length <= ID_CHARS_MAX ? id : `${document.id.slice(0, ID_CHARS_MAX / 2)}#${sha256(id).toString('hex')}`
  return { ...record, external_id: short, type: kind }
}

/** Returns `message` for an untitled object with text, author and time, unless its file has a plural name. */
function messageType({ title, text, author, occurred_at: at }: MappedRecord, stem = ''): string | undefined {
  return !title && text && author && at && !/[^su]s$/i.test(stem) ? 'message' : undefined
}

/** Below the limit of an external id in characters, so that no id is truncated. */
const ID_CHARS_MAX = 500

function toPersons(named: readonly NamedPerson[] | undefined): Entity[] {
  return present(
    (named ?? []).map(({ name, emails = [], phones = [] }) => {
      const person = entity('person', name)
      const identifiers = {
        ...(emails.length > 0 && { email: [...emails] }),
        ...(phones.length > 0 && { phone: [...phones] }),
      }
      return person && (Object.keys(identifiers).length > 0 ? { ...person, identifiers } : person)
    }),
  )
}
