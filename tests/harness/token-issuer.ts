import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** Key that signs tokens. */
export type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] | Uint8Array

/** A token issuer that publishes its JWKS on loopback, like an identity provider. */
export interface TokenIssuer {
  /** URL of the JWKS. */
  readonly url: string
  /** Number of JWKS requests. */
  asked: number
  /** Reply sent instead of the JWKS until it is undefined; null closes the connection. */
  instead: { status: number; body: string } | null | undefined
  /** Creates a key pair. Publishes its public key by default. */
  newKey(kid: string, algorithm?: string, isPublished?: boolean): Promise<SigningKey>
  /** Removes a key from the JWKS. */
  withdraw(kid: string): void
  close(): Promise<void>
}

/** Starts an issuer that publishes no key yet. */
export async function startIssuer(): Promise<TokenIssuer> {
  const published = new Map<string, object>()
  const server = createServer((request, response) => {
    issuer.asked += 1
    if (issuer.instead === null) request.socket.destroy()
    else if (issuer.instead) response.writeHead(issuer.instead.status).end(issuer.instead.body)
    else response.end(JSON.stringify({ keys: [...published.values()] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer: TokenIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    asked: 0,
    instead: undefined,
    newKey: async (kid, algorithm = 'ES256', isPublished = true) => {
      const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
      if (isPublished) published.set(kid, { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' })
      return privateKey
    },
    withdraw: (kid) => void published.delete(kid),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

/** Signs a token with exactly these claims. */
export function sign(claims: JWTPayload, header: { alg: string; [name: string]: unknown }, key: SigningKey) {
  return new SignJWT(claims).setProtectedHeader(header as { alg: string }).sign(key)
}
