import { open, readdir, readFile, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The folders of a dataset in which an append creates files. */
export const APPEND_FOLDERS = ['data', '_versions', '_transactions'] as const

/** Lists the paths of all files below a directory. Empty if the directory does not exist. */
export async function listFiles(path: string): Promise<Set<string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(ignoreCode('ENOENT'))
  return new Set((entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)))
}

/** Syncs every file of these folders that is not in `known`, with its folder. Adds the files to `known`. */
export async function syncNewFiles(path: string, folders: readonly string[], known: Set<string>): Promise<void> {
  const listed = await Promise.all(
    folders.map(async (folder) => {
      const names = (await readdir(join(path, folder)).catch(ignoreCode('ENOENT'))) ?? []
      return names.map((name) => join(path, folder, name))
    }),
  )
  await syncAll(
    listed.flat().filter((file) => !known.has(file)),
    known,
  )
}

/** Syncs the files below a directory that are not in `known`, and `ancestors`, which may be new folders. */
export async function syncTree(path: string, known: Set<string>, ancestors: readonly string[]): Promise<void> {
  const files = [...(await listFiles(path))].filter((file) => !known.has(file))
  await Promise.all([syncAll(files, known), syncPath(path), ...ancestors.map(syncPath)])
}

async function syncAll(files: readonly string[], known: Set<string>): Promise<void> {
  const folders = new Set(files.map((file) => dirname(file)))
  await Promise.all([...files, ...folders].map(syncPath))
  for (const file of files) known.add(file)
}

/** Syncs a file, or the entries of a folder, so that it survives a power loss. */
export async function syncPath(path: string): Promise<void> {
  // Lance may have removed the file meanwhile, such as its version hint. It then needs no sync.
  const file = await open(path, 'r').catch(ignoreCode('ENOENT'))
  if (!file) return
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Last bytes of a complete manifest. */
const MANIFEST_MAGIC = 'LANC'

/**
 * Deletes manifests that a power loss left incomplete. Returns true if there were any. Lance cannot open a dataset with
 * an incomplete latest manifest, not even at an older version. Complete manifests are renamed into place, so a running
 * writer's manifest is never incomplete.
 */
export async function removeTornManifests(path: string): Promise<boolean> {
  const folder = join(path, '_versions')
  const names = (await readdir(folder).catch(ignoreCode('ENOENT'))) ?? []
  const torn: string[] = []
  for (const name of names.filter((each) => each.endsWith('.manifest'))) {
    const bytes = await readFile(join(folder, name)).catch(ignoreCode('ENOENT'))
    if (bytes && bytes.subarray(-MANIFEST_MAGIC.length).toString('latin1') !== MANIFEST_MAGIC) torn.push(name)
  }
  for (const name of torn) await unlink(join(folder, name)).catch(ignoreCode('ENOENT'))
  return torn.length > 0
}

/** Returns a handler of rejections that returns undefined for this code and rethrows any other error. */
export function ignoreCode(expected: string): (cause: NodeJS.ErrnoException) => undefined {
  return (cause) => {
    if (cause.code !== expected) throw cause
    return undefined
  }
}
