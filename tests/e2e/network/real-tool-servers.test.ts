import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSafeFetch } from '../../../packages/server/src/base/safe-fetch.ts'
import {
  callTool,
  checkServer,
  jsonOf,
  listTools,
  textOf,
  withMcpSession,
} from '../../../packages/server/src/sources/connectors/mcp/mcp-session.ts'
import { type RealToolServer, startEverythingServer, startMemoryServer } from '../../harness/real-tool-servers.ts'

const MIB = 1024 * 1024

describe('third-party tool servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-tools-'))
  const safe = openSafeFetch({ allowLoopback: true })
  const port = { fetch: safe.streaming({ bytesMax: 4 * MIB, totalMs: 60_000 }), signal: new AbortController().signal }
  const auth = { kind: 'none' } as const
  let everything: RealToolServer
  let memory: RealToolServer
  beforeAll(async () => {
    everything = await startEverythingServer()
    memory = await startMemoryServer(join(folder, 'memory.json'))
  })
  afterAll(async () => {
    await everything?.close()
    await memory?.close()
    await safe.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('the official test server is checked, called and read', async () => {
    const server = { url: everything.url, auth }
    const tools = await checkServer(server, port, ['echo', 'get-sum'])
    expect(tools.length).toBeGreaterThan(5)
    const [said, resources] = await withMcpSession(server, port, async (session) => {
      const echo = (await listTools(session)).find(({ name }) => name === 'echo')
      const result = await callTool(session, echo!, { message: 'Harbour' })
      return [textOf(result), await session.request('resources/list', {})]
    })
    expect(said).toContain('Harbour')
    expect((resources as { resources: unknown[] }).resources.length).toBeGreaterThan(0)
  })

  it('the memory server works through a bridge over standard input and output', async () => {
    const server = { url: memory.url, auth }
    await checkServer(server, port, ['create_entities', 'read_graph'])
    const graph = await withMcpSession(server, port, async (session) => {
      const tools = new Map((await listTools(session)).map((tool) => [tool.name, tool]))
      const entities = [{ name: 'Yuki', entityType: 'person', observations: ['owns quote-api'] }]
      await callTool(session, tools.get('create_entities')!, { entities })
      return jsonOf(await callTool(session, tools.get('read_graph')!, {}))
    })
    expect(graph).toMatchObject({ entities: [{ name: 'Yuki' }] })
  })
})
