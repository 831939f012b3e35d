import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** What a key is used with. */
export type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] | Uint8Array

/** An issuer of tokens that publishes its keys on loopback, as an identity provider does. */
export interface TokenIssuer {
  /** Where its keys are. */
  readonly url: string
  /** How often they were asked for. */
  asked: number
  /** What is answered in place of the keys, until it is undefined again; null hangs up. */
  instead: { status: number; body: string } | null | undefined
  /** Makes a key pair, and publishes its public part unless told not to. */
  newKey(kid: string, algorithm?: string, isPublished?: boolean): Promise<SigningKey>
  /** Takes a key out of what is published. */
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
