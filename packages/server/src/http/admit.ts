import type { OAuthScope, Operation } from '@cairnstore/contract'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { isId } from '../base/id.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { RateSubject } from '../tenancy/limits/rates.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertOwnSite, audiencesOf, withMetadata } from './agent-door.ts'
import { authenticateRequest } from './authenticate.ts'
import type { Mounting } from './mounting.ts'
import { rateOf } from './rate.ts'

/** What the checks before the body found out. */
export interface Admitted {
  caller: Caller | undefined
  reach: Reach | undefined
  /** The limit by the minute that the request uses. */
  rate: RateSubject | undefined
}

/** Decides by the credential, then the reach, then the role. An id that none could have is like one that nobody has. */
export async function admit(operation: Operation, request: FastifyRequest, mounting: Mounting): Promise<Admitted> {
  // Who may deliver to a source is decided where deliveries are received: it may take the body to know.
  if (operation.access === 'public' || operation.access === 'sender')
    return { caller: undefined, reach: undefined, rate: undefined }
  if (!operation.calls) return decide(operation, request, mounting, [])
  const { publicUrl } = mounting.app
  assertOwnSite(request, publicUrl)
  try {
    return await decide(operation, request, mounting, audiencesOf(request, publicUrl))
  } catch (cause) {
    throw withMetadata(cause, request, publicUrl)
  }
}

async function decide(
  operation: Operation,
  request: FastifyRequest,
  mounting: Mounting,
  audiences: readonly string[],
): Promise<Admitted> {
  const caller = await authenticateRequest(request, mounting.authenticate, audiences)
  request.accountId = caller.accountId || undefined
  request.arrived = mounting.shares.arrive(caller.accountId)
  assertKind(operation, caller)
  if (operation.access === 'account' || operation.access === 'admin') {
    assertScope(operation, caller)
    return { caller, reach: undefined, rate: undefined }
  }
  const { sandbox_id: sandboxId } = request.params as { sandbox_id?: string }
  const isPossible = sandboxId === undefined || isId('sandbox', sandboxId)
  const reach = isPossible ? await mounting.reachOf(caller, sandboxId) : undefined
  if (reach === undefined) throw new Fault('not_found')
  assertAllowed(operation, caller, reach)
  return { caller, reach, rate: rateOf(operation, reach, mounting.app) }
}

/** Outside the operator's operations the admin key is no credential at all; inside them any other is too little. */
export function assertKind({ access, forConnectionKeys }: Operation, { credential: { kind } }: Caller): void {
  if (access === 'admin' && kind !== 'admin_key') throw new Fault('forbidden', { detail: 'This needs the admin key.' })
  if (access !== 'admin' && kind === 'admin_key') {
    throw new Fault('unauthorized', { detail: 'The admin key opens the operator’s operations alone.' })
  }
  if (access === 'account' && kind === 'connection_key' && !forConnectionKeys) throw new Fault('connection_key_limits')
}

/** Throws for a role on the sandbox that is too low, and for a token that is not meant for this. */
export function assertAllowed(operation: Operation, caller: Caller, reach: Reach | undefined, isAgent?: boolean): void {
  assertScope(operation, caller, isAgent)
  const { access } = operation
  if (access !== 'viewer' && access !== 'editor' && access !== 'owner') return
  if (!reach) throw new Fault('not_found')
  if (!reach.allows(access)) throw new Fault('forbidden')
}

/**
 * Throws `insufficient_scope` for a token that names scopes of this service and not the one that this needs. An agent's
 * token has to name it: an application's own tokens, which name none, are not given to agents by an issuer's consent.
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
