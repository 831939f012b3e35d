import { READ_AS_EVENT } from '@cairnstore/contract'
import type { RawBuilder } from 'kysely'
import { type AuditEntry, appendAudit, auditing } from '../../db/audit.ts'
import type { Tx } from '../../db/open.ts'
import type { Caller } from '../caller.ts'
import type { Ctx } from '../context.ts'
import type { Planes } from '../planes.ts'
import type { Reach } from '../reach/reach.ts'

/** Where an event belongs, and what it is about. */
export interface EventSubject {
  /** The account that holds what changed. */
  holderId: string
  /** The sandbox it happened in; none for the account's own affairs. */
  sandboxId?: string
  subjectId: string
}

/** What an event says of its request. */
export type Recording = Pick<Ctx, 'operation' | 'clock' | 'caller' | 'requestId'>

/** Writes the operation's audit event in the transaction of the change, so that neither is without the other. */
export async function recordEvent(ctx: Recording, tx: Tx, subject: EventSubject): Promise<void> {
  await appendAudit(tx, eventOf(ctx, subject))
}

/** The expression that writes the operation's audit event for each row of the statement that makes the change. */
export function recordingEvent(ctx: Recording, subject: EventSubject): RawBuilder<void> {
  return auditing(eventOf(ctx, subject))
}

function eventOf(ctx: Recording, { holderId, sandboxId, subjectId }: EventSubject): AuditEntry {
  const { audit } = ctx.operation
  if (!('event' in audit)) throw new Error(`${ctx.operation.id} changes something but declares no audit event`)
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

/** Who asks, with whose reach. */
interface ReadAs {
  caller: Caller | undefined
  as?: Caller
  reach: Reach | undefined
}

/** Writes down that an owner asks with the reach of a grantee, before anything is read for it. */
export async function recordReadAs(
  { clock, sql }: Pick<Planes, 'clock' | 'sql'>,
  { caller, as, reach }: ReadAs,
  requestId: string,
): Promise<void> {
  const { holderId, sandboxId } = reach!
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
