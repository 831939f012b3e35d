import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { McpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { SourcesCtx } from '../context.ts'
import { consentRefOf } from '../oauth/consent-rows.ts'
import { cancelPull } from '../registry/list-sources.ts'
import { dropConsent, revokeDropped } from './consent.ts'
import { stateAfter } from './store.ts'

type Revoking = Pick<SourcesCtx, 'log' | 'oauth' | 'secrets' | 'sql'> & AuditContext

/** A source whose consent was removed, with the tokens to revoke at its authorization server. */
interface Revoked {
  readonly source: Row<'source'>
  readonly dropped: Awaited<ReturnType<typeof dropConsent>>
}

/** Removes every consent that a person gave, and then revokes the tokens. The sources need a new consent. */
export async function revokeConsentsOf(ctx: Revoking, personId: string): Promise<void> {
  const places = await ctx.sql.look({ caller: personId }, (tx) =>
    tx.selectFrom('oauth_grant').select(['user_id', 'sandbox_id', 'source_id']).where('authorized_by', '=', personId),
  )
  const revoked: Revoked[] = []
  for (const { user_id, sandbox_id, source_id } of places) {
    const one = await revokeOne(ctx, { user_id, sandbox_id, id: source_id }, personId)
    if (one) revoked.push(one)
  }
  // The tokens are already removed here, so an unresponsive authorization server delays only this call.
  await Promise.all(revoked.map(({ source, dropped }) => revokeDropped(ctx, source, dropped)))
}

async function revokeOne(
  ctx: Revoking,
  place: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id'>,
  personId: string,
): Promise<Revoked | undefined> {
  const { user_id: userId, sandbox_id: sandboxId, id } = place
  const own = { userId, sandboxId }
  return ctx.sql.transact(userId, async (tx) => {
    const source = await tx
      .selectFrom('source')
      .selectAll()
      .where(ofSandbox(own, { id }))
      .forUpdate()
      .executeTakeFirst()
    const grant = await tx
      .selectFrom('oauth_grant')
      .select('authorized_by')
      .where(ofSandbox(own, { source_id: consentRefOf(place).sourceId }))
      .executeTakeFirst()
    if (!source || grant?.authorized_by !== personId) return undefined
    const dropped = await dropConsent(ctx, tx, source, 'revoked')
    await cancelPull(tx, source, ctx.clock.now())
    const failure = new McpFailure('needs_authorization')
    await tx
      .updateTable('source')
      .set({ ...stateAfter(ctx, source.status, { failure, tools: undefined }), updated_at: ctx.clock.now() })
      .where(ofSandbox(own, { id }))
      .execute()
    const operation = { ...ctx.operation, audit: { event: 'source.revoked' } }
    await recordEvent({ ...ctx, operation }, tx, { holderId: userId, sandboxId, subjectId: id })
    return { source, dropped }
  })
}
