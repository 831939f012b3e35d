import type { AcceptInvitation, Id, SignedIn } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { hasRow, hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { looksLike } from '../accounts/key-format.ts'
import { assertCookiesWork, assertOwnPage } from '../accounts/session-cookie.ts'
import { openSession, replaceSession, sessionHeader } from '../accounts/sessions.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx } from '../context.ts'
import { type Reply, reply } from '../handler.ts'
import { insertMember } from './store.ts'

type Accepting = Omit<TenancyCtx, 'caller'>

const OK = 200

/**
 * Creates a member from an invitation and signs the browser in. Throws `invitation_invalid` if the invitation is
 * unknown, used, withdrawn or expired. Throws `rate_limited` after too many failed attempts from this address. Throws
 * `provider_signs_in` if an identity provider is configured, and `csrf` for a page of another site.
 */
export async function acceptInvitation(
  ctx: Accepting,
  { code, display_name: displayName }: AcceptInvitation,
): Promise<Reply<SignedIn>> {
  if (ctx.oidc) throw new Fault('provider_signs_in')
  assertCookiesWork(ctx.publicUrl)
  assertOwnPage(ctx)
  const found = await findInvitation(ctx, code)
  const session = await ctx.sql.transact(found.user_id, async (tx) => {
    const invitation = await takeInvitation(tx, found, ctx.clock.now())
    const userId = invitation.user_id
    const memberId = await createInvited(tx, ctx, invitation, displayName)
    const made = await openSession(tx, ctx, { userId, memberId })
    const caller = { accountId: memberId, credential: { kind: 'session', id: made.id } } as const
    await recordEvent({ ...ctx, caller }, tx, { holderId: userId, subjectId: memberId })
    return { ...made, userId, memberId }
  })
  await replaceSession(ctx)
  const { userId, memberId, expiresAt } = session
  const signedIn = { user_id: userId, member_id: memberId, expires_at: expiresAt.toISOString() }
  return reply(OK, signedIn, { 'set-cookie': sessionHeader(ctx, session) })
}

/** An invitation found by its code, before its account is known. */
export type FoundInvitation = Pick<Row<'invitation'>, 'user_id' | 'id'>

/** Finds an invitation by its code. Throws `invitation_invalid`, and `rate_limited` after too many wrong codes. */
export async function findInvitation(
  ctx: Pick<Accepting, 'address' | 'authenticator' | 'clock' | 'sql'>,
  code: string,
): Promise<FoundInvitation & Pick<Row<'invitation'>, 'role'>> {
  const undoGuess = ctx.authenticator.countGuess(ctx.address)
  const invitation = sha256(code)
  const [found] = looksLike('invitation', code)
    ? await ctx.sql.look({ invitation }, (tx) =>
        tx
          .selectFrom('invitation')
          .select(['user_id', 'id', 'role'])
          .where('code_hash', '=', invitation)
          .where('accepted_at', 'is', null)
          .where('expires_at', '>', ctx.clock.now()),
      )
    : []
  if (!found) throw new Fault('invitation_invalid')
  undoGuess()
  return found
}

/** Locks and returns an open invitation. Throws `invitation_invalid`. */
export async function takeInvitation(tx: Tx, found: FoundInvitation, now: Date): Promise<Row<'invitation'>> {
  const isActive = await hasRow(tx, 'account', { user_id: found.user_id, status: 'active' })
  const row = await tx
    .selectFrom('invitation')
    .selectAll()
    .where(hasValues({ user_id: found.user_id, id: found.id }))
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()
  if (!isActive || !row) throw new Fault('invitation_invalid')
  return row
}

/** Creates a member from a locked invitation and marks the invitation as accepted. */
async function createInvited(
  tx: Tx,
  ctx: Pick<Accepting, 'clock'>,
  invitation: Row<'invitation'>,
  displayName: string,
): Promise<Id<'member'>> {
  const { user_id: userId, id, role, email, group_ids: groups, created_by: createdBy } = invitation
  const groupIds = groups.split(' ').filter((each) => each !== '')
  const memberId = await insertMember(tx, ctx, { userId, role, displayName, email, groupIds, createdBy })
  await recordAcceptance(tx, { user_id: userId, id }, memberId, ctx.clock.now())
  return memberId
}

/** Marks an invitation as accepted. */
export async function recordAcceptance(tx: Tx, { user_id, id }: FoundInvitation, memberId: string, now: Date) {
  await tx
    .updateTable('invitation')
    .set({ accepted_at: now, accepted_by: memberId })
    .where(hasValues({ user_id, id }))
    .execute()
}
