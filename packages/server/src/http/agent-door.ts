import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'

/** Names by which a machine speaks to itself. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Throws `foreign_origin` for a request of a page of another site, and, where the service is this machine's own, for a
 * request that came under another name than this machine's: a page can have its own name lead here (DNS rebinding).
 */
export function assertOwnSite({ headers: { origin, host } }: FastifyRequest, publicUrl: string): void {
  const own = new URL(publicUrl)
  const isOwnMachine = LOOPBACK.has(own.hostname)
  const isOwn = (url: URL | null) =>
    url !== null && (isOwnMachine ? LOOPBACK.has(url.hostname) : url.origin === own.origin)
  if (origin !== undefined && !isOwn(urlOf(origin))) throw new Fault('foreign_origin')
  if (isOwnMachine && host !== undefined && !isOwn(urlOf(`http://${host}`))) throw new Fault('foreign_origin')
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

/** Whom a token for this door alone may name as its audience (RFC 8707): the endpoint, by its address. */
export function audiencesOf(request: FastifyRequest, publicUrl: string): string[] {
  return [`${publicUrl}${pathOf(request)}`]
}

/** A refusal of the credential that says where to get one (RFC 9728). */
export function withMetadata(cause: unknown, request: FastifyRequest, publicUrl: string): unknown {
  if (!(cause instanceof Fault)) return cause
  const challenge = cause.headers?.['www-authenticate'] ?? (cause.code === 'unauthorized' ? 'Bearer' : undefined)
  if (challenge === undefined) return cause
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${pathOf(request)}"`
  const headers = { 'www-authenticate': `${challenge}${challenge === 'Bearer' ? ' ' : ', '}${metadata}` }
  return new Fault(cause.reason ?? cause.code, { detail: cause.detail, headers })
}

/** The endpoint's path; an id of a shape that none has is no part of it, so that a header holds no stranger's text. */
function pathOf({ params }: FastifyRequest): string {
  const { sandbox_id: id } = params as { sandbox_id?: string }
  return id !== undefined && /^\w{1,64}$/.test(id) ? `/mcp/${id}` : '/mcp'
}
