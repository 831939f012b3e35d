import type { Merge } from '@cairnstore/engine/resolve'
import { batchesOf } from '../base/batches.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import type { JsonObject } from '../db/json-object.ts'
import { ofSandbox, sandboxColumns } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Rows per INSERT, to stay below the limit of bound parameters. */
const ROWS_PER_INSERT = 500

/** Writes entries to a sandbox's merge ledger. Returns their ids in order. */
export async function insertMerges(
  tx: Tx,
  sandbox: SandboxRef,
  entries: readonly Merge[],
  clock: Clock,
  cipher: ContentCipher | undefined,
): Promise<string[]> {
  const mergedAt = clock.now()
  const rows = entries.map(({ from, into, kind, evidence, actorId = null }) => {
    const id = newId('merge', clock)
    return {
      ...sandboxColumns(sandbox),
      id,
      from_entity: from,
      into_entity: into,
      kind,
      evidence: encryptEvidence(id, evidence, cipher),
      merged_at: mergedAt,
      undone_at: null,
      actor_user_id: actorId,
      undone_by: null,
    }
  })
  for (const batch of batchesOf(rows, ROWS_PER_INSERT)) await tx.insertInto('merge_ledger').values(batch).execute()
  return rows.map(({ id }) => id)
}

/** Returns evidence in stored form. It quotes names, so the cipher, if any, encrypts it. */
export function encryptEvidence(id: string, evidence: JsonObject, cipher: ContentCipher | undefined): JsonObject {
  return cipher
    ? { sealed: cipher.encrypt(associatedDataOf(id), Buffer.from(JSON.stringify(evidence))).toString('base64') }
    : evidence
}

export function decryptEvidence(id: string, stored: JsonObject, cipher: ContentCipher | undefined): JsonObject {
  if (!cipher) return stored
  return JSON.parse(
    cipher.decrypt(associatedDataOf(id), Buffer.from(String(stored.sealed), 'base64')).toString(),
  ) as JsonObject
}

function associatedDataOf(id: string): string {
  return `merges/${id}`
}

/** Marks the merges of these entities as undone. */
export async function undoMerges(
  tx: Tx,
  sandbox: SandboxRef,
  fromIds: readonly string[],
  { at, by }: { at: Date; by: string | null },
): Promise<void> {
  for (const batch of batchesOf(fromIds, ROWS_PER_INSERT)) {
    await tx
      .updateTable('merge_ledger')
      .set({ undone_at: at, undone_by: by })
      .where(ofSandbox(sandbox))
      .where('from_entity', 'in', batch)
      .where('kind', '!=', 'split')
      .where('undone_at', 'is', null)
      .execute()
  }
}

/** Returns an entry of the ledger. Undefined if the sandbox has none with this id. */
export function findMerge(tx: Tx, sandbox: SandboxRef, id: string): Promise<Row<'merge_ledger'> | undefined> {
  return tx.selectFrom('merge_ledger').selectAll().where(ofSandbox(sandbox, { id })).executeTakeFirst()
}

/** Maximum number of entries in an entity's history. The latest ones are shown. */
const LISTED_MAX = 200

/** Returns the latest ledger entries of these ids, oldest first, with decrypted evidence. */
export async function listMerges(
  tx: Tx,
  sandbox: SandboxRef,
  ids: readonly string[],
  cipher: ContentCipher | undefined,
): Promise<Row<'merge_ledger'>[]> {
  const rows = await tx
    .selectFrom('merge_ledger')
    .selectAll()
    .where(ofSandbox(sandbox))
    .where((is) => is.or([is('into_entity', 'in', [...ids]), is('from_entity', 'in', [...ids])]))
    .orderBy('merged_at', 'desc')
    .orderBy('id', 'desc')
    .limit(LISTED_MAX)
    .execute()
  return rows.reverse().map((row) => ({ ...row, evidence: decryptEvidence(row.id, row.evidence, cipher) }))
}
