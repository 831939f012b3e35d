import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthorizationServer, Json } from './authorization-server.ts'
import { openToolServer, type ToolServer } from './tool-server.ts'

/** An MCP server behind an authorization server, as a vendor hosts it. */
export interface HostedServer {
  readonly tools: ToolServer
  readonly url: string
  /** Path of the protected resource metadata (RFC 9728); undefined publishes none. */
  metadataPath: string | undefined
  /** Documents at other paths of its origin. */
  readonly documents: Record<string, Json>
  /** Transforms the metadata. */
  metadata: (document: Json) => Json
  /** Returns the WWW-Authenticate challenge for a request without a usable token; undefined sends none. */
  challenge: () => string | undefined
  /** Returns true if a method of the protocol needs a token. */
  isGuarded: (method: string) => boolean
  /** Returns the scope that a method requires. */
  scopeFor: (method: string) => string | undefined
  /** Rejects every token. */
  isClosed: boolean
  /** Distinct access tokens received, in order. */
  readonly tokens: string[]
  close(): Promise<void>
}

const JSON_TYPE = { 'content-type': 'application/json' }
const PATH = '/.well-known/oauth-protected-resource'

/** Starts an MCP server that accepts the authorization server's tokens for its own resource. */
export async function openHostedServer(as: AuthorizationServer): Promise<HostedServer> {
  const tools = await openToolServer()
  const { origin, pathname } = new URL(tools.url)
  const server: HostedServer = {
    tools,
    url: tools.url,
    metadataPath: `${PATH}${pathname}`,
    documents: {},
    metadata: (document) => document,
    challenge: () => `Bearer error="invalid_token", resource_metadata="${origin}${PATH}${pathname}"`,
    isGuarded: () => true,
    scopeFor: () => undefined,
    isClosed: false,
    tokens: [],
    close: () => tools.close(),
  }

  const refuse = (response: ServerResponse, status: number, challenge: string | undefined): true => {
    response.writeHead(status, { ...JSON_TYPE, ...(challenge && { 'www-authenticate': challenge }) }).end('{}')
    return true
  }

  const publish = (path: string, response: ServerResponse): boolean => {
    if (path === pathname) return false
    if (path !== server.metadataPath) {
      const other = server.documents[path]
      if (!other) return refuse(response, 404, undefined)
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(other))
      return true
    }
    const document = {
      resource: tools.url,
      authorization_servers: [as.issuer],
      scopes_supported: ['tools:read'],
      bearer_methods_supported: ['header'],
    }
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(server.metadata(document)))
    return true
  }

  tools.guard = async (request: IncomingMessage, response: ServerResponse, message: unknown): Promise<boolean> => {
    const path = new URL(request.url ?? '/', origin).pathname
    if (publish(path, response)) return true
    const method = String((message as { method?: unknown } | undefined)?.method ?? '')
    if (request.method !== 'POST' || !server.isGuarded(method)) return false
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    if (token && server.tokens.at(-1) !== token) server.tokens.push(token)
    const found = token && !server.isClosed ? await as.provider.AccessToken.find(token) : undefined
    if (!found || (found.aud !== tools.url && found.aud !== 'urn:none'))
      return refuse(response, 401, server.challenge())
    const needed = server.scopeFor(method)
    if (needed === undefined || found.scope?.split(' ').includes(needed)) return false
    return refuse(response, 403, `Bearer error="insufficient_scope", scope="${needed}"`)
  }
  return server
}
