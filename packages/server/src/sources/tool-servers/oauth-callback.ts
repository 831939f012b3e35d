import { type OutcomeError, userMcpOperations } from '@cairnstore/contract'
import { Fault, type Reason } from '../../base/fault.ts'
import { hasRow, ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import { AccessScope } from '../../tenancy/access/access-scope.ts'
import { readCookie } from '../../tenancy/accounts/session-cookie.ts'
import type { Reply } from '../../tenancy/handler.ts'
import { escapeHtml, plainPage } from '../../tenancy/plain-page.ts'
import type { SourcesCtx } from '../context.ts'
import { FLOW_MS } from '../oauth/begin-consent.ts'
import { putFlow, stateHash } from '../oauth/consent-rows.ts'
import type { ConsentRef } from '../oauth/oauth-port.ts'
import { type CallbackQuery, discardTokens, type Redeemed, redeemCode } from '../oauth/redeem-code.ts'
import { confirmationHash, newConfirmation } from './confirmation.ts'
import { attachConsent } from './consent.ts'

type CallbackParts = Omit<SourcesCtx, 'caller'>

/** Error codes that are specific to the callback. */
const NAMED: readonly OutcomeError[] = ['state_invalid', 'access_denied', 'exchange_failed', 'oauth_issuer_mismatch']
const OK = 200
const BAD_REQUEST = 400

/**
 * Handles the redirect from an authorization server. The browser session that started the consent completes it. Another
 * browser may belong to someone else. The tokens are then stored but not used until the account that started the
 * consent sends the code that the page shows. Throws the fault if the client does not accept HTML.
 */
export async function receiveCallback(
  ctx: CallbackParts,
  query: CallbackQuery,
  tag: string | undefined,
  accept: string | undefined,
): Promise<Reply<string>> {
  try {
    const result = await receiveTokens(ctx, query, tag)
    return result.code === undefined ? plainPage(OK, 'Consent complete', DONE) : codePage(result.code)
  } catch (cause) {
    const fault = named(cause)
    if (!fault || !accept?.includes('text/html')) throw fault ?? cause
    return failurePage(fault)
  }
}

async function receiveTokens(
  ctx: CallbackParts,
  query: CallbackQuery,
  tag: string | undefined,
): Promise<{ code?: string }> {
  const undoGuess = ctx.authenticator.countGuess(ctx.address)
  const hash = stateHash(query.state ?? '')
  const [found] = await ctx.sql.look({ oauthState: hash }, (tx) =>
    tx.selectFrom('oauth_flow').select(['user_id', 'sandbox_id', 'source_id']).where('state_hash', '=', hash),
  )
  if (!found) throw new Fault('state_invalid')
  undoGuess()
  const place = { userId: found.user_id, sandboxId: found.sandbox_id, sourceId: found.source_id }
  const redeemed = await redeemCode(ctx, place, hash, query, tag)
  if (await completeInSession(ctx, place, redeemed)) return {}
  const code = newConfirmation()
  if (await storePending(ctx, place, redeemed, code)) return { code }
  await discardTokens(ctx, place, redeemed.sealed, redeemed.sealed.tokens)
  throw new Fault('state_invalid')
}

/** Completes a consent that this browser's session started. Returns false if it did not, or lost its access. */
async function completeInSession(ctx: CallbackParts, place: ConsentRef, redeemed: Redeemed): Promise<boolean> {
  const token = readCookie(ctx.cookie, 'session', ctx.publicUrl)
  const caller = token === undefined ? undefined : await ctx.authenticator.session(token, ctx.address)
  const { started_by: person, credential_id: credential } = redeemed.row
  if (caller?.accountId !== person || caller.credential.id !== credential) return false
  const scope = await AccessScope.find(ctx.sql, caller, place.sandboxId)
  if (!scope?.allows('editor')) return false
  const { audit } = userMcpOperations.completeUserMcpAuthorization
  const completing = { ...ctx, caller, operation: { ...ctx.operation, audit } }
  try {
    await attachConsent(completing, scope, place.sourceId, redeemed)
  } catch (cause) {
    await discardTokens(ctx, place, redeemed.sealed, redeemed.sealed.tokens)
    throw cause
  }
  return true
}

/** Stores the tokens until they are confirmed. Returns false if another consent was started meanwhile. */
async function storePending(
  ctx: CallbackParts,
  place: ConsentRef,
  { row, sealed }: Redeemed,
  code: string,
): Promise<boolean> {
  const now = ctx.clock.now()
  return ctx.sql.transact(place.userId, async (tx) => {
    const source = await tx
      .selectFrom('source')
      .select('id')
      .where(ofSandbox(place, { id: place.sourceId }))
      .forNoKeyUpdate()
      .executeTakeFirst()
    const hasOther = await hasRow(tx, 'oauth_flow', { ...sandboxColumns(place), source_id: place.sourceId })
    if (!source || hasOther) return false
    const { state_hash, issuer, scopes, started_by, credential_id } = row
    const pending = {
      ...{ state_hash, issuer, scopes, started_by, credential_id },
      phase: 'confirming',
      code_hash: confirmationHash(ctx.signInKey, place, code),
      created_at: now,
      expires_at: new Date(now.getTime() + FLOW_MS),
    } as const
    await putFlow(ctx.secrets, tx, place, pending, sealed)
    return true
  })
}

/** Maps an exception to the callback's error; undefined for an unexpected exception. */
function named(cause: unknown): Fault | undefined {
  if (!(cause instanceof Fault) || cause.code !== 'bad_request') return undefined
  const { outcome, reason } = cause
  if (reason) return cause
  const name = NAMED.find((one) => one === outcome)
  return name && new Fault(name as Reason, { cause })
}

const DONE = ['Cairn can now use the server. You can close this page.']

function codePage(code: string): Reply<string> {
  return plainPage(OK, 'Consent received', [
    'One step is left. Type this confirmation code where you started the consent, in Cairn’s console or command line:',
    `<strong><code id="confirmation">${code}</code></strong>`,
    'It is valid for 10 minutes. If you did not start this yourself, do not share the code, and close this page: ' +
      'the access is then revoked.',
  ])
}

function failurePage({ reason, detail }: Fault): Reply<string> {
  return plainPage(BAD_REQUEST, 'Consent not completed', [escapeHtml(detail), `<code id="error">${reason}</code>`])
}
