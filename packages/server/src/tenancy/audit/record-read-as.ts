import { READ_AS_EVENT } from '@cairnstore/contract'
import { appendAudit } from '../../db/audit.ts'
import type { Caller } from '../caller.ts'
import type { Planes } from '../planes.ts'
import type { Reach } from '../reach/reach.ts'

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
