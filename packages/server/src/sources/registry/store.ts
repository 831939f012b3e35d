import type { Id, RegisterSource, Source } from '@cairnstore/contract'
import { Fault, invalid } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { decryptCredential, encryptCredential } from '../../tenancy/caller-keys/credential-cipher.ts'
import { type SecretScope, type SecretStore, secretRef } from '../../tenancy/secrets/secret-store.ts'
import { connectorFor, providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { consentRefs } from '../oauth/consent-rows.ts'

export const POLL_SECONDS_DEFAULT = 900

/**
 * Returns a source's settings as shown to callers. Tracker and MCP sources also show the reference of their credential,
 * the tools that are disabled because they changed, and those that the server does not list.
 */
function shownConfig(row: Row<'source'>) {
  const { provider, adapter_config: config, credential_ref: ref } = row
  const pins = Object.entries(toolPinsOf(row) ?? {})
  const disabled = pins.flatMap(([name, pin]) => (pin.changed ? [name] : []))
  const missing = pins.flatMap(([name, pin]) => (pin.missing ? [name] : []))
  const hasStoredSecret = ref !== null && [USER_MCP, 'linear'].includes(providerKey(provider))
  return {
    ...config,
    ...(hasStoredSecret && { auth_ref: ref }),
    ...(disabled.length > 0 && { disabled_tools: disabled }),
    ...(missing.length > 0 && { missing_tools: missing }),
  }
}

/** Returns a source's row in the contract's form. */
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

/** An approved tool. */
export interface ToolPin {
  digest: string
  /** Set if the tool was changed or added after the approval. It is not called. */
  changed?: true
  /** Set if the settings name the tool and the server does not list it. */
  missing?: true
}

/** Returns the pinned digests of an MCP server's approved tools, by name; undefined if they were never listed. */
export function toolPinsOf({ tool_pins: pins }: Pick<Row<'source'>, 'tool_pins'>): Record<string, ToolPin> | undefined {
  return (pins ?? undefined) as Record<string, ToolPin> | undefined
}

/** Returns true if two URLs are equal after normalization. Values that are not URLs are compared directly. */
export function isSameAddress(one: unknown, other: unknown): boolean {
  const [left, right] = [one, other].map((url) =>
    typeof url === 'string' && URL.canParse(url) ? new URL(url).href : url,
  )
  return left === right
}

/** Secrets of a source in a request body. An omitted one keeps its value, null removes it. */
export type GivenSecrets = Pick<RegisterSource, 'provider_credential' | 'provider_signing_secret'>

/** References of a source's secrets in the secret store, and how the credential is encrypted. */
type SecretRefs = Pick<Row<'source'>, 'credential_ref' | 'signing_secret_ref' | 'credential_under_key'>

/** Columns of a source's row that its secret references derive from. */
type SecretOwner = Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'provider'>

/** Columns of a source without secrets. */
export const NO_SECRETS: SecretRefs = { credential_ref: null, signing_secret_ref: null, credential_under_key: false }

/** Throws `validation_error` for a signing secret of a provider whose deliveries have no signature. */
export function assertSigns(provider: string, { provider_signing_secret: given }: GivenSecrets): void {
  if (given == null || connectorFor(provider).signature) return
  const problem = 'Deliveries of this provider are not signed; the sender sends webhook_signing_secret instead.'
  throw invalid(['body', 'provider_signing_secret'], problem, 'wrong_form')
}

/**
 * Stores or removes the given secrets. Returns the references for the source's row. With `seal` the credential is
 * encrypted with it. The signing secret is not, because deliveries arrive without the customer-managed key.
 */
export async function storeSecrets(
  store: SecretStore,
  tx: Tx,
  source: SecretOwner & SecretRefs,
  given: GivenSecrets,
  seal: ContentCipher | undefined,
): Promise<SecretRefs> {
  const place = placeOf(source)
  type Write = (ref: string, value: string) => string
  const storeOne = async (old: string | null, purpose: string, value: string | null | undefined, write: Write) => {
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
  const asPlaintext: Write = (_, value) => value
  const encrypted: Write = seal ? (ref, value) => encryptCredential(seal, ref, value) : asPlaintext
  return {
    credential_ref: await storeOne(source.credential_ref, 'auth', credential, encrypted),
    signing_secret_ref: await storeOne(source.signing_secret_ref, 'signing', signing, asPlaintext),
    credential_under_key:
      credential === undefined ? source.credential_under_key : credential !== null && seal !== undefined,
  }
}

/** Returns a source's credential. Throws `missing` without its key, and `mismatch` for another key. */
export async function findCredential(
  store: SecretStore,
  tx: Tx,
  source: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'credential_ref' | 'credential_under_key'>,
  seal: ContentCipher | undefined,
): Promise<string | undefined> {
  const { user_id: userId, sandbox_id: sandboxId, credential_ref: ref, credential_under_key: isUnderKey } = source
  if (ref === null) return undefined
  if (isUnderKey && !seal) throw new Fault('missing')
  const value = await store.find(tx, { userId, sandboxId }, ref)
  return value !== undefined && isUnderKey && seal ? decryptCredential(seal, ref, value) : value
}

/** Removes a source's secrets from the secret store. */
export async function destroySecrets(store: SecretStore, tx: Tx, source: SecretOwner & SecretRefs): Promise<void> {
  for (const ref of [source.credential_ref, source.signing_secret_ref]) {
    if (ref !== null) await store.destroy(tx, placeOf(source), ref)
  }
  if (providerKey(source.provider) !== USER_MCP) return
  for (const ref of consentRefs(source.id)) await store.destroy(tx, placeOf(source), ref)
}

function placeOf({ user_id: userId, sandbox_id: sandboxId }: SecretOwner): SecretScope {
  return { userId, sandboxId }
}
