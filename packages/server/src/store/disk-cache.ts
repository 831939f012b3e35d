import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { systemClock } from '../base/clock.ts'
import { isId } from '../base/id.ts'
import type { Log } from '../base/log.ts'
import { oneAtATime } from '../base/one-at-a-time.ts'
import type { Sql } from '../db/open.ts'

/** Where a cache is, what it may take, and what it leaves free on its disk. */
interface DiskCacheSettings {
  readonly folder: string
  readonly bytesMax: number
  readonly keptFreeBytes: number
}

/**
 * Objects of object stores that never change, kept on this machine as they are in the bucket. Whatever goes wrong with
 * it costs a request and nothing else: it never fails, and gives nothing but what was kept. Processes may share one.
 */
export interface DiskCache {
  /** The object of a sandbox; undefined when it is not here, or not as it was kept, and then it goes. */
  read(sandboxId: string, name: string): Promise<Uint8Array | undefined>
  /** Keeps an object, in the place of those used longest ago. */
  keep(sandboxId: string, name: string, bytes: Uint8Array): Promise<void>
  /** Drops all objects of a sandbox, or with `isUseless` only those whose names it accepts. */
  drop(sandboxId: string, isUseless?: (name: string) => boolean): Promise<void>
  /**
   * Drops what others have made useless: `imagesOf` gives the image that the head of each of these sandboxes names,
   * and says nothing of those that are no more.
   */
  sweep(imagesOf: (sandboxIds: string[]) => Promise<Map<string, string | null>>): Promise<void>
  /** How often an object was found here, was not, and was damaged. */
  counts(): { outcome: string; count: number }[]
}

const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const
/** Before the object: the sum of it and its name, and its length. */
const SUM_BYTES = 4
const HEADER_BYTES = 12
/** It is looked at what there is, and trimmed, each time so much of what is allowed has come in, */
const UNSEEN_SHARE = 1 / 16
/** to what leaves room for as much of a few processes. */
const TRIMMED_SHARE = 3 / 4
/** A disk that refused is left alone for a while. */
const COOL_MS = 60_000
/** An image that is being written is named once it is whole: pieces that were kept a moment ago are left. */
const UNNAMED_MS = 20_000
/** Sandboxes whose images are asked for at once. */
const SWEPT_AT_ONCE = 500
const UNFINISHED = '.tmp'
/** An object may come into a folder while it is removed. */
const DROP_RETRIES = 4
/** What no process is writing any more. */
const UNFINISHED_MS = 60_000

interface Entry {
  readonly path: string
  readonly bytes: number
  readonly usedMs: number
}

/** Opens the cache of a folder, which is made when the first object comes. */
export function openDiskCache({ folder, bytesMax, keptFreeBytes }: DiskCacheSettings, log: Log): DiskCache {
  const tally = { found: 0, missing: 0, damaged: 0 }
  let unseenBytes = Number.POSITIVE_INFINITY
  let coolUntilMs = 0
  const failed = (error: unknown) => {
    coolUntilMs = performance.now() + COOL_MS
    log.warn('the cache on the disk cannot be written, and is left alone for a while', { error })
  }

  const write = async (sandboxId: string, name: string, bytes: Uint8Array): Promise<void> => {
    const own = join(folder, sandboxId)
    await mkdir(own, { recursive: true, mode: OWNER_ONLY.folder })
    const { bavail, bsize } = await statfs(own)
    if (bavail * bsize < keptFreeBytes + bytes.length) return
    const unfinished = join(own, `${name}.${randomUUID()}${UNFINISHED}`)
    try {
      const file = await open(unfinished, 'wx', OWNER_ONLY.file)
      try {
        await file.writev([headerOf(name, bytes), bytes])
      } finally {
        await file.close()
      }
      await rename(unfinished, join(own, name))
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined)
      throw error
    }
  }

  return {
    async read(sandboxId, name) {
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
    async keep(sandboxId, name, bytes) {
      if (bytes.length > bytesMax * UNSEEN_SHARE || performance.now() < coolUntilMs) return
      if (unseenBytes + bytes.length > bytesMax * UNSEEN_SHARE) {
        unseenBytes = 0
        await trim(folder, bytesMax * TRIMMED_SHARE).catch(failed)
      }
      unseenBytes += bytes.length
      await write(sandboxId, name, bytes).catch(failed)
    },
    async drop(sandboxId, isUseless) {
      const own = join(folder, sandboxId)
      if (isUseless === undefined) await removeFolder(own).catch(failed)
      else {
        const names = await readdir(own).catch(() => [])
        await Promise.all(names.filter(isUseless).map((name) => rm(join(own, name), { force: true }).catch(failed)))
      }
    },
    async sweep(imagesOf) {
      // What else is there, as the system's own folder of a disk that is mounted here, is nobody's to remove.
      const ids = (await readdir(folder).catch(() => [])).filter((name) => isId('sandbox', name))
      for (let from = 0; from < ids.length; from += SWEPT_AT_ONCE) {
        const some = ids.slice(from, from + SWEPT_AT_ONCE)
        const images = await imagesOf(some)
        for (const id of some) {
          const image = images.get(id)
          if (image === undefined) await removeFolder(join(folder, id))
          else await removeUnnamed(join(folder, id), image)
        }
      }
    },
    counts: () => Object.entries(tally).map(([outcome, count]) => ({ outcome, count })),
  }
}

function headerOf(name: string, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(crc32(bytes, crc32(name)))
  header.writeBigUInt64LE(BigInt(bytes.length), SUM_BYTES)
  return header
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: DROP_RETRIES })
}

/** Removes the pieces of other images than the one that is named. */
async function removeUnnamed(own: string, image: string | null): Promise<void> {
  for (const name of await readdir(own).catch(() => [])) {
    if (image !== null && name.startsWith(image)) continue
    const path = join(own, name)
    const seen = await stat(path).catch(() => undefined)
    if (seen && systemClock.now().getTime() - seen.mtimeMs > UNNAMED_MS) await rm(path, { force: true })
  }
}

/** Removes what was used longest ago until no more than `bytesLeft` are left, and what nobody finished. */
async function trim(folder: string, bytesLeft: number): Promise<void> {
  const entries: Entry[] = []
  for (const sandboxId of await readdir(folder).catch(() => [])) {
    const own = join(folder, sandboxId)
    for (const name of await readdir(own).catch(() => [])) {
      const path = join(own, name)
      const seen = await stat(path).catch(() => undefined)
      if (seen === undefined) continue
      const isForgotten = name.endsWith(UNFINISHED) && systemClock.now().getTime() - seen.mtimeMs > UNFINISHED_MS
      if (isForgotten) await rm(path, { force: true })
      else entries.push({ path, bytes: seen.size, usedMs: seen.mtimeMs })
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

/** What was erased or replaced at another process is gone from this one's disk within a minute. */
const SWEEP_MS = 20_000

/** A cache that is swept of what was erased or replaced elsewhere, until it is stopped. */
interface KeptCache {
  readonly cache: DiskCache
  stop(): Promise<void>
}

/** Opens a cache on the disk, and sweeps it from now on. */
export function keepCache({ sql, log }: { sql: Sql; log: Log }, settings: DiskCacheSettings): KeptCache {
  const cache = openDiskCache(settings, log)
  const imagesOf = async (ids: string[]): Promise<Map<string, string | null>> => {
    const rows = await sql.transact({ worker: true }, (tx) =>
      tx.selectFrom('sandbox_head').select(['sandbox_id', 'graph_image']).where('sandbox_id', 'in', ids).execute(),
    )
    return new Map(rows.map((row) => [row.sandbox_id, row.graph_image]))
  }
  const sweeping = oneAtATime(
    () => cache.sweep(imagesOf),
    (error) => log.warn('the cache on the disk was not swept', { error }),
  )
  sweeping.begin()
  const timer = setInterval(sweeping.begin, SWEEP_MS).unref()
  return {
    cache,
    stop: () => {
      clearInterval(timer)
      return sweeping.ended
    },
  }
}
