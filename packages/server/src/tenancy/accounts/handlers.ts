import type {
  ApiKey,
  accountOperations,
  CreateApiKey,
  CreatedApiKey,
  consoleOperations,
  Id,
  RevokedApiKey,
} from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { isManaging, tenantOf } from '../caller.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'
import { type IdempotencyContext, storeReply } from '../idempotency/keyed-request.ts'
import { makeAccountConsoleCode, makeConsoleCode, signInToConsole } from './console-sign-in.ts'
import { keyPrefix, newApiKey } from './key-format.ts'
import { getProfile, updateProfile } from './profile.ts'
import { insertKey, type NewKey, wireKey } from './store.ts'

/** Handlers of the operations on the caller's own account and of the console sign-in. */
export const handlers: TenancyHandlers<typeof accountOperations & typeof consoleOperations> = {
  createApiKey: (ctx, { body }) => createApiKey(ctx, body),
  listApiKeys: (ctx) => listApiKeys(ctx),
  revokeApiKey: (ctx, { params }) => revokeApiKey(ctx, params.key_id),
  getProfile: (ctx) => getProfile(ctx),
  updateProfile: (ctx, { body }) => updateProfile(ctx, body),

  createConsoleCode: async (ctx) => makeConsoleCode(ctx, tenantOf(ctx.caller), ctx.caller.member?.id),
  createAccountConsoleCode: (ctx, { params }) => makeAccountConsoleCode(ctx, params.user_id),
  signInToConsole: (ctx, { body }) => signInToConsole(ctx, body),
}

/** Returns the active keys of the caller's account, newest first. Members who are not admins get only their own. */
async function listApiKeys(ctx: Pick<TenancyCtx, 'caller' | 'clock' | 'sql'>): Promise<ApiKey[]> {
  const userId = tenantOf(ctx.caller)
  const rows = await ctx.sql.transact(userId, (tx) =>
    tx
      .selectFrom('api_key')
      .selectAll()
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .$if(!isManaging(ctx.caller), (all) => all.where('member_id', '=', ctx.caller.accountId))
      .orderBy('id', 'desc')
      .execute(),
  )
  const now = ctx.clock.now()
  return rows.map((row) => wireKey(row, now))
}

const WARNING = 'This key is shown only here. Keep it safe: anyone who has it can act as this account.'

/** Creates a key of the caller's account or member. Only the response contains its plaintext. */
async function createApiKey(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext & IdempotencyContext,
  wanted: CreateApiKey,
): Promise<CreatedApiKey> {
  const userId = tenantOf(ctx.caller)
  const { created, row } = newKey(ctx, userId, wanted, ctx.caller.member?.id)
  await ctx.sql.transact(userId, async (tx) => {
    await insertKey(tx, row)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: row.id })
    await storeReply(ctx, tx, created)
  })
  return created
}

/** Returns a new key of an account: the response that shows it once, and the row to store. */
export function newKey(
  { clock }: Pick<TenancyCtx, 'clock'>,
  userId: string,
  { name, expires_in_days: days }: CreateApiKey,
  memberId?: Id<'member'>,
): { created: CreatedApiKey; row: NewKey } {
  const createdAt = clock.now()
  const expiresAt = days ? new Date(createdAt.getTime() + days * MS_PER_DAY) : null
  const id = newId('key', clock)
  const key = newApiKey()
  const created: CreatedApiKey = {
    id,
    name,
    key,
    key_prefix: keyPrefix(key),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    member_id: memberId ?? null,
    warning: WARNING,
  }
  return { created, row: { userId, id, name, key, createdAt, expiresAt, memberId } }
}

/** Revokes a key of the caller's account. This process rejects it at once, other processes within a second. */
async function revokeApiKey(
  ctx: Pick<TenancyCtx, 'authenticator' | 'sql'> & AuditContext,
  id: Id<'key'>,
): Promise<RevokedApiKey> {
  const userId = tenantOf(ctx.caller)
  const revoked = await ctx.sql.transact(userId, async (tx) => {
    const { name } = await tx
      .updateTable('api_key')
      .set({ revoked_at: ctx.clock.now() })
      .where(hasValues({ user_id: userId, id }))
      .where('revoked_at', 'is', null)
      .$if(!isManaging(ctx.caller), (all) => all.where('member_id', '=', ctx.caller.accountId))
      .returning('name')
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
    return { revoked: true as const, id, name }
  })
  ctx.authenticator.forget({ keyId: id })
  return revoked
}
