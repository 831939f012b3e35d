import { createGunzip } from 'node:zlib'
import postalMime from 'postal-mime'
import { Parser, type ReadEntry } from 'tar'
import { detect, type Format } from './detect.ts'
import { type DocumentFile, type DocumentItem, type ExpectedCount, Refusal } from './document.ts'
import { readCalendar, readContacts } from './formats/read-calendar.ts'
import { readCaptions } from './formats/read-captions.ts'
import { readCsv } from './formats/read-csv.ts'
import { readRtf } from './formats/read-rtf.ts'
import { readAsciidoc, readCode, readNotebook, readOrg, readRestructured, readText } from './formats/read-text.ts'
import { readJson, readJsonLines, readYaml } from './formats/read-values.ts'
import { readDocx } from './office/read-docx.ts'
import { readOds, readOpenDocument } from './office/read-opendocument.ts'
import { readPptx } from './office/read-pptx.ts'
import { readXlsx } from './office/read-xlsx.ts'
import { readPdf } from './pdf/read-pdf.ts'
import { type Reading, readingOnce } from './reading-bounds.ts'
import { readEpub, readHtml } from './web/read-html.ts'
import type { ZipMembers } from './zip-members.ts'

type Items = AsyncGenerator<DocumentItem> | Generator<DocumentItem>

const PLAIN: Partial<Record<Format, (file: DocumentFile) => Items>> = {
  pdf: readPdf,
  rtf: readRtf,
  html: readHtml,
  calendar: readCalendar,
  contacts: readContacts,
  json: readJson,
  lines: readJsonLines,
  yaml: readYaml,
  notebook: readNotebook,
  csv: readCsv,
  captions: readCaptions,
  markdown: readText,
  text: readText,
  code: readCode,
  restructured: readRestructured,
  asciidoc: readAsciidoc,
  org: readOrg,
}
const ZIPPED: Partial<Record<Format, (packed: { file: DocumentFile; zip: ZipMembers }) => Items>> = {
  docx: readDocx,
  pptx: readPptx,
  xlsx: readXlsx,
  ods: readOds,
  epub: readEpub,
  odt: ({ zip }) => readOpenDocument({ zip, format: 'odt' }),
  odp: ({ zip }) => readOpenDocument({ zip, format: 'odp' }),
}
/** Maximum number of archives and emails that may be nested. */
const WITHIN_MAX = 3

/**
 * Reads a file of any kind. Its format is detected mainly by its content. For an archive or an email, reads the files
 * in it; inner files that cannot be read are left out. Throws `Refusal` if the file itself cannot be read.
 */
export async function* readDocument(
  file: DocumentFile,
  reading: Reading = readingOnce(file.bytes.length),
  within: readonly string[] = [],
): AsyncGenerator<DocumentItem> {
  const { format, zip } = await detect(file, reading.unpack)
  const files = filesIn(format, file, { zip, unpack: reading.unpack })
  if (files) {
    yield { kind: 'head', format, within }
    return yield* readWithin(files, within, reading)
  }
  const items = () => (zip ? ZIPPED[format]?.({ file, zip }) : PLAIN[format]?.(file))
  const first = items()
  if (!first) throw new Refusal('unsupported_file')
  if (IS_COUNTED.has(format)) yield* countExpected(first)
  let isEmpty = true
  for await (const item of IS_COUNTED.has(format) ? items()! : first) {
    isEmpty &&= item.kind === 'head'
    yield item.kind === 'head' ? { ...item, within } : item
  }
  if (isEmpty) throw new Refusal('empty_file')
}

/** A file inside a file. It is unpacked only when it is read. */
interface PackedFile {
  name: string
  type?: string | undefined
  bytes(): Promise<Uint8Array> | Uint8Array
}

interface Unpacking {
  zip: ZipMembers | undefined
  unpack: Reading['unpack']
}

function filesIn(
  format: Format,
  file: DocumentFile,
  { zip, unpack }: Unpacking,
): AsyncGenerator<PackedFile> | undefined {
  if (format === 'zip' && zip) return filesOfZip(zip)
  if (format === 'tar') return filesOfTar(file.bytes, unpack)
  if (format === 'mail') return filesOfMail(file.bytes, unpack)
  return format === 'gzip' ? gunzippedFile(file, unpack) : undefined
}

/** Yields the file in a gzip. Its name is that of the gzip without the extension. */
async function* gunzippedFile({ name, bytes }: DocumentFile, unpack: Reading['unpack']): AsyncGenerator<PackedFile> {
  const inner = name.replace(/\.gz$/i, '').replace(/\.tgz$/i, '.tar')
  yield { name: inner, bytes: () => gunzipped(bytes, unpack) }
}

async function* readWithin(
  files: AsyncGenerator<PackedFile>,
  within: readonly string[],
  reading: Reading,
): AsyncGenerator<DocumentItem> {
  for await (const { name, type, bytes } of files) {
    const path = [...within, name]
    const action = await reading.enter(path)
    if (action === 'pass') continue
    try {
      if (path.length > WITHIN_MAX)
        throw new Refusal('took_too_much', 'The file is nested too deep in archives; unpack them first.')
      const file = { name, type, bytes: await bytes() }
      if (action === 'read') yield* readDocument(file, reading, path)
      else yield* descendInto(file, reading, path)
    } catch (cause) {
      const { reason, detail } = cause instanceof Refusal ? cause : new Refusal('file_damaged')
      if (action === 'read') yield { kind: 'left_out', within: path, reason, detail }
    }
  }
}

/** Descends into a file that was being read when an earlier process crashed, and reads its remaining inner files. */
async function* descendInto(
  file: DocumentFile,
  reading: Reading,
  path: readonly string[],
): AsyncGenerator<DocumentItem> {
  const { format, zip } = await detect(file, reading.unpack)
  const files = filesIn(format, file, { zip, unpack: reading.unpack })
  if (files) yield* readWithin(files, path, reading)
}

/** Formats in which each row, entry or value is a record. Their number is announced before the first one. */
const IS_COUNTED: ReadonlySet<Format> = new Set(['csv', 'xlsx', 'ods', 'json', 'lines', 'yaml', 'calendar', 'contacts'])
/** Number of records per announcement. */
const COUNT_BATCH = 10_000

/** Counts the records in these items. Yields the counts in steps and discards the items. */
async function* countExpected(
  items: AsyncIterable<DocumentItem> | Iterable<DocumentItem>,
): AsyncGenerator<ExpectedCount> {
  let records = 0
  for await (const { kind } of items) {
    if (kind === 'head') continue
    records += 1
    if (records < COUNT_BATCH) continue
    yield { kind: 'coming', records }
    records = 0
  }
  if (records > 0) yield { kind: 'coming', records }
}

/** Maximum number of files in a tar archive. */
const FILES_MAX = 10_000
/** Matches hidden files, and resource forks that macOS adds. */
const IGNORED_PATHS = /(?:^|\/)(?:__MACOSX\/|\.)/
const NESTING_MAX = 64

/** Yields the files of an inner zip, one after the other. */
async function* filesOfZip(zip: ZipMembers): AsyncGenerator<PackedFile> {
  for (const name of zip.names) if (!IGNORED_PATHS.test(name)) yield { name, bytes: () => zip.bytes(name) }
}

/** Yields the files of a tar. Throws `file_damaged` and `took_too_much`. */
async function* filesOfTar(bytes: Uint8Array, unpack: Reading['unpack']): AsyncGenerator<PackedFile> {
  const files: PackedFile[] = []
  await new Promise<void>((resolve, reject) => {
    const take = (entry: ReadEntry) => {
      const parts: Buffer[] = []
      if (files.length >= FILES_MAX) return reject(new Refusal('took_too_much'))
      try {
        unpack(entry.size)
      } catch (cause) {
        return reject(cause)
      }
      entry.on('data', (part: Buffer) => void parts.push(part))
      entry.on('end', () => {
        const isFile = entry.type === 'File' || entry.type === 'OldFile'
        if (!isFile || IGNORED_PATHS.test(entry.path)) return
        files.push({ name: entry.path, bytes: () => Buffer.concat(parts) })
      })
    }
    const parser = new Parser({ strict: true, onReadEntry: take })
    parser.on('end', () => resolve()).on('error', () => reject(new Refusal('file_damaged')))
    parser.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  })
  yield* files
}

/** Returns the decompressed bytes of a gzip. Throws `file_damaged` and `took_too_much`. */
async function gunzipped(bytes: Uint8Array, unpack: Reading['unpack']): Promise<Uint8Array> {
  const parts: Buffer[] = []
  const stream = createGunzip()
  stream.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  try {
    for await (const part of stream) {
      unpack((part as Buffer).length)
      parts.push(part as Buffer)
    }
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('file_damaged')
  }
  return Buffer.concat(parts)
}

/** Yields the attachments of an email. Those whose text is part of the email's own record are left out. */
async function* filesOfMail(bytes: Uint8Array, unpack: Reading['unpack']): AsyncGenerator<PackedFile> {
  const { attachments } = await postalMime.parse(bytes, { maxNestingDepth: NESTING_MAX })
  for (const [at, { filename, mimeType, content, disposition }] of attachments.entries()) {
    if (MAIL_BODY_TYPES.has(mimeType) || (disposition === 'inline' && mimeType.startsWith('image/'))) continue
    const whole = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
    unpack(whole.length)
    yield { name: filename ?? `attachment ${at + 1}`, type: mimeType, bytes: () => whole }
  }
}

const MAIL_BODY_TYPES = new Set([
  'text/plain',
  'text/markdown',
  'text/x-markdown',
  'text/calendar',
  'application/ics',
  'message/rfc822',
])
