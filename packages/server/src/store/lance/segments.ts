import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DiskCache } from '../disk-cache.ts'
import type { SegmentKind } from '../port.ts'
import { ignoreCode, syncPath } from './durable.ts'
import { askS3, listNames } from './s3.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

interface SegmentPolicy {
  /** True if a segment must survive a power loss. */
  readonly isDurable: boolean
  /** True if segments in an object store are also cached on the local disk. */
  readonly isCached: boolean
}

/** Storage rules by kind. Each kind has a folder with its name in the sandbox's folder. */
const POLICIES: Readonly<Record<SegmentKind, SegmentPolicy>> = {
  graph: { isDurable: false, isCached: true },
  imports: { isDurable: true, isCached: false },
  originals: { isDurable: true, isCached: false },
}
const NAME = /^[A-Za-z0-9_-]{1,128}$/
/** Suffix of a segment that is being written. The names of complete segments do not have it. */
const TEMPORARY_SUFFIX = '.tmp'

/** The folder of a sandbox's segments of one kind, and the disk cache for those in an object store. */
interface SegmentLocation {
  readonly folder: SandboxFolder
  readonly cache?: DiskCache | undefined
  readonly kind: SegmentKind
}

/** Stores a segment atomically and, if its kind requires it, durably. */
export async function writeSegment(place: SegmentLocation, name: string, bytes: Uint8Array): Promise<void> {
  const { folder, kind } = place
  const key = keyOf(kind, name)
  const own = folder.localPaths.at(-1)
  if (own === undefined) {
    const body = bytes as Uint8Array<ArrayBuffer>
    await askS3(folder, key, `a write of a segment (${kind})`, { method: 'PUT', body })
    await cacheOf(place)?.put(folder.sandboxId, name, bytes)
    return
  }
  const { isDurable } = POLICIES[kind]
  const path = join(own, key)
  const unfinished = `${path}.${randomUUID()}${TEMPORARY_SUFFIX}`
  // Does not create the sandbox's folder for graph segments, because a late write must not undo an erasure.
  if (isDurable) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  else await mkdir(dirname(path)).catch(ignoreCode('EEXIST'))
  await writeFile(unfinished, bytes, { flag: 'wx', mode: 0o600, flush: isDurable })
  await rename(unfinished, path)
  if (isDurable) for (const parent of [dirname(path), ...folder.localPaths]) await syncPath(parent)
}

function cacheOf({ cache, kind }: SegmentLocation): DiskCache | undefined {
  return POLICIES[kind].isCached ? cache : undefined
}

/** Returns the segment with this name. Undefined if it does not exist. */
export async function readSegment(place: SegmentLocation, name: string): Promise<Uint8Array | undefined> {
  const { folder, kind } = place
  const own = folder.localPaths.at(-1)
  const key = keyOf(kind, name)
  const cache = cacheOf(place)
  if (own !== undefined) return readFile(join(own, key)).catch(ignoreCode('ENOENT'))
  const cached = await cache?.read(folder.sandboxId, name)
  if (cached !== undefined) return cached
  const body = await askS3(folder, key, `a read of a segment (${kind})`)
  if (body) await cache?.put(folder.sandboxId, name, body)
  return body
}

/** Deletes segments whose names `isUseless` accepts. Deletes all if it is omitted. */
export async function removeSegments(place: SegmentLocation, isUseless = (_: string): boolean => true): Promise<void> {
  const { folder, kind } = place
  const own = folder.localPaths.at(-1)
  if (own !== undefined) {
    const names = (await readdir(join(own, kind)).catch(ignoreCode('ENOENT'))) ?? []
    for (const name of names.filter(isUseless)) await rm(join(own, kind, name), { force: true })
    return
  }
  await cacheOf(place)?.drop(folder.sandboxId, isUseless)
  for await (const name of listNames(folder, `${kind}/`)) {
    if (!isUseless(name.slice(kind.length + 1))) continue
    await askS3(folder, name, `the deletion of a segment (${kind})`, { method: 'DELETE' })
  }
}

function keyOf(kind: SegmentKind, name: string): string {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a valid name of a segment.`)
  return `${kind}/${name}`
}
