import { sql } from 'kysely'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { EntityRow, RecordRow } from './port.ts'

/** What a commit changed of the records of one source, project and type: their ids. */
export interface RecordChanges {
  readonly source: string | null
  readonly project: string | null
  /** Null under a caller's key. */
  readonly type: string | null
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Those that were of this project and are of another one since. */
  readonly left: readonly string[]
}

/** What a commit changed of the entities of one type: their ids. */
export interface EntityChanges {
  /** Null under a caller's key, and for those that are removed. */
  readonly type: string | null
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** What was merged away, and into what. */
  readonly merged: readonly (readonly [from: string, into: string])[]
}

/** What a commit changed of what is known. */
export interface CommitChanges {
  readonly records: readonly RecordChanges[]
  readonly entities: readonly EntityChanges[]
}

/** A commit that is kept, with its number and when it was made. */
export interface KeptChanges extends CommitChanges {
  readonly seq: number
  readonly at: Date
}

/** How long changes are kept, in days. */
export const CHANGES_KEPT_DAYS = 30

/** What was stored before a commit. */
export interface StoredBefore {
  /** The project of the version that a record replaces; undefined for a new record. */
  projectOf(recordId: string): string | null | undefined
  hasEntity(entityId: string): boolean
  /** Whether the content is under a caller's key. */
  readonly isSealed: boolean
}

/** What these rows change of what was stored before. */
export function changesOf(
  rows: { readonly records: readonly RecordRow[]; readonly entities: readonly EntityRow[] },
  before: StoredBefore,
): CommitChanges {
  const records = new Map<string, Grown<RecordChanges>>()
  const groupOf = ({ sourceId: source, type: of }: RecordRow, project: string | null) => {
    const type = before.isSealed ? null : of
    const empty = () => ({ source, project, type, added: [], changed: [], removed: [], left: [] })
    return grown(records, [source, project, type].join('\n'), empty)
  }
  for (const row of rows.records) {
    const project = before.projectOf(row.id)
    const group = groupOf(row, row.projectId)
    if (!row.live) group.removed.push(row.id)
    else if (project === undefined) group.added.push(row.id)
    else group.changed.push(row.id)
    if (project !== undefined && project !== row.projectId) groupOf(row, project).left.push(row.id)
  }
  const entities = new Map<string, Grown<EntityChanges>>()
  for (const { id, type, live, mergedInto } of rows.entities) {
    const of = before.isSealed || type === '' ? null : type
    const group = grown(entities, of ?? '', () => ({ type: of, added: [], changed: [], removed: [], merged: [] }))
    if (mergedInto !== null) group.merged.push([id, mergedInto])
    else if (!live) group.removed.push(id)
    else if (before.hasEntity(id)) group.changed.push(id)
    else group.added.push(id)
  }
  return { records: [...records.values()], entities: [...entities.values()] }
}

/** While it is gathered. */
type Grown<G> = { [K in keyof G]: G[K] extends readonly (infer E)[] ? E[] : G[K] }

/** The group under a key, an empty one where there is none. */
function grown<G extends object>(groups: Map<string, G>, key: string, empty: () => G): G {
  const known = groups.get(key)
  if (known) return known
  const group = empty()
  groups.set(key, group)
  return group
}

/** Keeps what a commit changed, in the transaction that moves the head to it; nothing when it changed nothing. */
export async function keepChanges(tx: Tx, sandbox: SandboxRef, seq: number, changes: CommitChanges): Promise<void> {
  if (changes.records.length + changes.entities.length === 0) return
  await tx
    .insertInto('change')
    .values({
      user_id: sandbox.userId,
      sandbox_id: sandbox.sandboxId,
      seq,
      committed_at: sql<Date>`now()`,
      changes: { ...changes },
    })
    .execute()
}

/** Lets go of what was kept long enough, and notes up to where. */
export async function dropOldChanges(tx: Tx, { userId, sandboxId }: SandboxRef): Promise<void> {
  await sql`
    with gone as (
      delete from change
      where user_id = ${userId} and sandbox_id = ${sandboxId}
        and committed_at < now() - make_interval(days => ${CHANGES_KEPT_DAYS})
      returning seq
    )
    update sandbox_head set changes_from = greatest(changes_from, (select max(seq) from gone))
    where user_id = ${userId} and sandbox_id = ${sandboxId} and exists (select from gone)`.execute(tx)
}

/** The last commit, and the last one of which the changes are not kept any more; those of all between are. */
export async function changesKept(tx: Tx, { userId, sandboxId }: SandboxRef): Promise<{ from: number; head: number }> {
  const row = await tx
    .selectFrom('sandbox_head')
    .select(['changes_from as from', 'seq as head'])
    .where(ofSandbox({ userId, sandboxId }))
    .executeTakeFirst()
  return row ?? { from: 0, head: 0 }
}

/** The commit before the first that was made at a moment or later; undefined when none was. */
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

/** Up to `limit` commits from `seq` on, in their order. */
export async function readChanges(
  tx: Tx,
  { userId, sandboxId }: SandboxRef,
  seq: number,
  limit: number,
): Promise<KeptChanges[]> {
  const rows = await tx
    .selectFrom('change')
    .select(['seq', 'committed_at', 'changes'])
    .where(ofSandbox({ userId, sandboxId }))
    .where('seq', '>=', seq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  // Only keepChanges writes them.
  return rows.map((row) => ({ seq: row.seq, at: row.committed_at, ...(row.changes as unknown as CommitChanges) }))
}
