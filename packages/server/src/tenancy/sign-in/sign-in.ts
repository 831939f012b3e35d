import { Fault } from '../../base/fault.ts'
import { assertCookiesWork, clearCookie, readCookie, setCookie } from '../accounts/session-cookie.ts'
import { openSession, replaceSession, sessionHeader } from '../accounts/sessions.ts'
import { oldestAccount } from '../accounts/store.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx } from '../context.ts'
import { type Reply, reply } from '../handler.ts'
import { findInvitation } from '../members/accept-invitation.ts'
import type { Claims, Oidc } from '../oidc/oidc.ts'
import { escapeHtml, plainPage } from '../plain-page.ts'
import { newFlow, readFlow, SIGN_IN_MS, type SignInFlow, secretsOf, writeFlow } from './flow-cookie.ts'
import { findOrCreateMember, type Identity, identityOf, providerHash } from './joining.ts'

type SigningIn = Omit<TenancyCtx, 'caller'>
type Page = string | Reply<string | undefined>

const REDIRECT = 302

/** Returns the identity provider. Throws `sign_in_not_offered` if none is configured. */
export function assertConfigured({ oidc }: Pick<SigningIn, 'oidc'>): Oidc {
  if (!oidc) throw new Fault('sign_in_not_offered')
  return oidc
}

/** Redirects a browser to the identity provider. The pending sign-in is stored in a cookie, not on the server. */
export async function beginSignIn(
  ctx: SigningIn,
  { invitation, account }: { invitation?: string; account?: string },
  accept: string | undefined,
): Promise<Page> {
  return errorPage(ctx, accept, async () => {
    const oidc = assertConfigured(ctx)
    assertCookiesWork(ctx.publicUrl)
    // Browsers set this header, so a link on another site cannot make a person join without a click on our page.
    const isElsewhere = ctx.fetchSite !== undefined && ctx.fetchSite !== 'same-origin'
    if (invitation !== undefined && isElsewhere) return joinPage(ctx, invitation)
    // Each failed attempt may send a request to the provider, so failures are limited per address.
    const undoGuess = ctx.authenticator.countGuess(ctx.address)
    const flow = newFlow(ctx.clock.now(), invitation, account)
    const location = await oidc.authorizationUrl(redirectUri(ctx), secretsOf(flow))
    undoGuess()
    const cookie = setCookie('signIn', ctx.publicUrl, writeFlow(ctx.signInKey, flow), SIGN_IN_MS)
    return reply(REDIRECT, undefined, { location, 'set-cookie': cookie })
  })
}

/** Asks whether to join the account of an invitation, with a link that continues. Throws `invitation_invalid`. */
async function joinPage(ctx: SigningIn, invitation: string): Promise<Page> {
  const { user_id: userId, role } = await findInvitation(ctx, invitation)
  const account = await ctx.sql.transact(userId, (tx) =>
    tx.selectFrom('account').select('display_name').where('user_id', '=', userId).executeTakeFirst(),
  )
  const name = escapeHtml(account?.display_name ?? '')
  return plainPage(OK, 'Join a team on Cairn', [
    `You are invited to the account “${name}”, as ${role}.`,
    'Join only if you expected this: what you add afterwards belongs to that account.',
    `<a href="/api/v1/auth/login?invitation=${encodeURIComponent(invitation)}">Sign in and join</a>`,
  ])
}

function redirectUri({ publicUrl }: Pick<SigningIn, 'publicUrl'>): string {
  return `${publicUrl}/api/v1/auth/callback`
}

/** Query parameters of the callback. */
export interface SignInCallback {
  readonly state?: string
  readonly code?: string
  readonly iss?: string
  readonly error?: string
}

/**
 * Handles the callback of the identity provider and signs the browser in. Each state is accepted once, from the browser
 * that started the sign-in. Throws `state_invalid` and the faults of `redeem` and `findOrCreateMember`.
 */
export async function receiveSignIn(ctx: SigningIn, query: SignInCallback, accept: string | undefined): Promise<Page> {
  return errorPage(ctx, accept, async () => {
    const oidc = assertConfigured(ctx)
    assertCookiesWork(ctx.publicUrl)
    const undoGuess = ctx.authenticator.countGuess(ctx.address)
    const now = ctx.clock.now()
    const flow = readFlow(ctx.signInKey, readCookie(ctx.cookie, 'signIn', ctx.publicUrl), now)
    if (!flow || query.state !== secretsOf(flow).state) throw new Fault('state_invalid')
    undoGuess()
    await consumeOnce(ctx, providerHash('sub', 'state', query.state), new Date(flow.expiresAt))
    const claims = await oidc.redeem(callbackUrl(ctx, query), secretsOf(flow))
    return signIn(ctx, oidc, flow, claims)
  })
}

/** Returns the configured callback URL with the query, because the provider knows only this URL. */
function callbackUrl(ctx: SigningIn, query: SignInCallback): URL {
  const url = new URL(redirectUri(ctx))
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}

/** Records a single-use value. Throws `state_invalid` if it was used before, on any node. */
export async function consumeOnce(
  { sql, clock }: Pick<SigningIn, 'sql' | 'clock'>,
  hash: Buffer,
  expiresAt: Date,
): Promise<void> {
  const isFirst = await sql.transact({ worker: true }, async (tx) => {
    await tx.deleteFrom('used_state').where('expires_at', '<', clock.now()).execute()
    const { numInsertedOrUpdatedRows: rows } = await tx
      .insertInto('used_state')
      .values({ state_hash: hash, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return rows === 1n
  })
  if (!isFirst) throw new Fault('state_invalid')
}

async function signIn(ctx: SigningIn, { config }: Oidc, flow: SignInFlow, claims: Claims): Promise<Page> {
  const person = identityOf(claims, config)
  const invitation = flow.invitation === undefined ? undefined : await findInvitation(ctx, flow.invitation)
  const joinedAccount = config.account ?? (await oldestAccount(ctx))
  const userId = invitation?.user_id ?? (await accountOf(ctx, person, flow.account)) ?? joinedAccount
  if (userId === undefined || (flow.account !== undefined && flow.account !== userId)) throw new Fault('not_a_member')
  const session = await ctx.sql.transact(userId, async (tx) => {
    const { memberId, hasJoined } = await findOrCreateMember(tx, ctx, userId, person, {
      config,
      joinedAccount,
      invitation,
    })
    const sid = typeof claims.sid === 'string' ? providerHash('sid', person.issuer, claims.sid) : undefined
    const { identityHash } = person
    const made = await openSession(tx, ctx, { userId, memberId, identityHash, providerSessionHash: sid })
    const caller = { accountId: memberId, credential: { kind: 'session', id: made.id } } as const
    const joined = { ...ctx, caller, operation: { ...ctx.operation, audit: { event: 'member.joined' } } }
    if (hasJoined) await recordEvent(joined, tx, { holderId: userId, subjectId: memberId })
    await recordEvent({ ...ctx, caller }, tx, { holderId: userId, subjectId: memberId })
    return { ...made, memberId }
  })
  await replaceSession(ctx)
  // The sign-in may have changed the member's role or groups.
  ctx.authenticator.forget({ accountId: session.memberId })
  const cookies = [sessionHeader(ctx, session), clearCookie('signIn', ctx.publicUrl)]
  if (ctx.consoleUrl !== null) {
    return reply(REDIRECT, undefined, { location: `${ctx.consoleUrl}${SIGNED_IN}`, 'set-cookie': cookies })
  }
  return plainPage(OK, 'Signed in', ['You are signed in to Cairn in this browser.'], { 'set-cookie': cookies })
}

const OK = 200
/** Fragment that shows the console that it has a new session, because scripts cannot read the cookie. */
const SIGNED_IN = '#signed-in'

/** Returns the requested account of a person, or the one that the person joined first; undefined if there is none. */
async function accountOf(ctx: SigningIn, { identityHash }: Identity, requested: string | undefined) {
  const rows = await ctx.sql.look({ identity: identityHash }, (tx) =>
    tx
      .selectFrom('member_identity')
      .select('user_id')
      .where('identity_hash', '=', identityHash)
      .$if(requested !== undefined, (all) => all.where('user_id', '=', requested ?? ''))
      .orderBy('created_at')
      .limit(1),
  )
  return rows[0]?.user_id
}

/** Shows a fault as a page if the browser accepts HTML; throws it otherwise. */
async function errorPage(
  { consoleUrl }: Pick<SigningIn, 'consoleUrl'>,
  accept: string | undefined,
  work: () => Promise<Page>,
): Promise<Page> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Fault) || !accept?.includes('text/html')) throw cause
    const { reason, code, detail, status } = cause
    const back = consoleUrl === null ? [] : [`<a href="${escapeHtml(consoleUrl)}">Back to the sign-in</a>`]
    const texts = [escapeHtml(detail), ...back, `<code id="error">${reason ?? code}</code>`]
    return plainPage(status, 'Not signed in', texts)
  }
}
