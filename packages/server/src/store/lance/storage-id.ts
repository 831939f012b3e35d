import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { StorageRoot } from '../port.ts'
import { ignoreCode } from './durable.ts'
import { askS3, isS3, openS3 } from './s3.ts'

const NAME = 'storage-id'
const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const
const ID = /^[\w-]{1,64}$/
const ANSWER_MS_MAX = 30_000
const STATUS = { taken: 412, conflict: 409 } as const

/** Returns the path of the storage's id. It is in the storage's root, so a moved storage keeps its id. */
export function storageIdLocation(root: StorageRoot): string {
  return isS3(root) ? `${root.uri.replace(/\/+$/, '')}/${NAME}` : join(root.uri, NAME)
}

/** Returns the id of a storage. Creates it if it is missing. If several processes do, the first one wins. */
export async function idOfStorage(root: StorageRoot): Promise<string> {
  const found = isS3(root) ? await idInBucket(root) : await idInFolder(root)
  const id = found.trim()
  if (!ID.test(id)) throw new Error(`${storageIdLocation(root)} has no valid storage id. Restore it from a backup.`)
  return id
}

async function idInFolder(root: StorageRoot): Promise<string> {
  const path = storageIdLocation(root)
  const existing = await readFile(path, 'utf8').catch(ignoreCode('ENOENT'))
  if (existing !== undefined) return existing
  await mkdir(root.uri, { recursive: true, mode: OWNER_ONLY.folder })
  await writeFile(path, `${randomUUID()}\n`, { flag: 'wx', mode: OWNER_ONLY.file, flush: true }).catch(
    ignoreCode('EEXIST'),
  )
  return readFile(path, 'utf8')
}

async function idInBucket(root: StorageRoot): Promise<string> {
  const existing = await idObject(root)
  if (existing !== undefined) return existing
  const headers = { 'if-none-match': '*', 'content-type': 'text/plain' }
  const body = `${randomUUID()}\n`
  const written = await openS3(root).ask(NAME, { method: 'PUT', headers, body, signal: timeoutSignal(ANSWER_MS_MAX) })
  await written.arrayBuffer()
  const isThere = written.ok || written.status === STATUS.taken || written.status === STATUS.conflict
  const made = isThere ? await idObject(root) : undefined
  if (made === undefined) throw new Error(`The object store answered ${written.status} to ${storageIdLocation(root)}.`)
  return made
}

async function idObject(root: StorageRoot): Promise<string | undefined> {
  const id = await askS3(root, NAME, 'a request for the storage id')
  return id && new TextDecoder().decode(id)
}
