import { IssuerMismatchError, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client'
import { Fault, refusal } from '../../base/fault.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../tenancy/planes.ts'
import { issuerTag } from './client-for.ts'
import { type FlowSecrets, recordReason, takeFlow } from './consent-rows.ts'
import type { ConsentRef, OAuth } from './oauth-port.ts'
import { toTokenSet } from './token-reply.ts'
import { exchangeCode, revokeTokens, type TokenPort } from './token-requests.ts'

export interface CallbackQuery {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** A consent whose code was exchanged: its flow and the tokens, which are not in use yet. */
export interface Redeemed {
  readonly row: Row<'oauth_flow'>
  readonly sealed: FlowSecrets & { readonly tokens: NonNullable<FlowSecrets['tokens']> }
}

type Redeeming = Pick<Planes, 'clock' | 'secrets' | 'sql'> & { readonly oauth: OAuth }

/**
 * Consumes the state and exchanges the code. Throws refusals: `state_invalid` for a state that was used, replaced or
 * has expired, `oauth_issuer_mismatch` for a response from another server, `access_denied` and `exchange_failed`. No
 * text of the response is shown, because anyone can send one.
 */
export async function redeemCode(
  ctx: Redeeming,
  place: ConsentRef,
  hash: Buffer,
  { code, iss, error }: CallbackQuery,
  tag: string | undefined,
): Promise<Redeemed> {
  const taken = await ctx.sql.transact(place.userId, (tx) =>
    takeFlow(ctx.secrets, tx, place, { phase: 'pending', stateHash: hash }),
  )
  const now = ctx.clock.now()
  if (!taken?.sealed || taken.row.expires_at <= now) throw refusal('state_invalid')
  const { row, sealed } = taken
  const { metadata, redirectUri, verifier } = sealed
  const isOwnPath = redirectUri.endsWith(`/callback${tag === undefined ? '' : `/${tag}`}`)
  if (!isOwnPath || (tag !== undefined && tag !== issuerTag(metadata.issuer))) throw refusal('state_invalid')
  assertIssuer(sealed, iss)
  const fail = async (reason: 'access_denied' | 'exchange_failed'): Promise<Fault> => {
    await ctx.sql.transact(place.userId, (tx) => recordReason(tx, place, reason, now))
    return refusal(reason)
  }
  if (error === 'access_denied') throw await fail('access_denied')
  if (error !== undefined || code === undefined) throw await fail('exchange_failed')
  const outcome = await exchangeCode(portOf(ctx.oauth), sealed, { code, iss, verifier, redirectUri })
  const tokens = 'tokens' in outcome ? toTokenSet(outcome.tokens, ctx.clock.now()) : undefined
  if (!tokens) throw await fail('exchange_failed')
  return { row, sealed: { ...sealed, tokens } }
}

function assertIssuer({ metadata }: FlowSecrets, iss: string | undefined): void {
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    })
  } catch (cause) {
    if (!(cause instanceof IssuerMismatchError)) throw cause
    throw new Fault('bad_request', { outcome: 'oauth_issuer_mismatch', detail: OTHER_SERVER })
  }
}

const OTHER_SERVER =
  'The response came from another authorization server than the request went to, so it was not used. Do not repeat ' +
  'it; authorize again.'

/** Revokes tokens that no source uses. A failure is only logged, because the tokens expire. */
export async function discardTokens(
  { oauth, log }: Pick<Planes, 'log'> & { readonly oauth: OAuth },
  place: ConsentRef,
  sealed: Pick<FlowSecrets, 'metadata' | 'client'>,
  tokens: { accessToken: string; refreshToken: string | undefined },
): Promise<void> {
  const isRevoked = await revokeTokens(portOf(oauth), sealed, tokens)
  if (!isRevoked) log.warn('tokens not revoked', { sandboxId: place.sandboxId, sourceId: place.sourceId })
}

function portOf({ fetch, issuers }: OAuth): TokenPort {
  return { fetch, issuers }
}
