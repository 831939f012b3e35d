import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration, errors } from 'oidc-provider'

/** A JSON object. */
export type Json = Record<string, unknown>

/**
 * A certified OAuth authorization server on loopback. Tests can change its replies. Every user consents to everything.
 */
export interface AuthorizationServer {
  readonly issuer: string
  readonly provider: Provider
  /** Paths of the received requests, in order. */
  readonly asked: string[]
  /** Bodies of the requests to the token endpoint. */
  readonly tokenRequests: URLSearchParams[]
  /** Handles a request instead of the server and returns true if it did. */
  intercept: (request: IncomingMessage, response: ServerResponse, path: string) => boolean
  /** Transforms the server's metadata. */
  metadata: (document: Json) => Json
  /** Transforms a successful reply of the token endpoint. */
  tokens: (reply: Json) => Json
  /** True if the user declines the consent. */
  isDenying: boolean
  count(path: string): number
  /** Opens an authorization URL as a browser does, consents, and returns the redirect target. */
  consent(url: string): Promise<string>
  close(): Promise<void>
}

interface Options {
  /** Scopes of every resource. */
  scopes?: string
  accessTokenSeconds?: number
  hasRegistration?: boolean
  /** True if refresh tokens are rotated. */
  rotates?: boolean
  clients?: Configuration['clients']
  /** Returns Client ID Metadata Documents, because tests have no network access to fetch them. */
  documentOf?: (clientId: string) => Promise<unknown>
}

const HOUR_SECONDS = 3_600
const HOPS_MAX = 12
const WELL_KNOWN = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

/** Starts an authorization server with dynamic registration, resource indicators, rotation and revocation. */
export async function openAuthorizationServer(options: Options = {}): Promise<AuthorizationServer> {
  const { scopes = 'tools:read tools:write', accessTokenSeconds = HOUR_SECONDS } = options
  const http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configurationOf(options, scopes, accessTokenSeconds))
  const server: AuthorizationServer = {
    issuer,
    provider,
    asked: [],
    tokenRequests: [],
    intercept: () => false,
    metadata: (document) => document,
    tokens: (reply) => reply,
    isDenying: false,
    count: (path) => server.asked.filter((one) => one === path).length,
    consent: (url) => browse(url, issuer),
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith('/interaction/')) return finishInteraction(server, ctx.req, ctx.res, scopes)
    await next()
    if (WELL_KNOWN.includes(ctx.path)) ctx.body = server.metadata({ ...(ctx.body as Json) })
    if (ctx.path !== '/token') return
    const { body } = (ctx as unknown as { oidc: { body?: Json } }).oidc ?? {}
    if (body) server.tokenRequests.push(new URLSearchParams(body as Record<string, string>))
    if (ctx.status < 300) ctx.body = server.tokens({ ...(ctx.body as Json) })
  })
  const callback = provider.callback()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', issuer).pathname
    server.asked.push(path)
    if (!server.intercept(request, response, path)) await callback(request, response)
  }
  return server
}

function configurationOf(options: Options, scope: string, accessTokenTTL: number): Configuration {
  const { hasRegistration = true, rotates = true, clients = [], documentOf } = options
  return {
    clients,
    cookies: { keys: ['a-key-of-the-tests'] },
    scopes: ['openid', 'offline_access'],
    pkce: { required: () => true },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: rotates,
    ttl: { AccessToken: accessTokenTTL, Interaction: HOUR_SECONDS, Session: HOUR_SECONDS, Grant: HOUR_SECONDS },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: async (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: hasRegistration },
      revocation: { enabled: true },
      ...(documentOf && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:none',
        useGrantedResource: () => true,
        getResourceServerInfo: async (_, resource) => {
          if (!resource.startsWith('http://127.0.0.1:') && resource !== 'urn:none') throw new errors.InvalidTarget()
          return { scope, audience: resource, accessTokenFormat: 'opaque', accessTokenTTL }
        },
      },
    },
    ...(documentOf && {
      fetch: async (url: URL | string) => Response.json(await documentOf(String(url))),
    }),
  } as Configuration
}

/** Signs a user in and consents to every scope, or declines. */
async function finishInteraction(
  { provider, isDenying }: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
  scopes: string,
): Promise<void> {
  if (isDenying) return provider.interactionFinished(request, response, { error: 'access_denied' })
  const { params } = await provider.interactionDetails(request, response)
  const grant = new provider.Grant({ accountId: 'a-person', clientId: String(params.client_id) })
  const asked = String(params.scope ?? '')
  grant.addOIDCScope(asked)
  for (const resource of [params.resource ?? 'urn:none'].flat()) {
    grant.addResourceScope(String(resource), asked === '' ? scopes : asked)
  }
  const grantId = await grant.save()
  return provider.interactionFinished(request, response, { login: { accountId: 'a-person' }, consent: { grantId } })
}

/** Follows redirects within the server with its cookies. Returns the first address on another origin. */
export async function browse(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>()
  let at = url
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    if (new URL(at).origin !== issuer) return at
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      const [name = '', ...value] = pair.split('=')
      cookies.set(name, value.join('='))
    }
    const location = answer.headers.get('location')
    if (!location) throw new Error(`the authorization server replied ${answer.status}: ${await answer.text()}`)
    at = new URL(location, at).href
  }
  throw new Error('the authorization server redirects without end')
}
