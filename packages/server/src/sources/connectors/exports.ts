import type { ImportFormat } from '@cairnstore/contract'
import { isCognee, readCognee } from './cognee/read-cognee.ts'
import { isMbox, readMbox } from './email/read-mbox.ts'
import {
  type ExportFile,
  type ExportFiles,
  type ExportItem,
  jsonFile,
  type ReaderTools,
  unsupported,
} from './export-reader.ts'
import { isGraphiti, readGraphiti } from './graphiti/read-graphiti.ts'
import { isMem0, readMem0 } from './mem0/read-mem0.ts'
import { isSlackExport, readSlackExport } from './slack/read-slack-export.ts'

/** A format that is another product's. */
export type ForeignFormat = Exclude<ImportFormat, 'cairn'>
/** One that is told by the product that wrote it; documents are told each by itself. */
export type ProductFormat = Exclude<ForeignFormat, 'markdown' | 'documents'>

/** Whether a format is that of documents, by either of its names. */
export function isOfDocuments(format: ForeignFormat): format is 'markdown' | 'documents' {
  return format === 'documents' || format === 'markdown'
}

/** What the records of each format are of: the provider within whose bounds logins are unique. */
export const FORMATS: Readonly<Record<ForeignFormat, { provider: string; title: string }>> = {
  mem0: { provider: 'mem0', title: 'mem0' },
  graphiti: { provider: 'graphiti', title: 'Graphiti' },
  cognee: { provider: 'cognee', title: 'Cognee' },
  slack: { provider: 'slack', title: 'Slack' },
  mbox: { provider: 'email', title: 'Mail' },
  markdown: { provider: 'markdown', title: 'Documents' },
  documents: { provider: 'markdown', title: 'Documents' },
}

const JSON_FORMATS = [
  { format: 'graphiti', is: isGraphiti, read: readGraphiti },
  { format: 'cognee', is: isCognee, read: readCognee },
  { format: 'mem0', is: isMem0, read: readMem0 },
] as const

/** Which product wrote a JSON value, when one of those known did. */
export function formatOfJson(value: unknown): ProductFormat | undefined {
  return JSON_FORMATS.find(({ is }) => is(value))?.format
}

/** The items of a JSON value; none for a format that is not written so. */
export function readJson(format: ForeignFormat, value: unknown): Iterable<ExportItem> {
  return JSON_FORMATS.find((each) => each.format === format)?.read(value) ?? []
}

const JSON_FILE = /\.json$/i
/** An export of JSON may hold the same as lines, packed or not. */
const JSON_FILES = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i
const MBOX_FILE = /\.mbox$/i

/**
 * Which product wrote these files, as they all say: by their names, else by a file of JSON where
 * there is nothing else.
 */
export async function formatOfFiles(files: ExportFiles, tools: ReaderTools): Promise<ProductFormat | undefined> {
  const { names } = files
  if (isSlackExport(names)) return 'slack'
  if (names.some((name) => MBOX_FILE.test(name)) && names.every(isMailbox)) return 'mbox'
  if (!names.every((name) => JSON_FILES.test(name))) return undefined
  for await (const file of files.files((name) => JSON_FILE.test(name))) {
    const read = await jsonFile(file, tools)
    const format = 'value' in read ? formatOfJson(read.value) : undefined
    if (format) return format
  }
  return undefined
}

/** Mailboxes need no ending. */
function isMailbox(name: string): boolean {
  return MBOX_FILE.test(name) || !name.split('/').at(-1)!.includes('.')
}

/** The items of files that one product wrote. */
export async function* readFiles(
  format: ProductFormat,
  files: ExportFiles,
  tools: ReaderTools,
): AsyncGenerator<ExportItem> {
  if (format === 'slack') yield* readSlackExport(files, tools)
  else if (format === 'mbox') {
    for (const file of files.names.filter((name) => !isMailbox(name))) {
      yield { line: 1, file, ...unsupported(file, 'where there are mailboxes, only they') }
    }
    for await (const file of files.files(isMailbox)) yield* readMailbox(file)
  } else {
    for await (const file of files.files((name) => JSON_FILE.test(name))) yield* jsonItems(format, file, tools)
  }
}

/** A file that does not begin like one is none. */
async function* readMailbox(file: ExportFile): AsyncGenerator<ExportItem> {
  let isFirst = true
  let isMailbox = true
  const chunks = async function* () {
    for await (const chunk of file.open()) {
      if (isFirst) isMailbox = isMbox(chunk)
      isFirst = false
      if (isMailbox) yield chunk
    }
  }
  yield* readMbox(chunks(), file.name)
}

async function* jsonItems(format: ProductFormat, file: ExportFile, tools: ReaderTools): AsyncGenerator<ExportItem> {
  const read = await jsonFile(file, tools)
  if ('error' in read) return yield { line: 1, file: file.name, ...read }
  for (const item of readJson(format, read.value)) yield { ...item, file: file.name }
}
