import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeInterruptedJobs } from '../ingest/delivery-jobs.ts'
import { dropLeases } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import { clearUploadLeases } from './import/stored/upload-rows.ts'
import { clearPollLeases } from './polling/pull-run.ts'

/** File in the data folder with the id of the last process that used the folder. */
const OWNER_FILE = 'owner'

/**
 * Clears the leases and ends the jobs of the process that used the data folder before. Records this process as the
 * owner. The folder's lock proves that the other process is dead. If it is alive after all, because the folder was
 * copied, the epochs of the leases reject its writes.
 */
export async function takeOverLeases(
  planes: Pick<Planes, 'clock' | 'sql' | 'log' | 'ownerId'>,
  folder: string,
): Promise<void> {
  const { clock, sql, log, ownerId } = planes
  const path = join(folder, OWNER_FILE)
  const before = readOwner(path)
  if (before) {
    await releaseLeases({ sql }, before)
    await closeInterruptedJobs({ sql, clock }, before)
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.new`, ownerId)
    renameSync(`${path}.new`, path)
  } catch (error) {
    log.warn('owner file not written; after a crash, leases expire on their own', { error })
  }
}

/** Clears the leases of a process that is presumed dead. If it is alive, the epochs of the leases reject its writes. */
export async function releaseLeases({ sql }: Pick<Planes, 'sql'>, owner: string): Promise<void> {
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
