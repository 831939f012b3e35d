import type { Connection, CreateConnection } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { Fault, invalid } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { instantOf } from '../../base/instant.ts'
import type { Tx } from '../../db/open.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { type Keeping, keepReply } from '../idempotency/keep-reply.ts'
import { assertUnarchived, lockProject } from '../projects/store.ts'
import type { Reach } from '../reach/reach.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { isOver, wireConnection } from './store.ts'

/**
 * Shares the sandbox, or one project of it, with another account. Throws `unknown_grantee` for an account that does not
 * exist or is the caller's own, `not_implemented` for an address in place of an account, `not_found` for a project that
 * the sandbox does not have, `project_archived` and `sandbox_not_active`.
 */
export async function createConnection(
  ctx: Pick<Ctx, 'sql'> & Recording & Keeping,
  reach: Reach,
  input: CreateConnection,
): Promise<Connection> {
  const grantee = granteeOf(input)
  assertWritable(reach)
  const id = newId('connection', ctx.clock)
  const making = ctx.sql.transact(reach.holderId, async (tx) => {
    const expiresAt = await endOf(tx, input.expires_at)
    if (input.project_id) assertUnarchived(await lockProject(tx, reach, input.project_id))
    const row = await tx
      .insertInto('connection')
      .values({
        user_id: reach.holderId,
        sandbox_id: reach.sandboxId,
        id,
        grantee_user_id: grantee,
        role: input.role,
        project_id: input.project_id ?? null,
        label: input.label ?? null,
        created_by: ctx.caller.accountId,
        created_at: ctx.clock.now(),
        expires_at: expiresAt,
        revoked_at: null,
      })
      .returningAll()
      .returning(isOver)
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: id })
    const connection = wireConnection(row)
    await keepReply(ctx, tx, connection)
    return connection
  })
  return making.catch((error: unknown) => {
    throw error instanceof Fault && error.reason === 'unknown_grantee' ? unknownGrantee() : error
  })
}

function granteeOf({ user_id: userId, email }: CreateConnection): string {
  if (userId !== undefined) return userId
  if (email) throw new Fault('not_implemented', { detail: 'Name the account by user_id; email is not built.' })
  throw invalid(['body', 'user_id'], 'This is required.', 'missing')
}

function unknownGrantee(): Fault {
  const problem = { loc: ['body', 'user_id'], msg: 'Not another account of this service.', type: 'unknown_grantee' }
  return new Fault('unknown_grantee', { problems: [problem] })
}

/** The end of the grant; one that has come already is refused by the clock that will judge it. */
async function endOf(tx: Tx, given: string | null | undefined): Promise<Date | null> {
  if (!given) return null
  const end = instantOf(given)
  const { now } = await tx.selectNoFrom(sqlText<Date>`now()`.as('now')).executeTakeFirstOrThrow()
  if (end === undefined || end <= now) throw invalid(['body', 'expires_at'], 'This must be a moment to come.')
  return end
}
