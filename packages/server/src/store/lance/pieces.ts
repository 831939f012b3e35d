import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { DiskCache } from '../disk-cache.ts'
import { listNames, openS3 } from './s3.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/** Where the pieces are, in the sandbox's folder. */
const FOLDER = 'graph'
const NAME = /^[A-Za-z0-9_-]{1,128}$/
/** How long an object store may take for one piece. */
const ANSWER_MS_MAX = 30_000
const NOT_FOUND = 404
/** What a piece is named while it is being written: no name that is read. */
const UNFINISHED = '.tmp'

/** Where the pieces of a sandbox are, and the cache of those that are in an object store, where there is one. */
export interface PiecePlace {
  readonly folder: SandboxFolder
  readonly cache?: DiskCache | undefined
}

/** Keeps a piece whole or not at all. It need not outlive a power loss. */
export async function keepPiece({ folder, cache }: PiecePlace, name: string, bytes: Uint8Array): Promise<void> {
  const own = folder.localPaths.at(-1)
  if (own === undefined) {
    const body = bytes as Uint8Array<ArrayBuffer>
    const reply = await openS3(folder).ask(keyOf(name), { method: 'PUT', body, signal: timeoutSignal(ANSWER_MS_MAX) })
    await reply.arrayBuffer()
    if (!reply.ok) throw new Error(`The object store answered ${reply.status} to a piece of a graph.`)
    await cache?.keep(folder.sandboxId, name, bytes)
    return
  }
  const path = join(own, keyOf(name))
  const unfinished = `${path}.${randomUUID()}${UNFINISHED}`
  // Only in a folder that is there: one that comes after an erasure brings nothing back.
  await mkdir(join(own, FOLDER)).catch(unless('EEXIST'))
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}

/** The piece of this name; undefined when it is not there. */
export async function readPiece({ folder, cache }: PiecePlace, name: string): Promise<Uint8Array | undefined> {
  const own = folder.localPaths.at(-1)
  const key = keyOf(name)
  if (own !== undefined) return readFile(join(own, key)).catch(unless('ENOENT'))
  const cached = await cache?.read(folder.sandboxId, name)
  if (cached !== undefined) return cached
  const reply = await openS3(folder).ask(key, { signal: timeoutSignal(ANSWER_MS_MAX) })
  const body = new Uint8Array(await reply.arrayBuffer())
  if (reply.status === NOT_FOUND) return undefined
  if (!reply.ok) throw new Error(`The object store answered ${reply.status} to a look for a piece of a graph.`)
  await cache?.keep(folder.sandboxId, name, body)
  return body
}

/** Removes pieces: those that the given test names as useless, or all where none is given. */
export async function removePieces(
  { folder, cache }: PiecePlace,
  isUseless = (_: string): boolean => true,
): Promise<void> {
  const own = folder.localPaths.at(-1)
  if (own !== undefined) {
    const names = (await readdir(join(own, FOLDER)).catch(unless('ENOENT'))) ?? []
    for (const name of names.filter(isUseless)) await rm(join(own, FOLDER, name), { force: true })
    return
  }
  await cache?.drop(folder.sandboxId, isUseless)
  const s3 = openS3(folder)
  for await (const name of listNames(folder, `${FOLDER}/`)) {
    if (!isUseless(name.slice(FOLDER.length + 1))) continue
    const reply = await s3.ask(name, { method: 'DELETE', signal: timeoutSignal(ANSWER_MS_MAX) })
    await reply.arrayBuffer()
    if (!reply.ok && reply.status !== NOT_FOUND) {
      throw new Error(`The object store answered ${reply.status} to the removal of a piece of a graph.`)
    }
  }
}

function keyOf(name: string): string {
  if (!NAME.test(name)) throw new Error(`"${name}" cannot be the name of a piece.`)
  return `${FOLDER}/${name}`
}

function unless(expected: string): (cause: NodeJS.ErrnoException) => undefined {
  return (cause) => {
    if (cause.code !== expected) throw cause
    return undefined
  }
}
