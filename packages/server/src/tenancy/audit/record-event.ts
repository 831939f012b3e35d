import { type AuditEvent, type AuditPage, READ_AS_EVENT } from '@cairnstore/contract'
import type { RawBuilder } from 'kysely'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { type AuditEntry, appendAudit, appendAuditCall, applyAuditRetention } from '../../db/audit.ts'
import type { Tx } from '../../db/open.ts'
import type { Scope } from '../../db/scope.ts'
import type { Row } from '../../db/tables.ts'
import type { AccessScope } from '../access/access-scope.ts'
import type { Caller } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'
import type { Planes } from '../planes.ts'

interface EventSubject {
  /** The account that owns the changed row. */
  holderId: string
  /** The sandbox of the change; absent for changes of the account itself. */
  sandboxId?: string
  subjectId: string
}

/** Creates the audit partitions of the coming months and drops those past their retention. */
export async function dropAudit(planes: Pick<Planes, 'clock' | 'sql' | 'auditRetentionMonths'>): Promise<void> {
  const { clock, sql, auditRetentionMonths } = planes
  await sql.transact({ worker: true }, (tx) => applyAuditRetention(tx, clock.now(), auditRetentionMonths))
}

export type AuditContext = Pick<TenancyCtx, 'operation' | 'clock' | 'caller' | 'requestId'>

/** Writes the operation's audit event in the transaction of the change, so that both commit or neither does. */
export async function recordEvent(ctx: AuditContext, tx: Tx, subject: EventSubject): Promise<void> {
  await appendAudit(tx, eventOf(ctx, subject))
}

/** Returns an SQL expression that writes the operation's audit event for each row of the changing statement. */
export function recordingEvent(ctx: AuditContext, subject: EventSubject): RawBuilder<void> {
  return appendAuditCall(eventOf(ctx, subject))
}

function eventOf(ctx: AuditContext, { holderId, sandboxId, subjectId }: EventSubject): AuditEntry {
  const { audit } = ctx.operation
  if (!('event' in audit)) throw new Error(`${ctx.operation.id} changes data but declares no audit event`)
  return {
    user_id: holderId,
    chain: sandboxId ?? holderId,
    at: ctx.clock.now(),
    actor_user_id: ctx.caller.accountId,
    credential_id: ctx.caller.credential.id,
    event: audit.event,
    subject_id: subjectId,
    request_id: ctx.requestId,
  }
}

/** The caller, the grantee to act as, and the access scope. */
interface ReadAsUser {
  caller: Caller | undefined
  as?: Caller
  access: AccessScope | undefined
}

/** Records that an owner reads with a grantee's access scope, before any content is read. */
export async function recordReadAs(
  { clock, sql }: Pick<Planes, 'clock' | 'sql'>,
  { caller, as, access }: ReadAsUser,
  requestId: string,
): Promise<void> {
  const { holderId, sandboxId } = access!
  await sql.transact(holderId, (tx) =>
    appendAudit(tx, {
      user_id: holderId,
      chain: sandboxId,
      at: clock.now(),
      actor_user_id: caller!.accountId,
      credential_id: caller!.credential.id,
      event: READ_AS_EVENT,
      subject_id: as!.accountId,
      request_id: requestId,
    }),
  )
}

/**
 * Returns one page of a chain of events, newest first. A chain belongs to a sandbox or an account. `who` limits the
 * readable rows. The operator can read all chains, including those of erased sandboxes and accounts.
 */
export async function listAudit(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'sql'>,
  who: Extract<Scope, { tenant: string } | { operator: true }>,
  chain: string,
  pageQuery: PageRequest,
): Promise<AuditPage> {
  const page = openPage(ctx.cursors, ['audit', ctx.caller.accountId, chain], pageQuery)
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
