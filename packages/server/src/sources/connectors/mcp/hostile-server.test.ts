import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ToolServer } from '../../../../../../tests/harness/tool-server.ts'
import { MIB, NO_AUTH, toolServerSuite } from '../../../../../../tests/harness/tool-server-port.ts'
import { callTool, listTools, withMcpSession } from './mcp-session.ts'

const { open, portWith, check } = toolServerSuite()

describe('a hostile tool server', () => {
  it('endless, slow, compressed and header-heavy responses stop at their limits', async () => {
    const server = await open()
    const endless =
      (type: string, piece: string): ToolServer['takeOver'] =>
      (_, response) => {
        response.writeHead(200, { 'content-type': type }).write(type.includes('json') ? '["' : '')
        const write = (): unknown => response.destroyed || response.write(piece, () => setImmediate(write))
        write()
        response.on('error', () => undefined)
        return true
      }
    server.takeOver = endless('application/json', 'a'.repeat(65_536))
    await expect(check(server)).rejects.toMatchObject({ health: 'response_too_large' })
    server.takeOver = endless('text/event-stream', `: ${'a'.repeat(65_536)}\n`)
    await expect(check(server)).rejects.toMatchObject({ health: 'response_too_large' })
    server.takeOver = endless('text/event-stream', `data: ${'a'.repeat(65_536)}`)
    await expect(check(server)).rejects.toMatchObject({ health: 'response_too_large' })
    const bomb = gzipSync(Buffer.alloc(50 * MIB))
    server.takeOver = (_, response) =>
      Boolean(response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb))
    await expect(check(server)).rejects.toMatchObject({ health: 'response_too_large' })
    server.takeOver = (_, response) => Boolean(response.writeHead(200, { 'x-large': 'a'.repeat(65_536) }).end('{}'))
    await expect(check(server)).rejects.toMatchObject({ health: 'response_too_large' })
    for (const type of ['application/json', 'text/event-stream']) {
      server.takeOver = (_, response) => {
        const timer = setInterval(() => response.write(' '), 20)
        response.writeHead(200, { 'content-type': type }).on('close', () => clearInterval(timer))
        return true
      }
      await expect(check(server, [], portWith({ totalMs: 200 }))).rejects.toMatchObject({ health: 'timeout' })
    }
    server.takeOver = () => true
    await expect(check(server, [], portWith({ totalMs: 200 }))).rejects.toMatchObject({ health: 'timeout' })
  })

  it('does not compile, dereference or validate a server’s schemas', async () => {
    const elsewhere = await open()
    const server = await open({ isStreaming: true })
    const recursive = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
    let deep: object = {}
    for (let depth = 0; depth < 1_000; depth += 1) deep = { properties: { a: deep } }
    // A schema validator would throw on the first schema and reject the result with the second.
    const outputs = [
      { type: 'object', properties: { text: { type: 'string', pattern: '(' } } },
      { type: 'object', properties: { text: { type: 'number' } }, required: ['absent'] },
      { $ref: elsewhere.url },
      recursive,
      deep,
    ]
    server.tools = outputs.map((schema, at) => ({ name: `t${at}`, inputSchema: schema, outputSchema: schema }))
    server.call = () => ({ content: [], structuredContent: { text: 'a' } })
    await withMcpSession({ url: server.url, auth: NO_AUTH }, portWith(), async (session) => {
      for (const tool of await listTools(session)) {
        expect((await callTool(session, tool, { text: 'b' })).structured).toEqual({ text: 'a' })
      }
    })
    expect(server.count('tools/call')).toBe(outputs.length)
    expect(elsewhere.asked).toEqual([])
    server.tools = [{ name: 'large', inputSchema: { description: 'a'.repeat(10 * MIB) } }]
    await expect(check(server)).rejects.toMatchObject({ health: 'response_too_large' })
  })

  it('a server that sends requests gets a few responses, not thousands', async () => {
    const server = await open({ isStreaming: true, era: '2025' })
    server.takeOver = ({ method, id }, response) => {
      if (method !== 'tools/list') return false
      const pings = Array.from({ length: 1_000 }, (_, at) => ({ jsonrpc: '2.0', id: `ping-${at}`, method: 'ping' }))
      const answer = { jsonrpc: '2.0', id, result: { tools: server.tools } }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end([...pings, answer].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
      return true
    }
    expect(await check(server)).toHaveLength(1)
    expect(server.asked.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(16)
  })
})
