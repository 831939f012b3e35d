import { type Id, importOperations } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { oneAtATime, repeatedly } from '../../base/one-at-a-time.ts'
import { takesWork } from '../../base/role.ts'
import { hasRow, ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { awaitKeyForJob } from '../../ingest/await-key.ts'
import { INTERRUPTED_MESSAGE, interruptJob, WAITING_FOR_KEY_MESSAGE } from '../../ingest/inbox.ts'
import { leaveReason } from '../../ingest/stored-delivery.ts'
import type { Planes } from '../../store/planes.ts'
import { AccessScope } from '../../tenancy/access/access-scope.ts'
import { storedCaller } from '../../tenancy/accounts/stored-caller.ts'
import { toRequestKey } from '../../tenancy/caller-keys/caller-key.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { createRetainedKeys, type RetainedKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { BodyParsers } from '../../tenancy/handler.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import type { SourcesApp } from '../context.ts'
import { removeOriginals, unusedOriginals } from '../originals/remove-originals.ts'
import { resumeImport } from './import-knowledge.ts'
import { FAILURES_MAX, openStoredUpload, readUpTo, removeUpload } from './stored/store-upload.ts'
import { type Manifest, openKey, readUpload, UploadGone } from './stored/stored-upload.ts'
import { dueUploads, endUpload, LEASE_MS, ofUpload, refOf, type UploadRef } from './stored/upload-rows.ts'
import { withReceived } from './uploads/open-upload.ts'

export type ResumerApp = Pick<SourcesApp, keyof Planes | 'applier' | 'documents' | 'rates' | 'recognisers' | 'spools'>

/** Maximum number of imports that one process resumes at once. Imports whose sender is still connected do not count. */
const CONCURRENT_MAX = 2
/** Maximum number of uploads that one sweep examines. */
const ROWS_MAX = 100
/** Milliseconds before an import in an inactive sandbox is checked again. */
const INACTIVE_MS = 60_000
const KEYS_MS = 1_000
/** Maximum number of process deaths during one import. It is high because imports rarely cause them. */
const DEATHS_MAX = 100

/** Worker that resumes imports whose process stopped, died or failed. */
export type ImportResumer = ReturnType<typeof startImportResumer>

export function startImportResumer(app: ResumerApp, reading: BodyParsers) {
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  let wake = () => {}
  const keys = createRetainedKeys(app.seals, (sandbox) => isKeyAwaited(app, sandbox))

  const sweep = async (): Promise<void> => {
    if (takesWork(app.cluster.role)) await removeOriginals(app)
    for (const ref of await listDue(app, keys, () => wake())) {
      if (running.size >= CONCURRENT_MAX || stopping.signal.aborted) return
      if (running.has(ref.jobId)) continue
      const work = app
        .observe('import.resume', () => resume(app, ref, reading, stopping.signal))
        .catch((error: unknown) => app.log.warn('import not resumed', { jobId: ref.jobId, error }))
        .finally(() => {
          running.delete(ref.jobId)
          wake()
        })
      running.set(ref.jobId, work)
    }
  }

  const sweeping = oneAtATime(
    () => (stopping.signal.aborted ? Promise.resolve() : sweep()),
    (error) => app.log.warn('import sweep failed', { error }),
  )
  wake = sweeping.begin
  app.workPoller.watch((tx) => dueUploads(tx, app.clock.now()), wake)
  app.workPoller.watch((tx) => unusedOriginals(tx, app.clock.now()), wake)
  const failed = (error: unknown) => app.log.warn('keys of imports were not released', { error })
  const releasing = repeatedly(KEYS_MS, keys.releaseIdle, failed)
  return {
    /** Stops the worker and releases its imports to other processes. */
    stop: async () => {
      stopping.abort()
      await Promise.all([sweeping.ended, releasing.stop()])
      await Promise.all(running.values())
      keys.releaseAll()
    },
  }
}

/** Returns the due uploads that this process can decrypt. Marks the jobs of the others as waiting for their key. */
async function listDue(app: ResumerApp, keys: RetainedKeys, wake: () => void): Promise<UploadRef[]> {
  const rows = await app.sql.transact({ worker: true }, (tx) =>
    dueUploads(tx, app.clock.now())
      .select((is) => is.and([is('key_box', 'is not', null), is('state', '=', 'stored')]).as('needs_key'))
      .orderBy('not_before')
      .limit(ROWS_MAX)
      .execute(),
  )
  const readable: UploadRef[] = []
  for (const row of rows) {
    const ref = refOf(row)
    if (!row.needs_key) {
      if (takesWork(app.cluster.role)) readable.push(ref)
    } else if (app.seals.findAny(ref.sandboxId)) {
      keys.retain(ref)
      readable.push(ref)
    } else {
      await awaitKeyForJob(app, ref, ref.jobId)
      // The request that supplies the key may end before the next sweep.
      app.seals.whenHeld(ref.sandboxId, 'imports', () => {
        keys.retain(ref)
        wake()
      })
    }
  }
  return readable
}

/** Returns true if an import in the sandbox needs the sandbox's key. */
async function isKeyAwaited({ sql }: ResumerApp, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const found = await sql.look(userId, (tx) =>
    tx
      .selectFrom('import_upload')
      .select('job_id')
      .where(ofSandbox({ userId, sandboxId }))
      .where('key_box', 'is not', null)
      .where('state', '=', 'stored')
      .limit(1),
  )
  return found.length > 0
}

/** An upload that this process has claimed, with its job. */
interface LeasedUpload {
  row: Row<'import_upload'>
  job: Row<'job'> | undefined
}

/** Claims a due upload under a new epoch, unless another process has claimed it or its sandbox is inactive. */
async function leaseUpload(app: ResumerApp, ref: UploadRef): Promise<LeasedUpload | undefined> {
  const now = app.clock.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  return app.sql.transact(ref.userId, async (tx) => {
    const row = await tx
      .selectFrom('import_upload')
      .selectAll()
      .where(ofUpload(ref))
      .where('not_before', '<=', now)
      .where((is) => is.or([is('lease_until', 'is', null), is('lease_until', '<=', now)]))
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!row) return undefined
    const update = tx.updateTable('import_upload').where(ofUpload(ref))
    if (row.state === 'stored' && !(await isActive(tx, ref))) {
      await update.set({ not_before: later(INACTIVE_MS) }).execute()
      return undefined
    }
    // An owner that is still set never released the upload: its process died.
    const deaths = row.owner === null ? 0 : 1
    const taken = { owner: app.ownerId, epoch: row.epoch + 1, lease_until: later(LEASE_MS) }
    await update.set(taken).execute()
    return { row: { ...row, ...taken }, job: await takeJob(tx, ref, deaths) }
  })
}

async function isActive(tx: Tx, { userId, sandboxId }: UploadRef): Promise<boolean> {
  const active = { user_id: userId, status: 'active' } as const
  return (await hasRow(tx, 'sandbox', { ...active, id: sandboxId })) && hasRow(tx, 'account', active)
}

async function takeJob(tx: Tx, { userId, sandboxId, jobId }: UploadRef, deaths: number) {
  return tx
    .updateTable('job')
    .set((is) => ({ retry_count: is('retry_count', '+', deaths) }))
    .set((is) => ({ error_message: is.fn('nullif', ['error_message', is.val(WAITING_FOR_KEY_MESSAGE)]) }) as never)
    .where(ofSandbox({ userId, sandboxId }, { id: jobId }))
    .where('status', 'in', ['queued', 'processing'])
    .returningAll()
    .executeTakeFirst()
}

const GONE = 'The upload is no longer stored. The records counted here are stored; send the whole upload again.'
const GIVEN_UP =
  'The import was abandoned after repeated failures. The records counted here are stored; send the rest in smaller ' +
  'files.'

/** Resumes an import from its checkpoint, or removes the stored upload of an import that is over. */
async function resume(app: ResumerApp, due: UploadRef, reading: BodyParsers, stopping: AbortSignal): Promise<void> {
  const taken = await leaseUpload(app, due)
  if (!taken) return
  const { row, job } = taken
  const ref = refOf(row) as UploadRef & { jobId: Id<'job'> }
  if (row.state !== 'stored' || !job) return discard(app, ref)
  const fail = (why: string) => failImport(app, ref, row.epoch, why)
  if (row.failures >= FAILURES_MAX || job.retry_count >= DEATHS_MAX) return fail(GIVEN_UP)
  const stored = openStoredUpload(app, ref, { epoch: row.epoch, resumedFrom: readUpTo(job.result) })
  stored.renew()
  try {
    const seal = row.key_box === null ? undefined : app.seals.findAny(ref.sandboxId)
    const opened = await openKey(app, row, seal)
    if (!opened) await stored.leave('busy')
    else await continueImport(app, { row, job, stored, seal, reading, stopping, ...opened })
  } catch (cause) {
    if (stored.isSettled()) return
    if (cause instanceof UploadGone) return await fail(GONE)
    const why = leaveReason(cause, stopping.aborted)
    if (why) {
      app.log.warn('import could not be resumed', { jobId: ref.jobId, error: cause })
      await stored.leave(why)
    } else await fail(`${INTERRUPTED_MESSAGE} ${(cause as Fault).detail}`)
  } finally {
    if (!stored.isSettled()) await stored.leave('failed')
  }
}

/** A claimed import with its decrypted key and manifest. */
interface Resumed extends LeasedUpload {
  job: Row<'job'>
  stored: ReturnType<typeof openStoredUpload>
  key: Buffer
  manifest: Manifest
  seal: ContentCipher | undefined
  reading: BodyParsers
  stopping: AbortSignal
}

async function continueImport(app: ResumerApp, { row, job, stored, key, manifest, seal, reading, stopping }: Resumed) {
  const caller = await storedCaller(app.sql, row.actor_id, row.credential)
  const scope = await AccessScope.find(app.sql, caller, row.sandbox_id)
  if (!scope?.allows('editor')) throw new Fault('not_found')
  const ctx = {
    ...app,
    caller,
    requestId: manifest.requestId,
    operation: { ...importOperations.importKnowledge, id: 'importKnowledge' },
    keyed: undefined,
    key: seal && toRequestKey(app.seals, seal),
    signal: stopping,
    stopping,
    slot: { end: () => undefined, rest: () => undefined },
  }
  ctx.key?.hold()
  try {
    await app.spools.during(row.actor_id, async (write, slot) => {
      slot.received()
      const spool = await write(readUpload(app, refOf(row), key, manifest.bytes))
      const { type, files } = manifest
      const arrived = { spool, ...(type !== undefined && { type }), ...(files && { files }) }
      await withReceived(write, arrived, (opened) =>
        resumeImport(ctx, scope, { ...manifest, sourceId: job.source_id, stored }, opened, reading),
      )
    })
  } finally {
    ctx.key?.release()
  }
}

async function discard(app: ResumerApp, ref: UploadRef): Promise<void> {
  await app.sql.transact(ref.userId, (tx) => endUpload(tx, app.secrets, ref))
  await removeUpload(app, ref)
}

/** Ends an import that cannot be resumed. Its stored records remain, and its job gives the reason. */
async function failImport(app: ResumerApp, ref: UploadRef, epoch: number, why: string): Promise<void> {
  await app.sql.transact(ref.userId, async (tx) => {
    const claimed = await tx
      .selectFrom('import_upload')
      .select('job_id')
      .where(ofUpload(ref))
      .where('epoch', '=', epoch)
      .forUpdate()
      .executeTakeFirst()
    if (!claimed) return
    await endUpload(tx, app.secrets, ref)
    await interruptJob(tx, { ...ref, id: ref.jobId }, {}, why, app.clock.now())
  })
}
