import type { ApiKey } from '@cairnstore/contract'
import type { Ctx } from '../context.ts'
import { wireKey } from './store.ts'

/** The keys of the caller's account that are not revoked, newest first. */
export async function listApiKeys(ctx: Pick<Ctx, 'caller' | 'clock' | 'sql'>): Promise<ApiKey[]> {
  const { accountId } = ctx.caller
  const rows = await ctx.sql.transact(accountId, (tx) =>
    tx
      .selectFrom('api_key')
      .selectAll()
      .where('user_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .orderBy('id', 'desc')
      .execute(),
  )
  const now = ctx.clock.now()
  return rows.map((row) => wireKey(row, now))
}
