import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { browse } from './authorization-server.ts'

/** Claims of a user. */
export type PersonClaims = { sub: string } & Record<string, unknown>

/** A certified OpenID provider on loopback with one client. */
export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Current user of the browser. */
  person: PersonClaims
  /** True if the user declines. */
  isDenying: boolean
  /** Authorization codes issued. */
  readonly codes: string[]
  /** Opens an authorization URL as a browser does, signs in, and returns the redirect target. */
  browse(url: string): Promise<string>
  /** Signs a logout token whose claims replace the default ones. */
  logoutToken(claims: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

const ALGORITHM = 'RS256'
const CLIENT_ID = 'cairn'
const CLIENT_SECRET = 'a-secret-of-the-client-of-the-tests'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const CLAIMS = ['email', 'email_verified', 'name', 'groups', '_claim_names']

/** Starts a provider with one client that uses this redirect URI. */
export async function openIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), alg: ALGORITHM, use: 'sig', kid: 'the-key' }
  void publicKey
  const http = createServer((request, response) => void callback(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        backchannel_logout_uri: redirectUri.replace('/callback', '/backchannel-logout'),
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a-key-of-the-tests'] },
    claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups', '_claim_names'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    conformIdTokenClaims: true,
    pkce: { required: () => true },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: async (_, accountId) => ({ accountId, claims: async () => ({ ...at.person, sub: accountId }) }),
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
  } as Configuration)
  const at: IdentityProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    person: { sub: 'nobody' },
    isDenying: false,
    codes: [],
    browse: async (url) => {
      const back = await browse(url, issuer)
      const code = new URL(back).searchParams.get('code')
      if (code) at.codes.push(code)
      return back
    },
    logoutToken: async (claims) => {
      const usual = { iss: issuer, aud: CLIENT_ID, jti: randomUUID(), events: { [EVENT]: {} } }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: ALGORITHM, kid: 'the-key', typ: 'logout+jwt' })
        .setIssuedAt(claims.iat as number | undefined)
        .setExpirationTime((claims.exp as number | undefined) ?? '2m')
        .sign(privateKey)
    },
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    if (at.isDenying) return provider.interactionFinished(ctx.req, ctx.res, { error: 'access_denied' })
    const { params } = await provider.interactionDetails(ctx.req, ctx.res)
    const grant = new provider.Grant({ accountId: at.person.sub, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    grant.addOIDCClaims(CLAIMS)
    const grantId = await grant.save()
    return provider.interactionFinished(ctx.req, ctx.res, {
      login: { accountId: at.person.sub },
      consent: { grantId },
    })
  })
  const callback = provider.callback()
  return at
}
