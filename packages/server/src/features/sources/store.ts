import type { Id, Source } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import { providerKey, USER_MCP } from '../../connectors/connector-for.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Reach } from '../sharing/reach.ts'
import { withVersion } from '../versions.ts'
import { toolPinsOf } from './tool-pins.ts'

/** A polling source without a cadence of its own polls this often. */
export const POLL_SECONDS_DEFAULT = 900

/** States in which a source does not count and takes no part in anything new. */
export const RETIRED = ['archived', 'disconnected'] as const

/** Whether a source can be linked to projects and counts against the limit. */
export function isLive({ status }: Pick<Row<'source'>, 'status'>): boolean {
  return !(RETIRED as readonly string[]).includes(status)
}

/** The sources within a reach: of the sandbox, or of the one project that the grant is limited to. */
export function sourcesIn(tx: Tx, reach: Reach) {
  const all = tx
    .selectFrom('source')
    .where('source.user_id', '=', reach.holderId)
    .where('source.sandbox_id', '=', reach.sandboxId)
  const { projectId } = reach
  if (projectId === null) return all
  return all.where((is) =>
    is.exists(
      is
        .selectFrom('project_source as link')
        .select('link.source_id')
        .whereRef('link.user_id', '=', 'source.user_id')
        .whereRef('link.sandbox_id', '=', 'source.sandbox_id')
        .whereRef('link.source_id', '=', 'source.id')
        .where('link.project_id', '=', projectId),
    ),
  )
}

/** A source within the reach; throws `not_found` for any other. */
export async function getSourceRow(tx: Tx, reach: Reach, sourceId: string): Promise<Row<'source'>> {
  return sourcesIn(tx, reach)
    .selectAll('source')
    .where('source.id', '=', sourceId)
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/** The same, locked until the transaction ends: against changes, or also against deliveries when it shall go. */
export async function lockSource(
  tx: Tx,
  reach: Reach,
  sourceId: string,
  purpose: 'change' | 'delete' = 'change',
): Promise<Row<'source'>> {
  const found = sourcesIn(tx, reach).selectAll('source').where('source.id', '=', sourceId)
  const locked = purpose === 'delete' ? found.forUpdate('source') : found.forNoKeyUpdate('source')
  return locked.executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/** How many sources count against the tier's limit. */
export async function countSources(tx: Tx, reach: Pick<Reach, 'holderId' | 'sandboxId'>): Promise<number> {
  const { count } = await tx
    .selectFrom('source')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('user_id', '=', reach.holderId)
    .where('sandbox_id', '=', reach.sandboxId)
    .where('status', 'not in', RETIRED)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * A source's settings as they are shown: for those whose credential has a registration of its own with the reference
 * under which it is kept, and with the tools that are not called because they have changed.
 */
function shownConfig(row: Row<'source'>) {
  const { provider, adapter_config: config, credential_ref: ref } = row
  const disabled = Object.entries(toolPinsOf(row)).flatMap(([name, pin]) => (pin.changed ? [name] : []))
  const isKept = ref !== null && [USER_MCP, 'linear'].includes(providerKey(provider))
  return { ...config, ...(isKept && { auth_ref: ref }), ...(disabled.length > 0 && { disabled_tools: disabled }) }
}

/** A source's row as the contract shows it. */
export function wireSource(row: Row<'source'>, publicUrl: string): Source {
  const source: Source = {
    data_source_id: row.id as Id<'source'>,
    user_id: row.user_id,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    provider: row.provider,
    name: row.name,
    ingestion_mode: row.ingestion_mode,
    status: row.status,
    kind: row.kind,
    external_account_id: row.external_account_id,
    adapter_config: shownConfig(row),
    poll_interval_seconds: row.poll_interval_seconds,
    webhook_url: row.webhook_slug === null ? null : `${publicUrl}/api/v1/hooks/${row.webhook_slug}`,
    last_sync_at: row.last_sync_at?.toISOString() ?? null,
    ...(row.credential_under_key && { credential_under_key: true }),
    ...(row.last_error !== null && { last_error: row.last_error }),
    created_at: row.created_at.toISOString(),
  }
  return withVersion(source, row.version)
}
