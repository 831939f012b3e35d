import type {
  Connection,
  ConnectionKey,
  CreateConnection,
  Done,
  Grantee,
  Id,
  sharingOperations,
} from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { instantOf } from '../../base/clock.ts'
import { Fault, invalid } from '../../base/fault.ts'
import { isId, newId } from '../../base/id.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { AccessScope } from '../access/access-scope.ts'
import { keyPrefix, newToken } from '../accounts/key-format.ts'
import { insertKey } from '../accounts/store.ts'
import { type AuditContext, listAudit, recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'
import { type IdempotencyContext, storeReply } from '../idempotency/keyed-request.ts'
import { assertKnown } from '../members/groups.ts'
import { assertUnarchived, lockProject } from '../projects/store.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'

/** Handlers of the sharing operations and of the sandbox's audit log. */
export const handlers: TenancyHandlers<typeof sharingOperations> = {
  createConnection: (ctx, { access, body }) => createConnection(ctx, access, body),
  listConnections: (ctx, { access, query }) => listConnections(ctx, access, query.include_revoked ?? false),
  revokeConnection: (ctx, { access, params }) => revokeConnection(ctx, access, params.connection_id),
  createConnectionKey: (ctx, { access, params }) => createConnectionKey(ctx, access, params.connection_id),
  listAudit: (ctx, { access, query }) => listAudit(ctx, { tenant: access.holderId }, access.sandboxId, query),
}

/** Returns the connections of the sandbox, newest first. Includes revoked ones if `includeRevoked` is true. */
async function listConnections(
  ctx: Pick<TenancyCtx, 'sql'>,
  access: AccessScope,
  includeRevoked: boolean,
): Promise<Connection[]> {
  const rows = await ctx.sql.transact(access.holderId, (tx) => {
    const all = connectionsOf(tx, access).orderBy('id', 'desc')
    return (includeRevoked ? all : all.where('revoked_at', 'is', null)).execute()
  })
  return rows.map(wireConnection)
}

/**
 * Shares the sandbox or one project with another account, or with a member, group or invited address of its own
 * account. Throws `unknown_grantee` for a missing account or the caller's own, `unknown_member` for a member or group
 * outside the account, and `not_implemented` for an address outside `grantee`. Throws `not_found` for an unknown
 * project, `project_archived` and `sandbox_not_active`.
 */
async function createConnection(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext & IdempotencyContext,
  access: AccessScope,
  input: CreateConnection,
): Promise<Connection> {
  const named = granteeOf(input)
  assertWritable(access)
  const id = newId('connection', ctx.clock)
  const creating = ctx.sql.transact(access.holderId, async (tx) => {
    const expiresAt = await endOf(tx, input.expires_at)
    const grantee = await resolveGrantee(tx, access.holderId, named)
    if (input.project_id) assertUnarchived(await lockProject(tx, access, input.project_id))
    const row = await tx
      .insertInto('connection')
      .values({
        ...sandboxColumns(access),
        id,
        ...grantee,
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
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: id })
    const connection = wireConnection(row)
    await storeReply(ctx, tx, connection)
    return connection
  })
  return creating.catch((error: unknown) => {
    throw error instanceof Fault && error.reason === 'unknown_grantee' ? unknownGrantee() : error
  })
}

/** Columns of a grantee. Exactly one is set. */
type GranteeColumns = Pick<Row<'connection'>, 'grantee_user_id' | 'group_id' | 'email'>

const NOBODY: GranteeColumns = { grantee_user_id: null, group_id: null, email: null }

function granteeOf({ user_id: userId, email, grantee }: CreateConnection): GranteeColumns {
  if (grantee) return inAccount(grantee, userId)
  if (userId !== undefined) {
    // Only the member's own account can share with a member, through `grantee`.
    if (isId('member', userId)) throw unknownGrantee()
    return { ...NOBODY, grantee_user_id: userId }
  }
  if (email) throw new Fault('not_implemented', { detail: 'Use user_id for an account; email is not implemented.' })
  throw invalid(['body', 'user_id'], 'This is required.', 'missing')
}

function inAccount({ member_id, group_id, email }: Grantee, userId: string | undefined): GranteeColumns {
  if ([member_id, group_id, email, userId].filter((each) => each != null).length !== 1) {
    throw invalid(['body', 'grantee'], 'Send exactly one of member_id, group_id and email, without user_id.')
  }
  if (member_id != null && !isId('member', member_id)) throw new Fault('unknown_member')
  return { grantee_user_id: member_id ?? null, group_id: group_id ?? null, email: email ?? null }
}

/** Checks that a grantee belongs to the account. Replaces an address of exactly one member by that member. */
async function resolveGrantee(tx: Tx, holderId: string, named: GranteeColumns): Promise<GranteeColumns> {
  const { grantee_user_id: id, group_id: groupId, email } = named
  if (groupId !== null) await assertKnown(tx, 'team_group', holderId, [groupId], ['body', 'grantee', 'group_id'])
  if (id !== null && isId('member', id)) {
    await assertKnown(tx, 'member', holderId, [id], ['body', 'grantee', 'member_id'])
  }
  if (email === null) return named
  const members = await tx
    .selectFrom('member')
    .select('id')
    .where('user_id', '=', holderId)
    .where(sqlText<string>`lower(email)`, '=', email.toLowerCase())
    .limit(2)
    .execute()
  return members.length === 1 ? { ...NOBODY, grantee_user_id: members[0]!.id } : named
}

function unknownGrantee(): Fault {
  const problem = {
    loc: ['body', 'user_id'],
    msg: 'This must be another account of this service.',
    type: 'unknown_grantee',
  }
  return new Fault('unknown_grantee', { problems: [problem] })
}

/** Returns the expiry of a grant. Rejects a past time by the database's clock, which later also decides on expiry. */
async function endOf(tx: Tx, given: string | null | undefined): Promise<Date | null> {
  if (!given) return null
  const end = instantOf(given)
  const { now } = await tx.selectNoFrom(sqlText<Date>`now()`.as('now')).executeTakeFirstOrThrow()
  if (end === undefined || end <= now) throw invalid(['body', 'expires_at'], 'This must be a time in the future.')
  return end
}

const WARNING =
  'This key is shown only here. Anyone who has it can act in this sandbox as the account of the connection.'

/** Creates a key for the connection's grantee in this sandbox. Throws `connection_not_active` and `group_grant`. */
async function createConnectionKey(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext & IdempotencyContext,
  access: AccessScope,
  connectionId: Id<'connection'>,
): Promise<ConnectionKey> {
  const id = newId('key', ctx.clock)
  const key = newToken('connectionKey')
  const { holderId, sandboxId } = access
  return ctx.sql.transact(holderId, async (tx) => {
    const connection = await connectionsOf(tx, access)
      .where('id', '=', connectionId)
      .forShare()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (connection.revoked_at !== null || connection.isOver) throw new Fault('connection_not_active')
    if (connection.grantee_user_id === null) throw new Fault('group_grant')
    await insertKey(tx, {
      userId: holderId,
      id,
      name: `Connection ${connectionId}`,
      key,
      createdAt: ctx.clock.now(),
      expiresAt: connection.expires_at,
      connection: { sandboxId, id: connectionId },
    })
    await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: id })
    const made: ConnectionKey = {
      api_key_id: id,
      plaintext_key: key,
      key_prefix: keyPrefix(key),
      expires_at: connection.expires_at?.toISOString() ?? null,
      warning: WARNING,
    }
    await storeReply(ctx, tx, made)
    return made
  })
}

/** Revokes a connection and its keys. This process rejects the keys at once, other processes within a second. */
async function revokeConnection(
  ctx: Pick<TenancyCtx, 'authenticator' | 'sql'> & AuditContext,
  access: AccessScope,
  connectionId: Id<'connection'>,
): Promise<Done> {
  await ctx.sql.transact(access.holderId, async (tx) => {
    const { revoked_at: before } = await connectionsOf(tx, access)
      .where('id', '=', connectionId)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (before !== null) return
    const change = { revoked_at: ctx.clock.now() }
    const place = { userId: access.holderId, sandboxId: access.sandboxId }
    await tx
      .updateTable('connection')
      .set(change)
      .where(ofSandbox(place, { id: connectionId }))
      .execute()
    await tx
      .updateTable('api_key')
      .set(change)
      .where(ofSandbox(place, { connection_id: connectionId }))
      .where('revoked_at', 'is', null)
      .execute()
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: connectionId })
  })
  ctx.authenticator.forget({ connectionId })
  return { success: true, message: 'The connection and its keys are revoked.' }
}

/** A connection with its expiry state by the database's clock. */
type ConnectionRow = Row<'connection'> & { isOver: boolean }

const isOver = sqlText<boolean>`expires_at is not null and expires_at <= now()`.as('isOver')

function connectionsOf(tx: Tx, access: AccessScope) {
  return tx.selectFrom('connection').selectAll().select(isOver).where(ofSandbox(access))
}

function wireConnection(row: ConnectionRow): Connection {
  return {
    connection_id: row.id as Id<'connection'>,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    user_id: row.grantee_user_id,
    grantee: wireGrantee(row),
    role: row.role,
    project_id: row.project_id as Id<'project'> | null,
    label: row.label,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    status: row.revoked_at ? 'revoked' : row.isOver ? 'expired' : 'active',
  }
}

function wireGrantee({ grantee_user_id: id, group_id, email }: GranteeColumns): Connection['grantee'] {
  if (group_id !== null) return { group_id }
  if (email !== null) return { email }
  return id !== null && isId('member', id) ? { member_id: id } : null
}
