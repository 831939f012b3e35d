import type { AuditEvent, AuditPage } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Scope } from '../../db/scope.ts'
import type { Row } from '../../db/tables.ts'
import type { Ctx } from '../context.ts'

/**
 * One page of a chain of events, newest first: a sandbox's, or an account's. `who` says whose rows may be read; the
 * operator reads any, also what an erased sandbox or account left behind.
 */
export async function listAudit(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  who: Extract<Scope, { tenant: string } | { operator: true }>,
  chain: string,
  asked: PageAsked,
): Promise<AuditPage> {
  const page = openPage(ctx.cursors, ['audit', ctx.caller.accountId, chain], asked)
  const found = await ctx.sql.transact(who, (tx) => {
    let query = tx.selectFrom('audit').selectAll().where('chain', '=', chain).orderBy('seq', 'desc').limit(page.rowsMax)
    if ('tenant' in who) query = query.where('user_id', '=', who.tenant)
    return (page.after ? query.where('seq', '<', Number(page.after[0])) : query).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.seq])
  return { events: rows.map(wireEvent), ...end }
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
