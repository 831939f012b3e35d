import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect, isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { sameDigest, sha256 } from '../../base/digest.ts'
import { dialable } from '../../base/safe-fetch.ts'

/**
 * A way out for a client that dials by itself: a proxy on this machine that joins it to public addresses alone. What
 * goes through is TLS between the client and the store.
 */
interface GuardedTunnel {
  /** The proxy's address, with the password that it asks for. */
  readonly url: string
  close(): Promise<void>
}

const CONNECTIONS_MAX = 512
const IDLE_MS_MAX = 120_000
const CONNECT_MS_MAX = 10_000
const PASSWORD_BYTES = 24
const TARGET = /^(\[[0-9a-f:]+\]|[^:]+):(\d{1,5})$/i

/** Opens the tunnel on a free port of the loopback address. */
export async function openGuardedTunnel(allowLoopback: boolean): Promise<GuardedTunnel> {
  const password = randomBytes(PASSWORD_BYTES).toString('hex')
  const credential = sha256(`Basic ${Buffer.from(`cairn:${password}`).toString('base64')}`)
  const open = new Set<Duplex>()
  const server = createServer((_, reply) => void reply.writeHead(405).end())
  server.maxConnections = CONNECTIONS_MAX

  const join = async (client: Duplex, host: string, port: number): Promise<void> => {
    const addresses = (await dialable(host, allowLoopback)).map((address) => ({ address, family: isIP(address) }))
    const looked: LookupFunction = (_, __, done) => done(null, addresses)
    const store = connect({ host, port, lookup: looked, autoSelectFamily: true, timeout: CONNECT_MS_MAX })
    store.once('timeout', () => store.destroy(new Error('no answer')))
    await new Promise<void>((resolve, reject) => store.once('connect', resolve).once('error', reject))
    store.setTimeout(IDLE_MS_MAX)
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    client.write('HTTP/1.1 200 Connected\r\n\r\n')
    client.pipe(store).pipe(client)
  }

  server.on('connect', (request, client) => {
    client.on('error', () => client.destroy())
    const refuse = (status: string) => client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
    if (!sameDigest(sha256(request.headers['proxy-authorization'] ?? ''), credential)) {
      return refuse('407 Proxy Authentication Required')
    }
    const [, host, port] = TARGET.exec(request.url ?? '') ?? []
    if (host === undefined) return refuse('400 Bad Request')
    join(client, host, Number(port)).catch(() => refuse('502 Bad Gateway'))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://cairn:${password}@127.0.0.1:${port}`,
    close: async () => {
      for (const socket of open) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
