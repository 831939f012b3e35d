import { detect, type Format } from './detect.ts'
import { type Coming, type DocumentFile, type DocumentItem, Refusal } from './document.ts'
import { filesOfMail, filesOfTar, filesOfZip, unpacked } from './formats/read-archive.ts'
import { readCalendar, readContacts } from './formats/read-calendar.ts'
import { readCsv } from './formats/read-csv.ts'
import { readRtf } from './formats/read-rtf.ts'
import { readAsciidoc, readCode, readNotebook, readOrg, readRestructured, readText } from './formats/read-text.ts'
import { readJson, readJsonLines, readYaml } from './formats/read-values.ts'
import { readDocx } from './office/read-docx.ts'
import { readOds, readOpenDocument } from './office/read-opendocument.ts'
import { readPptx } from './office/read-pptx.ts'
import { readXlsx } from './office/read-xlsx.ts'
import { readPdf } from './pdf/read-pdf.ts'
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
/** Archives within archives, and mails within them, that are opened. */
const WITHIN_MAX = 3

/**
 * Reads a file of any kind: what it is is told by its content first. Of an archive, and of a mail, the files in it, of
 * which one that cannot be read is left out alone. Throws `Refusal` for a file that is not read.
 */
export async function* readDocument(file: DocumentFile, within: readonly string[] = []): AsyncGenerator<DocumentItem> {
  const { format, zip } = await detect(file)
  const files = filesIn(format, file, zip)
  if (files) {
    yield { kind: 'head', format, within }
    return yield* readWithin(files, within)
  }
  const items = () => (zip ? ZIPPED[format]?.({ file, zip }) : PLAIN[format]?.(file))
  const first = items()
  if (!first) throw new Refusal('unsupported_file')
  if (IS_COUNTED.has(format)) yield* countComing(first)
  let isEmpty = true
  for await (const item of IS_COUNTED.has(format) ? items()! : first) {
    isEmpty &&= item.kind === 'head'
    yield item.kind === 'head' ? { ...item, within } : item
  }
  if (isEmpty) throw new Refusal('empty_file')
}

function filesIn(
  format: Format,
  file: DocumentFile,
  zip: ZipMembers | undefined,
): AsyncGenerator<DocumentFile> | undefined {
  if (format === 'zip' && zip) return filesOfZip(zip)
  if (format === 'tar') return filesOfTar(file.bytes)
  if (format === 'mail') return filesOfMail(file.bytes)
  return format === 'gzip' ? only(unpacked(file)) : undefined
}

async function* only(file: Promise<DocumentFile>): AsyncGenerator<DocumentFile> {
  yield await file
}

async function* readWithin(
  files: AsyncGenerator<DocumentFile>,
  within: readonly string[],
): AsyncGenerator<DocumentItem> {
  for await (const file of files) {
    const path = [...within, file.name]
    try {
      if (path.length > WITHIN_MAX)
        throw new Refusal('took_too_much', 'The file lies too deep in archives; unpack them.')
      yield* readDocument(file, path)
    } catch (cause) {
      const { reason, detail } = cause instanceof Refusal ? cause : new Refusal('file_damaged')
      yield { kind: 'left_out', within: path, reason, detail }
    }
  }
}

/** Formats whose every row, entry or value is a record: how many there are is told before the first. */
const IS_COUNTED: ReadonlySet<Format> = new Set(['csv', 'xlsx', 'ods', 'json', 'lines', 'yaml', 'calendar', 'contacts'])
/** So many are told at once. */
const COUNTED_AT_ONCE = 10_000

/** How many records these items make, in steps, without the items. */
async function* countComing(items: AsyncIterable<DocumentItem> | Iterable<DocumentItem>): AsyncGenerator<Coming> {
  let records = 0
  for await (const { kind } of items) {
    if (kind === 'head') continue
    records += 1
    if (records < COUNTED_AT_ONCE) continue
    yield { kind: 'coming', records }
    records = 0
  }
  if (records > 0) yield { kind: 'coming', records }
}
