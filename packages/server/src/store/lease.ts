import { sql } from 'kysely'
import { committedColumns, type Head, headOf } from '../db/head.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import type { HeldKeys } from '../tenancy/caller-keys/retained-keys.ts'
import type { Planes } from '../tenancy/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { deleteAnswersOf } from './answer-rows.ts'
import { type CommitChanges, storeChanges } from './changes.ts'
import { deleteQuestionsOf } from './evaluation-rows.ts'
import { endOriginalsOf } from './original-rows.ts'

/** The temporary right to write a sandbox's data. The epoch distinguishes successive holders (fencing token). */
export interface Lease extends SandboxRef {
  epoch: number
  head: Head
  commitsSinceCompaction: number
  /** Size of the head. Null if it has not been counted yet. */
  size: HeadSize | null
  /** The customer-managed key, if the sandbox has one and the key is held. */
  seal?: ContentCipher | undefined
}

/** Size of a head: number of records, and bytes of their content. */
export interface HeadSize {
  records: number
  bytes: number
}

/** A process, and the lifetime of its leases in seconds. Other processes wait that long if it hangs. */
type LeaseHolder = Pick<Planes, 'ownerId' | 'leaseSeconds'>

const endOfLease = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

/** Returns the SQL condition for a lease that the owner holds or that is free. */
export function canTakeLease(owner: string) {
  return sql<boolean>`(lease_owner = ${owner} or lease_until is null or lease_until < now())`
}

/** Takes or renews the sandbox's lease for the process. Returns undefined while another process holds it. */
export async function takeLease(tx: Tx, sandbox: SandboxRef, leaser: LeaseHolder): Promise<Lease | undefined> {
  const { ownerId: owner, leaseSeconds } = leaser
  const row = await tx
    .updateTable('sandbox_head')
    .set({
      lease_owner: owner,
      lease_epoch: sql<number>`case when lease_owner = ${owner} then lease_epoch else lease_epoch + 1 end`,
      lease_until: endOfLease(leaseSeconds),
    })
    .where(ofSandbox(sandbox))
    .where(canTakeLease(owner))
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  const { record_count: records, content_bytes: bytes } = row
  const size = records === null || bytes === null ? null : { records, bytes }
  return {
    ...sandbox,
    epoch: row.lease_epoch,
    head: headOf(row),
    commitsSinceCompaction: row.commits_since_upkeep,
    size,
  }
}

/** Values that change together with the head. */
interface HeadUpdate {
  commitsSinceCompaction: number
  /** The changes of the commit. Null if it only rewrote existing data. */
  changes: CommitChanges | null
  size?: HeadSize
  /** True if the commit added or removed entities that record linkage compares. */
  hasComparable?: boolean
}

/**
 * Moves the head, stores the commit's changes, and deletes the answers and evaluation questions that cite removed
 * records. Runs in the transaction of the commit. Returns false if the lease is lost; the caller must then roll back.
 */
export async function moveHead(
  tx: Tx,
  lease: Lease,
  head: Head,
  { commitsSinceCompaction, changes, size, hasComparable }: HeadUpdate,
): Promise<boolean> {
  const result = await tx
    .updateTable('sandbox_head')
    .set({
      ...committedColumns(head),
      graph_image: head.graphImage,
      commits_since_upkeep: commitsSinceCompaction,
      ...(hasComparable && { comparable_seq: head.seq }),
      ...(size && { record_count: size.records, content_bytes: size.bytes }),
    })
    .where(ofSandbox(lease, { lease_epoch: lease.epoch }))
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n) return false
  if (changes) {
    await storeChanges(tx, lease, head.seq, changes)
    const removed = changes.records.flatMap((each) => each.removed)
    await deleteAnswersOf(tx, lease, removed)
    await deleteQuestionsOf(tx, lease, removed)
    await endOriginalsOf(tx, lease, removed)
  }
  return true
}

/** Returns the lease with the customer-managed key, if the sandbox has one and the key is held. */
export function withHeldKey(seals: HeldKeys, lease: Lease): Lease {
  const { keyEpoch } = lease.head
  return keyEpoch === null ? lease : { ...lease, seal: seals.find(lease.sandboxId, keyEpoch) }
}

/** Releases the lease, so that another process need not wait until it expires. */
export async function dropLease(tx: Tx, lease: Lease): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: null })
    .where(ofSandbox(lease, { lease_epoch: lease.epoch }))
    .execute()
}

/** Renews the process's leases of these sandboxes. Ignores released and lost leases. */
export async function renewLeases(tx: Tx, leaser: LeaseHolder, sandboxIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: endOfLease(leaser.leaseSeconds) })
    .where('lease_owner', '=', leaser.ownerId)
    .where('lease_until', 'is not', null)
    .where('sandbox_id', 'in', sandboxIds)
    .execute()
}

/** Lists the sandboxes whose leases the owner holds. */
export async function listHeldLeases(tx: Tx, owner: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('sandbox_head')
    .select('sandbox_id')
    .where('lease_owner', '=', owner)
    .where('lease_until', '>', sql<Date>`now()`)
    .execute()
  return rows.map((row) => row.sandbox_id)
}

export async function countLeases(tx: Tx, owner: string): Promise<number> {
  const { count } = await tx
    .selectFrom('sandbox_head')
    .select(sql<number>`count(*)`.as('count'))
    .where('lease_owner', '=', owner)
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

/** Releases the owner's leases of these sandboxes. Releases all of them if `sandboxIds` is omitted. */
export async function dropLeases(tx: Tx, owner: string, sandboxIds?: readonly string[]): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: null })
    .where('lease_owner', '=', owner)
    .where('lease_until', 'is not', null)
    .$if(sandboxIds !== undefined, (of) => of.where('sandbox_id', 'in', sandboxIds ?? []))
    .execute()
}

/** Releases all leases at the start of a database's only process, which then need not wait until they expire. */
export async function clearLeases(tx: Tx): Promise<void> {
  await tx.updateTable('sandbox_head').set({ lease_until: null, lease_owner: null }).execute()
}
