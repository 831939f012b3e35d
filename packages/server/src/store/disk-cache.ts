import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { systemClock } from '../base/clock.ts'
import { isId } from '../base/id.ts'
import type { Log } from '../base/log.ts'
import { repeatedly } from '../base/one-at-a-time.ts'
import type { Sql } from '../db/open.ts'

/** The cache's folder, its maximum size, and the space to leave free on its disk, in bytes. */
interface DiskCacheSettings {
  readonly folder: string
  readonly bytesMax: number
  readonly reservedBytes: number
}

/** Local disk cache of immutable objects, with the same bytes as in the bucket. Processes may share it. */
export type DiskCache = ReturnType<typeof openDiskCache>

const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const
/** The header before an object: the CRC-32 of its name and content, then its length. */
const CHECKSUM_BYTES = 4
const HEADER_BYTES = 12
/** Fraction of the maximum size that is written between two trims. Larger objects are not cached. */
const UNTRIMMED_SHARE = 1 / 16
/** Fraction of the maximum size that a trim leaves. Between trims, several processes may fill the rest. */
const TRIMMED_SHARE = 3 / 4
/** Milliseconds for which nothing is written after a disk error. */
const RETRY_AFTER_MS = 60_000
/** Minimum age in milliseconds of a segment to delete. A new snapshot is named only after its segments are written. */
const UNREFERENCED_MS = 20_000
/** Number of sandboxes whose current snapshots are queried at once. */
const SANDBOXES_PER_SWEEP = 500
const UNFINISHED = '.tmp'
/** Retries of a folder's deletion, since another process may add an object meanwhile. */
const DROP_RETRIES = 4
/** Age in milliseconds after which a temporary file is abandoned. */
const UNFINISHED_MS = 60_000

interface Entry {
  readonly path: string
  readonly bytes: number
  readonly usedMs: number
}

/** Opens the cache in a folder. The folder is created with the first object. */
export function openDiskCache({ folder, bytesMax, reservedBytes }: DiskCacheSettings, log: Log) {
  const tally = { found: 0, missing: 0, damaged: 0 }
  let untrimmedBytes = Number.POSITIVE_INFINITY
  let pausedUntilMs = 0
  const failed = (error: unknown) => {
    pausedUntilMs = performance.now() + RETRY_AFTER_MS
    log.warn('the disk cache cannot be written; nothing is added to it for one minute', { error })
  }

  const write = async (sandboxId: string, name: string, bytes: Uint8Array): Promise<void> => {
    const own = join(folder, sandboxId)
    await mkdir(own, { recursive: true, mode: OWNER_ONLY.folder })
    const { bavail, bsize } = await statfs(own)
    if (bavail * bsize < reservedBytes + bytes.length) return
    const unfinished = join(own, `${name}.${randomUUID()}${UNFINISHED}`)
    try {
      await writeFile(unfinished, [headerOf(name, bytes), bytes], { flag: 'wx', mode: OWNER_ONLY.file })
      await rename(unfinished, join(own, name))
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined)
      throw error
    }
  }

  return {
    /** Returns the cached object of a sandbox. Returns undefined if it is missing. Deletes it if it is damaged. */
    async read(sandboxId: string, name: string) {
      const path = join(folder, sandboxId, name)
      const bytes = await readFile(path).catch(() => undefined)
      if (bytes === undefined) {
        tally.missing += 1
        return undefined
      }
      const object = bytes.subarray(HEADER_BYTES)
      if (!bytes.subarray(0, HEADER_BYTES).equals(headerOf(name, object))) {
        tally.damaged += 1
        await rm(path, { force: true }).catch(() => undefined)
        return undefined
      }
      tally.found += 1
      const now = systemClock.now()
      utimes(path, now, now).catch(() => undefined)
      return object
    },
    /** Caches an object. Evicts the least recently used ones if needed. */
    async put(sandboxId: string, name: string, bytes: Uint8Array) {
      if (bytes.length > bytesMax * UNTRIMMED_SHARE || performance.now() < pausedUntilMs) return
      if (untrimmedBytes + bytes.length > bytesMax * UNTRIMMED_SHARE) {
        untrimmedBytes = 0
        await trim(folder, bytesMax * TRIMMED_SHARE).catch(failed)
      }
      untrimmedBytes += bytes.length
      await write(sandboxId, name, bytes).catch(failed)
    },
    /** Deletes all objects of a sandbox, or only those whose names `isUseless` accepts. */
    async drop(sandboxId: string, isUseless?: (name: string) => boolean) {
      const own = join(folder, sandboxId)
      if (isUseless === undefined) await removeFolder(own).catch(failed)
      else {
        const names = await readdir(own).catch(() => [])
        await Promise.all(names.filter(isUseless).map((name) => rm(join(own, name), { force: true }).catch(failed)))
      }
    },
    /** Deletes objects of deleted sandboxes and of old snapshots. `imagesOf` returns the current snapshots. */
    async sweep(imagesOf: (sandboxIds: string[]) => Promise<Map<string, string | null>>) {
      const ids = await cachedSandboxes(folder)
      for (let from = 0; from < ids.length; from += SANDBOXES_PER_SWEEP) {
        const some = ids.slice(from, from + SANDBOXES_PER_SWEEP)
        const images = await imagesOf(some)
        for (const id of some) {
          const image = images.get(id)
          if (image === undefined) await removeFolder(join(folder, id))
          else await removeUnreferenced(join(folder, id), image)
        }
      }
    },
    /** Returns the numbers of cache hits, misses and damaged objects. */
    counts: () => Object.entries(tally).map(([outcome, count]) => ({ outcome, count })),
  }
}

function headerOf(name: string, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(crc32(bytes, crc32(name)))
  header.writeBigUInt64LE(BigInt(bytes.length), CHECKSUM_BYTES)
  return header
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: DROP_RETRIES })
}

/** Lists the folders of sandboxes. Leaves out what the cache did not create, such as a mounted disk's system folder. */
async function cachedSandboxes(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => isId('sandbox', name))
}

/** Deletes the segments of all snapshots except the given one. */
async function removeUnreferenced(own: string, image: string | null): Promise<void> {
  for (const name of await readdir(own).catch(() => [])) {
    if (image !== null && name.startsWith(image)) continue
    const path = join(own, name)
    const seen = await stat(path).catch(() => undefined)
    if (seen && systemClock.now().getTime() - seen.mtimeMs > UNREFERENCED_MS) await rm(path, { force: true })
  }
}

/** Deletes the least recently used objects until at most `bytesLeft` remain. Also deletes abandoned temporary files. */
async function trim(folder: string, bytesLeft: number): Promise<void> {
  const entries: Entry[] = []
  for (const sandboxId of await cachedSandboxes(folder)) {
    const own = join(folder, sandboxId)
    for (const name of await readdir(own).catch(() => [])) {
      const path = join(own, name)
      const seen = await stat(path).catch(() => undefined)
      if (seen === undefined) continue
      const isUnfinished = name.endsWith(UNFINISHED)
      if (!isUnfinished) entries.push({ path, bytes: seen.size, usedMs: seen.mtimeMs })
      else if (systemClock.now().getTime() - seen.mtimeMs > UNFINISHED_MS) await rm(path, { force: true })
    }
  }
  entries.sort((one, other) => one.usedMs - other.usedMs)
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  for (const entry of entries) {
    if (bytes <= bytesLeft) return
    await rm(entry.path, { force: true })
    bytes -= entry.bytes
  }
}

/** Milliseconds between sweeps. Data that another process erased is deleted here within a minute. */
const SWEEP_MS = 20_000

/** Opens a disk cache and starts its sweeps. */
export function startDiskCache({ sql, log }: { sql: Sql; log: Log }, settings: DiskCacheSettings) {
  const cache = openDiskCache(settings, log)
  const imagesOf = async (ids: string[]): Promise<Map<string, string | null>> => {
    const rows = await sql.transact({ worker: true }, (tx) =>
      tx.selectFrom('sandbox_head').select(['sandbox_id', 'graph_image']).where('sandbox_id', 'in', ids).execute(),
    )
    return new Map(rows.map((row) => [row.sandbox_id, row.graph_image]))
  }
  const failed = (error: unknown) => log.warn('the disk cache could not be swept', { error })
  const sweeping = repeatedly(SWEEP_MS, () => cache.sweep(imagesOf), failed)
  sweeping.begin()
  return { cache, stop: sweeping.stop }
}
