import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EMPTY_HEAD } from '../../db/head.ts'
import { LanceStores } from '../lance/stores.ts'
import { openGuardedTunnel } from './buckets.ts'

/** Bytes that the store received, one entry per connection. */
const sent: string[] = []
let server: Server
let port: number
beforeAll(async () => {
  server = createServer((socket) => {
    sent.push('')
    const at = sent.length - 1
    socket.on('data', (bytes) => {
      sent[at] += bytes.toString('latin1')
      socket.end('pong')
    })
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** Returns the tunnel's reply to a CONNECT request, and the socket. */
async function connectThrough(url: string, target: string): Promise<{ status: number; socket: Duplex }> {
  const { hostname, port: proxyPort, username, password } = new URL(url)
  const credential = Buffer.from(`${username}:${password}`).toString('base64')
  const headers = { 'proxy-authorization': `Basic ${credential}` }
  const asked = request({ method: 'CONNECT', host: hostname, port: proxyPort, path: target, headers }).end()
  const [reply, socket] = await once(asked, 'connect')
  return { status: reply.statusCode, socket }
}

it('tunnels a client with the password to an allowed address, byte for byte', async () => {
  const tunnel = await openGuardedTunnel(true)
  const { status, socket } = await connectThrough(tunnel.url, `127.0.0.1:${port}`)
  expect(status).toBe(200)
  socket.write('ping')
  const [answer] = await once(socket, 'data')
  expect([String(answer), sent.at(-1)]).toEqual(['pong', 'ping'])
  const stranger = tunnel.url.replace(/cairn:\w+/, 'cairn:guess')
  expect((await connectThrough(stranger, `127.0.0.1:${port}`)).status).toBe(407)
  await tunnel.close()
})

it('never tunnels to a private address, by number or by name', async () => {
  const tunnel = await openGuardedTunnel(false)
  const before = sent.length
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254', '127.1', 'no-such.invalid']) {
    expect((await connectThrough(tunnel.url, `${host}:${port}`)).status, host).toBe(502)
  }
  expect((await connectThrough(tunnel.url, 'nonsense')).status).toBe(400)
  expect(sent.length).toBe(before)
  await tunnel.close()
})

it('Lance connects only through the tunnel', async () => {
  const tunnel = await openGuardedTunnel(false)
  const before = sent.length
  const access = { accessKeyId: 'id', secretAccessKey: 'secret', region: 'us-east-1', clientMaxRetries: '0' }
  const options = { ...access, endpoint: `https://localhost:${port}`, proxyUrl: tunnel.url, lanceAimdMaxRetries: '0' }
  const stores = new LanceStores({ uri: 'unused' })
  const store = stores.open('acct_1', 'sbx_1', { uri: 's3://bucket', options })
  const head = { ...EMPTY_HEAD, recordsVersion: 1, seq: 1 }
  await expect(store.count(head)).rejects.toMatchObject({ reason: 'storage_unavailable' })
  expect(sent.length).toBe(before)
  stores.close()
  await tunnel.close()
})
