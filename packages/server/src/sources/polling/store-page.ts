import type { FailedRecord } from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../base/clock.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { isSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { addChunk, countReceived, type WaitingRecord } from '../../ingest/inbox.ts'
import { checkRecord, toRecordContent } from '../../ingest/to-record-content.ts'
import type { Planes } from '../../store/planes.ts'
import { encryptCursor } from '../../tenancy/caller-keys/credential-cipher.ts'
import { readStoredKey } from '../../tenancy/caller-keys/retained-keys.ts'
import { type Rates, sandboxRate } from '../../tenancy/limits/rates.ts'
import type { PublicKey } from '../../tenancy/secrets/encrypt.ts'
import type { PulledPage } from '../connectors/connector.ts'
import { moment } from '../connectors/pick.ts'
import type { MappedRecord } from '../connectors/to-record.ts'
import { leaseEnd, READ_STATES } from './due.ts'
import { type PullPlanes, type PullRun, updateSourceOf } from './pull-run.ts'

const CHUNK_RECORDS_MAX = 500
const CHUNK_BYTES_MAX = 1024 * 1024

/**
 * Stores a page in one transaction: its records in the inbox, the next cursor, and the renewed lease. Returns false and
 * stores nothing if the lease is lost, the source is no longer polled, or `poll_since` was changed. Throws `disk_full`.
 */
export async function storePage(
  planes: PullPlanes,
  run: PullRun,
  page: PulledPage,
  { since, before }: { since: Date | null; before: number },
): Promise<boolean> {
  await planes.diskSpace.assert()
  const now = planes.clock.now()
  const checked = page.records.map((record, index) => toWaiting(record, before + index + 1))
  const good = checked.filter((one): one is WaitingRecord => 'content' in one)
  const rejected = checked.filter((one): one is FailedRecord => 'reason' in one)
  const unread = (page.failures ?? []).map((one, index) => ({ line: before + checked.length + index + 1, ...one }))
  const errors = [...rejected, ...unread]
  const cursor = page.cursor as JsonObject
  const ref = { userId: run.userId, sandboxId: run.sandboxId, sourceId: run.sourceId, id: run.jobId }
  return planes.sql.transact(run.userId, async (tx) => {
    const job = { ...ref, sealTo: await publicKeyIn(tx, run) }
    const updated = await updateSourceOf(tx, run)
      .set({
        poll_cursor: run.seal ? encryptCursor(run.seal, run.sourceId, cursor) : cursor,
        poll_until: leaseEnd(now),
        poll_since: null,
        ...(good.length > 0 && { last_seen_at: now }),
      })
      .where('poll_epoch', '=', run.epoch)
      .where('status', 'in', READ_STATES)
      .where('poll_since', since === null ? 'is' : '=', since)
      .executeTakeFirst()
    if (updated.numUpdatedRows === 0n) return false
    for (const records of chunksOf(good)) await addChunk(tx, job, { provider: run.source.provider, records }, now)
    const received = checked.length + unread.length
    if (received > 0) {
      await countReceived(tx, job, { received, failed: errors.length, errors }, now)
    }
    return true
  })
}

/** Returns the public key that encrypts the page. The row lock prevents a change of the key until the commit. */
async function publicKeyIn(tx: Tx, { userId, sandboxId }: PullRun): Promise<PublicKey | undefined> {
  const sandbox = await tx
    .selectFrom('sandbox')
    .select('caller_key')
    .where(isSandbox({ userId, sandboxId }))
    .forKeyShare()
    .executeTakeFirst()
  return readStoredKey(sandbox?.caller_key ?? null)?.publicKey
}

function toWaiting(record: MappedRecord, line: number): WaitingRecord | FailedRecord {
  const problem = checkRecord(record)
  if (problem) return { line, ...problem }
  const asOf = moment(record.as_of)
  const extras = { ...(asOf && { as_of: asOf }), ...(record.site && { site: record.site }) }
  const content = { ...toRecordContent(record), ...extras }
  return { line, content, projectId: null, deleted: record.deleted === true }
}

function* chunksOf(records: readonly WaitingRecord[]): Generator<WaitingRecord[]> {
  let chunk: WaitingRecord[] = []
  let bytes = 0
  for (const record of records) {
    chunk.push(record)
    bytes += (record.content.text?.length ?? 0) + (record.content.title?.length ?? 0)
    if (chunk.length < CHUNK_RECORDS_MAX && bytes < CHUNK_BYTES_MAX) continue
    yield chunk
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield chunk
}

/** Returns a function that counts records against the rate limit and returns the milliseconds before the next page. */
export function openPullQuota({ limits }: Pick<Planes, 'limits'>, rates: Pick<Rates, 'takeUpTo'>) {
  return async (run: PullRun, count: number): Promise<number> => {
    const { userId: holderId, sandboxId, tier } = run
    const taken = await rates.takeUpTo(sandboxRate('records', { holderId, sandboxId, tier }, limits), count)
    return taken.granted < count ? Math.max(1, taken.resetSeconds) * MS_PER_SECOND : 0
  }
}
