import {
  type Provider,
  type Providers,
  type ProviderWay,
  RegisterTracker,
  RegisterUserMcp,
  type SourcePage,
  type SourceState,
  type TSchema,
} from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { Connector } from '../connectors/connector.ts'
import { CONNECTORS, USER_MCP } from '../connectors/connector-for.ts'
import type { Ctx } from '../context.ts'
import { TRACKER } from './assert-config.ts'
import { wireSource } from './store.ts'

interface SourcesQuery extends PageAsked {
  provider?: string | undefined
  status?: SourceState | undefined
}

/** One page of the sources within the reach, newest first. */
export async function listSources(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'publicUrl' | 'sql'>,
  reach: Reach,
  listed: SourcesQuery,
): Promise<SourcePage> {
  const { provider, status } = listed
  const scope = ['sources', ctx.caller.accountId, reach.sandboxId, reach.projectId, provider, status]
  const page = openPage(ctx.cursors, scope, listed)
  const found = await ctx.sql.transact(reach.holderId, (tx) => {
    let query = sourcesIn(tx, reach).selectAll('source').orderBy('source.id', 'desc').limit(page.rowsMax)
    if (provider !== undefined) query = query.where('source.provider', '=', provider)
    if (status !== undefined) query = query.where('source.status', '=', status)
    if (page.after) query = query.where('source.id', '<', String(page.after[0]))
    return query.execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { sources: rows.map((row) => wireSource(row, ctx.publicUrl)), ...end }
}

/** Registrations of their own: where they are, the field of the secret, and what they take. */
const OWN: Readonly<Record<string, { path: string; credential: string; schema: TSchema }>> = {
  [TRACKER]: { path: '/sources/linear', credential: 'api_key', schema: RegisterTracker },
  [USER_MCP]: { path: '/sources/user-mcp', credential: 'token', schema: RegisterUserMcp },
}

/** What every source that is delivered to can be set to. */
const DELIVERED = {
  webhook_rate_cap_per_minute: { type: 'integer', minimum: 1, maximum: 6000, default: 600 },
  site: { type: 'string', description: 'The site that ids without an address are of, such as a host.' },
}

/** Every product that can be connected, each way with what can be set there. */
export function listProviders(): Providers {
  const providers = CONNECTORS.map(toProvider)
  return { providers, count: providers.length }
}

function toProvider(connector: Connector): Provider {
  const [provider = '', ...aliases] = connector.providers
  const ways = [
    ...(provider === USER_MCP ? [] : [delivering(connector)]),
    ...(connector.pull ? [reading(connector)] : []),
  ]
  return { provider, aliases, name: connector.product, ways }
}

function delivering({ forms, signature, settings }: Connector): ProviderWay {
  return {
    ingestion_mode: 'realtime',
    path: '/sources',
    credential: signature ? 'provider_signing_secret' : null,
    forms: [...forms],
    settings_in: 'adapter_config',
    settings: schemaOf({ ...DELIVERED, ...settings?.delivered }),
  }
}

function reading({ providers: [provider = ''], settings }: Connector): ProviderWay {
  const way: Pick<ProviderWay, 'ingestion_mode' | 'forms'> = { ingestion_mode: 'polling', forms: [] }
  const own = OWN[provider]
  if (own) {
    return { ...way, path: own.path, credential: own.credential, settings_in: null, settings: { ...own.schema } }
  }
  const read = schemaOf({ site: DELIVERED.site, ...settings?.read })
  return { ...way, path: '/sources', credential: 'provider_credential', settings_in: 'adapter_config', settings: read }
}

function schemaOf(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties }
}
