import { sql } from 'kysely'
import { ofSandbox, sandboxColumns } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { EntityRow, RecordRow } from './port.ts'

/** Ids of the records of one source, project and type that a commit changed. */
export interface RecordChanges {
  readonly source: string | null
  readonly project: string | null
  /** Null if the sandbox has a customer-managed key. */
  readonly type: string | null
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Records that moved from this project to another. */
  readonly left: readonly string[]
}

/** Ids of the entities of one type that a commit changed. */
interface EntityChanges {
  /** Null for removed entities, and if the sandbox has a customer-managed key. */
  readonly type: string | null
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Merged entities, each with the entity that it was merged into. */
  readonly merged: readonly (readonly [from: string, into: string])[]
}

/** Records and entities that a commit changed. */
export interface CommitChanges {
  readonly records: readonly RecordChanges[]
  readonly entities: readonly EntityChanges[]
}

/** The stored changes of a commit, with its number and time. */
export interface StoredChanges extends CommitChanges {
  readonly seq: number
  readonly at: Date
}

/** Retention period of changes, in days. */
export const CHANGE_RETENTION_DAYS = 30

/** The state before a commit. */
export interface StoredBefore {
  /** Returns the project of the version that a record replaces. Undefined for a new record. */
  projectOf(recordId: string): string | null | undefined
  hasEntity(entityId: string): boolean
  /** True if the content is encrypted under a customer-managed key. */
  readonly isSealed: boolean
}

/** Returns the changes that these rows make to the previous state. */
export function changesOf(
  rows: { readonly records: readonly RecordRow[]; readonly entities: readonly EntityRow[] },
  before: StoredBefore,
): CommitChanges {
  const records = new Map<string, Mutable<RecordChanges>>()
  const groupOf = ({ sourceId: source, type: of }: RecordRow, project: string | null) => {
    const type = before.isSealed ? null : of
    const empty = () => ({ source, project, type, added: [], changed: [], removed: [], left: [] })
    return groupIn(records, [source, project, type].join('\n'), empty)
  }
  for (const row of rows.records) {
    const project = before.projectOf(row.id)
    const group = groupOf(row, row.projectId)
    if (!row.live) group.removed.push(row.id)
    else if (project === undefined) group.added.push(row.id)
    else group.changed.push(row.id)
    if (project !== undefined && project !== row.projectId) groupOf(row, project).left.push(row.id)
  }
  const entities = new Map<string, Mutable<EntityChanges>>()
  for (const { id, type, live, mergedInto } of rows.entities) {
    const of = before.isSealed || type === '' ? null : type
    const group = groupIn(entities, of ?? '', () => ({ type: of, added: [], changed: [], removed: [], merged: [] }))
    if (mergedInto !== null) group.merged.push([id, mergedInto])
    else if (!live) group.removed.push(id)
    else if (before.hasEntity(id)) group.changed.push(id)
    else group.added.push(id)
  }
  return { records: [...records.values()], entities: [...entities.values()] }
}

/** A group with mutable lists. */
type Mutable<G> = { [K in keyof G]: G[K] extends readonly (infer E)[] ? E[] : G[K] }

/** Returns the group of a key. Adds an empty group if there is none. */
function groupIn<G extends object>(groups: Map<string, G>, key: string, empty: () => G): G {
  const known = groups.get(key)
  if (known) return known
  const group = empty()
  groups.set(key, group)
  return group
}

/** Stores the changes of a commit, in the transaction that moves the head. Stores nothing if nothing changed. */
export async function storeChanges(tx: Tx, sandbox: SandboxRef, seq: number, changes: CommitChanges): Promise<void> {
  if (changes.records.length + changes.entities.length === 0) return
  await tx
    .insertInto('change')
    .values({
      ...sandboxColumns(sandbox),
      seq,
      committed_at: sql<Date>`now()`,
      changes: { ...changes },
    })
    .execute()
}

/** Deletes changes older than CHANGE_RETENTION_DAYS, and stores the last deleted commit in the head's row. */
export async function dropOldChanges(tx: Tx, { userId, sandboxId }: SandboxRef): Promise<void> {
  await sql`
    with gone as (
      delete from change
      where user_id = ${userId} and sandbox_id = ${sandboxId}
        and committed_at < now() - make_interval(days => ${CHANGE_RETENTION_DAYS})
      returning seq
    )
    update sandbox_head set changes_from = greatest(changes_from, (select max(seq) from gone))
    where user_id = ${userId} and sandbox_id = ${sandboxId} and exists (select from gone)`.execute(tx)
}

/** Returns the head's commit, and the last commit whose changes were deleted (`from`). Later changes are stored. */
export async function storedChangeRange(
  tx: Tx,
  { userId, sandboxId }: SandboxRef,
): Promise<{ from: number; head: number }> {
  const row = await tx
    .selectFrom('sandbox_head')
    .select(['changes_from as from', 'seq as head'])
    .where(ofSandbox({ userId, sandboxId }))
    .executeTakeFirst()
  return row ?? { from: 0, head: 0 }
}

/** Returns the number of the first stored commit at or after a time, minus 1. Undefined if there is none. */
export async function commitBefore(tx: Tx, { userId, sandboxId }: SandboxRef, at: Date): Promise<number | undefined> {
  const row = await tx
    .selectFrom('change')
    .select('seq')
    .where(ofSandbox({ userId, sandboxId }))
    .where('committed_at', '>=', at)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row && row.seq - 1
}

/** Returns up to `limit` commits from `seq` on, in order. */
export async function readChanges(
  tx: Tx,
  { userId, sandboxId }: SandboxRef,
  seq: number,
  limit: number,
): Promise<StoredChanges[]> {
  const rows = await tx
    .selectFrom('change')
    .select(['seq', 'committed_at', 'changes'])
    .where(ofSandbox({ userId, sandboxId }))
    .where('seq', '>=', seq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  // Only storeChanges writes these values.
  return rows.map((row) => ({ seq: row.seq, at: row.committed_at, ...(row.changes as unknown as CommitChanges) }))
}
