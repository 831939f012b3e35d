import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageRoot } from '../port.ts'
import { ignoreCode, syncPath } from './durable.ts'
import { askS3, isS3, listNames } from './s3.ts'

/** Folder of the notes, in the storage's root. No account's folder has this name. */
const FOLDER = 'erased.list'
const NAME = /^[A-Za-z0-9_-]{1,128}$/
const ENDING = '.json'
const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const
const REQUEST = 'a request for an entry in the list of erasures'

/** Stores a note durably. */
export async function writeNote(root: StorageRoot, name: string, bytes: Uint8Array): Promise<void> {
  if (isS3(root)) {
    await askS3(root, keyOf(name), REQUEST, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> })
    return
  }
  const folder = join(root.uri, FOLDER)
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder })
  const unfinished = join(folder, `${randomUUID()}.unfinished`)
  await writeFile(unfinished, bytes, { flag: 'wx', mode: OWNER_ONLY.file, flush: true })
  await rename(unfinished, join(root.uri, keyOf(name)))
  await syncPath(folder)
}

/** Yields every note, in no particular order. A folder with a note's name counts as an empty note. */
export async function* readNotes(root: StorageRoot): AsyncGenerator<Uint8Array> {
  if (isS3(root)) {
    for await (const name of listNames(root, `${FOLDER}/`)) {
      const note = await askS3(root, name, REQUEST)
      if (note) yield note
    }
    return
  }
  const names = (await readdir(join(root.uri, FOLDER)).catch(ignoreCode('ENOENT'))) ?? []
  for (const name of names.filter((each) => each.endsWith(ENDING))) {
    const note = await readFile(join(root.uri, FOLDER, name)).catch(emptyIfFolder)
    if (note) yield note
  }
}

export async function removeNote(root: StorageRoot, name: string): Promise<void> {
  if (isS3(root)) await askS3(root, keyOf(name), REQUEST, { method: 'DELETE' })
  else await rm(join(root.uri, keyOf(name)), { force: true })
}

function keyOf(name: string): string {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a valid name of an entry in the list of erasures.`)
  return `${FOLDER}/${name}${ENDING}`
}

function emptyIfFolder(cause: NodeJS.ErrnoException): Uint8Array | undefined {
  return cause.code === 'EISDIR' ? new Uint8Array() : ignoreCode('ENOENT')(cause)
}
