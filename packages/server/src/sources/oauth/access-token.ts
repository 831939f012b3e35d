import { setTimeout as sleep } from 'node:timers/promises'
import type { OAuthIssuer } from '../../config/oauth.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../tenancy/planes.ts'
import type { Challenge, McpTokens } from '../connectors/connector.ts'
import { McpFailure } from '../connectors/mcp/mcp-transport.ts'
import {
  deleteRegistration,
  endGrant,
  findGrant,
  type GrantSecrets,
  haltSource,
  putGrantSecrets,
  type StoredGrant,
} from './consent-rows.ts'
import { toScopes } from './discover.ts'
import type { ConsentRef } from './oauth-port.ts'
import { toTokenSet } from './token-reply.ts'
import { refreshTokens, type TokenFailure, type TokenPort } from './token-requests.ts'

/** Dependencies for using a grant. */
export type TokenPlanes = Pick<Planes, 'clock' | 'log' | 'ownerId' | 'secrets' | 'sql'>

/** Duration of the refresh lease in milliseconds. The token request takes at most a third of it. */
const LEASE_MS = 30_000
/** Maximum plausible remaining time of a lease in milliseconds. A later end was written with a wrong clock. */
const LEASE_MS_MAX = 20 * 60_000
/** Minimum milliseconds between a temporary failure and the next refresh. */
const BACKOFF_MS = 30_000
const BACKOFF_MS_MAX = 15 * 60_000
/** Interval in milliseconds and number of checks while another process refreshes the token. */
const RECHECK_MS = 100
const CHECKS_MAX = 150

/** Returns a function that opens the access tokens of a grant. One process at a time refreshes a token. */
export function openTokens(
  planes: TokenPlanes,
  fetch: typeof globalThis.fetch,
  issuers: readonly OAuthIssuer[],
): (place: ConsentRef) => McpTokens {
  const port: TokenPort = { fetch, issuers }
  return (place) => ({
    current: () => tokenFor(planes, port, place, undefined),
    replace: (rejected) => tokenFor(planes, port, place, rejected),
    reject: (rejected) => rejectToken(planes, place, rejected),
    lackScopes: (challenge) => recordMissingScopes(planes, place, challenge),
  })
}

/** Returns a token other than the rejected one, refreshed if due. Waits while another process refreshes it. */
async function tokenFor(
  planes: TokenPlanes,
  port: TokenPort,
  place: ConsentRef,
  rejected: string | undefined,
): Promise<string> {
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const grant = await readGrant(planes, place)
    const { row, sealed } = grant
    const now = planes.clock.now()
    const isRejected = sealed.accessToken === rejected
    const isDue = row.refresh_at !== null && row.refresh_at <= now && sealed.refreshToken !== undefined
    if (!isRejected && !isDue) return sealed.accessToken
    if (sealed.refreshToken === undefined) throw await rejectToken(planes, place, sealed.accessToken)
    const isValid = !isRejected && (row.expires_at === null || row.expires_at > now)
    if (!isLeased(row, now) && (await takeLease(planes, place, row))) {
      const refreshed = await refresh(planes, port, place, grant)
      if (refreshed === 'superseded') continue
      if (typeof refreshed === 'string') return refreshed
      if (isValid && refreshed.health !== 'needs_authorization') return sealed.accessToken
      throw refreshed
    }
    if (isValid) return sealed.accessToken
    if (isLeased(row, now) && row.lease_owner === null) {
      throw new McpFailure('connect_failed', { retryAfterMs: row.lease_until!.getTime() - now.getTime() })
    }
    await sleep(RECHECK_MS)
  }
  throw new McpFailure('timeout')
}

/** Reads the grant. Throws a McpFailure if a person has to consent first. */
async function readGrant({ sql, secrets }: TokenPlanes, place: ConsentRef): Promise<StoredGrant> {
  const grant = await sql.transact(place.userId, (tx) => findGrant(secrets, tx, place))
  if (!grant) throw new McpFailure('needs_authorization')
  if (grant.row.state === 'needs_scopes') throw new McpFailure('needs_scopes')
  return grant
}

function isLeased({ lease_until: until }: Row<'oauth_grant'>, now: Date): boolean {
  return until !== null && until > now && until.getTime() < now.getTime() + LEASE_MS_MAX
}

/** Takes the lease of this generation of the grant. Returns false if another process was faster. */
async function takeLease(
  { sql, clock, ownerId }: TokenPlanes,
  place: ConsentRef,
  seen: Row<'oauth_grant'>,
): Promise<boolean> {
  const until = new Date(clock.now().getTime() + LEASE_MS)
  const { numUpdatedRows } = await sql.transact(place.userId, (tx) =>
    tx
      .updateTable('oauth_grant')
      .set({ lease_owner: ownerId, lease_until: until })
      .where(ofSandbox(place, { source_id: place.sourceId, generation: seen.generation }))
      .where((is) =>
        seen.lease_until === null ? is('lease_until', 'is', null) : is('lease_until', '=', seen.lease_until),
      )
      .executeTakeFirst(),
  )
  return numUpdatedRows === 1n
}

/**
 * Refreshes the token under the lease, without an open transaction, and stores the new tokens before they are used.
 * Returns the new token, the failure, or `superseded` if another token was stored meanwhile.
 */
async function refresh(
  planes: TokenPlanes,
  port: TokenPort,
  place: ConsentRef,
  { row, sealed }: StoredGrant,
): Promise<string | McpFailure> {
  const outcome = await refreshTokens(port, sealed, sealed.refreshToken!)
  if (!('tokens' in outcome)) return settleFailure(planes, place, { row, sealed }, outcome)
  const tokens = toTokenSet(outcome.tokens, planes.clock.now())
  if (!tokens) return settleFailure(planes, place, { row, sealed }, { kind: 'refused' })
  const { accessToken, refreshToken, expiresAt, refreshAt, scope } = tokens
  const next: GrantSecrets = { ...sealed, accessToken, refreshToken }
  return planes.sql.transact(place.userId, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('oauth_grant')
      .set((is) => ({
        generation: is('generation', '+', 1),
        expires_at: expiresAt ? new Date(expiresAt) : null,
        refresh_at: refreshAt ? new Date(refreshAt) : null,
        ...(scope !== undefined && { scopes: scope }),
        lease_owner: null,
        lease_until: null,
        updated_at: planes.clock.now(),
      }))
      .where(ofSandbox(place, { source_id: place.sourceId, generation: row.generation }))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return 'superseded'
    await putGrantSecrets(planes.secrets, tx, place, next)
    return accessToken
  })
}

/** Ends a grant that its server no longer accepts. After a temporary failure, delays the next attempt. */
async function settleFailure(
  planes: TokenPlanes,
  place: ConsentRef,
  { row, sealed }: StoredGrant,
  outcome: TokenFailure,
): Promise<McpFailure | 'superseded'> {
  const { sql, secrets, clock, log } = planes
  log.warn('token not refreshed', { sandboxId: place.sandboxId, sourceId: place.sourceId, reason: outcome.kind })
  const { kind } = outcome
  if (kind === 'grant_rejected' || kind === 'client_rejected') {
    const hasEnded = await sql.transact(place.userId, async (tx) => {
      const ending = { reason: kind, now: clock.now(), generation: row.generation } as const
      if (!(await endGrant(secrets, tx, place, ending))) return false
      if (kind === 'client_rejected') await deleteRegistration(secrets, tx, place, sealed.client.id)
      await haltSource(planes, tx, place, 'needs_authorization')
      return true
    })
    return hasEnded ? new McpFailure('needs_authorization') : 'superseded'
  }
  const failure = kind === 'later' ? outcome.failure : new McpFailure('auth_rejected')
  const waitMs = Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS, failure.retryAfterMs ?? 0))
  await sql.transact(place.userId, (tx) =>
    tx
      .updateTable('oauth_grant')
      .set({ lease_owner: null, lease_until: new Date(clock.now().getTime() + waitMs) })
      .where(ofSandbox(place, { source_id: place.sourceId, generation: row.generation }))
      .execute(),
  )
  return failure
}

/** Ends the grant if the rejected token is still the current one. */
async function rejectToken(planes: TokenPlanes, place: ConsentRef, rejected: string): Promise<McpFailure> {
  const { sql, secrets, clock } = planes
  await sql.transact(place.userId, async (tx) => {
    const grant = await findGrant(secrets, tx, place)
    if (grant?.sealed.accessToken !== rejected) return
    const ending = { reason: 'token_rejected', now: clock.now(), generation: grant.row.generation } as const
    if (await endGrant(secrets, tx, place, ending)) await haltSource(planes, tx, place, 'needs_authorization')
  })
  return new McpFailure('needs_authorization')
}

/** Records the missing scopes. If none is missing, returns `auth_rejected`, because a new consent would not help. */
async function recordMissingScopes(planes: TokenPlanes, place: ConsentRef, challenge: Challenge): Promise<McpFailure> {
  if (challenge.error !== 'insufficient_scope') return new McpFailure('auth_rejected')
  const { sql, secrets, clock } = planes
  const isRecorded = await sql.transact(place.userId, async (tx) => {
    const grant = await findGrant(secrets, tx, place)
    if (!grant) return false
    const missing = missingScopes(grant.row.scopes, challenge)
    if (missing.length === 0) return false
    const { numUpdatedRows } = await tx
      .updateTable('oauth_grant')
      .set({ state: 'needs_scopes', missing_scopes: missing.join(' '), updated_at: clock.now() })
      .where(ofSandbox(place, { source_id: place.sourceId, generation: grant.row.generation }))
      .executeTakeFirst()
    if (numUpdatedRows === 1n) await haltSource(planes, tx, place, 'needs_scopes')
    return numUpdatedRows === 1n
  })
  return new McpFailure(isRecorded ? 'needs_scopes' : 'auth_rejected')
}

/** Returns the scopes of a challenge that were not granted. */
export function missingScopes(granted: string, { scope = '' }: Challenge): string[] {
  const known = granted.split(' ')
  return toScopes(scope.split(' ')).filter((one) => !known.includes(one))
}
