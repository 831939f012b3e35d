import type { DeletedSandbox } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Ctx } from '../handler.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { assertVersion } from '../versions.ts'
import { countKnowledge } from './count-knowledge.ts'

/** What a sandbox's rows are spread over, leaves first. Audit stays: it outlives the sandbox for the operator. */
const TABLES = [
  'inbox',
  'job',
  'merge_ledger',
  'connection',
  'project_source',
  'project',
  'source_secret',
  'source',
  'sandbox_head',
] as const

/**
 * Deletes a sandbox with everything in it. When it resolves nothing of it can be reached; its knowledge is erased from
 * the disk as well.
 */
export async function deleteSandbox(ctx: Ctx, reach: Reach): Promise<DeletedSandbox> {
  const place = { userId: reach.holderId, sandboxId: reach.sandboxId }
  const known = await countKnowledge(ctx, place)
  const rows = await ctx.sql.transact(reach.holderId, async (tx) => {
    await lockSandbox(tx, reach)
    await assertVersion(tx, ctx.ifMatch, 'sandbox', { userId: reach.holderId, id: reach.sandboxId })
    let rows = 0
    for (const table of TABLES) rows += await deleteRows(tx, table, reach)
    await tx.deleteFrom('sandbox').where('user_id', '=', reach.holderId).where('id', '=', reach.sandboxId).execute()
    await tx
      .updateTable('account')
      .set({ primary_sandbox_id: null, default_project_id: null })
      .where('user_id', '=', reach.holderId)
      .where('primary_sandbox_id', '=', reach.sandboxId)
      .execute()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: reach.sandboxId })
    return rows + 1
  })
  await ctx.knowledge.erase(place)
  return {
    success: true,
    message: 'The sandbox and everything in it are deleted.',
    deleted: { sql: rows, ...known, objects: 0 },
  }
}

/** Locks the head before the sandbox, as those who apply records do, so that neither waits for the other. */
async function lockSandbox(tx: Tx, reach: Reach): Promise<void> {
  await tx
    .selectFrom('sandbox_head')
    .select('sandbox_id')
    .where('user_id', '=', reach.holderId)
    .where('sandbox_id', '=', reach.sandboxId)
    .forUpdate()
    .execute()
  await tx
    .selectFrom('sandbox')
    .select('id')
    .where('user_id', '=', reach.holderId)
    .where('id', '=', reach.sandboxId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

async function deleteRows(tx: Tx, table: (typeof TABLES)[number], reach: Reach): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom(table)
    .where('user_id', '=', reach.holderId)
    .where('sandbox_id', '=', reach.sandboxId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
