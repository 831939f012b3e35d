import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../../base/clock.ts'
import { newId } from '../../../base/id.ts'
import { hasValues, ofSandbox, sandboxColumns } from '../../../db/of-sandbox.ts'
import type { Tx } from '../../../db/open.ts'
import { noCounts, type ReadPosition, restartJob } from '../../../ingest/inbox.ts'
import type { ReceivingSource } from '../../../ingest/receiving-source.ts'
import { DeliveryLost, type StoredDelivery } from '../../../ingest/stored-delivery.ts'
import type { Planes } from '../../../store/planes.ts'
import { recordLater } from '../../../tenancy/audit/audited-sql.ts'
import type { RequestKey } from '../../../tenancy/caller-keys/caller-key.ts'
import type { Request } from '../../../tenancy/request.ts'
import { newDataKey } from '../../../tenancy/secrets/encrypt.ts'
import type { ReceivedUpload } from '../uploads/open-upload.ts'
import {
  credentialColumn,
  encryptUploadManifest,
  type Manifest,
  removeUploadParts,
  wrapKey,
  writeUpload,
} from './stored-upload.ts'
import { assertUploadQuota, endUpload, keyRef, LEASE_MS, ofUpload, type UploadRef } from './upload-rows.ts'

export type UploadPlanes = Pick<Planes, 'clock' | 'knowledge' | 'log' | 'ownerId' | 'diskSpace' | 'secrets' | 'sql'>

const RENEWALS_PER_LEASE = 3
/** Initial delay in milliseconds before a failed import is retried; it doubles per failure. And maximum failures. */
const RETRY_MS = 2 * MS_PER_SECOND
export const FAILURES_MAX = 5

/** A stored upload. Its import can be resumed after a crash. */
export interface StoredUpload extends StoredDelivery {
  /** Resolves once all chunks that the import has stored so far are applied. */
  untilApplied(signal: AbortSignal): Promise<void>
  /** Returns true if the upload was ended, dropped or released. */
  isSettled(): boolean
}

/** A new upload with its manifest and source. */
interface NewUpload {
  arrived: ReceivedUpload
  manifest: Omit<Manifest, 'requestId' | 'bytes' | 'type' | 'files'>
  source: ReceivingSource | null
}

/** Returns a handle that stores the upload when its import is accepted. */
export function storeUpload(
  ctx: UploadPlanes & Pick<Request, 'caller' | 'requestId'> & { readonly key: RequestKey | undefined },
  sandbox: { holderId: string; sandboxId: string },
  { arrived, manifest, source }: NewUpload,
): StoredUpload {
  const jobId = newId('job', ctx.clock)
  const ref = { userId: sandbox.holderId, sandboxId: sandbox.sandboxId, jobId }
  const stored = openStoredUpload(ctx, ref, { epoch: 1, resumedFrom: undefined })
  const { type, files, spool } = arrived
  const insert = async (tx: Tx, key: Buffer) => {
    await assertUploadQuota(tx, ref.userId, spool.bytes)
    if (!ctx.key) await ctx.secrets.put(tx, ref, keyRef(jobId), key.toString('base64'))
    const now = ctx.clock.now()
    const whole = {
      ...manifest,
      requestId: ctx.requestId,
      bytes: spool.bytes,
      ...(type !== undefined && { type }),
      ...(files && { files: [...files] }),
    }
    const row = {
      ...sandboxColumns(ref),
      job_id: jobId,
      source_id: source?.id ?? null,
      actor_id: ctx.caller.accountId,
      credential: credentialColumn(ctx.caller.credential),
      key_box: ctx.key ? wrapKey(key, jobId, ctx.key.seal) : null,
      manifest: encryptUploadManifest(ref, key, whole),
      bytes: spool.bytes,
      owner: ctx.ownerId,
      lease_until: leaseEnd(now),
      not_before: now,
      created_at: now,
    }
    await tx.insertInto('import_upload').values(row).execute()
  }
  let isStarted = false
  return {
    ...stored,
    drop: async () => {
      if (isStarted) await stored.drop()
    },
    store: async () => {
      isStarted = true
      const key = newDataKey()
      try {
        await ctx.sql.transact(ref.userId, (tx) => insert(tx, key))
        stored.renew()
        await writeUpload(ctx, ref, key, arrived)
        return true
      } catch (error) {
        ctx.log.warn('upload not stored; its request waits until it is processed', { jobId, error })
        await stored.drop()
        return false
      }
    },
  }
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS)
}

/** Returns a handle for the upload that this process has claimed under an epoch. */
export function openStoredUpload(
  ctx: UploadPlanes,
  ref: UploadRef & { readonly jobId: Id<'job'> },
  { epoch, resumedFrom }: { epoch: number; resumedFrom: ReadPosition | undefined },
): StoredUpload & { renew(): void } {
  let renewing: NodeJS.Timeout | undefined
  let isSettled = false
  const own = (tx: Tx) => tx.updateTable('import_upload').where(ofUpload(ref)).where('epoch', '=', epoch)
  const settle = () => {
    isSettled = true
    clearInterval(renewing)
  }
  const extend = async () => {
    await ctx.sql.transact(ref.userId, (tx) =>
      own(tx)
        .set({ lease_until: leaseEnd(ctx.clock.now()) })
        .execute(),
    )
  }
  return {
    jobId: ref.jobId,
    resumedFrom,
    isSettled: () => isSettled,
    renew: () => {
      renewing = setInterval(() => {
        extend().catch((error: unknown) => ctx.log.warn('the lease of an upload was not renewed', { error }))
      }, LEASE_MS / RENEWALS_PER_LEASE).unref()
    },
    store: async () => true,
    accept: async (tx) => {
      const { numUpdatedRows } = await own(tx).set({ state: 'stored' }).executeTakeFirst()
      if (numUpdatedRows === 0n) throw new DeliveryLost()
    },
    assertHeld: async (tx) => {
      const claimed = await tx
        .selectFrom('import_upload')
        .select('job_id')
        .where(ofUpload(ref))
        .where(hasValues({ epoch, state: 'stored' }))
        .forNoKeyUpdate()
        .executeTakeFirst()
      if (!claimed) throw new DeliveryLost()
    },
    end: async (tx) => {
      settle()
      await endUpload(tx, ctx.secrets, ref)
    },
    drop: async () => {
      settle()
      const drop = async () => {
        await ctx.sql.transact(ref.userId, (tx) => endUpload(tx, ctx.secrets, ref))
        await removeUpload(ctx, ref)
      }
      // If the removal fails, the resumer's next sweep tries again.
      await drop().catch((error: unknown) => ctx.log.warn('a stored upload was not removed yet', { error }))
    },
    leave: async (why) => {
      settle()
      const leave = (tx: Tx) => leaveUpload(ctx, tx, ref, epoch, why)
      await ctx.sql.transact(ref.userId, leave).catch((error: unknown) => {
        ctx.log.warn('import lease not released; other processes wait until it expires', { jobId: ref.jobId, error })
      })
    },
    untilApplied: (signal) => untilApplied(ctx, ref, signal),
  }
}

async function leaveUpload(
  { clock }: UploadPlanes,
  tx: Tx,
  ref: UploadRef,
  epoch: number,
  why: Parameters<StoredDelivery['leave']>[0],
): Promise<void> {
  recordLater(tx)
  const row = await tx
    .selectFrom('import_upload')
    .select(['failures', 'state'])
    .where(ofUpload(ref))
    .where('epoch', '=', epoch)
    .forUpdate()
    .executeTakeFirst()
  if (row?.state !== 'stored') return
  const isFailure = why === 'failed' || why === 'changed'
  const failures = row.failures + (isFailure ? 1 : 0)
  const delayMs = why === 'stopped' ? 0 : RETRY_MS * 2 ** Math.min(isFailure ? row.failures : 0, FAILURES_MAX)
  await tx
    .updateTable('import_upload')
    .set({ owner: null, lease_until: null, failures, not_before: new Date(clock.now().getTime() + delayMs) })
    .where(ofUpload(ref))
    .execute()
  if (why === 'changed') await restartJob(tx, { ...ref, id: ref.jobId }, clock.now())
}

/** Removes the parts of an upload that is over, and then its row. */
export async function removeUpload(planes: Pick<Planes, 'knowledge' | 'sql'>, ref: UploadRef): Promise<void> {
  await removeUploadParts(planes, ref)
  await planes.sql.transact(ref.userId, (tx) =>
    tx.deleteFrom('import_upload').where(ofUpload(ref)).where('state', '=', 'over').execute(),
  )
}

/** Milliseconds between two checks of a job's pending chunks. */
const RECHECK_MS = 250

async function untilApplied({ sql }: UploadPlanes, ref: UploadRef, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { userId, sandboxId, jobId } = ref
    const job = await sql.look(userId, (tx) =>
      tx
        .selectFrom('job')
        .select('pending_chunks')
        .where(ofSandbox({ userId, sandboxId }, { id: jobId })),
    )
    if ((job[0]?.pending_chunks ?? 0) === 0) return
    await sleep(RECHECK_MS, undefined, { signal })
  }
}

/** Returns the checkpoint from the result of an import's job. */
export function readUpTo(result: unknown): ReadPosition {
  const { read = { lines: 0, digest: '' } } = { ...noCounts(), ...(result as { read?: ReadPosition } | null) }
  return read
}
