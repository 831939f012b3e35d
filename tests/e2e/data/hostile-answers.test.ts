import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { newSandbox } from '../../harness/test-app.ts'
import { openToolServer, type ToolServer } from '../../harness/tool-server.ts'
import { MIB } from '../../harness/tool-server-port.ts'

const GROWTH_BYTES_MAX = 50 * MIB
const PIECE = 'a'.repeat(65_536)
/** Value that resets the peak resident memory when written to Linux's `clear_refs`. */
const FORGET_PEAK = '5'

const opened: { server?: ToolServer; cairn?: RealProcess } = {}
afterEach(async () => {
  await opened.cairn?.stop()
  await opened.server?.close()
})

type Hostile = ToolServer['takeOver']

/** Returns a listener that sends an endless reply as fast as the client reads it. */
const endless =
  (type: string, first: string, piece: string): Hostile =>
  (_, response) => {
    response.on('error', () => undefined).writeHead(200, { 'content-type': type })
    response.write(first)
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
    return true
  }

const trickling =
  (type: string): Hostile =>
  (_, response) => {
    const timer = setInterval(() => response.write(' '), 1_000)
    response.writeHead(200, { 'content-type': type }).on('close', () => clearInterval(timer))
    return true
  }

const bomb = gzipSync(Buffer.alloc(200 * MIB))
const packed: Hostile = (_, response) =>
  Boolean(response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb))
const headed: Hostile = (_, response) => Boolean(response.writeHead(200, { 'x-large': PIECE }).end('{}'))

const HOSTILE: [name: string, takeOver: Hostile, health: string][] = [
  ['endless JSON', endless('application/json', '["', PIECE), 'response_too_large'],
  ['JSON of endless depth', endless('application/json', '', '['.repeat(PIECE.length)), 'response_too_large'],
  ['endless comments', endless('text/event-stream', '', `: ${PIECE}\n`), 'response_too_large'],
  ['an endless event', endless('text/event-stream', 'data: ', PIECE), 'response_too_large'],
  ['an event of endless lines', endless('text/event-stream', '', `data: ${PIECE}\n`), 'response_too_large'],
  ['a page instead', endless('text/html', '<p>', PIECE), 'protocol_error'],
  ['a bomb of gzip', packed, 'response_too_large'],
  ['64 KiB of headers', headed, 'response_too_large'],
  ['JSON byte by byte', trickling('application/json'), 'timeout'],
  ['events byte by byte', trickling('text/event-stream'), 'timeout'],
]

it('every reply of a hostile tool server ends, and uses at most 50 MiB of memory', async () => {
  const server = await openToolServer()
  opened.server = server
  const cairn = await startProcess({ CAIRN_ALLOW_LOOPBACK: 'on' })
  opened.cairn = cairn
  const { send, close } = openSender(cairn, 1)
  const call = callOver(send)
  const sandbox = await newSandbox(call)
  const body = { name: 'Tools', base_url: server.url, auth_kind: 'none' }
  const { data_source_id: id } = (await call('POST', `${sandbox.storage}/sources/user-mcp`, body)).body
  const check = async () => (await call('POST', `${sandbox.storage}/sources/${id}/user-mcp/test`)).body
  for (let warm = 0; warm < 5; warm += 1) expect(await check()).toMatchObject({ status: 'active' })
  const atRest = cairn.memory().now
  for (const [name, takeOver, health] of HOSTILE) {
    server.takeOver = takeOver
    const before = cairn.memory().now
    writeFileSync(`/proc/${cairn.pid}/clear_refs`, FORGET_PEAK)
    const { health_error: found } = await check()
    expect([name, found]).toEqual([name, health])
    expect(cairn.memory().peak - before, name).toBeLessThan(GROWTH_BYTES_MAX)
  }
  server.takeOver = () => false
  expect(await check()).toMatchObject({ status: 'active' })
  expect(cairn.memory().now - atRest, 'all together').toBeLessThan(GROWTH_BYTES_MAX)
  close()
})
