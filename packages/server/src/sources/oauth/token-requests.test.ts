import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openSafeFetch, type SafeFetch } from '../../base/safe-fetch.ts'
import { discover } from './discover.ts'
import { openOAuth } from './oauth.ts'
import type { ServerMetadata } from './oauth-port.ts'
import { refreshTokens, revokeTokens } from './token-requests.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const network = (options: Partial<Parameters<typeof openSafeFetch>[0]> = {}): SafeFetch => {
  const opened = openSafeFetch({ allowLoopback: true, ...options })
  closers.push(() => opened.close())
  return opened
}

const serve = async (listener: Parameters<typeof createServer>[1]): Promise<string> => {
  const http = createServer(listener as never)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

const metadataAt = (url: string): ServerMetadata => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  revocation_endpoint: `${url}/revoke`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
})
const client = { kind: 'registered', id: 'a client', secret: 'a secret' } as const
const asking = (url: string) => ({ metadata: metadataAt(url), client, resource: undefined })

describe('requests to an authorization server', () => {
  it('are not sent to a name that resolves to a private address, also after DNS rebinding', async () => {
    const answers = [['93.184.216.34'], ['10.0.0.1']]
    const { assertCallable, fetch } = network({ resolve: async () => answers.shift() ?? ['10.0.0.1'] })
    const url = 'https://as.example.com'
    await assertCallable(new URL(`${url}/token`))
    const outcome = await refreshTokens({ fetch, issuers: [] }, asking(url), 'refresh')
    expect(outcome).toMatchObject({ kind: 'later', failure: { health: 'blocked_address' } })
  })

  it('find no metadata at a name that resolves to a private address, and do not try other places', async () => {
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(String(request.url))
      const document = { resource: `${url}/mcp`, authorization_servers: ['https://as.example.com', url] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
    const guarded = network({ resolve: async () => ['192.168.0.1'] })
    const settings = { issuers: [], hasDocument: true, allowLoopback: true }
    const oauth = openOAuth({} as never, guarded, settings)
    await expect(discover(oauth, `${url}/mcp`)).rejects.toMatchObject({ health: 'blocked_address' })
    expect(asked.filter((path) => path.includes('authorization-server'))).toEqual([])
  })

  it('find no metadata at a server that is slow with each document, once all together took too long', async () => {
    const url = await serve((request, response) => {
      if (request.method === 'POST') return void response.writeHead(401).end()
      setTimeout(() => response.writeHead(404).end(), 60)
    })
    const oauth = openOAuth({} as never, network(), { issuers: [], hasDocument: true, allowLoopback: true })
    await expect(discover(oauth, `${url}/mcp`, 100)).rejects.toMatchObject({ health: 'timeout' })
  })

  it('that time out may be retried later', async () => {
    const url = await serve(() => undefined)
    const fetch = network().streaming({ bytesMax: 1_024, totalMs: 50 })
    const outcome = await refreshTokens({ fetch, issuers: [] }, asking(url), 'refresh')
    expect(outcome).toMatchObject({ kind: 'later', failure: { health: 'timeout' } })
  })

  it('follow no redirect with a token, and stop reading an endless reply', async () => {
    const other: string[] = []
    const elsewhere = await serve((request, response) => {
      other.push(String(request.url))
      response.end('{}')
    })
    const url = await serve((request, response) => {
      if (request.url === '/token') response.writeHead(307, { location: `${elsewhere}/token` }).end()
      else response.writeHead(200).end('x'.repeat(300_000))
    })
    const { fetch } = network({ bytesMax: 1_024 })
    expect(await refreshTokens({ fetch, issuers: [] }, asking(url), 'refresh')).toMatchObject({ kind: 'later' })
    const large = { ...asking(url), metadata: { ...metadataAt(url), token_endpoint: `${url}/large` } }
    expect(await refreshTokens({ fetch, issuers: [] }, large, 'refresh')).toMatchObject({ kind: 'later' })
    expect(other).toEqual([])
  })

  it('revoke both tokens with the client that they were issued to', async () => {
    const asked: { authorization: string | undefined; body: string }[] = []
    const url = await serve(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      asked.push({ authorization: request.headers.authorization, body })
      response.end()
    })
    const { fetch } = network()
    const tokens = { accessToken: 'access', refreshToken: 'refresh' }
    expect(await revokeTokens({ fetch, issuers: [] }, asking(url), tokens)).toBe(true)
    const basic = `Basic ${Buffer.from('a%20client:a%20secret').toString('base64')}`
    expect(asked).toEqual([
      { authorization: basic, body: 'token=refresh&token_type_hint=refresh_token' },
      { authorization: basic, body: 'token=access&token_type_hint=access_token' },
    ])
    const bare = { ...asking(url), metadata: { ...metadataAt(url), revocation_endpoint: undefined } }
    expect(await revokeTokens({ fetch, issuers: [] }, bare, tokens)).toBe(false)
  })
})
