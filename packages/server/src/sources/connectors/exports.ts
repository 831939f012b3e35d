import type { ImportFormat } from '@cairnstore/contract'
import { jsonElements } from './assistants/json-elements.ts'
import { isChatgpt, isChatgptExport, readChatgpt, readChatgptValue } from './chatgpt/read-chatgpt.ts'
import { isClaude, isClaudeExport, readClaude, readClaudeValue } from './claude/read-claude.ts'
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
import { isGraphiti, openGraphiti, readGraphiti } from './graphiti/read-graphiti.ts'
import { isLetta, readLetta } from './letta/read-letta.ts'
import { isMem0, memoryItem, readMem0 } from './mem0/read-mem0.ts'
import { isSlackExport, readSlackExport } from './slack/read-slack-export.ts'

/** Format of another product. */
export type ForeignFormat = Exclude<ImportFormat, 'cairn'>
/** Format that is recognized for an export as a whole. The format of documents is detected file by file. */
export type ProductFormat = Exclude<ForeignFormat, 'markdown' | 'documents'>

/** Returns true for the format of documents, under either of its names. */
export function isDocumentFormat(format: ForeignFormat): format is 'markdown' | 'documents' {
  return format === 'documents' || format === 'markdown'
}

/** Functions that recognize and read the export of one product, for each form of export. */
interface ExportReader {
  /** Scope within which logins are unique. */
  readonly provider: string
  readonly title: string
  /** Recognizes and reads an export that is one JSON value. */
  readonly json?: { match(value: unknown): boolean; read(value: unknown): Iterable<ExportItem> }
  /** Recognizes an export by its file names and reads it. If absent, the files are read with `json`. */
  readonly files?: {
    match(names: readonly string[]): boolean
    read(files: ExportFiles, tools: ReaderTools): AsyncIterable<ExportItem>
  }
  /** Returns a reader for JSON Lines. It returns undefined for a line without content. */
  readonly openLines?: () => (value: unknown, line: number) => ExportItem | undefined
}

/** Readers of all supported products. The first product that recognizes a value or the files is used. */
const EXPORTS: Readonly<Record<ProductFormat, ExportReader>> = {
  slack: { provider: 'slack', title: 'Slack', files: { match: isSlackExport, read: readSlackExport } },
  mbox: { provider: 'email', title: 'Mail', files: { match: isMailboxExport, read: readMailboxes } },
  chatgpt: {
    provider: 'chatgpt',
    title: 'ChatGPT',
    json: { match: isChatgpt, read: readChatgptValue },
    files: { match: isChatgptExport, read: readChatgpt },
  },
  claude: {
    provider: 'claude',
    title: 'Claude',
    json: { match: isClaude, read: readClaudeValue },
    files: { match: isClaudeExport, read: readClaude },
  },
  letta: { provider: 'letta', title: 'Letta', json: { match: isLetta, read: readLetta } },
  graphiti: {
    provider: 'graphiti',
    title: 'Graphiti',
    json: { match: isGraphiti, read: readGraphiti },
    openLines: () => openGraphiti().read,
  },
  cognee: { provider: 'cognee', title: 'Cognee', json: { match: isCognee, read: readCognee } },
  mem0: { provider: 'mem0', title: 'mem0', json: { match: isMem0, read: readMem0 }, openLines: () => memoryItem },
}
const PRODUCTS = Object.keys(EXPORTS) as ProductFormat[]
const DOCUMENTS = { provider: 'markdown', title: 'Documents' }

/** Provider and title of each format. Logins are unique within the provider. */
export const FORMATS: Readonly<Record<ForeignFormat, Pick<ExportReader, 'provider' | 'title'>>> = {
  ...EXPORTS,
  markdown: DOCUMENTS,
  documents: DOCUMENTS,
}

/** Returns the product that wrote a JSON value; undefined if it is not recognized. */
export function formatOfJson(value: unknown): ProductFormat | undefined {
  return PRODUCTS.find((format) => EXPORTS[format].json?.match(value))
}

/** Returns the items of a JSON value; none for a format that is not a JSON value. */
export function readJson(format: ProductFormat, value: unknown): Iterable<ExportItem> {
  return EXPORTS[format].json?.read(value) ?? []
}

/** Returns a reader for an export in JSON Lines; undefined for other formats. */
export function openLines(format: ProductFormat): ReturnType<NonNullable<ExportReader['openLines']>> | undefined {
  return EXPORTS[format].openLines?.()
}

const CONVERSATIONS_FILE = /(?:^|\/)conversations(?:[-_ ]?\d+)?\.json$/i
const JSON_FILE = /\.(?:json|af)$/i
/** A JSON export may contain the same data as JSON Lines, compressed or not. */
const JSON_FILES = /\.(?:json|af|jsonl|ndjson)(?:\.gz)?$/i
const MBOX_FILE = /\.mbox$/i

/** Returns the product that wrote the files, by their names. If all files are JSON, by their content. */
export async function formatOfFiles(files: ExportFiles, tools: ReaderTools): Promise<ProductFormat | undefined> {
  const { names } = files
  const named = PRODUCTS.find((format) => EXPORTS[format].files?.match(names))
  if (named) return named
  // ChatGPT and Claude use the same file name for conversations, so the content decides.
  for await (const file of files.files((name) => CONVERSATIONS_FILE.test(name))) {
    for await (const element of jsonElements(file, tools)) {
      const format = 'value' in element ? formatOfJson([element.value]) : undefined
      if (format) return format
      break
    }
  }
  if (!names.every((name) => JSON_FILES.test(name))) return undefined
  for await (const file of files.files((name) => JSON_FILE.test(name))) {
    const read = await jsonFile(file, tools)
    const format = 'value' in read ? formatOfJson(read.value) : undefined
    if (format) return format
  }
  return undefined
}

/** Yields the items of the files of one product's export. */
export async function* readFiles(
  format: ProductFormat,
  files: ExportFiles,
  tools: ReaderTools,
): AsyncGenerator<ExportItem> {
  const own = EXPORTS[format].files
  if (own) return yield* own.read(files, tools)
  for await (const file of files.files((name) => JSON_FILE.test(name))) yield* jsonItems(format, file, tools)
}

function isMailboxExport(names: readonly string[]): boolean {
  return names.some((name) => MBOX_FILE.test(name)) && names.every(isMailbox)
}

/** Returns true for the name of a mailbox, which may have no extension. */
function isMailbox(name: string): boolean {
  return MBOX_FILE.test(name) || !name.split('/').at(-1)!.includes('.')
}

async function* readMailboxes(files: ExportFiles): AsyncGenerator<ExportItem> {
  for (const file of files.names.filter((name) => !isMailbox(name))) {
    yield { line: 1, file, ...unsupported(file, 'next to mailboxes, only mailboxes') }
  }
  for await (const file of files.files(isMailbox)) yield* readMailbox(file)
}

/** Reads a mailbox. A file that does not start like one yields nothing. */
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
