import type { AuthorizationReason } from '@cairnstore/contract'
import type { Clock } from '../../base/clock.ts'
import { sha256 } from '../../base/digest.ts'
import { appendAudit } from '../../db/audit.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type SecretScope, type SecretStore, secretRef } from '../../tenancy/secrets/secret-store.ts'
import { nextSourceState } from '../../tenancy/sources/source-rows.ts'
import { USER_MCP } from '../connectors/connector-for.ts'
import type { ConsentRef, OAuthClient } from './oauth-port.ts'
import type { TokenRequest } from './token-requests.ts'

/** Encrypted part of a consent in progress. */
export interface FlowSecrets extends TokenRequest {
  readonly verifier: string
  readonly url: string
  /** The server that the consent is for. If it changes, the flow is invalid. */
  readonly baseUrl: string
  readonly redirectUri: string
  /** Tokens from the code exchange, after the callback. */
  readonly tokens?: TokenSet
}

/** Validated tokens of a token endpoint, with their times. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Granted scopes, separated by spaces; undefined if the response contains none. */
  readonly scope: string | undefined
  /** ISO times; undefined if the lifetime is unknown. */
  readonly expiresAt: string | undefined
  readonly refreshAt: string | undefined
}

/** Encrypted part of a grant. */
export interface GrantSecrets extends TokenRequest {
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

/** A stored grant with its decrypted part. */
export interface StoredGrant {
  readonly row: Row<'oauth_grant'>
  readonly sealed: GrantSecrets
}

const STATE_PURPOSE = 'oauth-flow'
const GRANT_PURPOSE = 'oauth'
const CLIENT_PURPOSE = 'oauth-client'
/** Maximum size of the encrypted part of a grant, in characters. */
const SECRETS_CHARS_MAX = 16 * 1024

/** Returns the references of a source's OAuth secrets in the secret store. */
export function consentRefs(sourceId: string): string[] {
  return [STATE_PURPOSE, GRANT_PURPOSE, CLIENT_PURPOSE].map((purpose) => secretRef(USER_MCP, sourceId, purpose))
}

/** Returns the digest that identifies a consent in progress. */
export function stateHash(state: string): Buffer {
  return sha256(state)
}

/** Returns the identifying columns of a source's row. */
export function consentRefOf(row: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id'>): ConsentRef {
  return { userId: row.user_id, sandboxId: row.sandbox_id, sourceId: row.id }
}

function sourceColumns(place: ConsentRef) {
  return { ...sandboxColumns(place), source_id: place.sourceId }
}

function ofSource(place: ConsentRef) {
  return ofSandbox(place, { source_id: place.sourceId })
}

/** Reads and decrypts a secret that is stored as JSON; undefined if there is none. */
async function findSecret<T>(secrets: SecretStore, tx: Tx, place: SecretScope, ref: string): Promise<T | undefined> {
  const text = await secrets.find(tx, place, ref)
  return text === undefined ? undefined : (JSON.parse(text) as T)
}

function refOf({ sourceId }: ConsentRef, purpose: string): string {
  return secretRef(USER_MCP, sourceId, purpose)
}

/** Stores a consent in progress. It replaces an earlier one of the source. */
export async function putFlow(
  secrets: SecretStore,
  tx: Tx,
  place: ConsentRef,
  row: Omit<Row<'oauth_flow'>, 'user_id' | 'sandbox_id' | 'source_id' | 'wrong_codes'>,
  sealed: FlowSecrets,
): Promise<void> {
  const fresh = { ...row, wrong_codes: 0 }
  await tx
    .insertInto('oauth_flow')
    .values({ ...sourceColumns(place), ...fresh })
    .onConflict((is) => is.columns(['user_id', 'sandbox_id', 'source_id']).doUpdateSet(fresh))
    .execute()
  await secrets.put(tx, place, refOf(place, STATE_PURPOSE), JSON.stringify(sealed))
}

/** Returns the decrypted part of the consent in progress; undefined if there is none. */
export function findFlowSecrets(secrets: SecretStore, tx: Tx, place: ConsentRef): Promise<FlowSecrets | undefined> {
  return findSecret(secrets, tx, place, refOf(place, STATE_PURPOSE))
}

/** Removes the consent in progress and returns it with its decrypted part; undefined if none matches. */
export async function takeFlow(
  secrets: SecretStore,
  tx: Tx,
  place: ConsentRef,
  which: { phase?: Row<'oauth_flow'>['phase']; stateHash?: Buffer; expiredBefore?: Date } = {},
): Promise<{ row: Row<'oauth_flow'>; sealed: FlowSecrets | undefined } | undefined> {
  let removal = tx.deleteFrom('oauth_flow').where(ofSource(place))
  if (which.phase) removal = removal.where('phase', '=', which.phase)
  if (which.stateHash) removal = removal.where('state_hash', '=', which.stateHash)
  if (which.expiredBefore) removal = removal.where('expires_at', '<=', which.expiredBefore)
  const row = await removal.returningAll().executeTakeFirst()
  if (!row) return undefined
  const sealed = await findFlowSecrets(secrets, tx, place)
  await secrets.destroy(tx, place, refOf(place, STATE_PURPOSE))
  return { row, sealed }
}

/** Returns the grant of a source and its tokens; undefined if it has none. */
export async function findGrant(secrets: SecretStore, tx: Tx, place: ConsentRef): Promise<StoredGrant | undefined> {
  const row = await tx.selectFrom('oauth_grant').selectAll().where(ofSource(place)).executeTakeFirst()
  if (!row || row.state === 'ended') return undefined
  const sealed = await findSecret<GrantSecrets>(secrets, tx, place, refOf(place, GRANT_PURPOSE))
  return sealed && { row, sealed }
}

/** The columns of a grant that its tokens and its consent determine. */
type NewGrant = Omit<
  Row<'oauth_grant'>,
  keyof ReturnType<typeof sourceColumns> | 'generation' | 'reason' | 'lease_owner' | 'lease_until'
>

/** Stores a new grant. It replaces an earlier one. */
export async function putGrant(
  secrets: SecretStore,
  tx: Tx,
  place: ConsentRef,
  row: NewGrant,
  sealed: GrantSecrets,
): Promise<void> {
  const fresh = { ...row, reason: null, lease_owner: null, lease_until: null }
  await tx
    .insertInto('oauth_grant')
    .values({ ...sourceColumns(place), ...fresh })
    .onConflict((is) =>
      is
        .columns(['user_id', 'sandbox_id', 'source_id'])
        .doUpdateSet((old) => ({ ...fresh, generation: old('oauth_grant.generation', '+', 1) })),
    )
    .execute()
  await putGrantSecrets(secrets, tx, place, sealed)
}

/** Encrypts and stores the secret part of a grant. */
export async function putGrantSecrets(secrets: SecretStore, tx: Tx, place: ConsentRef, sealed: GrantSecrets) {
  const text = JSON.stringify(sealed)
  if (text.length > SECRETS_CHARS_MAX) throw new Error('the grant exceeds the maximum stored size')
  await secrets.put(tx, place, refOf(place, GRANT_PURPOSE), text)
}

/** Values of a grant without a client, tokens and a lease. */
const NO_TOKENS = {
  state: 'ended',
  authorized_by: null,
  expires_at: null,
  refresh_at: null,
  lease_owner: null,
  lease_until: null,
} as const

/** Removes the tokens of a grant and records why. `generation` limits this to the token that was used. */
export async function endGrant(
  secrets: SecretStore,
  tx: Tx,
  place: ConsentRef,
  { reason, now, generation }: { reason: AuthorizationReason; now: Date; generation?: number },
): Promise<boolean> {
  const ended = { ...NO_TOKENS, reason, refreshable: false, scopes: '', missing_scopes: '', updated_at: now }
  let change = tx
    .updateTable('oauth_grant')
    .set((is) => ({ ...ended, generation: is('generation', '+', 1) }))
    .where(ofSource(place))
    .where('state', '!=', 'ended')
  if (generation !== undefined) change = change.where('generation', '=', generation)
  const { numUpdatedRows } = await change.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await secrets.destroy(tx, place, refOf(place, GRANT_PURPOSE))
  return true
}

/** Records the reason why a source has no grant. */
export async function recordReason(tx: Tx, place: ConsentRef, reason: AuthorizationReason, now: Date): Promise<void> {
  await tx
    .insertInto('oauth_grant')
    .values({ ...sourceColumns(place), ...NO_TOKENS, reason, issuer: null, resource: null, updated_at: now })
    .onConflict((is) =>
      is
        .columns(['user_id', 'sandbox_id', 'source_id'])
        .doUpdateSet({ reason, updated_at: now })
        .where('oauth_grant.state', '=', 'ended'),
    )
    .execute()
}

/** The actor in the audit log for changes without a request. */
const SERVICE = 'oauth'

/** Sets the source's status to `error` and records an audit event. Polling ends until a person acts. */
export async function haltSource(
  { clock }: { clock: Clock },
  tx: Tx,
  place: ConsentRef,
  why: 'needs_authorization' | 'needs_scopes',
): Promise<void> {
  const { userId, sandboxId, sourceId } = place
  const now = clock.now()
  const source = await tx
    .selectFrom('source')
    .select('status')
    .where(ofSandbox(place, { id: sourceId }))
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!source) return
  const next = nextSourceState(source.status, 'health_failed')
  await tx
    .updateTable('source')
    .set({ last_error: why, ...(next !== 'refused' && { status: next }) })
    .where(ofSandbox(place, { id: sourceId }))
    .execute()
  await appendAudit(tx, {
    user_id: userId,
    chain: sandboxId,
    at: now,
    actor_user_id: userId,
    credential_id: SERVICE,
    event: `source.${why}`,
    subject_id: sourceId,
    request_id: SERVICE,
  })
}

/** A client that the user registered at the authorization server, bound to that server once it is known. */
export interface GivenClient {
  readonly id: string
  readonly secret: string | undefined
  readonly issuer: string | undefined
}

/** Returns the client that the user gave for the source. */
export function findGivenClient(secrets: SecretStore, tx: Tx, place: ConsentRef): Promise<GivenClient | undefined> {
  return findSecret(secrets, tx, place, refOf(place, CLIENT_PURPOSE))
}

/** Stores the client that the user gave for the source; undefined removes it. */
export async function putGivenClient(
  secrets: SecretStore,
  tx: Tx,
  place: ConsentRef,
  client: GivenClient | undefined,
): Promise<void> {
  const ref = refOf(place, CLIENT_PURPOSE)
  if (client) await secrets.put(tx, place, ref, JSON.stringify(client))
  else await secrets.destroy(tx, place, ref)
}

/** Returns the id of a registration. There is one per sandbox, issuer and redirect URI. */
export function registrationId(issuer: string, redirectUri: string): string {
  return sha256(`${issuer}\n${redirectUri}`).toString('hex')
}

function registrationRef(id: string): string {
  return secretRef('oauth_client', id, 'registration')
}

type RegisteredClient = OAuthClient & { expiresAt?: string | undefined }

/** Returns the client that the authorization server registered for this sandbox. */
export function findRegistration(secrets: SecretStore, tx: Tx, place: SecretScope, id: string) {
  return findSecret<RegisteredClient>(secrets, tx, place, registrationRef(id))
}

/** Stores a client that an authorization server registered. */
export async function putRegistration(
  secrets: SecretStore,
  tx: Tx,
  place: SecretScope,
  row: Omit<Row<'oauth_client'>, 'user_id' | 'sandbox_id' | 'id'>,
  client: RegisteredClient,
): Promise<void> {
  const id = registrationId(row.issuer, row.redirect_uri)
  await tx
    .insertInto('oauth_client')
    .values({ ...sandboxColumns(place), id, ...row })
    .onConflict((is) => is.columns(['user_id', 'sandbox_id', 'id']).doUpdateSet(row))
    .execute()
  await secrets.put(tx, place, registrationRef(id), JSON.stringify(client))
}

/** Removes a registration that its authorization server no longer accepts. */
export async function deleteRegistration(secrets: SecretStore, tx: Tx, place: SecretScope, clientId: string) {
  const rows = await tx.selectFrom('oauth_client').select('id').where(ofSandbox(place)).execute()
  for (const { id } of rows) {
    const known = await findRegistration(secrets, tx, place, id)
    if (known?.id !== clientId) continue
    await tx.deleteFrom('oauth_client').where(ofSandbox(place, { id })).execute()
    await secrets.destroy(tx, place, registrationRef(id))
  }
}
