import type { Id, RegisterSource, Source } from '@cairnstore/contract'
import { Fault, invalid } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import { openCredential, sealCredential } from '../../tenancy/caller-keys/credential-seal.ts'
import { type SecretPlace, type SecretStore, secretRef } from '../../tenancy/secrets/secret-store.ts'
import { connectorFor, providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { consentRefs } from '../oauth/consent-rows.ts'

/** A polling source without a cadence of its own polls this often. */
export const POLL_SECONDS_DEFAULT = 900

/**
 * A source's settings as they are shown: for those whose credential has a registration of its own with the reference
 * under which it is kept, and with the tools that are not called because they have changed.
 */
function shownConfig(row: Row<'source'>) {
  const { provider, adapter_config: config, credential_ref: ref } = row
  const disabled = Object.entries(toolPinsOf(row) ?? {}).flatMap(([name, pin]) => (pin.changed ? [name] : []))
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
  /** The tool was changed or added after the approval, so it is not called. */
  changed?: true
}

/**
 * Returns the pinned digests of a tool server's approved tools, by name. Undefined for a server whose tools were never
 * listed, and for a source that is not a tool server.
 */
export function toolPinsOf({ tool_pins: pins }: Pick<Row<'source'>, 'tool_pins'>): Record<string, ToolPin> | undefined {
  return (pins ?? undefined) as Record<string, ToolPin> | undefined
}

/** Returns whether two URLs are equal after normalization. Values that are not URLs are compared as they are. */
export function isSameAddress(one: unknown, other: unknown): boolean {
  const [left, right] = [one, other].map((url) =>
    typeof url === 'string' && URL.canParse(url) ? new URL(url).href : url,
  )
  return left === right
}

/** The secrets of a source as a body may bring them: omitted keeps what there is, null removes it. */
export type GivenSecrets = Pick<RegisterSource, 'provider_credential' | 'provider_signing_secret'>

/** Where in the store a source's secrets are, and how they are kept: all that its row knows of them. */
type SecretRefs = Pick<Row<'source'>, 'credential_ref' | 'signing_secret_ref' | 'credential_under_key'>

/** The part of a source's row that its references are made from. */
type SecretOwner = Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'provider'>

/** A source that has no secrets yet. */
export const NO_SECRETS: SecretRefs = { credential_ref: null, signing_secret_ref: null, credential_under_key: false }

/** Throws `validation_error` for a signing secret of a provider whose deliveries carry no signature to check. */
export function assertSigns(provider: string, { provider_signing_secret: given }: GivenSecrets): void {
  if (given == null || connectorFor(provider).signature) return
  const problem = 'Deliveries of this provider carry no signature; its sender brings webhook_signing_secret.'
  throw invalid(['body', 'provider_signing_secret'], problem, 'wrong_form')
}

/**
 * Puts the given secrets into the store, or removes them from it; returns the references that the row shall have. With
 * a seal the credential is kept under it; what a provider signs with is not, since deliveries come without a key.
 */
export async function keepSecrets(
  store: SecretStore,
  tx: Tx,
  source: SecretOwner & SecretRefs,
  given: GivenSecrets,
  seal: ContentSeal | undefined,
): Promise<SecretRefs> {
  const place = placeOf(source)
  type Write = (ref: string, value: string) => string
  const keep = async (old: string | null, purpose: string, value: string | null | undefined, write: Write) => {
    if (value === undefined) return old
    if (value === null) {
      if (old !== null) await store.destroy(tx, place, old)
      return null
    }
    const ref = secretRef(source.provider, source.id, purpose)
    await store.put(tx, place, ref, write(ref, value))
    return ref
  }
  const { provider_credential: credential, provider_signing_secret: signing } = given
  const asGiven: Write = (_, value) => value
  const sealed: Write = seal ? (ref, value) => sealCredential(seal, ref, value) : asGiven
  return {
    credential_ref: await keep(source.credential_ref, 'auth', credential, sealed),
    signing_secret_ref: await keep(source.signing_secret_ref, 'signing', signing, asGiven),
    credential_under_key:
      credential === undefined ? source.credential_under_key : credential !== null && seal !== undefined,
  }
}

/** A source's credential; throws `missing` and `mismatch` for one under a key that is not the given one. */
export async function findCredential(
  store: SecretStore,
  tx: Tx,
  source: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'credential_ref' | 'credential_under_key'>,
  seal: ContentSeal | undefined,
): Promise<string | undefined> {
  const { user_id: userId, sandbox_id: sandboxId, credential_ref: ref, credential_under_key: isUnderKey } = source
  if (ref === null) return undefined
  if (isUnderKey && !seal) throw new Fault('missing')
  const value = await store.find(tx, { userId, sandboxId }, ref)
  return value !== undefined && isUnderKey && seal ? openCredential(seal, ref, value) : value
}

/** Removes a source's secrets from the store. */
export async function destroySecrets(store: SecretStore, tx: Tx, source: SecretOwner & SecretRefs): Promise<void> {
  for (const ref of [source.credential_ref, source.signing_secret_ref]) {
    if (ref !== null) await store.destroy(tx, placeOf(source), ref)
  }
  if (providerKey(source.provider) !== USER_MCP) return
  for (const ref of consentRefs(source.id)) await store.destroy(tx, placeOf(source), ref)
}

function placeOf({ user_id: userId, sandbox_id: sandboxId }: SecretOwner): SecretPlace {
  return { userId, sandboxId }
}
