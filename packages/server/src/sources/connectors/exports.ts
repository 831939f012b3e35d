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
import { isMarkdownFolder, readMarkdownFolder } from './markdown/read-markdown-folder.ts'
import { isMem0, readMem0 } from './mem0/read-mem0.ts'
import { isSlackExport, readSlackExport } from './slack/read-slack-export.ts'

/** A format that is another product's. */
export type ForeignFormat = Exclude<ImportFormat, 'cairn'>

/** What the records of each format are of: the provider within whose bounds logins are unique. */
export const FORMATS: Readonly<Record<ForeignFormat, { provider: string; title: string }>> = {
  mem0: { provider: 'mem0', title: 'mem0' },
  graphiti: { provider: 'graphiti', title: 'Graphiti' },
  cognee: { provider: 'cognee', title: 'Cognee' },
  slack: { provider: 'slack', title: 'Slack' },
  mbox: { provider: 'email', title: 'Mail' },
  markdown: { provider: 'markdown', title: 'Documents' },
}

const JSON_FORMATS = [
  { format: 'graphiti', is: isGraphiti, read: readGraphiti },
  { format: 'cognee', is: isCognee, read: readCognee },
  { format: 'mem0', is: isMem0, read: readMem0 },
] as const

/** Which product wrote a JSON value, when one of those known did. */
export function formatOfJson(value: unknown): ForeignFormat | undefined {
  return JSON_FORMATS.find(({ is }) => is(value))?.format
}

/** The items of a JSON value; none for a format that is not written so. */
export function readJson(format: ForeignFormat, value: unknown): Iterable<ExportItem> {
  return JSON_FORMATS.find((each) => each.format === format)?.read(value) ?? []
}

const JSON_FILE = /\.json$/i
const MBOX_FILE = /\.mbox$/i

/** Which product wrote these files; a JSON file among them is looked into when names alone do not say it. */
export async function formatOfFiles(files: ExportFiles, tools: ReaderTools): Promise<ForeignFormat | undefined> {
  const { names } = files
  if (isSlackExport(names)) return 'slack'
  if (names.some((name) => MBOX_FILE.test(name))) return 'mbox'
  if (isMarkdownFolder(names)) return 'markdown'
  for await (const file of files.files((name) => JSON_FILE.test(name))) {
    const read = await jsonFile(file, tools)
    const format = 'value' in read ? formatOfJson(read.value) : undefined
    if (format) return format
  }
  return undefined
}

/** The items of files. */
export async function* readFiles(
  format: ForeignFormat,
  files: ExportFiles,
  tools: ReaderTools,
): AsyncGenerator<ExportItem> {
  if (format === 'slack') yield* readSlackExport(files, tools)
  else if (format === 'markdown') yield* readMarkdownFolder(files, tools)
  else if (format === 'mbox') {
    const isRead = (name: string) => MBOX_FILE.test(name) || !name.split('/').at(-1)!.includes('.')
    for (const file of files.names.filter((name) => !isRead(name))) {
      yield { line: 1, file, ...unsupported(file, 'where there are mailboxes, only they') }
    }
    for await (const file of files.files(isRead)) yield* readMailbox(file)
  } else {
    for await (const file of files.files((name) => JSON_FILE.test(name))) yield* jsonItems(format, file, tools)
  }
}

/** Mailboxes need no ending; a file that does not begin like one is none. */
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

async function* jsonItems(format: ForeignFormat, file: ExportFile, tools: ReaderTools): AsyncGenerator<ExportItem> {
  const read = await jsonFile(file, tools)
  if ('error' in read) return yield { line: 1, file: file.name, ...read }
  for (const item of readJson(format, read.value)) yield { ...item, file: file.name }
}
