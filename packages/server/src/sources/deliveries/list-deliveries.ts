import type { DeliveryPage, Id, SourceDelivery } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import type { Tx } from '../../db/open.ts'
import { ATTEMPTS_MAX } from '../../ingest/apply.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { getSourceRow } from '../../tenancy/sources/source-rows.ts'
import type { SourcesCtx } from '../context.ts'
import { DEDUP_MS } from './ingress/delivery-log.ts'

/** Returns one page of a source's deliveries in the last seven days, newest first. Throws `not_found`. */
export async function listDeliveries(
  ctx: Pick<SourcesCtx, 'caller' | 'clock' | 'cursors' | 'sql'>,
  scope: AccessScope,
  sourceId: string,
  pageQuery: PageRequest,
): Promise<DeliveryPage> {
  const cursorScope = ['deliveries', ctx.caller.accountId, scope.sandboxId, scope.projectId, sourceId]
  const page = openPage(ctx.cursors, cursorScope, pageQuery)
  const since = new Date(ctx.clock.now().getTime() - DEDUP_MS)
  const found = await ctx.sql.transact(scope.holderId, async (tx) => {
    await getSourceRow(tx, scope, sourceId)
    const query = deliveriesOf(tx, scope, sourceId, since).limit(page.rowsMax)
    return (page.after ? query.where('delivery.id', '<', String(page.after[0])) : query).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { deliveries: rows.map(wireDelivery), ...end }
}

/** Selects deliveries with their inbox rows, in one statement: each is either in the inbox or has its outcome. */
function deliveriesOf(tx: Tx, { holderId, sandboxId }: AccessScope, sourceId: string, since: Date) {
  return tx
    .selectFrom('delivery')
    .leftJoin('inbox', (join) =>
      join
        .onRef('inbox.user_id', '=', 'delivery.user_id')
        .onRef('inbox.sandbox_id', '=', 'delivery.sandbox_id')
        .onRef('inbox.id', '=', 'delivery.inbox_id'),
    )
    .select(['delivery.id', 'delivery.received_at', 'delivery.record_count', 'delivery.fate', 'delivery.reason'])
    .select('inbox.attempts')
    .where('delivery.user_id', '=', holderId)
    .where('delivery.sandbox_id', '=', sandboxId)
    .where('delivery.source_id', '=', sourceId)
    .where('delivery.id', 'is not', null)
    .where('delivery.received_at', '>', since)
    .orderBy('delivery.id', 'desc')
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof deliveriesOf>['execute']>>[number]

function wireDelivery(row: DeliveryRow): SourceDelivery {
  const { fate, reason } = fateOf(row)
  return {
    delivery_id: row.id as Id<'delivery'>,
    received_at: row.received_at.toISOString(),
    fate,
    reason,
    detail: reason === null ? null : (DETAILS[reason] ?? null),
    records: row.record_count,
  }
}

function fateOf({ fate, reason, attempts }: DeliveryRow): Pick<SourceDelivery, 'fate' | 'reason'> {
  if (fate !== null) return { fate, reason }
  if (attempts === null) return { fate: 'written', reason }
  return attempts >= ATTEMPTS_MAX ? { fate: 'failed', reason: 'not_applied' } : { fate: 'queued', reason }
}

const DETAILS: Record<string, string> = {
  handshake: 'The provider only checked that this address responds.',
  no_knowledge: 'An administrative event of the provider, with nothing to store.',
  unknown_event: 'An event of an unknown type, without text.',
  incomplete: 'Required fields are missing: an id, or the fields that adapter_config.mapping names.',
  unreadable: 'The payload does not match its provider’s format. It is stored unchanged, but not searchable.',
  quota_exceeded: 'The sandbox has reached the limit of records or bytes of its tier.',
  source_purged: 'The source was purged before the delivery was processed.',
  not_applied: 'Processing failed repeatedly. The delivery is still stored; the server log has the cause.',
}
