import type { Id, Source } from '@cairnstore/contract'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'

/** A polling source without a cadence of its own polls this often. */
export const POLL_SECONDS_DEFAULT = 900

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

/** A tool as it was approved. */
export interface ToolPin {
  digest: string
  /** The server describes the tool differently now, so it is not called. */
  changed?: true
}

/** What each tool of a server was when it was approved; none for a source that is no server of tools. */
export function toolPinsOf({ tool_pins: pins }: Pick<Row<'source'>, 'tool_pins'>): Record<string, ToolPin> {
  return (pins ?? {}) as Record<string, ToolPin>
}
