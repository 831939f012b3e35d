import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { StorageRoot } from '../port.ts'
import { ignoreCode } from './durable.ts'
import { isS3, listNames, openS3 } from './s3.ts'

/** Folder of the notes, in the storage's root. No account's folder has this name. */
const FOLDER = 'erased.list'
const NAME = /^[A-Za-z0-9_-]{1,128}$/
const ENDING = '.json'
const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const
const ANSWER_MS_MAX = 30_000
const NOT_FOUND = 404

/** Stores a note durably. */
export async function writeNote(root: StorageRoot, name: string, bytes: Uint8Array): Promise<void> {
  if (isS3(root)) return void (await ask(root, keyOf(name), 'PUT', bytes as Uint8Array<ArrayBuffer>))
  const folder = join(root.uri, FOLDER)
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder })
  const unfinished = join(folder, `${randomUUID()}.unfinished`)
  const file = await open(unfinished, 'wx', OWNER_ONLY.file)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, join(root.uri, keyOf(name)))
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

/** Yields every note, in no particular order. A folder with a note's name counts as an empty note. */
export async function* readNotes(root: StorageRoot): AsyncGenerator<Uint8Array> {
  if (isS3(root)) {
    for await (const name of listNames(root, `${FOLDER}/`)) {
      const note = await ask(root, name, 'GET')
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
  if (isS3(root)) await ask(root, keyOf(name), 'DELETE')
  else await rm(join(root.uri, keyOf(name)), { force: true })
}

async function ask(root: StorageRoot, name: string, method: string, body?: Uint8Array<ArrayBuffer>) {
  const signal = timeoutSignal(ANSWER_MS_MAX)
  const reply = await openS3(root).ask(name, { method, signal, ...(body && { body }) })
  const answer = new Uint8Array(await reply.arrayBuffer())
  if (reply.status === NOT_FOUND) return undefined
  if (!reply.ok)
    throw new Error(`The object store answered ${reply.status} to ${method} of an entry in the list of erasures.`)
  return answer
}

function keyOf(name: string): string {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a valid name of an entry in the list of erasures.`)
  return `${FOLDER}/${name}${ENDING}`
}

function emptyIfFolder(cause: NodeJS.ErrnoException): Uint8Array | undefined {
  return cause.code === 'EISDIR' ? new Uint8Array() : ignoreCode('ENOENT')(cause)
}
