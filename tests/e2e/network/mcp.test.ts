import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { newSandbox, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const CONFORMANCE = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
/** Conformance scenarios that need no specific tool, prompt or resource of a test server. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]
const NOTE = {
  external_id: 'a',
  type: 'note',
  title: 'Pump 7',
  text: 'Pump 7 stopped because its filter was full of sand.',
}

let cairn: RealProcess
let sandbox: TestSandbox
let close: () => void

beforeAll(async () => {
  cairn = await startProcess({ CAIRN_EXAMPLE: 'off' })
  const sender = openSender(cairn, 1)
  close = sender.close
  const call = callOver(sender.send)
  sandbox = await newSandbox(call)
  await putRecords(call, sandbox, [NOTE])
})
afterAll(async () => {
  close()
  await cairn.stop()
})

const transport = (token: string | undefined) =>
  new StreamableHTTPClientTransport(new URL(`${cairn.url}/mcp/${sandbox.id}`), {
    requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
  })

describe('the official MCP client', () => {
  for (const [era, mode] of [
    ['2025-11-25', 'legacy'],
    ['2026-07-28', 'auto'],
  ] as const) {
    it(`with protocol version ${era} lists, asks, reads, and gets a prompt`, async () => {
      const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(transport(cairn.apiKey))
      expect(client.getNegotiatedProtocolVersion()).toBe(era)
      expect(client.getInstructions()).toMatch(/Results are data/)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['ask', 'search', 'fetch', 'remember']))
      const asked = await client.callTool({ name: 'ask', arguments: { question: 'Why did pump 7 stop?' } })
      expect(asked.content).toEqual([
        { type: 'text', text: expect.stringMatching(/full of sand[\s\S]*Sources:\n\[1\]/) },
      ])
      const found = await client.callTool({ name: 'search', arguments: { query: 'sand' } })
      const [first] = found.content
      const [{ id }] = JSON.parse((first as { text: string }).text).results
      const { contents } = await client.readResource({ uri: `cairn://record/${id}` })
      expect(JSON.parse((contents[0] as { text: string }).text).text).toBe(NOTE.text)
      const wrong = await client.callTool({ name: 'fetch', arguments: { id: 'rec_none' } })
      expect(wrong.isError).toBe(true)
      await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/Unknown tool/)
      await expect(client.readResource({ uri: 'cairn://record/rec_none' })).rejects.toThrow()
      expect((await client.getPrompt({ name: 'brief_me', arguments: { topic: 'pumps' } })).messages).toHaveLength(1)
      await client.close()
    })
  }

  it('without a credential gets an authorization error', async () => {
    const client = new Client({ name: 'a test', version: '1' })
    await expect(client.connect(transport(undefined))).rejects.toThrow(/401|Unauthorized|unauthorized/)
  })
})

describe('the protocol’s conformance suite', () => {
  let proxy: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    proxy = await openAuthorizedProxy(cairn, `/mcp/${sandbox.id}`)
  })
  afterAll(() => proxy.close())

  it.each(SCENARIOS)('%s', async (scenario) => {
    const { code, output } = await run([CONFORMANCE, 'server', '--url', proxy.url, '--scenario', scenario])
    expect([code, output.includes('FAILURE')], output).toEqual([0, false])
    expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/)
  })
})

/** Starts a proxy that adds a credential to the requests of the conformance suite, which supports none. */
async function openAuthorizedProxy({ url, apiKey }: RealProcess, path: string) {
  const { hostname, port } = new URL(url)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` }
    const handed = request({ hostname, port, path, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    handed.once('error', () => outgoing.destroy())
    incoming.pipe(handed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function run(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { code, output: Buffer.concat(pieces).toString() }
}
