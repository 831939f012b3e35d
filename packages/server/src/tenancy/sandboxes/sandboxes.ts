import type { Done, Id, Role, Sandbox, SandboxPage, SandboxState } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import type { TierLimits } from '../../config/limits.ts'
import { isSandbox } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import { type AccessScope, activeGrants, isOwnedBy, widestGrantOf } from '../access/access-scope.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { holderOf } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'
import { placeOf } from '../storage/bucket.ts'

const MESSAGES: Record<SandboxEvent, string> = {
  suspended: 'The sandbox is suspended: it can only be read.',
  reactivated: 'The sandbox is active.',
  archived: 'The sandbox is archived: it can only be read, and is listed only on request.',
}

/**
 * Moves a sandbox to the state after an event. Does nothing if it is already in that state. Records accepted before are
 * still applied, so no acknowledged record is lost. Throws `sandbox_not_active` if the transition is not allowed.
 */
export async function changeSandboxState(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext,
  access: AccessScope,
  event: SandboxEvent,
): Promise<Done> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    const { status } = await tx
      .selectFrom('sandbox')
      .select('status')
      .where(isSandbox(access))
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const next = NEXT[status][event]
    if (next === 'refused') throw new Fault('sandbox_not_active', { detail: `The sandbox is ${status}.` })
    if (next !== status) {
      await tx
        .updateTable('sandbox')
        .set({ status: next, updated_at: ctx.clock.now() })
        .where(isSandbox(access))
        .execute()
      await recordEvent(ctx, tx, {
        holderId: access.holderId,
        sandboxId: access.sandboxId,
        subjectId: access.sandboxId,
      })
    }
    return { success: true, message: MESSAGES[event] }
  })
}

/** Event that changes a sandbox's state. */
type SandboxEvent = 'suspended' | 'reactivated' | 'archived'

/** State transitions. Suspending an archived sandbox is refused, because it would return the sandbox to lists. */
const NEXT: Record<SandboxState, Record<SandboxEvent, SandboxState | 'refused'>> = {
  active: { suspended: 'suspended', reactivated: 'active', archived: 'archived' },
  suspended: { suspended: 'suspended', reactivated: 'active', archived: 'archived' },
  archived: { suspended: 'refused', reactivated: 'active', archived: 'archived' },
}

interface SandboxesQuery extends PageRequest {
  status?: SandboxState | undefined
  owner_id?: string | undefined
}

/** Returns one page of the sandboxes that the caller owns or has grants for, newest first. */
export async function listSandboxes(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'limits' | 'sql'>,
  { status, owner_id, ...pageQuery }: SandboxesQuery,
): Promise<SandboxPage> {
  const { credential, member } = ctx.caller
  const isAccount = credential.kind !== 'connection_key'
  const holderId = holderOf(ctx.caller)
  const scope = ['sandboxes', holderId, isAccount ? null : credential.id, status, owner_id]
  const page = openPage(ctx.cursors, scope, pageQuery)
  const grants = await ctx.sql.look({ caller: holderId }, (tx) => activeGrants(tx, ctx.caller))
  const granted = [...new Set(grants.map((grant) => grant.sandbox_id))]
  const found = await ctx.sql.look({ caller: holderId }, (tx) => {
    let query = tx.selectFrom('sandbox').selectAll().orderBy('id', 'desc').limit(page.rowsMax)
    query = query.where((is) =>
      is.or([
        ...(isAccount ? [is('user_id', '=', holderId)] : []),
        ...(member?.role === 'member' ? [is('member_id', '=', member.id)] : []),
        ...(granted.length > 0 ? [is('id', 'in', granted)] : []),
      ]),
    )
    query = status === undefined ? query.where('status', '!=', 'archived') : query.where('status', '=', status)
    if (owner_id !== undefined) query = query.where('owner_id', '=', owner_id)
    if (page.after) query = query.where('id', '<', String(page.after[0]))
    return query
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  const sandboxes = rows.map((row) => {
    if (isOwnedBy(row, ctx.caller)) return wireSandbox(row, ctx.limits, 'owner')
    const own = grants.filter((each) => each.sandbox_id === row.id)
    return wireSandbox(row, ctx.limits, widestGrantOf(ctx.caller, own)?.role ?? 'viewer')
  })
  return { sandboxes, ...end }
}

/** Returns the wire form of a sandbox's row for a caller with this role. */
export function wireSandbox(row: Row<'sandbox'>, limits: TierLimits, role: Role): Sandbox {
  const storage = role === 'owner' ? placeOf(row.storage) : null
  const sandbox: Sandbox = {
    sandbox_id: row.id as Id<'sandbox'>,
    user_id: row.user_id,
    owner_id: row.owner_id,
    name: row.name,
    tier: row.tier,
    status: row.status,
    storage_provider_type: row.storage_provider_type,
    ...(storage && { storage }),
    limits: limits[row.tier],
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    access: role,
    is_external: role !== 'owner',
    encrypted: row.encrypted,
    key_fingerprint: row.key_fingerprint,
  }
  return withVersion(sandbox, row.version)
}
