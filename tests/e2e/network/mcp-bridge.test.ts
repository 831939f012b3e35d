import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI_BIN } from '../../harness/command.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { newSandbox, putRecords, type TestSandbox } from '../../harness/test-app.ts'

/** URL of a port without a listener. */
const NOBODY = 'http://127.0.0.1:9'
const QUESTION = { name: 'ask', arguments: { question: 'Why did pump 7 stop?' } }
const NOTE = { external_id: 'a', type: 'note', text: 'Pump 7 stopped because its filter was full of sand.' }

let cairn: RealProcess
let sandbox: TestSandbox
let place: string
let close: () => void

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'cairn-bridge-'))
  cairn = await startProcess({ CAIRN_EXAMPLE: 'off' })
  const sender = openSender(cairn, 1)
  close = sender.close
  const call = callOver(sender.send)
  sandbox = await newSandbox(call, 'Acme')
  await putRecords(call, sandbox, [NOTE])
})
afterAll(async () => {
  close()
  await cairn.stop()
  rmSync(place, { recursive: true, force: true })
})

const settings = () => ({ CAIRN_URL: cairn.url, CAIRN_API_KEY: cairn.apiKey, HOME: place, XDG_CONFIG_HOME: place })
const hosted = (env: Record<string, string>, ...args: string[]) =>
  new StdioClientTransport({ command: process.execPath, args: [CLI_BIN, 'mcp', ...args], env, stderr: 'pipe' })

/** Sends lines, closes the input, and returns the output and the exit code. */
async function answersTo(lines: readonly string[], env: Record<string, string> = settings()) {
  const child: ChildProcess = spawn(process.execPath, [CLI_BIN, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const pieces: Buffer[] = []
  child.stdout!.on('data', (piece: Buffer) => pieces.push(piece))
  child.stdin!.end(lines.join('\n'))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const printedLines = Buffer.concat(pieces).toString().split('\n').filter(Boolean)
  return { code, replies: printedLines.map((line) => JSON.parse(line)) }
}

const message = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('the official MCP client over standard input and output', () => {
  for (const [era, mode] of [
    ['2025-11-25', 'legacy'],
    ['2026-07-28', 'auto'],
  ] as const) {
    it(`with protocol version ${era} lists tools, calls several concurrently, reads a resource, and ends`, async () => {
      const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } })
      const transport = hosted(settings(), '--sandbox', 'Acme')
      await client.connect(transport)
      expect(client.getNegotiatedProtocolVersion()).toBe(era)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['ask', 'search', 'remember']))
      const asked = await Promise.all(Array.from({ length: 20 }, () => client.callTool(QUESTION)))
      for (const { content } of asked) {
        expect(content).toEqual([{ type: 'text', text: expect.stringContaining('full of sand') }])
      }
      expect((await client.readResource({ uri: 'cairn://overview' })).contents).toHaveLength(1)
      await expect(client.getPrompt({ name: 'né' })).rejects.toThrow(/Unknown prompt/)
      await client.close()
      expect(transport.pid).toBeNull()
    })
  }

  it('a read-only endpoint offers no writing tool', async () => {
    const client = new Client({ name: 'a test', version: '1' })
    await client.connect(hosted(settings(), '--sandbox', sandbox.id, '--tools', 'read'))
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('remember')
    await client.close()
  })
})

describe('failures are protocol errors that say what to do', () => {
  it.each([
    ['a service that is down', { CAIRN_URL: NOBODY }, /No service answers at .*Start it with/],
    ['a key that is not taken', { CAIRN_API_KEY: 'wrong' }, /401.*\n.*rejects the key from CAIRN_API_KEY/],
    ['no key', { CAIRN_API_KEY: '' }, /needs a key. Run `cairn init` to get/],
    ['a sandbox that is not there', { CAIRN_SANDBOX: 'Nowhere' }, /No sandbox is called "Nowhere"/],
  ])('%s', async (_, wrong, said) => {
    const lines = [message(1, 'initialize'), '{"jsonrpc": "2.0", "method": "notifications/initialized"}']
    const { code, replies } = await answersTo(lines, { ...settings(), ...wrong })
    expect([code, replies]).toEqual([
      0,
      [
        {
          jsonrpc: '2.0',
          id: 1,
          error: { code: -32603, message: expect.stringMatching(said), data: expect.anything() },
        },
      ],
    ])
  })

  it('an invalid line does not affect the others', async () => {
    const strange = message(3, 'tools/call', { name: 'find_entity', arguments: { name: '\u2028' } })
    const { code, replies } = await answersTo(['nonsense', '', '[]', message(2, 'tools/list'), strange])
    const of = (id: number | null) => replies.filter((each) => each.id === id)
    expect(of(null).map(({ error }) => error.code)).toEqual([-32700, -32600])
    expect([of(2)[0].result.tools.length > 0, of(3)[0].result.isError, code]).toEqual([true, undefined, 0])
  })
})
