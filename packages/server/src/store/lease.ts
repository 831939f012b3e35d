import { sql } from 'kysely'
import { committedColumns, type Head, headOf } from '../db/head.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import type { HeldSeals } from '../tenancy/caller-keys/kept-keys.ts'
import type { Planes } from '../tenancy/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { forgetAnswersOf } from './answer-rows.ts'
import { type CommitChanges, keepChanges } from './changes.ts'
import { forgetQuestionsOf } from './evaluation-rows.ts'

/** The right to write a sandbox's knowledge until it ends; the epoch tells a later holder from an earlier one. */
export interface Lease extends SandboxRef {
  epoch: number
  head: Head
  commitsSinceUpkeep: number
  /** What the head holds; null where nobody has counted yet. */
  size: HeadSize | null
  /** The caller's key, for a sandbox under one whose key somebody holds. */
  seal?: ContentSeal | undefined
}

/** How much a head holds: records, and the bytes of their content. */
export interface HeadSize {
  records: number
  bytes: number
}

/**
 * A process, and how long its leases last unless renewed, which happens while work goes on: others wait so long for
 * one that is not heard of and cannot be told from one that is alive.
 */
type Leaser = Pick<Planes, 'ownerId' | 'leaseSeconds'>

const endOfLease = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

/** Whether the owner may take the lease of a row of `sandbox_head`: it has it, or nobody does any more. */
export function isLeasable(owner: string) {
  return sql<boolean>`(lease_owner = ${owner} or lease_until is null or lease_until < now())`
}

/** Takes or renews the sandbox's lease for the process; undefined while another one holds it. */
export async function takeLease(tx: Tx, sandbox: SandboxRef, leaser: Leaser): Promise<Lease | undefined> {
  const { ownerId: owner, leaseSeconds } = leaser
  const row = await tx
    .updateTable('sandbox_head')
    .set({
      lease_owner: owner,
      lease_epoch: sql<number>`case when lease_owner = ${owner} then lease_epoch else lease_epoch + 1 end`,
      lease_until: endOfLease(leaseSeconds),
    })
    .where(ofSandbox(sandbox))
    .where(isLeasable(owner))
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  const { record_count: records, content_bytes: bytes } = row
  const size = records === null || bytes === null ? null : { records, bytes }
  return { ...sandbox, epoch: row.lease_epoch, head: headOf(row), commitsSinceUpkeep: row.commits_since_upkeep, size }
}

/** What moves with the head. */
interface HeadMove {
  commitsSinceUpkeep: number
  /** What the commit changed of what is known; null when it only wrote anew what was. */
  changes: CommitChanges | null
  size?: HeadSize
  /** Whether things came or went that are compared with others of their type. */
  hasComparable?: boolean
}

/**
 * Moves the head, keeps what the commit changed and deletes the answers that cite what it removed, in the transaction
 * of its consequences. Returns false if the lease is lost: then nothing may be kept.
 */
export async function moveHead(
  tx: Tx,
  lease: Lease,
  head: Head,
  { commitsSinceUpkeep, changes, size, hasComparable }: HeadMove,
): Promise<boolean> {
  const result = await tx
    .updateTable('sandbox_head')
    .set({
      ...committedColumns(head),
      graph_image: head.graphImage,
      commits_since_upkeep: commitsSinceUpkeep,
      ...(hasComparable && { comparable_seq: head.seq }),
      ...(size && { record_count: size.records, content_bytes: size.bytes }),
    })
    .where(ofSandbox(lease))
    .where('lease_epoch', '=', lease.epoch)
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n) return false
  if (changes) {
    await keepChanges(tx, lease, head.seq, changes)
    const removed = changes.records.flatMap((each) => each.removed)
    await forgetAnswersOf(tx, lease, removed)
    await forgetQuestionsOf(tx, lease, removed)
  }
  return true
}

/** The lease with the caller's key, when the sandbox is under one and somebody holds it. */
export function withSeal(seals: HeldSeals, lease: Lease): Lease {
  const { keyEpoch } = lease.head
  return keyEpoch === null ? lease : { ...lease, seal: seals.find(lease.sandboxId, keyEpoch) }
}

/** Gives the lease up, so that another process need not wait for its end. */
export async function dropLease(tx: Tx, lease: Lease): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: null })
    .where(ofSandbox(lease))
    .where('lease_epoch', '=', lease.epoch)
    .execute()
}

/** Renews the leases that the process has of these sandboxes; one that it gave up or lost is none. */
export async function renewLeases(tx: Tx, leaser: Leaser, sandboxIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: endOfLease(leaser.leaseSeconds) })
    .where('lease_owner', '=', leaser.ownerId)
    .where('lease_until', 'is not', null)
    .where('sandbox_id', 'in', sandboxIds)
    .execute()
}

/** The sandboxes whose leases the owner has. */
export async function heldLeases(tx: Tx, owner: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('sandbox_head')
    .select('sandbox_id')
    .where('lease_owner', '=', owner)
    .where('lease_until', '>', sql<Date>`now()`)
    .execute()
  return rows.map((row) => row.sandbox_id)
}

/** How many leases the owner has. */
export async function countLeases(tx: Tx, owner: string): Promise<number> {
  const { count } = await tx
    .selectFrom('sandbox_head')
    .select(sql<number>`count(*)`.as('count'))
    .where('lease_owner', '=', owner)
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

/** Gives up the leases that the owner has of these sandboxes. */
export async function dropLeasesOf(tx: Tx, owner: string, sandboxIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: null })
    .where('lease_owner', '=', owner)
    .where('lease_until', 'is not', null)
    .where('sandbox_id', 'in', sandboxIds)
    .execute()
}

/** Gives up every lease of the owner. */
export async function dropLeases(tx: Tx, owner: string): Promise<void> {
  await tx
    .updateTable('sandbox_head')
    .set({ lease_until: null })
    .where('lease_owner', '=', owner)
    .where('lease_until', 'is not', null)
    .execute()
}

/** Gives up every lease. Only for a process that knows that it is the only one, so that it need not wait them out. */
export async function clearLeases(tx: Tx): Promise<void> {
  await tx.updateTable('sandbox_head').set({ lease_until: null, lease_owner: null }).execute()
}
