import type {
  AccountPage,
  CreateAccount,
  CreateAccountKey,
  CreatedAccount,
  CreatedAccountKey,
  Sandbox,
  Tier,
} from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { newKey } from '../accounts/handlers.ts'
import { newApiKey } from '../accounts/key-format.ts'
import { insertAccount, insertKey, lockAccount } from '../accounts/store.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx } from '../context.ts'
import { type IdempotencyContext, storeReply } from '../idempotency/keyed-request.ts'
import { wireSandbox } from '../sandboxes/sandboxes.ts'

const KEY_NAME = 'First key'

/** Creates an account with its first API key. Only the response contains its plaintext. Throws `account_exists`. */
export async function createAccount(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext & IdempotencyContext,
  input: CreateAccount,
): Promise<CreatedAccount> {
  const userId = input.user_id ?? newId('account', ctx.clock)
  const displayName = input.display_name ?? userId
  const createdAt = ctx.clock.now()
  const key = newApiKey()
  const made = { user_id: userId, display_name: displayName, key }
  await ctx.sql.transact({ tenant: userId, operator: true }, async (tx) => {
    await insertAccount(tx, userId, displayName, createdAt)
    await insertKey(tx, { userId, id: newId('key', ctx.clock), name: KEY_NAME, key, createdAt, expiresAt: null })
    await recordEvent(ctx, tx, { holderId: userId, subjectId: userId })
    await storeReply(ctx, tx, made)
  })
  return made
}

/**
 * Creates another API key of an account, and revokes the other keys on request. This process rejects revoked keys at
 * once, other processes within a second. Connection keys are not revoked. Throws `not_found`.
 */
export async function createAccountKey(
  ctx: Pick<TenancyCtx, 'authenticator' | 'sql'> & AuditContext & IdempotencyContext,
  userId: string,
  { revoke_others: isSole = false, ...wanted }: CreateAccountKey,
): Promise<CreatedAccountKey> {
  const { created, row } = newKey(ctx, userId, wanted)
  const made = await ctx.sql.transact({ tenant: userId, operator: true }, async (tx) => {
    if ((await lockAccount(tx, userId)) === undefined) throw new Fault('not_found')
    const others = isSole ? await revokeKeys(tx, userId, ctx.clock.now()) : await countKeys(tx, userId)
    await insertKey(tx, row)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: row.id })
    const reply = { ...created, user_id: userId, keys_kept: isSole ? 0 : others, keys_revoked: isSole ? others : 0 }
    await storeReply(ctx, tx, reply)
    return reply
  })
  if (isSole) ctx.authenticator.forget({ accountId: userId })
  return made
}

async function countKeys(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('api_key')
    .select((is) => is.fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where('connection_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function revokeKeys(tx: Tx, userId: string, at: Date): Promise<number> {
  const { numUpdatedRows: revoked } = await tx
    .updateTable('api_key')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('connection_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(revoked)
}

interface AccountsQuery extends PageRequest {
  status?: 'active' | 'suspended' | undefined
}

/** Returns one page of all accounts, newest first. */
export async function listAccounts(
  ctx: Pick<TenancyCtx, 'cursors' | 'sql'>,
  { status, ...pageQuery }: AccountsQuery,
): Promise<AccountPage> {
  const page = openPage(ctx.cursors, ['accounts', status], pageQuery)
  const found = await ctx.sql.transact({ operator: true }, (tx) => {
    let query = tx
      .selectFrom('account')
      .selectAll()
      .where('member_of', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('user_id', 'desc')
      .limit(page.rowsMax)
    if (status !== undefined) query = query.where('status', '=', status)
    if (!page.after) return query.execute()
    const [at, id] = page.after
    const after = new Date(String(at))
    return query
      .where((is) =>
        is.or([is('created_at', '<', after), is.and([is('created_at', '=', after), is('user_id', '<', String(id))])]),
      )
      .execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.created_at.toISOString(), last.user_id])
  return {
    accounts: rows.map((row) => ({
      user_id: row.user_id,
      display_name: row.display_name,
      status: row.status,
      created_at: row.created_at.toISOString(),
    })),
    ...end,
  }
}

/** Sets the tier of a sandbox and returns it as its owner sees it. Content over the new limits is not removed. */
export async function setSandboxTier(
  ctx: Pick<TenancyCtx, 'limits' | 'sql'> & AuditContext,
  sandboxId: string,
  tier: Tier,
): Promise<Sandbox> {
  const owner = await ctx.sql.transact({ operator: true }, (tx) =>
    tx.selectFrom('sandbox').select('user_id').where('id', '=', sandboxId).executeTakeFirst(),
  )
  if (!owner) throw new Fault('not_found')
  return ctx.sql.transact(owner.user_id, async (tx) => {
    const row = await tx
      .updateTable('sandbox')
      .set({ tier, updated_at: ctx.clock.now() })
      .where(hasValues({ user_id: owner.user_id, id: sandboxId }))
      .returningAll()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: owner.user_id, sandboxId, subjectId: sandboxId })
    return wireSandbox(row, ctx.limits, 'owner')
  })
}
