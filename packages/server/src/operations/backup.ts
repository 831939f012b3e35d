import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Static, Type as T } from '@cairnstore/contract'
import { Header, Pack, ReadEntry } from 'tar'
import { checkFirst } from '../base/check.ts'
import type { Clock } from '../base/clock.ts'
import { parseJson } from '../base/parse-json.ts'
import { ConfigError } from '../config/config-error.ts'
import { ADDRESS_FILE } from '../folder-lock.ts'
import { FOLDER_FORMAT, moveInto, syncPath } from './folder-format.ts'

const OWNER_ONLY = 0o600

/**
 * Writes a data folder to one new file, a gzipped tar that starts with a manifest. The caller must hold the lock of the
 * folder. Either the complete file appears or none. Without `withKeys`, the backup does not contain the keys that its
 * encrypted content needs.
 */
export async function backUp(folder: string, archive: string, withKeys: boolean, clock: Clock): Promise<Manifest> {
  if (existsSync(archive)) throw new ConfigError(`${archive} already exists. Choose another file name.`)
  const manifest = await manifestOf(folder, withKeys, clock.now())
  const unfinished = `${archive}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    const pack = new Pack({ cwd: folder, gzip: true, portable: true, strict: true, noDirRecurse: true })
    pack.add(manifestEntry(manifest))
    for (const { path } of manifest.files) pack.add(path)
    pack.end()
    await pipeline(pack, createWriteStream(unfinished, { mode: OWNER_ONLY, flags: 'wx' }))
    syncPath(unfinished)
    moveInto(unfinished, archive)
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw cause
  }
  return manifest
}

function manifestEntry(manifest: Manifest): ReadEntry {
  const bytes = Buffer.from(JSON.stringify(manifest))
  const entry = new ReadEntry(new Header({ path: MANIFEST_NAME, mode: OWNER_ONLY, size: bytes.length, type: 'File' }))
  entry.end(bytes)
  return entry
}

/** Name of the archive's first entry. */
export const MANIFEST_NAME = 'cairn-backup.json'

/** Folder with the local cache of a bucket. It is not backed up. */
const CACHE_FOLDER = 'cache'
/** Matches hidden top-level entries, which may be command line profiles with API keys and are not service data. */
const HIDDEN = /^\.[^/]*$/

/** Pattern of a relative path inside the folder, with single slashes and without `.` and `..` segments. */
const SAFE_PATH = '^(?!\\.{1,2}(?:/|$))[^/\\\\\\0]+(?:/(?!\\.{1,2}(?:/|$))[^/\\\\\\0]+)*$'

/** Manifest of a backup: every folder, and every file with its length and SHA-256. */
export const Manifest = T.Object({
  cairn_backup: T.Literal(1),
  folder_format: T.Integer({ minimum: 0 }),
  made_at: T.String(),
  with_keys: T.Boolean(),
  folders: T.Array(T.String({ pattern: SAFE_PATH })),
  files: T.Array(
    T.Object({
      path: T.String({ pattern: SAFE_PATH }),
      bytes: T.Integer({ minimum: 0 }),
      sha256: T.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
})
export type Manifest = Static<typeof Manifest>

const check = checkFirst(Manifest, [])

/** Parses a manifest. Returns undefined if the bytes are not a valid one. */
export function parseManifest(bytes: Buffer): Manifest | undefined {
  const value = parseJson(bytes.toString('utf8'))
  return check(value).length === 0 ? (value as Manifest) : undefined
}

/**
 * Creates the manifest of a folder that no other process uses. Keys are the top-level files named `*.key`. Sockets and
 * other special files are skipped.
 */
async function manifestOf(folder: string, withKeys: boolean, madeAt: Date): Promise<Manifest> {
  const manifest: Manifest = {
    cairn_backup: 1,
    folder_format: FOLDER_FORMAT,
    made_at: madeAt.toISOString(),
    with_keys: withKeys,
    folders: [],
    files: [],
  }
  const paths: string[] = []
  listInto(folder, '', manifest.folders, paths)
  for (const path of paths) {
    if (!withKeys && /^[^/]+\.key$/.test(path)) continue
    manifest.files.push({ path, ...(await digestOf(join(folder, path))) })
  }
  return manifest
}

function listInto(root: string, below: string, folders: string[], files: string[]): void {
  const entries = readdirSync(join(root, below), { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (path === CACHE_FOLDER || path === ADDRESS_FILE || HIDDEN.test(path)) continue
    if (entry.isDirectory()) {
      folders.push(path)
      listInto(root, path, folders, files)
    } else if (entry.isFile()) {
      files.push(path)
    }
  }
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length
      hash.update(chunk)
    }
  })
  return { bytes, sha256: hash.digest('hex') }
}
