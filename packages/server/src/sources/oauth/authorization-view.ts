import type { AuthorizationReason, McpAuthorization } from '@cairnstore/contract'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { SecretStore } from '../../tenancy/secrets/secret-store.ts'
import { consentRefOf, findFlowSecrets } from './consent-rows.ts'

/** Viewer of a consent. The URL is shown only to the account that started it. */
export interface Viewer {
  readonly accountId: string
  readonly isEditor: boolean
}

type SourceRow = Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'adapter_config'>

/** Returns true if the source is authorized by OAuth consent. */
export function isOAuthSource({ adapter_config: config }: Pick<Row<'source'>, 'adapter_config'>): boolean {
  return config.auth_kind === 'oauth'
}

/** Returns the authorization state by source id, for the sources that use OAuth. */
export async function authorizationsOf(
  secrets: SecretStore,
  tx: Tx,
  sources: readonly SourceRow[],
  viewer: Viewer,
  now: Date,
): Promise<Map<string, McpAuthorization>> {
  const wanted = sources.filter(isOAuthSource)
  const [first] = wanted
  if (!first) return new Map()
  const ids = wanted.map(({ id }) => id)
  const flows = await tx
    .selectFrom('oauth_flow')
    .selectAll()
    .where(ofSandbox(first))
    .where('source_id', 'in', ids)
    .where('expires_at', '>', now)
    .execute()
  const grants = await tx
    .selectFrom('oauth_grant')
    .selectAll()
    .where(ofSandbox(first))
    .where('source_id', 'in', ids)
    .execute()
  const found = new Map<string, McpAuthorization>()
  for (const source of wanted) {
    const flow = flows.find((row) => row.source_id === source.id)
    const grant = grants.find((row) => row.source_id === source.id)
    const isShown = flow?.phase === 'pending' && viewer.isEditor && flow.started_by === viewer.accountId
    const sealed = isShown ? await findFlowSecrets(secrets, tx, consentRefOf(source)) : undefined
    found.set(source.id, authorizationOf(flow, grant, sealed?.url))
  }
  return found
}

function authorizationOf(
  flow: Row<'oauth_flow'> | undefined,
  grant: Row<'oauth_grant'> | undefined,
  url: string | undefined,
): McpAuthorization {
  const active = grant && grant.state !== 'ended' ? grant : undefined
  const state = flow?.phase ?? (active ? (active.state as 'authorized' | 'needs_scopes') : 'needs_authorization')
  const reason = active?.state === 'needs_scopes' ? 'insufficient_scope' : (grant?.reason ?? null)
  return {
    state,
    url: url ?? null,
    expires_at: flow?.expires_at.toISOString() ?? null,
    scopes: listed(active?.scopes ?? flow?.scopes ?? ''),
    issuer: active?.issuer ?? flow?.issuer ?? grant?.issuer ?? null,
    refreshable: active?.refreshable ?? false,
    authorized_by: active?.authorized_by ?? null,
    reason: reason as AuthorizationReason | null,
  }
}

function listed(scopes: string): string[] {
  return scopes.split(' ').filter((scope) => scope !== '')
}
