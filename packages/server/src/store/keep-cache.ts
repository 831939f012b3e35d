import type { Log } from '../base/log.ts'
import { oneAtATime } from '../base/one-at-a-time.ts'
import type { Sql } from '../db/open.ts'
import { type DiskCache, type DiskCacheSettings, openDiskCache } from './disk-cache.ts'

/** What was erased or replaced at another process is gone from this one's disk within a minute. */
const SWEEP_MS = 20_000

/** A cache that is swept of what was erased or replaced elsewhere, until it is stopped. */
export interface KeptCache {
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
