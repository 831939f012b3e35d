import { getEventListeners } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { whileCollecting } from '../../../../tests/harness/collect-garbage.ts'
import { isDialable, observedNetwork, openSafeFetch, type SafeFetchOptions } from './safe-fetch.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function open(options: Partial<SafeFetchOptions> = {}): typeof globalThis.fetch {
  const safe = openSafeFetch({ allowLoopback: true, ...options })
  closers.push(() => safe.close())
  return safe.fetch
}

describe('safe fetch', () => {
  it('each request of a connector is measured with its outcome', async () => {
    const url = await serve((_, response) => response.end('said'))
    const safe = openSafeFetch({ allowLoopback: true })
    closers.push(() => safe.close())
    const seen: string[] = []
    const network = observedNetwork(safe, async (work, run) => {
      try {
        return await run().finally(() => seen.push(work))
      } catch (error) {
        seen.push('failed')
        throw error
      }
    })
    expect(await (await network.fetch(url)).text()).toBe('said')
    const streaming = network.streaming({ bytesMax: 100, totalMs: 60_000 })
    expect(await (await streaming(url)).text()).toBe('said')
    await expect(network.fetch('http://127.0.0.1:1')).rejects.toMatchObject({ name: 'PullFailure' })
    expect(seen).toEqual(['connector.request', 'connector.request', 'connector.request', 'failed'])
  })

  it('no spelling of a private address is called', async () => {
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    const { port } = new URL(url)
    const fetch = open({ allowLoopback: false })
    const hosts = ['127.0.0.1', 'localhost', 'localhost.', '127.1', '0x7f.1', '2130706433', '①②⑦.0.0.1', '[::1]']
    const inner = [
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      '10.0.0.1',
      '192.168.1.1',
      '[fd00:ec2::254]',
      'db',
      'a.local',
    ]
    for (const host of [...hosts, ...inner]) {
      for (const at of [`http://${host}:${port}/`, `https://${host}/`]) {
        await expect(fetch(at), at).rejects.toMatchObject({ reason: 'blocked_address' })
      }
    }
    expect(asked).toEqual([])
  })

  it('only https on its default port and without user info is called', async () => {
    const fetch = open()
    for (const at of [
      'http://example.com/',
      'https://example.com:22/',
      'https://a:b@example.com/',
      'ftp://example.com/',
    ]) {
      await expect(fetch(at), at).rejects.toMatchObject({ reason: 'misconfigured' })
    }
  })

  it('addresses are classified correctly for every kind of private network', () => {
    const inner = [
      '0.0.0.0',
      '10.1.2.3',
      '100.100.100.200',
      '169.254.169.254',
      '168.63.129.16',
      '172.16.0.1',
      '224.0.0.1',
    ]
    const inner6 = [
      '::',
      '::1',
      'fe80::1',
      'fd00:ec2::254',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      'nonsense',
    ]
    // IPv4-compatible IPv6, the discard prefix, and unallocated addresses.
    const special = ['::a00:1', '::127.0.0.1', '100:0:0:1::1', '64:ff9b:1::a00:1', '4000::1', 'e000::1']
    for (const address of special) expect(isDialable(address, false), address).toBe(false)
    for (const address of [...inner, ...inner6]) expect(isDialable(address, false), address).toBe(false)
    for (const address of ['1.1.1.1', '140.82.121.4', '2606:4700::1111']) expect(isDialable(address, false)).toBe(true)
    expect(isDialable('127.0.0.1', true)).toBe(true)
    expect(isDialable('10.0.0.1', true)).toBe(false)
  })

  it('a redirect is not followed', async () => {
    const url = await serve((_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end())
    await expect(open()(url)).rejects.toMatchObject({ reason: 'redirected' })
  })

  it('an endless response, and one that decompresses to too many bytes, are canceled at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
    const packed = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    await expect(open()(packed)).rejects.toMatchObject({ reason: 'too_large' })
    const endless = await serve((_, response) => {
      const write = (): unknown => response.write(Buffer.alloc(65_536), () => setImmediate(write))
      write()
      response.on('error', () => undefined)
    })
    await expect(open()(endless)).rejects.toMatchObject({ reason: 'too_large' })
  })

  it('timeouts, slow and broken bodies are failures with a reason', async () => {
    const silent = await serve(() => undefined)
    await expect(open({ totalMs: 50 })(silent)).rejects.toMatchObject({ reason: 'timeout' })
    const trickle = await serve((_, response) => {
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    })
    await expect(open({ totalMs: 100 })(trickle)).rejects.toMatchObject({ reason: 'timeout' })
    const broken = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
    })
    await expect(open()(broken)).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('an aborting caller gets its own reason, and a good response is unchanged', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/') response.writeHead(201, { etag: '"1"' }).end('fine')
    })
    const answer = await open()(url)
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([201, '"1"', 'fine'])
    const reason = new Error('enough')
    const aborter = new AbortController()
    const waiting = open()(`${url}/never`, { signal: aborter.signal })
    aborter.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it.each([
    ['before its headers', () => undefined],
    ['after its headers', (response: ServerResponse) => response.flushHeaders()],
    ['after its first bytes', (response: ServerResponse) => response.write('{"a":')],
  ])(
    'a server that stalls %s times out, and can be aborted by the caller, whenever garbage is collected',
    async (_, begin) => {
      const url = await serve((_request, response) => void begin(response))
      const late = open({ totalMs: 200 })
      const patient = open({ totalMs: 60_000 })
      await whileCollecting(async () => {
        await expect(late(url)).rejects.toMatchObject({ reason: 'timeout' })
        await expect(late(url, { signal: new AbortController().signal })).rejects.toMatchObject({ reason: 'timeout' })
        const gone = new AbortController()
        setTimeout(() => gone.abort(new Error('gone')), 200)
        await expect(patient(url, { signal: gone.signal })).rejects.toThrow('gone')
      })
    },
  )

  it('a call leaves no listener on the caller’s signal', async () => {
    const url = await serve((request, response) => {
      response.writeHead(request.url === '/moved' ? 302 : request.url === '/none' ? 204 : 200, { location: '/' })
      response.end(request.url === '/long' ? 'a'.repeat(100) : undefined)
    })
    const fetch = open({ bytesMax: 10 })
    const { signal } = new AbortController()
    for (const path of ['', 'moved', 'none', 'long']) {
      await fetch(`${url}/${path}`, { signal }).catch(() => undefined)
      expect(getEventListeners(signal, 'abort'), path).toHaveLength(0)
    }
  })
})
