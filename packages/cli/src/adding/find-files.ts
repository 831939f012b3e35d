import { constants, createReadStream, type Dir } from 'node:fs'
import { access, lstat, opendir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { TarFile } from '@cairnstore/client'
import { usageFailure } from '../output.ts'

/** A file that can be imported. */
export interface FoundFile extends TarFile {
  /** Absolute path on this machine. */
  from: string
  way: ImportMethod
}

export interface SkippedFile {
  file: string
  /** Kind of file: its extension, or another description such as `folder`. */
  kind: string
  reason: string
  detail: string
}

export interface FoundPath {
  /** Folder that the paths are relative to. */
  root: string
  /** True if the path is a folder that is imported completely; false for a single file. */
  isFolder: boolean
  files: FoundFile[]
  leftOut: SkippedFile[]
  /** Names that are always skipped: hidden files and installed packages. */
  ignored: string[]
}

const IGNORED = /^(?:\.|node_modules$|__MACOSX$)/
/** Maximum number of files per folder; the service accepts no more in one import. */
const FILES_MAX = 100_000
/** Maximum size of a document in bytes; the service rejects larger ones. */
const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024

/** Lists the files of a folder, or a single file, by name. Throws a usage Failure if the path does not exist. */
export async function findFiles(path: string): Promise<FoundPath> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw usageFailure(`"${path}" does not exist.`)
  const whole = resolve(path)
  if (found.isDirectory()) return filesOfFolder(whole)
  const finding: FoundPath = { root: dirname(whole), isFolder: false, files: [], leftOut: [], ignored: [] }
  await take(finding, basename(whole))
  return finding
}

async function filesOfFolder(root: string): Promise<FoundPath> {
  const finding: FoundPath = { root, isFolder: true, files: [], leftOut: [], ignored: [] }
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opened(finding, folder)) {
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (IGNORED.test(entry.name)) finding.ignored.push(path)
      else if (entry.isDirectory()) folders.push(path)
      else await take(finding, path)
      if (finding.files.length + finding.leftOut.length > FILES_MAX) {
        throw usageFailure(`"${root}" contains more than ${FILES_MAX} files. Add its subfolders one by one.`)
      }
    }
  }
  finding.files.sort(byKey(({ path }) => path))
  finding.leftOut.sort(byKey(({ file }) => file))
  return finding
}

/** Opens a folder. Records a folder that this user cannot read as skipped and returns an empty list. */
async function opened({ root, leftOut }: FoundPath, folder: string): Promise<Dir | []> {
  return opendir(join(root, folder)).catch(() => {
    leftOut.push({ file: folder || '.', kind: 'folder', reason: 'not_readable', detail: 'Permission denied.' })
    return []
  })
}

function byKey<T>(by: (each: T) => string): (one: T, other: T) => number {
  return (one, other) => (by(one) < by(other) ? -1 : 1)
}

async function take(finding: FoundPath, path: string): Promise<void> {
  const from = join(finding.root, path)
  const leave = (kind: string, reason: string, detail: string) =>
    void finding.leftOut.push({ file: path, kind, reason, detail })
  const link = await lstat(from).catch(() => undefined)
  if (!link) return leave(endingOf(path), 'is_gone', 'It was deleted, or its name is not valid UTF-8.')
  if (link.isSymbolicLink()) return leave('link', 'is_link', 'Symbolic links are not followed. Add the target instead.')
  if (!link.isFile()) return leave('device', 'is_no_file', 'This is not a regular file.')
  const ending = endingOf(path.slice(path.lastIndexOf('/') + 1))
  const way = importMethodOf(path.slice(path.lastIndexOf('/') + 1))
  if (way === 'documents' && link.size > DOCUMENT_BYTES_MAX) {
    return leave(
      ending || 'no extension',
      'file_too_large',
      'Documents may have at most 64 MiB. Split it, or send its text.',
    )
  }
  const isOpen = await access(from, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (!isOpen) return leave(ending, 'not_readable', 'Permission denied.')
  finding.files.push({ path, from, bytes: link.size, way, open: () => createReadStream(from) })
}

type ImportMethod = 'documents' | 'mailboxes' | 'archive' | 'export' | 'lines'

/** File extensions of archives, mailboxes and exports. Every other file is sent as a document. */
const METHODS_BY_EXTENSION: readonly { way: ImportMethod; endings: readonly string[] }[] = [
  { way: 'mailboxes', endings: ['.mbox'] },
  { way: 'archive', endings: ['.zip', '.tar', '.tgz', '.gz'] },
  { way: 'export', endings: ['.json', '.af'] },
  { way: 'lines', endings: ['.ndjson', '.jsonl'] },
]

/** Supported file types in one line, for help texts. */
export const SUPPORTED_TYPES =
  'PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, web pages, CSV, Markdown and other text, calendars, ' +
  'address books, JSON, YAML, notebooks, code, mails and mailboxes, and archives of these'

function importMethodOf(name: string): ImportMethod {
  const ending = endingOf(name)
  return METHODS_BY_EXTENSION.find(({ endings }) => endings.includes(ending))?.way ?? 'documents'
}

/** Returns the lower-case extension of a file name with its dot; empty if there is none. */
export function endingOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at).toLowerCase() : ''
}
