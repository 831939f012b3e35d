import type { Content } from './content.ts'
import { CairnError } from './errors.ts'
import { builtin } from './settings.ts'
import { type TarFile, tarOf } from './tar.ts'

/** Files that hold others, and exports: they are known by what is in them, and sent as they are. */
const BY_ITSELF = /\.(?:zip|tar|tgz|gz|mbox|json|jsonl|ndjson)$/i

/** The service takes so much at once. */
const BYTES_MAX = 1024 ** 3
const FILES_MAX = 100_000
/** Passed over wherever they are: hidden files and installed packages. */
const PASSED_OVER = /^(?:\.|node_modules$|__MACOSX$)/

/** What is sent of these files: one that is known by what is in it as it is, any others as one tar. */
function importOf(files: readonly TarFile[]): { content: Content; content_type: string } {
  const [only, other] = files
  if (only && !other && BY_ITSELF.test(only.path)) {
    return { content: () => only.open(), content_type: 'application/octet-stream' }
  }
  return { content: () => tarOf(files), content_type: 'application/x-tar' }
}

/** A file that a page has, or any content. What has a name is known by its ending. */
export function openBlob(blob: Blob): { content: Content; content_type?: string; source_name?: string } {
  const { name } = blob as Blob & { name?: string }
  if (!name) return { content: blob }
  const open = () => blob.stream() as unknown as AsyncIterable<Uint8Array>
  return { ...importOf([{ path: name, bytes: blob.size, open }]), source_name: name }
}

function fileAt(fs: typeof import('node:fs'), path: string, from: string): TarFile {
  const open = () => fs.createReadStream(from) as AsyncIterable<Uint8Array>
  return { path, bytes: fs.statSync(from).size, open }
}

/** A file or a folder of this machine as it is imported: one tar, under the place that its source is called after. */
export async function openPath(
  path: string | URL,
): Promise<{ content: Content; content_type: string; source_name: string }> {
  const fs = builtin<typeof import('node:fs')>('node:fs')
  const paths = builtin<typeof import('node:path')>('node:path')
  const urls = builtin<typeof import('node:url')>('node:url')
  if (!fs || !paths || !urls) throw new CairnError('There are no paths here. Give the file itself, as a Blob.')
  if (path instanceof URL && path.protocol !== 'file:')
    throw new CairnError(`A file's URL begins with "file:", not "${path.protocol}".`)
  const whole = paths.resolve(path instanceof URL ? urls.fileURLToPath(path) : expanded(path))
  const stat = fs.statSync(whole, { throwIfNoEntry: false })
  if (!stat) throw new CairnError(`There is nothing at "${whole}".`)
  const root = stat.isDirectory() ? whole : paths.dirname(whole)
  const files = stat.isDirectory() ? filesIn(fs, root) : [fileAt(fs, paths.basename(whole), whole)]
  if (files.length === 0) throw new CairnError(`There is no file in "${whole}".`)
  if (files.length > FILES_MAX || files.reduce((sum, { bytes }) => sum + bytes, 0) > BYTES_MAX) {
    throw new CairnError(`"${whole}" is more than is taken at once (1 GiB, 100 000 files). Add its folders one by one.`)
  }
  return { ...importOf(files), source_name: placeOf(root) }
}

function expanded(path: string): string {
  return path.replace(/^~(?=$|\/)/, () => home() ?? '~')
}

/** Undefined where there is none, and where the program may not know whose it is, as on Deno. */
function home(): string | undefined {
  try {
    return builtin<typeof import('node:os')>('node:os')?.homedir()
  } catch {
    return undefined
  }
}

const NAME_CHARS_MAX = 255

/** A place as its user writes it, so that the same place again replaces what changed. */
function placeOf(path: string): string {
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
      if (PASSED_OVER.test(entry.name)) continue
      if (entry.isDirectory()) folders.push(path)
      // A link may lead anywhere, so none is followed.
      else if (entry.isFile()) found.push(fileAt(fs, path, `${root}/${path}`))
    }
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1))
}
