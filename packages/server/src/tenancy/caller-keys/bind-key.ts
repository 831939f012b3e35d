import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { readKeptKey, writeKeptKey } from './kept-key.ts'
import type { PublicKey } from './sealed-box.ts'
import { FIRST_EPOCH } from './unlock.ts'

/**
 * The public key that what a keyed request brings is sealed to. A sandbox that has never held content is put under the
 * request's key for ever, in the transaction of that first content. Throws `holds_plain_content` for one that has, and
 * `mismatch` when another key came first. It comes before any other look at the sandbox's row in the transaction, which
 * it locks: two that look first and lock then would wait for each other.
 */
export async function bindKey(ctx: Pick<Ctx, 'key'>, tx: Tx, reach: Reach): Promise<PublicKey | undefined> {
  if (!ctx.key) return undefined
  const { seal } = ctx.key
  const known = readKeptKey(reach.sandbox.caller_key)
  if (known) return known.publicKey
  const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId }
  // Whoever brings content without a key holds a lock of the same row that excludes this one.
  const row = await ofSandbox(tx, reach).select('caller_key').forUpdate().executeTakeFirst()
  if (!row) throw new Fault('not_found')
  const bound = readKeptKey(row.caller_key)
  if (bound && !seal.fits(bound)) throw new Fault('mismatch')
  if (bound) return bound.publicKey
  if (await holdsContent(tx, place)) throw new Fault('holds_plain_content')
  await tx
    .updateTable('sandbox')
    .set({ encrypted: true, key_fingerprint: seal.fingerprint, caller_key: writeKeptKey(seal.kept) })
    .where('user_id', '=', place.user_id)
    .where('id', '=', place.sandbox_id)
    .execute()
  await tx
    .updateTable('sandbox_head')
    .set((is) => ({
      key_epoch: FIRST_EPOCH,
      record_count: is.fn.coalesce('record_count', is.lit(0)),
      content_bytes: is.fn.coalesce('content_bytes', is.lit(0)),
    }))
    .where((is) => is.and(place))
    .execute()
  return seal.kept.publicKey
}

function ofSandbox(tx: Tx, { holderId, sandboxId }: Reach) {
  return tx.selectFrom('sandbox').where('user_id', '=', holderId).where('id', '=', sandboxId)
}

/** Whether anything was ever put into the sandbox: what is gone may still be in older versions. */
async function holdsContent(tx: Tx, place: { user_id: string; sandbox_id: string }): Promise<boolean> {
  const head = await tx
    .selectFrom('sandbox_head')
    .select('seq')
    .where((is) => is.and(place))
    .executeTakeFirst()
  if (head && head.seq > 0) return true
  const waiting = await tx
    .selectFrom('inbox')
    .select('id')
    .where((is) => is.and(place))
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}
