import { sha256 } from '../../base/digest.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import { decodeText } from '../../documents/decode-text.ts'
import { isPlain, mediumOf } from '../../documents/detect.ts'
import { type DocumentItem, type Medium, PART_CHARS_MAX, partsOf, Refusal } from '../../documents/document.ts'
import { isCaptions } from '../../documents/formats/read-captions.ts'
import { DOCUMENT_BYTES_MAX, type DocumentReader } from '../../documents/processes/open-document-readers.ts'
import { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type FileLocation, openDocumentMapper } from '../connectors/documents/map-document.ts'
import { mailFromText } from '../connectors/email/mail-from-text.ts'
import { isMail, isMbox, readMail, readMbox } from '../connectors/email/read-mbox.ts'
import { type ExportFile, type ExportFiles, type ExportItem, wholeFile } from '../connectors/export-reader.ts'
import { documentRecord, isNote, type PathsByName, pathsByName, stemOf } from '../connectors/markdown/read-markdown.ts'
import type { MappedRecord } from '../connectors/to-record.ts'
import { captionRecords } from '../connectors/transcript/read-captions.ts'
import { transcriptRecords } from '../connectors/transcript/read-transcript.ts'
import type { OriginalFile } from '../originals/store-original.ts'
import type { Target } from './import-target.ts'

/** Files whose formats are detected one by one. */
export interface ReadingFiles {
  files: ExportFiles
  /** Identifies the source, so that its documents differ from those of other sources. */
  scope: string
  reader: DocumentReader
  recognise: Recognise
  /** Media type that was sent with a single file. */
  type?: string | undefined
  storeOriginal?: StoreFile
}

/** Stores a file and returns its id; undefined if it is not stored. */
type StoreFile = (file: OriginalFile) => Promise<string | undefined>

/** Formats whose text is their record, so that the original adds nothing. */
const PLAIN_FORMATS: ReadonlySet<string> = new Set(['text', 'code', 'markdown', 'restructured', 'asciidoc', 'org'])

/** Milliseconds of work between yields to the event loop. */
const SLICE_MS = 5
/** Maximum number of bytes per character in any charset. It bounds the size of a file that is decoded as a note. */
const CHAR_BYTES_MAX = 4

/**
 * Yields the records of files of any kind: notes with their links, emails with attachments, mailboxes, documents,
 * tables, calendars, address books, and archives of these. A file that cannot be read yields an error with its reason;
 * reading continues with the next file. A file without a name is identified by its content.
 */
export async function* readDocuments({
  files,
  scope,
  reader,
  recognise,
  type,
  storeOriginal = async () => undefined,
}: ReadingFiles): AsyncGenerator<ExportItem> {
  const paths = await pathsByName(files.names)
  const yieldPoint = createYieldPoint(SLICE_MS)
  for await (const file of files.files(() => true)) {
    for await (const item of itemsOf(file, { scope, paths, reader, recognise, type, storeOriginal })) {
      yield item
      await yieldPoint()
    }
  }
}

interface FileReading {
  scope: string
  paths: PathsByName
  reader: DocumentReader
  recognise: Recognise
  type: string | undefined
  storeOriginal: StoreFile
}

async function* itemsOf(file: ExportFile, reading: FileReading): AsyncGenerator<ExportItem> {
  const place = { line: 1, ...(file.name !== '' && { file: file.name }) }
  const chunks = file.open()[Symbol.asyncIterator]()
  const first = await chunks.next().catch(() => undefined)
  const head: Uint8Array = first && !first.done ? first.value : Buffer.alloc(0)
  const again: ExportFile = { ...file, open: () => joined(head, chunks) }
  if (isMbox(head)) return yield* readMbox(again.open(), file.name || undefined)
  const whole = await wholeFile(again, DOCUMENT_BYTES_MAX)
  if ('error' in whole) return yield { ...place, ...whole }
  const { bytes } = whole
  const text = textOf(file, bytes)
  if (text !== undefined) {
    const records = captionRecords(text, file.name, reading.scope)
    if (records) return yield* recordItems(records, file.name)
    if (isNote(file.name) && !isCaptions(text)) return yield* noteItems(text, file.name, reading)
  } else if (!isNote(file.name) && isMail(head) && isPlain(bytes)) return yield* mailItems(file, bytes, reading)
  yield* documentItems(
    { path: file.name || undefined, id: idOf(file.name, bytes), scope: reading.scope },
    bytes,
    reading,
  )
}

/** Returns the text of a note or of captions; undefined for a file whose format is detected from its content. */
function textOf({ name }: ExportFile, bytes: Uint8Array): string | undefined {
  const isShort = bytes.length <= PART_CHARS_MAX * CHAR_BYTES_MAX
  if (!(isNote(name) || CAPTIONS.test(name)) || !isShort || !isPlain(bytes)) return undefined
  const text = decodeText(bytes)
  return text.length <= PART_CHARS_MAX ? text : undefined
}

const CAPTIONS = /\.(?:vtt|srt)$/i

/** Reads a note as a transcript, an email or a document, in this order. */
function* noteItems(text: string, path: string, { scope, paths }: FileReading): Generator<ExportItem> {
  const records = transcriptRecords(text, path, scope)
  yield* recordItems(records ?? mailFromText(text, path) ?? [documentRecord(text, path, scope, paths)], path)
}

function* recordItems(records: readonly MappedRecord[], path: string): Generator<ExportItem> {
  for (const [at, record] of records.entries()) yield { line: at + 1, file: path, record }
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** Returns the id of a document: its path, so that a change replaces it, or a digest of its content. */
function idOf(name: string, bytes: Uint8Array): string {
  return name || `document/${sha256(bytes).toString('hex')}`
}

/** Yields the records of an email, and of its attachments as separate documents. */
async function* mailItems(file: ExportFile, bytes: Uint8Array, reading: FileReading): AsyncGenerator<ExportItem> {
  const { others = [], ...read } = await readMail(bytes)
  const original = 'record' in read ? await reading.storeOriginal({ path: file.name || 'mail.eml', bytes }) : undefined
  const named = { ...(file.name !== '' && { file: file.name }), ...(original !== undefined && { original }) }
  yield { line: 1, ...named, ...read }
  for (const record of others) yield { line: 1, ...named, record }
  const mail = 'record' in read ? read.record : undefined
  if (!mail?.properties?.files) return
  const place = { path: file.name || undefined, id: mail.external_id, scope: reading.scope, mail }
  yield* documentItems(place, bytes, { ...reading, storeOriginal: async () => original })
}

async function* documentItems(file: FileLocation, bytes: Uint8Array, reading: FileReading): AsyncGenerator<ExportItem> {
  const toRecord = openDocumentMapper(file)
  const named = file.path === undefined ? {} : { file: file.path }
  let line = 0
  let format = ''
  let original: Promise<string | undefined> | undefined
  try {
    for await (const item of itemsIn(file.path ?? '', bytes, reading)) {
      if (item.kind === 'head') format = item.format
      if (item.kind === 'left_out') {
        const inside = [file.path ?? '', ...item.within].filter(Boolean).join('/')
        yield { line: 1, file: inside, error: { reason: item.reason, detail: item.detail } }
        continue
      }
      if (item.kind === 'coming') {
        yield { line: 1, ...named, expected: item.records }
        continue
      }
      const record = toRecord(item)
      line = item.kind === 'row' ? item.row : line + 1
      if (!record) continue
      if (!PLAIN_FORMATS.has(format)) {
        original ??= reading.storeOriginal({ path: file.path ?? `document.${format}`, type: reading.type, bytes })
      }
      const id = await original
      yield { line: Math.max(1, line), ...named, ...(id !== undefined && { original: id }), record }
    }
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    yield { line: 1, ...named, error: { reason: cause.reason, detail: cause.detail } }
  }
}

/** Reads a file: a picture or recording with the model configured for it, others with the document reader. */
async function* itemsIn(
  name: string,
  bytes: Uint8Array,
  { reader, recognise, type }: FileReading,
): AsyncGenerator<DocumentItem> {
  const medium = mediumOf(bytes)
  const recognised = medium && (await recognise(medium, bytes))
  if (!recognised) return yield* reader.read({ name, type, bytes })
  const { text, properties } = recognised
  yield { kind: 'head', format: medium.format, within: [], title: stemOf(name) || undefined, properties }
  yield* partsOf([{ text }])
}

/**
 * Returns the text of a picture or a recording and properties about its recognition; undefined if no model is
 * configured. Throws a Refusal for a file that must not be sent to a model, and if the model found no text.
 */
type Recognise = (medium: Medium, bytes: Uint8Array) => Promise<Recognised | undefined>

interface Recognised {
  text: string
  properties: { read_by: string; read_with: string }
}

/** Maximum number of files per import that are sent to a model. Each may take the model a minute. */
const FILES_MAX = 200
const BYTES_PER_MIB = 1024 * 1024

/** Returns a function that recognizes the pictures and recordings of one import. */
export function openRecogniser({ ctx, scope: access }: Pick<Target, 'ctx' | 'scope'>): Recognise {
  let count = 0
  return async ({ kind, format }, bytes) => {
    const recogniser = ctx.recognisers[kind]
    if (!recogniser) return undefined
    // The sandbox may have got a customer-managed key since the import began.
    const now = await AccessScope.find(ctx.sql, ctx.caller, access.sandboxId)
    if (ctx.key || now?.sandbox.caller_key !== null) throw new Refusal('under_callers_key')
    const { way, model, bytesMax } = recogniser
    if (bytes.length > bytesMax) {
      const sizeLimit = `A ${kind} for text recognition has at most ${bytesMax / BYTES_PER_MIB} MiB.`
      throw new Refusal('file_too_large', sizeLimit)
    }
    if (count >= FILES_MAX) throw new Refusal('not_recognised', TOO_MANY)
    count += 1
    const text = await recogniser.read(ctx.caller.accountId, { bytes, format, signal: ctx.stopping })
    if (text.trim() === '') throw new Refusal('no_text', `The model found no text in the ${kind}.`)
    return { text, properties: { read_by: way, read_with: model } }
  }
}

const TOO_MANY = `An import recognizes at most ${FILES_MAX} pictures and recordings. Import this file separately.`
