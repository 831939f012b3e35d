import { sql } from 'kysely'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { KeyChange } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { encryptTo } from '../tenancy/secrets/encrypt.ts'

/** Values that mark an original for removal. Without its key, its parts cannot be decrypted. */
const OVER = { state: 'over', has_records: false, key_box: null, manifest: Buffer.alloc(0) } as const

/** Returns the associated data for the encryption of an original's key. */
export function originalKeyContext(id: string): string {
  return `original/${id}`
}

/**
 * Marks the originals of these records for removal, in the transaction that removes the records. An original contains
 * all records of its file. Therefore it is removed together with the first of them.
 */
export async function endOriginalsOf(tx: Tx, sandbox: SandboxRef, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  const { userId, sandboxId } = sandbox
  const { rows } = await sql<{ original_id: string }>`
    delete from original_record
    where user_id = ${userId} and sandbox_id = ${sandboxId} and record_id = any(${[...recordIds]}::text[])
    returning original_id`.execute(tx)
  await endOriginals(tx, sandbox, [...new Set(rows.map((row) => row.original_id))])
}

/** Marks all originals of a source for removal. */
export async function endOriginalsOfSource(tx: Tx, sandbox: SandboxRef, sourceId: string): Promise<void> {
  const ofSource = ofSandbox(sandbox, { source_id: sourceId })
  const found = await tx.selectFrom('original').select('id').where(ofSource).execute()
  const ids = found.map(({ id }) => id)
  await endOriginals(tx, sandbox, ids)
}

async function endOriginals(tx: Tx, sandbox: SandboxRef, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const isLinked = sql<boolean>`original_id = any(${[...ids]}::text[])`
  const isOne = sql<boolean>`id = any(${[...ids]}::text[])`
  await tx.deleteFrom('original_record').where(ofSandbox(sandbox)).where(isLinked).execute()
  await tx.updateTable('original').set(OVER).where(ofSandbox(sandbox)).where(isOne).execute()
}

/**
 * Links records to the originals that they were read from, and unlinks the records in `without`. Marks originals
 * without records for removal. A record is never linked to an original of another project.
 */
export async function linkRecords(
  tx: Tx,
  sandbox: SandboxRef,
  links: readonly { recordId: string; originalId: string; projectId: string | null }[],
  without: readonly string[],
): Promise<void> {
  const { userId, sandboxId } = sandbox
  const recordIds = [...links.map(({ recordId }) => recordId), ...without]
  if (recordIds.length === 0) return
  const { rows: before } = await sql<{ original_id: string }>`
    delete from original_record
    where user_id = ${userId} and sandbox_id = ${sandboxId} and record_id = any(${recordIds}::text[])
    returning original_id`.execute(tx)
  if (links.length > 0) {
    const { rows } = await sql<{ original_id: string }>`
      insert into original_record (user_id, sandbox_id, record_id, original_id)
      select ${userId}, ${sandboxId}, link.record_id, original.id
      from unnest(${links.map((link) => link.recordId)}::text[], ${links.map((link) => link.originalId)}::text[],
        ${links.map((link) => link.projectId)}::text[]) as link (record_id, original_id, project_id)
      join original on original.user_id = ${userId} and original.sandbox_id = ${sandboxId}
        and original.id = link.original_id and original.state = 'stored'
        and original.project_id is not distinct from link.project_id
      on conflict (user_id, sandbox_id, record_id) do update set original_id = excluded.original_id
      returning original_id`.execute(tx)
    const isLinked = sql<boolean>`id = any(${[...new Set(rows.map((row) => row.original_id))]}::text[])`
    await tx.updateTable('original').set({ has_records: true }).where(ofSandbox(sandbox)).where(isLinked).execute()
  }
  const left = [...new Set(before.map((row) => row.original_id))]
  if (left.length === 0) return
  const { rows: unused } = await sql<{ id: string }>`
    select id from original
    where user_id = ${userId} and sandbox_id = ${sandboxId} and id = any(${left}::text[]) and not exists (
      select from original_record r
      where r.user_id = original.user_id and r.sandbox_id = original.sandbox_id and r.original_id = original.id
    )`.execute(tx)
  const ids = unused.map(({ id }) => id)
  await endOriginals(tx, sandbox, ids)
}

/** Returns the bytes of a sandbox's originals. They count against its storage quota. */
export async function originalBytes(tx: Tx, sandbox: SandboxRef): Promise<number> {
  const { bytes } = await tx
    .selectFrom('original')
    .select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'))
    .where(ofSandbox(sandbox))
    .where('state', '!=', 'over')
    .executeTakeFirstOrThrow()
  return bytes
}

/** Encrypts the keys of a sandbox's originals to its new customer-managed key. */
export async function reencryptOriginals(tx: Tx, sandbox: SandboxRef, { before, after }: KeyChange): Promise<void> {
  const originals = tx.selectFrom('original').select(['id', 'key_box']).where(ofSandbox(sandbox))
  const rows = await originals.where('key_box', 'is not', null).execute()
  for (const { id, key_box: box } of rows) {
    const key = before.decryptBox(originalKeyContext(id), box!)
    const next = encryptTo(after.storedKey.publicKey, originalKeyContext(id), key)
    await tx.updateTable('original').set({ key_box: next }).where(ofSandbox(sandbox, { id })).execute()
  }
}
