import type { Done } from '@cairnstore/contract'
import {
  declarationsOf,
  decodeContent,
  decodeEntity,
  mentionDeclarations,
  recordKey,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import { sql } from 'kysely'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import { reencryptMarks } from '../ingest/deleted-records.ts'
import { deleteFiles } from '../ingest/files/store-files.ts'
import { reencryptAnswers } from '../store/answer-rows.ts'
import {
  decryptEntity,
  decryptLink,
  decryptRecord,
  encryptEntity,
  encryptLink,
  encryptRecord,
} from '../store/encrypted-store.ts'
import { reencryptEvaluations } from '../store/evaluation-rows.ts'
import { type Lease, moveHead } from '../store/lease.ts'
import { decryptEvidence, encryptEvidence } from '../store/merge-ledger.ts'
import { reencryptSuggestions } from '../store/merge-suggestions.ts'
import { reencryptOriginals } from '../store/original-rows.ts'
import type { Planes } from '../store/planes.ts'
import type { ReencryptedRows } from '../store/port.ts'
import { toEntityRow, toRecordRow } from '../store/record-row.ts'
import { underLease } from '../store/under-lease.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../tenancy/audit/record-event.ts'
import { type ContentCipher, createContentCipher, type KeyChange } from '../tenancy/caller-keys/content-cipher.ts'
import { reencryptCredentials } from '../tenancy/caller-keys/credential-cipher.ts'
import { writeStoredKey } from '../tenancy/caller-keys/retained-keys.ts'
import { assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import type { LifecycleCtx } from './context.ts'
import { deleteStoredReplies, NO_COUNTS } from './erasure/store.ts'

type RotationContext = Planes &
  Pick<LifecycleCtx, 'applier' | 'deliveries' | 'key' | 'newKey' | 'poller'> &
  AuditContext

/**
 * Rotates the sandbox's customer-managed key. Writes new datasets under the new key, next to the current ones. Then one
 * transaction switches to them and re-encrypts all data in SQL. A crash before that changes nothing. After a later
 * crash, the same call removes what remains. The bytes of the old rows are removed from the database's files soon
 * after. Throws `encryption_header_invalid` without a new key, `sandbox_not_active`, and `unavailable` if the lease was
 * lost.
 */
export async function rotateKey(ctx: RotationContext, access: AccessScope): Promise<Done> {
  assertWritable(access)
  if (!ctx.key) return { success: true, message: 'The sandbox has no customer-managed key. Nothing was changed.' }
  if (!ctx.newKey) {
    throw new Fault('encryption_header_invalid', { detail: 'Send the new key in X-New-Encryption-Token or -Key.' })
  }
  const { seal: before } = ctx.key
  const newOnly = createContentCipher(ctx.newKey, access.sandboxId, before.epoch + 1)
  // With the new key, data that still waits under the previous key can be decrypted too.
  const after = createContentCipher(ctx.newKey, access.sandboxId, newOnly.epoch, newOnly.after(before).former)
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  if (after.matches(before.storedKey)) {
    await underLease(ctx, ctx.applier, sandbox, (lease) => finish(ctx, lease))
    return { success: true, message: 'The sandbox is already encrypted with this key.' }
  }
  const releases = [ctx.seals.hold(before)]
  // The new key is held only once it is valid.
  const changed = () => void releases.push(ctx.seals.hold(after))
  try {
    await underLease(ctx, ctx.applier, sandbox, (lease) => reencryptSandbox(ctx, lease, { before, after, changed }))
    // Running pulls continue with the new key.
    ctx.poller.retainKey(sandbox)
  } finally {
    for (const release of releases) release()
  }
  ctx.deliveries.sources.invalidate(access.sandboxId)
  ctx.applier.wake(sandbox)
  return { success: true, message: 'All data of the sandbox is encrypted with the new key.' }
}

/** The old and the new key, and a callback that is called when the new one becomes valid. */
interface KeyRotation extends KeyChange {
  changed: () => void
}

async function reencryptSandbox(
  ctx: Planes & AuditContext,
  lease: Lease,
  { before, after, changed }: KeyRotation,
): Promise<void> {
  // The key may have changed since the request began.
  if (lease.head.keyEpoch !== before.epoch) throw new Fault('mismatch')
  const store = await ctx.knowledge.store(lease)
  const written = lease.head.seq === 0 ? lease.head : await store.purge(lease.head, reencryptRows(before, after))
  const head = { ...written, keyEpoch: after.epoch }
  await ctx.sql.transact(lease.userId, async (tx) => {
    if (!(await moveHead(tx, lease, head, { commitsSinceCompaction: 0, changes: null }))) throw new Fault('unavailable')
    await changeKey(ctx, tx, lease, { before, after })
    // All rows now belong to this commit, even those that are not reindexed yet.
    await tx
      .updateTable('sandbox_head')
      .set({ reread_up_to: head.seq })
      .where(ofSandbox(lease))
      .where('reread_up_to', '>', 0)
      .execute()
    await recordEvent(ctx, tx, { holderId: lease.userId, sandboxId: lease.sandboxId, subjectId: lease.sandboxId })
  })
  changed()
  ctx.knowledge.committed(lease, head)
  ctx.knowledge.forgetRecords(lease)
  await finish(ctx, { ...lease, head })
}

/** Deletes the data under the previous key. Includes what remains from a process that died before doing so. */
async function finish(ctx: Planes, lease: Lease): Promise<void> {
  const store = await ctx.knowledge.store(lease)
  await store.sweep(lease.head)
  await deleteStoredReplies(ctx, lease.userId, lease.sandboxId)
}

/** Re-encrypts everything in SQL that the key encrypts, and stores the new key's verifier. */
async function changeKey(
  { secrets, clock }: Pick<LifecycleCtx, 'secrets' | 'clock'>,
  tx: Tx,
  { userId, sandboxId }: Lease,
  { before, after }: KeyChange,
): Promise<void> {
  const sandboxKey = { user_id: userId, sandbox_id: sandboxId }
  await tx
    .updateTable('sandbox_head')
    .set({ key_epoch: after.epoch })
    .where((is) => is.and(sandboxKey))
    .execute()
  await tx
    .updateTable('sandbox')
    .set({ key_fingerprint: after.fingerprint, caller_key: writeStoredKey(after.after(before)) })
    .where('user_id', '=', userId)
    .where('id', '=', sandboxId)
    .execute()
  const merges = await tx
    .selectFrom('merge_ledger')
    .select(['id', 'evidence'])
    .where((is) => is.and(sandboxKey))
    .execute()
  for (const { id, evidence } of merges) {
    await tx
      .updateTable('merge_ledger')
      .set({ evidence: encryptEvidence(id, decryptEvidence(id, evidence, before), after) })
      .where((is) => is.and({ ...sandboxKey, id }))
      .execute()
  }
  await reencryptSuggestions(tx, { userId, sandboxId }, { before, after })
  await reencryptAnswers(tx, { userId, sandboxId }, { before, after })
  await reencryptEvaluations(tx, { userId, sandboxId }, { before, after })
  await reencryptOriginals(tx, { userId, sandboxId }, { before, after })
  // Schedules a scrub of the database's files, as an erasure does.
  await tx
    .insertInto('erasure')
    .values({
      ...sandboxKey,
      id: newId('job', clock),
      source_id: null,
      up_to_seq: null,
      counts: NO_COUNTS,
      erased_at: sql<Date>`now()`,
      scrubbed_at: null,
    })
    .execute()
  await reencryptMarks(tx, { userId, sandboxId }, { before, after })
  await deleteFiles(tx, { userId, sandboxId })
  await reencryptCredentials(secrets, tx, { userId, sandboxId }, { before, after })
}

/** Returns functions that convert rows from one key to another: decrypt, hash, analyze and encrypt again. */
function reencryptRows(before: ContentCipher, after: ContentCipher): ReencryptedRows {
  return {
    records: (row) => {
      const { id, sourceId, projectId, content: encoded } = decryptRecord(before, { ...row, seq: 0 })
      const content = decodeContent<StoredContent>(encoded)
      const origin = { sourceId: sourceId ?? null, provider: content.provider }
      const extracted = { things: declarationsOf(content, origin), mentioned: mentionDeclarations(content) }
      const record = { content, origin, projectId: projectId ?? null, ...extracted }
      const key = recordKey(origin.sourceId, content.external_id)
      return encryptRecord(after, toRecordRow(id, key, record, encoded, after.hash))
    },
    entities: (row) => {
      const entity = decryptEntity(before, row)
      if (row.mergedInto !== null || row.content.length === 0) return encryptEntity(after, entity)
      return encryptEntity(after, toEntityRow(decodeEntity(entity), after.hash))
    },
    links: (row) => encryptLink(after, decryptLink(before, row)),
  }
}
