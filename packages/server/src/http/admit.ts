import {
  isAccountId,
  MEMBER_ROLES,
  memberRoleOf,
  type OAuthScope,
  type Operation,
  takesAsUser,
} from '@cairnstore/contract'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { isId } from '../base/id.ts'
import { LOOPBACK_HOSTS } from '../config/secure-url.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { isOwnOrigin, readCookie } from '../tenancy/accounts/session-cookie.ts'
import { type Caller, tenantOf } from '../tenancy/caller.ts'
import { type RateSubject, sandboxRate, tooManyRecords } from '../tenancy/limits/rates.ts'
import { authenticateRequest } from './authenticate.ts'
import type { HttpApp } from './context.ts'
import type { Mounting } from './mounting.ts'

/** Results of the checks that run before the body is read. */
export interface Admitted {
  caller: Caller | undefined
  access: AccessScope | undefined
  /** The grantee whose access scope is used, if the owner made the request as a grantee. */
  as?: Caller
  /** The rate limit that the request counts against. */
  rate: RateSubject | undefined
}

/** Checks credential, access scope, then role. A malformed id gives the same error as an unknown one. */
export async function admit(operation: Operation, request: FastifyRequest, mounting: Mounting): Promise<Admitted> {
  // A delivery to a source is authenticated by its handler, because this may need the body.
  if (operation.access === 'public' || operation.access === 'sender')
    return { caller: undefined, access: undefined, rate: undefined }
  if (!operation.calls) return checkRequest(operation, request, mounting, [])
  const { publicUrl } = mounting.app
  assertOwnSite(request, publicUrl)
  try {
    return await checkRequest(operation, request, mounting, audiencesOf(request, publicUrl))
  } catch (cause) {
    throw withMetadata(cause, request, publicUrl)
  }
}

async function checkRequest(
  operation: Operation,
  request: FastifyRequest,
  mounting: Mounting,
  audiences: readonly string[],
): Promise<Admitted> {
  const caller = await callerOf(operation, request, mounting, audiences)
  request.accountId = caller.accountId || undefined
  request.arrived = mounting.shares.arrive(tenantOf(caller))
  assertKind(operation, caller)
  assertMemberMay(operation, caller)
  assertAsUserAllowed(operation, request)
  if (operation.access === 'account' || operation.access === 'admin') {
    assertScope(operation, caller)
    return { caller, access: undefined, rate: undefined }
  }
  const { sandbox_id: sandboxId } = request.params as { sandbox_id?: string }
  const { as_user: asUser } = request.query as { as_user?: unknown }
  const isPossible = sandboxId === undefined || isId('sandbox', sandboxId)
  const access = isPossible ? await mounting.accessOf(caller, sandboxId) : undefined
  if (access === undefined) throw new Fault('not_found')
  assertAllowed(operation, caller, access)
  const seen = asUser === undefined ? { access } : await scopeOfGrantee(operation, caller, access, asUser, mounting)
  return { caller, ...seen, rate: rateOf(operation, access, mounting.app) }
}

/**
 * Throws if the caller of an admitted request has meanwhile lost the credential or the access to the sandbox. A token
 * that expires while its request runs remains valid for this request.
 */
async function readmit(operation: Operation, request: FastifyRequest, mounting: Mounting): Promise<void> {
  const { caller: before, access, as } = request.admitted ?? {}
  if (!before) return
  const audiences = operation.calls ? audiencesOf(request, mounting.app.publicUrl) : []
  const isToken = before.credential.kind === 'jwt'
  const caller = isToken ? before : await callerOf(operation, request, mounting, audiences, false)
  if (access) assertAllowed(operation, caller, await mounting.accessOf(as ?? caller, access.sandboxId))
}

/** Milliseconds between two access checks while a response is streamed. */
const READMIT_MS = 200

/** Yields values of a stream while the caller has access. Then throws the fault that a new request would get. */
export async function* whileAdmitted<T>(
  values: AsyncIterable<T>,
  operation: Operation,
  request: FastifyRequest,
  mounting: Mounting,
): AsyncGenerator<T> {
  let checkedMs = performance.now()
  for await (const value of values) {
    if (performance.now() - checkedMs >= READMIT_MS) {
      await readmit(operation, request, mounting)
      checkedMs = performance.now()
    }
    yield value
  }
}

/**
 * Returns the caller of the bearer token or of the session cookie. Agent endpoints and operator operations ignore the
 * cookie. Throws `csrf` for a change that was requested with the cookie and not from a page of this service.
 */
async function callerOf(
  operation: Operation,
  request: FastifyRequest,
  { app, authenticate }: Mounting,
  audiences: readonly string[],
  isUse = true,
): Promise<Caller> {
  const { authorization, cookie, origin, 'x-cairn-request': own } = request.headers
  const takesCookie = operation.access !== 'admin' && !operation.calls && authorization === undefined
  const token = takesCookie ? readCookie(cookie, 'session', app.publicUrl) : undefined
  if (token === undefined) return authenticateRequest(request, authenticate, audiences, isUse)
  const caller = await app.authenticator.session(token, request.ip)
  if (!caller) throw new Fault('unauthorized')
  const isOwnPage = isOwnOrigin(origin, app.publicUrl) && own === OWN_PAGE
  if (operation.method !== 'GET' && !isOwnPage) throw new Fault('csrf')
  return caller
}

/** Value of `X-Cairn-Request` from pages of this service. Forms and other sites cannot send this header. */
const OWN_PAGE = '1'

/** Throws `member_role` if the member's role does not permit an operation on the account. */
function assertMemberMay(operation: Operation, { member }: Caller): void {
  if (member === undefined) return
  const needed = memberRoleOf(operation)
  if (MEMBER_ROLES.indexOf(member.role) > MEMBER_ROLES.indexOf(needed)) throw new Fault('member_role')
}

/**
 * Returns the access scope of a grantee of the sandbox, computed in the same way as for the grantee's own requests.
 * Throws `forbidden` if the caller is not the owner, and `not_found` if the account is not a grantee.
 */
async function scopeOfGrantee(
  operation: Operation,
  caller: Caller,
  { role, sandboxId }: AccessScope,
  asUser: unknown,
  { accessOf }: Mounting,
): Promise<{ access: AccessScope; as: Caller }> {
  if (role !== 'owner') throw new Fault('forbidden', { detail: 'Only the owner of a sandbox can use as_user.' })
  if (typeof asUser !== 'string') throw new Fault('bad_request', { detail: 'Send exactly one id in as_user.' })
  if (!isAccountId(asUser)) throw new Fault('not_found')
  const as: Caller = { accountId: asUser, credential: caller.credential, isSeenByOwner: true }
  const access = await accessOf(as, sandboxId)
  // The owner is not a grantee.
  if (!access || access.role === 'owner') throw new Fault('not_found')
  assertAllowed(operation, caller, access)
  return { access, as }
}

/** Throws `bad_request` for a request on behalf of another account that does anything except read a sandbox. */
function assertAsUserAllowed(operation: Operation, request: FastifyRequest): void {
  if (takesAsUser(operation) || !Object.hasOwn(request.query as object, 'as_user')) return
  throw new Fault('bad_request', { detail: 'as_user is only allowed for operations that read in a sandbox.' })
}

/**
 * Throws if the kind of credential is not valid for the operation. The admin key is valid only for operator operations,
 * which accept no other credential. A connection key is not valid for most operations on an account.
 */
export function assertKind({ access, forConnectionKeys }: Operation, { credential: { kind } }: Caller): void {
  if (access === 'admin' && kind !== 'admin_key')
    throw new Fault('forbidden', { detail: 'This operation needs the admin key.' })
  if (access !== 'admin' && kind === 'admin_key') {
    throw new Fault('unauthorized', { detail: 'The admin key is valid only for operator operations. Use an API key.' })
  }
  if (access === 'account' && kind === 'connection_key' && !forConnectionKeys) throw new Fault('connection_key_limits')
}

/** Throws if the caller's role in the sandbox does not permit the operation, or the token lacks its scope. */
export function assertAllowed(
  operation: Operation,
  caller: Caller,
  access: AccessScope | undefined,
  isAgent?: boolean,
): void {
  assertScope(operation, caller, isAgent)
  const { access: needed } = operation
  if (needed !== 'viewer' && needed !== 'editor' && needed !== 'owner') return
  if (!access) throw new Fault('not_found')
  if (!access.allows(needed)) throw new Fault('forbidden')
}

/**
 * Throws `insufficient_scope` if a token lacks the required scope. A token that has no scope of this service is
 * accepted, except at agent endpoints: there the scope shows that the user gave consent to the agent.
 */
function assertScope(operation: Operation, { credential }: Caller, isAgent: boolean = operation.calls === true): void {
  if (credential.kind !== 'jwt' || (!isAgent && !credential.scopes)) return
  const { access, method } = operation
  const isReading = access === 'viewer' || (access === 'account' && method === 'GET')
  const needed: OAuthScope = isReading ? 'cairn:read' : 'cairn:write'
  if (credential.scopes?.includes(needed)) return
  const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed}"` }
  throw new Fault('insufficient_scope', { headers })
}

/** Returns the sandbox's rate limit that an operation counts against. */
export function rateOf(
  { rated }: Operation,
  access: AccessScope | undefined,
  { limits }: HttpApp,
): RateSubject | undefined {
  return rated && access && sandboxRate(rated, access, limits)
}

/**
 * Counts a request against its rate limit. Throws `rate_limited` or `account_limits` if the limit is used up. Counts a
 * question, and a read if reads are limited. Records are counted later, during ingest, because their number is not
 * known yet. There a stream of records is slowed down and never rejected.
 */
export async function admitRate(request: FastifyRequest, subject: RateSubject, { rates }: HttpApp): Promise<void> {
  if (subject.kind === 'reads' && subject.limit === null && subject.shared?.limit == null) return
  if (subject.kind !== 'records') {
    const { granted, limit, isShared, resetSeconds } = await rates.takeOne(subject)
    if (granted > 0) return
    const whose = isShared
      ? `The ${subject.shared?.tier} sandboxes of the account together are limited to`
      : 'This sandbox is limited to'
    throw new Fault(isShared ? 'account_limits' : 'rate_limited', {
      detail: `${whose} ${limit} ${subject.kind} per minute. Wait for the seconds in Retry-After.`,
      retryAfterSeconds: resetSeconds,
    })
  }
  const isStream = (request.headers['content-type'] ?? '').toLowerCase().startsWith('application/x-ndjson')
  if (isStream || rates.latest(subject)?.remaining !== 0) return
  const now = await rates.takeUpTo(subject, 0)
  if (now.remaining === 0) throw tooManyRecords(now)
}

/** Returns the rate limit headers of a response; none without a limit. */
export function rateHeaders(subject: RateSubject, { rates }: HttpApp): Record<string, string> {
  const first = subject.limit ?? subject.shared?.limit ?? null
  if (first === null) return {}
  const { limit, remaining, resetSeconds } = rates.latest(subject) ?? {
    limit: first,
    remaining: first,
    resetSeconds: 0,
  }
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  }
}

/**
 * Throws `foreign_origin` for a request from a page of another site. On loopback, also throws for a request with
 * another host name. A page could otherwise resolve its own name to this machine (DNS rebinding).
 */
function assertOwnSite({ headers: { origin, host } }: FastifyRequest, publicUrl: string): void {
  const own = new URL(publicUrl)
  const isOwnMachine = LOOPBACK_HOSTS.includes(own.hostname)
  const isOwn = (url: URL | null) =>
    url !== null && (isOwnMachine ? LOOPBACK_HOSTS.includes(url.hostname) : url.origin === own.origin)
  if (origin !== undefined && !isOwn(urlOf(origin))) throw new Fault('foreign_origin')
  if (isOwnMachine && host !== undefined && !isOwn(urlOf(`http://${host}`))) throw new Fault('foreign_origin')
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

/** Returns the audience that a token for an agent endpoint must have: the URL of the endpoint (RFC 8707). */
function audiencesOf(request: FastifyRequest, publicUrl: string): string[] {
  return [`${publicUrl}${pathOf(request)}`]
}

/** Adds the metadata URL to an authentication error (RFC 9728). */
function withMetadata(cause: unknown, request: FastifyRequest, publicUrl: string): unknown {
  if (!(cause instanceof Fault)) return cause
  const challenge = cause.headers?.['www-authenticate'] ?? (cause.code === 'unauthorized' ? 'Bearer' : undefined)
  if (challenge === undefined) return cause
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${pathOf(request)}"`
  const headers = { 'www-authenticate': `${challenge}${challenge === 'Bearer' ? ' ' : ', '}${metadata}` }
  return new Fault(cause.reason ?? cause.code, { detail: cause.detail, headers })
}

/** Returns the path of the endpoint without a malformed id, so that no text of the request gets into a header. */
function pathOf({ params }: FastifyRequest): string {
  const { sandbox_id: id } = params as { sandbox_id?: string }
  return id !== undefined && /^\w{1,64}$/.test(id) ? `/mcp/${id}` : '/mcp'
}
