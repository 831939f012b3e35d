import { Fault } from '../../base/fault.ts'
import { isId } from '../../base/id.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Sql } from '../../db/open.ts'
import type { Caller } from '../caller.ts'

/** Returns the caller of a background job, with its current role. Throws `not_found` if it is not active. */
export async function storedCaller(sql: Sql, accountId: string, credential: unknown): Promise<Caller> {
  const caller = { accountId, credential } as Caller
  const account = await sql.transact(accountId, (tx) =>
    tx.selectFrom('account').select(['status', 'member_of']).where('user_id', '=', accountId).executeTakeFirst(),
  )
  if (account?.status !== 'active') throw new Fault('not_found')
  const tenantId = account.member_of
  if (!isId('member', accountId) || tenantId === null || caller.credential.kind === 'connection_key') return caller
  const member = await sql.transact(tenantId, (tx) =>
    tx
      .selectFrom('member')
      .select('role')
      .where(hasValues({ user_id: tenantId, id: accountId, status: 'active' }))
      .executeTakeFirst(),
  )
  if (!member) throw new Fault('not_found')
  return { ...caller, member: { id: accountId, tenantId, role: member.role } }
}
