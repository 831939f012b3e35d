import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeCutJobs } from '../ingest/delivery-jobs.ts'
import { dropLeases } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import { clearUploadLeases } from './import/kept/upload-rows.ts'
import { clearPollLeases } from './polling/pull-run.ts'

/** Where a data folder says which process serves from it, or did last. */
const OWNER_FILE = 'owner'

/**
 * Gives up what the process that served from the data folder before has left leased or was reading, and notes this one
 * in its place. The folder's lock says that the other is dead. Each process has an id of its own all the same, under
 * which a lease has an epoch of its own: were the other alive after all, say on the original of a copied folder, it
 * would be fenced.
 */
export async function takeOverLeases(
  planes: Pick<Planes, 'clock' | 'sql' | 'log' | 'ownerId'>,
  folder: string,
): Promise<void> {
  const { clock, sql, log, ownerId } = planes
  const path = join(folder, OWNER_FILE)
  const before = readOwner(path)
  if (before) {
    await giveUpLeases({ sql }, before)
    await closeCutJobs({ sql, clock }, before)
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.new`, ownerId)
    renameSync(`${path}.new`, path)
  } catch (error) {
    log.warn('the data folder does not say who serves from it; after a crash leases run out by themselves', { error })
  }
}

/** Gives up what a process that is gone, or seems so, has leased; were it alive, it would be fenced. */
export async function giveUpLeases({ sql }: Pick<Planes, 'sql'>, owner: string): Promise<void> {
  await sql.transact({ worker: true }, (tx) => dropLeases(tx, owner))
  await clearPollLeases({ sql }, owner)
  await clearUploadLeases({ sql }, owner)
}

function readOwner(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
