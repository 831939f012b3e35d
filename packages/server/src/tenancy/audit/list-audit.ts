import type { AuditEvent, AuditPage } from '@cairn/contract'
import type { Scope } from '../../db/scope.ts'
import type { Row } from '../../db/tables.ts'
import type { Ctx } from '../context.ts'

interface Listed {
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000

/**
 * One page of a chain of events, newest first: a sandbox's, or an account's. `who` says whose rows may be read; the
 * operator reads any, also what an erased sandbox or account left behind.
 */
export async function listAudit(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  who: Extract<Scope, { tenant: string } | { operator: true }>,
  chain: string,
  { limit = PAGE_ROWS, cursor }: Listed,
): Promise<AuditPage> {
  const scope = JSON.stringify(['audit', ctx.caller.accountId, chain])
  const after = cursor === undefined ? undefined : Number(ctx.cursors.unpack(scope, cursor)[0])
  const rows = await ctx.sql.transact(who, (tx) => {
    let query = tx
      .selectFrom('audit')
      .selectAll()
      .where('chain', '=', chain)
      .orderBy('seq', 'desc')
      .limit(limit + 1)
    if ('tenant' in who) query = query.where('user_id', '=', who.tenant)
    return (after === undefined ? query : query.where('seq', '<', after)).execute()
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    events: page.map(wireEvent),
    count: page.length,
    ...(rows.length > limit && last && { next_cursor: ctx.cursors.pack(scope, [last.seq]) }),
  }
}

function wireEvent(row: Row<'audit'>): AuditEvent {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    event: row.event,
    actor_user_id: row.actor_user_id || null,
    credential_id: row.credential_id,
    subject_id: row.subject_id,
    request_id: row.request_id,
    previous_hash: row.previous_hash.toString('hex'),
    hash: row.hash.toString('hex'),
  }
}
