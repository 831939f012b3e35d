import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Agent, agentAt, tokensOf } from '../../harness/agent.ts'
import { newSandbox, onEachApp, type TestAccount, type TestSandbox } from '../../harness/test-app.ts'
import { openToolServer, type ToolServer } from '../../harness/tool-server.ts'

const CALL_TOKENS_MAX = 6_000
const LONG = 100_000

onEachApp(
  (app) => {
    let holder: TestAccount
    let sandbox: TestSandbox
    let server: ToolServer
    let agent: Agent

    beforeEach(async () => {
      holder = await app().newAccount()
      sandbox = await newSandbox(holder.call)
      server = await openToolServer()
      server.tools = [
        { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } },
        { name: 'weather', description: 'Rain and sun.', inputSchema: { type: 'object' } },
      ]
      const body = { name: 'Tools', base_url: server.url, auth_kind: 'none' }
      expect((await holder.call('POST', `${sandbox.storage}/sources/user-mcp`, body)).status).toBe(201)
      agent = agentAt(holder.call, `/mcp/${sandbox.id}?tools=live`)
    })
    afterEach(() => server.close())

    const found = async (query: string) =>
      JSON.parse(await agent.text('find_tool', { query })).tools as { name: string }[]

    it('a tool of a server is found by its description, and called by the name under which it was found', async () => {
      server.call = (name, parameters) => ({
        content: [{ type: 'text', text: `${name} ${JSON.stringify(parameters)}` }],
      })
      const tools = await found('will it rain')
      expect(tools.map(({ name }) => name.replace(/^.*__/, ''))).toEqual(['weather'])
      expect(await found('')).toHaveLength(2)
      const name = tools[0]!.name
      expect(await agent.text('call_tool', { name, arguments: '{"town": "Oslo"}' })).toContain(
        'weather {"town":"Oslo"}',
      )
      expect(server.count('tools/call')).toBe(1)
    })

    it('a tool that a server adds after the approval is not called until it is approved', async () => {
      const names = async () => (await found('')).map(({ name }) => name.replace(/^.*__/, '')).sort()
      const { body: listed } = await holder.call('GET', `${sandbox.storage}/sources?provider=user_mcp`)
      const [{ data_source_id: id }] = listed.sources
      const prefix = (await found('echo'))[0]!.name.replace(/echo$/, '')
      const added = { name: 'transfer', description: 'Sends money.', inputSchema: { type: 'object' } }
      server.tools = [...server.tools, added]
      // This call may be the first to see the new tool.
      expect((await agent.run('call_tool', { name: `${prefix}transfer` })).isError).toBe(true)
      expect(await names()).toEqual(['echo', 'weather'])
      expect(server.count('tools/call')).toBe(0)
      const path = `${sandbox.storage}/sources/${id}`
      expect((await holder.call('GET', path)).body.adapter_config.disabled_tools).toEqual(['transfer'])
      await holder.call('PATCH', `${path}/user-mcp`, {})
      expect(await names()).toEqual(['echo', 'transfer', 'weather'])
      // Tools named in the settings are approved in advance.
      await holder.call('PATCH', `${path}/user-mcp`, { allowed_tools: ['echo', 'later'] })
      server.tools = [...server.tools, { ...added, name: 'later' }]
      await holder.call('POST', `${path}/user-mcp/test`)
      expect(await names()).toEqual(['echo', 'later'])
    })

    it('unknown tools and arguments that are no object reach no server', async () => {
      const [{ name } = { name: '' }] = await found('echo')
      for (const args of [
        { name: 'nowhere__echo' },
        { name: `${name}x` },
        { name, arguments: '[]' },
        { name, arguments: '{' },
      ]) {
        expect((await agent.run('call_tool', args)).isError).toBe(true)
      }
      expect(server.count('tools/call')).toBe(0)
    })

    it('a long reply of a server is limited to its quota', async () => {
      server.call = () => ({ content: [{ type: 'text', text: '\u0001"\\é'.repeat(LONG) }] })
      const [{ name } = { name: '' }] = await found('echo')
      // A host shows its model either the text or the structured content, so each must respect the limit.
      const { structuredContent, ...shown } = await agent.run('call_tool', { name })
      for (const part of [structuredContent, shown]) {
        expect(tokensOf(part)).toBeLessThanOrEqual(CALL_TOKENS_MAX)
        expect(tokensOf(part)).toBeGreaterThan(CALL_TOKENS_MAX / 2)
      }
    })

    it('only an editor who requests them gets them, never at a read-only or project endpoint', async () => {
      const viewer = await app().newAccount()
      await holder.call('POST', `${sandbox.storage}/connections`, { user_id: viewer.userId, role: 'viewer' })
      const { body: project } = await holder.call('POST', `${sandbox.storage}/projects`, { name: 'Stone' })
      const doors = [
        agentAt(viewer.call, `/mcp/${sandbox.id}?tools=live`),
        agentAt(holder.call, `/mcp/${sandbox.id}`),
        agentAt(holder.call, `/mcp/${sandbox.id}?tools=read`),
        agentAt(holder.call, `/mcp/${sandbox.id}?tools=live&project=${project.project_id}`),
      ]
      for (const door of doors) expect(await door.tools()).not.toContain('call_tool')
      expect(await agent.tools()).toEqual(expect.arrayContaining(['find_tool', 'call_tool']))
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
