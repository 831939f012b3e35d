import type { Content } from './content.ts'
import { CairnError } from './errors.ts'
import { builtin } from './settings.ts'
import { type TarFile, tarOf } from './tar.ts'

/** Extensions of archives and exports, which the service recognizes by content. They are sent unchanged. */
const SENT_UNCHANGED = /\.(?:zip|tar|tgz|gz|mbox|json|jsonl|ndjson)$/i

/** Maximum bytes that the service accepts in one request. */
const BYTES_MAX = 1024 ** 3
const FILES_MAX = 100_000
/** Names that are always skipped: hidden files and installed packages. */
const IGNORED = /^(?:\.|node_modules$|__MACOSX$)/

/** Returns the import content: a single archive or export unchanged, anything else as one tar. */
function importContentOf(files: readonly TarFile[]): { content: Content; content_type: string } {
  const [only, other] = files
  if (only && !other && SENT_UNCHANGED.test(only.path)) {
    return { content: () => only.open(), content_type: 'application/octet-stream' }
  }
  return { content: () => tarOf(files), content_type: 'application/x-tar' }
}

/** Prepares a Blob for import. A named file is recognized by its extension. */
export function openBlob(blob: Blob): { content: Content; content_type?: string; source_name?: string } {
  const { name } = blob as Blob & { name?: string }
  if (!name) return { content: blob }
  const open = () => blob.stream() as unknown as AsyncIterable<Uint8Array>
  return { ...importContentOf([{ path: name, bytes: blob.size, open }]), source_name: name }
}

function fileAt(fs: typeof import('node:fs'), path: string, from: string): TarFile {
  const open = () => fs.createReadStream(from) as AsyncIterable<Uint8Array>
  return { path, bytes: fs.statSync(from).size, open }
}

/** Prepares a local file or folder for import, as one tar. The path becomes the name of the source. */
export async function openPath(
  path: string | URL,
): Promise<{ content: Content; content_type: string; source_name: string }> {
  const fs = builtin<typeof import('node:fs')>('node:fs')
  const paths = builtin<typeof import('node:path')>('node:path')
  const urls = builtin<typeof import('node:url')>('node:url')
  if (!fs || !paths || !urls) throw new CairnError('This runtime has no file system. Pass the file itself as a Blob.')
  if (path instanceof URL && path.protocol !== 'file:')
    throw new CairnError(`The URL of a file must begin with "file:", not "${path.protocol}".`)
  const whole = paths.resolve(path instanceof URL ? urls.fileURLToPath(path) : expanded(path))
  const stat = fs.statSync(whole, { throwIfNoEntry: false })
  if (!stat) throw new CairnError(`"${whole}" does not exist.`)
  const root = stat.isDirectory() ? whole : paths.dirname(whole)
  const files = stat.isDirectory() ? filesIn(fs, root) : [fileAt(fs, paths.basename(whole), whole)]
  if (files.length === 0) throw new CairnError(`"${whole}" contains no files. Hidden files and links are skipped.`)
  if (files.length > FILES_MAX || files.reduce((sum, { bytes }) => sum + bytes, 0) > BYTES_MAX) {
    throw new CairnError(`"${whole}" is larger than 1 GiB or 100 000 files. Add its subfolders one by one.`)
  }
  return { ...importContentOf(files), source_name: sourceNameOf(root) }
}

function expanded(path: string): string {
  return path.replace(/^~(?=$|\/)/, () => home() ?? '~')
}

/** Returns the home folder. Undefined on runtimes that have none or deny access, such as Deno. */
function home(): string | undefined {
  try {
    return builtin<typeof import('node:os')>('node:os')?.homedir()
  } catch {
    return undefined
  }
}

const NAME_CHARS_MAX = 255

/** Returns a path with `~` for the home folder. Importing the same path again replaces what changed. */
function sourceNameOf(path: string): string {
  const own = home()
  const isOwn = own !== undefined && (path === own || path.startsWith(`${own}/`))
  const shown = [...(isOwn ? `~${path.slice(own.length)}` : path)]
  return shown.length <= NAME_CHARS_MAX ? shown.join('') : `…${shown.slice(1 - NAME_CHARS_MAX).join('')}`
}

function filesIn(fs: typeof import('node:fs'), root: string): TarFile[] {
  const found: TarFile[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of fs.readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (IGNORED.test(entry.name)) continue
      if (entry.isDirectory()) folders.push(path)
      // Symbolic links are not followed, because they can point outside the folder.
      else if (entry.isFile()) found.push(fileAt(fs, path, `${root}/${path}`))
    }
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1))
}
