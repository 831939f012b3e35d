import { constants, createReadStream, type Dir } from 'node:fs'
import { access, lstat, opendir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { TarFile } from '@cairnstore/client'
import { usageFailure } from '../output.ts'

/** A file that can be brought in. */
export interface FoundFile extends TarFile {
  /** Where it lies on this machine. */
  from: string
  way: Way
}

/** A file that is left out, and why. */
export interface SkippedFile {
  file: string
  /** What kind it is: its ending, or what else it is known by. */
  kind: string
  reason: string
  detail: string
}

/** The files found at one path. */
export interface FoundPath {
  /** The folder that paths are told from. */
  root: string
  /** Whether the path is a folder that is imported as a whole; false for a single file. */
  isFolder: boolean
  files: FoundFile[]
  leftOut: SkippedFile[]
  /** Names that are passed over wherever they are: hidden ones and installed packages. */
  passedOver: string[]
}

const PASSED_OVER = /^(?:\.|node_modules$|__MACOSX$)/
/** Files of one folder; the service takes no more. */
const FILES_MAX = 100_000
/** The service reads no larger document. */
const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024

/** The files of a path, in the order of their names, told from it, or from its folder when it is one file. */
export async function findFiles(path: string): Promise<FoundPath> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw usageFailure(`There is nothing at "${path}".`)
  const whole = resolve(path)
  if (found.isDirectory()) return filesOfFolder(whole)
  const finding: FoundPath = { root: dirname(whole), isFolder: false, files: [], leftOut: [], passedOver: [] }
  await take(finding, basename(whole))
  return finding
}

async function filesOfFolder(root: string): Promise<FoundPath> {
  const finding: FoundPath = { root, isFolder: true, files: [], leftOut: [], passedOver: [] }
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opened(finding, folder)) {
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (PASSED_OVER.test(entry.name)) finding.passedOver.push(path)
      else if (entry.isDirectory()) folders.push(path)
      else await take(finding, path)
      if (finding.files.length + finding.leftOut.length > FILES_MAX) {
        throw usageFailure(`"${root}" holds more than ${FILES_MAX} files. Add its folders one by one.`)
      }
    }
  }
  finding.files.sort(inOrder(({ path }) => path))
  finding.leftOut.sort(inOrder(({ file }) => file))
  return finding
}

/** What stands in a folder; one that this user may not read is left out. */
async function opened({ root, leftOut }: FoundPath, folder: string): Promise<Dir | []> {
  return opendir(join(root, folder)).catch(() => {
    leftOut.push({ file: folder || '.', kind: 'folder', reason: 'not_readable', detail: 'This user may not read it.' })
    return []
  })
}

function inOrder<T>(by: (each: T) => string): (one: T, other: T) => number {
  return (one, other) => (by(one) < by(other) ? -1 : 1)
}

async function take(finding: FoundPath, path: string): Promise<void> {
  const from = join(finding.root, path)
  const leave = (kind: string, reason: string, detail: string) =>
    void finding.leftOut.push({ file: path, kind, reason, detail })
  const link = await lstat(from).catch(() => undefined)
  if (!link) return leave(endingOf(path), 'is_gone', 'It is gone, or its name is not written in UTF-8.')
  if (link.isSymbolicLink()) return leave('link', 'is_link', 'A link is not followed; add what it leads to.')
  if (!link.isFile()) return leave('device', 'is_no_file', 'This is no file.')
  const ending = endingOf(path.slice(path.lastIndexOf('/') + 1))
  const way = wayOf(path.slice(path.lastIndexOf('/') + 1))
  if (way === 'documents' && link.size > DOCUMENT_BYTES_MAX) {
    return leave(ending || 'no ending', 'file_too_large', 'A document has at most 64 MiB; split it, or send its text.')
  }
  const isOpen = await access(from, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (!isOpen) return leave(ending, 'not_readable', 'This user may not read the file.')
  finding.files.push({ path, from, bytes: link.size, way, open: () => createReadStream(from) })
}

/** How a file of this machine is brought in. */
type Way = 'documents' | 'mailboxes' | 'archive' | 'export' | 'lines'

/** Files that are known by their names to hold others, or to be exports; any other is sent to be read as a document. */
const BY_THEMSELVES: readonly { way: Way; endings: readonly string[] }[] = [
  { way: 'mailboxes', endings: ['.mbox'] },
  { way: 'archive', endings: ['.zip', '.tar', '.tgz', '.gz'] },
  { way: 'export', endings: ['.json', '.af'] },
  { way: 'lines', endings: ['.ndjson', '.jsonl'] },
]

/** What is read, in one line. */
export const WHAT_IS_READ =
  'PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, web pages, CSV, Markdown and other text, calendars, ' +
  'address books, JSON, YAML, notebooks, code, mails and mailboxes, and archives of these'

/** How a file of this name is brought in. */
function wayOf(name: string): Way {
  const ending = endingOf(name)
  return BY_THEMSELVES.find(({ endings }) => endings.includes(ending))?.way ?? 'documents'
}

/** The ending of a file's name in small letters, with its dot; empty where there is none. */
export function endingOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at).toLowerCase() : ''
}
