import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import { writeFault } from './errors.ts'
import { type Forwarder, openForwarder, type StartTimer, Unsent } from './forwarder.ts'
import { readBody } from './read-body.ts'

let sending: Forwarder | undefined
let peer: FastifyInstance | undefined
let server: Server | undefined
afterEach(async () => {
  sending?.close()
  timers.clear()
  await peer?.close()
  server?.closeAllConnections()
  server?.close()
  peer = undefined
})

/** More bytes than streams buffer before they apply backpressure. */
const LONG = 1_000_000

/** Timers of responses that have begun. Time passes only when a test says so. */
const timers = new Set<() => void>()
const startTimer: StartTimer = (run) => {
  timers.add(run)
  return { refresh: () => timers.add(run), close: () => timers.delete(run) }
}

/** Resolves once the headers of a response have arrived. */
const headersHaveCome = () => expect.poll(() => timers.size, { interval: 5 }).toBe(1)

/** Advances time past the maximum silence. */
function passSilence(): void {
  for (const run of [...timers]) run()
}

/** Starts a service that forwards requests to a process with this listener, and returns the service's address. */
async function before(answer: RequestListener): Promise<string> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const place = { id: 'one', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  sending = openForwarder({ startTimer })
  const log = openLog('silent', systemClock, () => undefined)
  peer = fastify()
  peer.setErrorHandler((error, request, reply) => writeFault(error, request, reply, log))
  peer.get('/', async (_, reply) => {
    const sent = await sending!.send(place, { method: 'GET', path: '/', headers: {} }, undefined, reply.raw)
    const { 'content-length': length } = sent.headers
    return reply.headers(length === undefined ? {} : { 'content-length': length }).send(sent.body)
  })
  return peer.listen({ host: '127.0.0.1', port: 0 })
}

test('a process that switches protocols is treated as failed immediately', async () => {
  server = createServer()
  server.on('connection', (socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ),
  )
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  sending = openForwarder()
  const caller = new ServerResponse(new IncomingMessage(new Socket()))
  const place = { id: 'one', url: `http://127.0.0.1:${address.port}` }
  const head = { method: 'GET', path: '/', headers: {} }
  await expect(sending.send(place, head, undefined, caller)).rejects.toThrow()
  expect(sending.count()).toBe(0)
})

test('an unsent body can still be read, and a sent one is complete', async () => {
  const text = 'x'.repeat(LONG)
  const caller = new ServerResponse(new IncomingMessage(new Socket()))
  const head = { method: 'POST', path: '/', headers: {} }
  const streamed = () => {
    const stream = new PassThrough()
    stream.end(text)
    return stream
  }
  const limits = { maxBytes: LONG, timeoutMs: 3_600_000 }
  const address = await before(
    (request, reply) => void readBody(request, undefined, limits).then((all) => reply.end(all)),
  )
  expect(address).toMatch(/^http/)
  const { port } = server!.address() as AddressInfo
  const place = { id: 'one', url: `http://127.0.0.1:${port}` }
  const sent = await sending!.send(place, head, streamed(), caller)
  expect(String(await readBody(sent.body, undefined, limits))).toBe(text)
  server!.closeAllConnections()
  await new Promise((resolve) => server!.close(resolve))
  const unsent = streamed()
  await expect(sending!.send(place, head, unsent, caller)).rejects.toThrow(Unsent)
  expect(String(await readBody(unsent, undefined, limits))).toBe(text)
})

test('a response that stalls after its headers is unavailable, and one that stalls later is aborted', async () => {
  const beginning = fetch(
    await before((_, reply) => {
      reply.writeHead(200, { 'content-length': '100' }).flushHeaders()
    }),
  )
  await headersHaveCome()
  passSilence()
  const begun = await beginning
  expect(begun.status).toBe(503)
  expect(await begun.json()).toMatchObject({ error: 'unavailable' })
  await peer!.close()
  const cut = await fetch(await before((_, reply) => void reply.writeHead(200).write('some of it')))
  expect(cut.status).toBe(200)
  await headersHaveCome()
  passSilence()
  await expect(cut.text()).rejects.toThrow()
  await expect.poll(() => sending!.count()).toBe(0)
})

test('a caller that stops reading does not count as silence of the other process', async () => {
  const text = 'x'.repeat(LONG)
  await before((_, reply) => void reply.end(text))
  const { port } = server!.address() as AddressInfo
  const caller = new ServerResponse(new IncomingMessage(new Socket()))
  const place = { id: 'one', url: `http://127.0.0.1:${port}` }
  const { body } = await sending!.send(place, { method: 'GET', path: '/', headers: {} }, undefined, caller)
  await expect.poll(() => body.readableLength >= body.readableHighWaterMark, { interval: 5 }).toBe(true)
  passSilence()
  expect(String(await readBody(body, undefined, { maxBytes: LONG, timeoutMs: 3_600_000 }))).toBe(text)
})

test('a response with an invalid body after its headers is unavailable, even in one packet', async () => {
  const address = await before((request) => {
    request.socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')
  })
  const reply = await fetch(address)
  expect(reply.status).toBe(503)
  expect(await reply.json()).toMatchObject({ error: 'unavailable' })
  await expect.poll(() => sending!.count()).toBe(0)
})

test('a response whose connection closes after its headers is unavailable', async () => {
  const address = await before((request, reply) => {
    reply.writeHead(200, { 'content-length': '100' }).flushHeaders()
    void headersHaveCome().then(() => request.socket.destroy())
  })
  const reply = await fetch(address)
  expect(reply.status).toBe(503)
  expect(await reply.json()).toMatchObject({ error: 'unavailable' })
  await expect.poll(() => sending!.count()).toBe(0)
})

test('slow responses that start late or keep sending data are not aborted', async () => {
  const late = await before((_, reply) => {
    // Silence is not measured before the headers.
    expect(timers.size).toBe(0)
    passSilence()
    reply.end('whole')
  })
  for (const _ of ['a new connection', 'a reused connection']) expect(await (await fetch(late)).text()).toBe('whole')
  await peer!.close()
  const inParts = async (_: IncomingMessage, reply: ServerResponse) => {
    for (let part = 0; part < 5; part++) await new Promise<unknown>((resolve) => reply.write(`${part}`, resolve))
    reply.end()
  }
  const coming = await before(inParts)
  for (const _ of ['a new connection', 'a reused connection']) expect(await (await fetch(coming)).text()).toBe('01234')
  expect(timers.size).toBe(0)
})
