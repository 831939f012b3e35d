import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type McpSources, openMcpSources } from '../../harness/mcp-source.ts'
import { jsonText, openSdkToolServer, type SdkToolServer, toolError } from '../../harness/sdk-tool-server.ts'
import { onEachApp } from '../../harness/test-app.ts'

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const ticket = (n: number) => ({ id: `t-${n}`, title: `Ticket ${n}`, updated_at: `2026-11-0${n}T00:00:00Z` })

onEachApp(
  (app) => {
    let server: SdkToolServer
    let sources: McpSources
    beforeEach(async () => {
      server = await openSdkToolServer()
      sources = await openMcpSources(app())
    })
    afterEach(() => server.close())

    const register = async (...calls: object[]): Promise<string> =>
      (await sources.register({ base_url: server.url, ingest_tool_calls: calls })).body.data_source_id
    const ids = async () => [...(await sources.exported()).keys()].sort()
    const tool = (properties: Record<string, object>, call: (given: Record<string, unknown>) => unknown) => ({
      arguments: properties,
      call: (given: Record<string, unknown>) => jsonText(call(given)),
    })

    const pullTwice = async (id: string) => [await sources.pull(id), await sources.pull(id)]

    describe('a pull deletes the records that are missing from a result', () => {
      it('not if the call has arguments or may have pages, unless the user says that it lists all', async () => {
        let tickets = [1, 2, 3].map(ticket)
        const tools: Record<string, Record<string, object>> = {
          open: { state: TEXT },
          paged: { page: NUMBER },
          all: {},
        }
        for (const [name, properties] of Object.entries(tools)) {
          server.tools[name] = tool(properties, () => tickets.map((one) => ({ ...one, id: `${name}-${one.id}` })))
        }
        const calls = [{ tool: 'open', arguments: { state: 'open' } }, { tool: 'paged' }]
        const id = await register(...calls, { tool: 'all', complete: false })
        await sources.pull(id)
        tickets = []
        await pullTwice(id)
        expect(await ids()).toHaveLength(9)
        await sources.patch(id, { ingest_tool_calls: calls.map((call) => ({ ...call, complete: true })) })
        await pullTwice(id)
        expect(await ids()).toEqual([1, 2, 3].map((n) => `all-t-${n}`))
      })

      it('not if the result says that there is more or is as long as a page, whatever the user says', async () => {
        let tickets = [1, 2, 3].map(ticket)
        const pages: Record<string, (items: object[]) => unknown> = {
          cursor: (items) => ({ items, nextCursor: items.length > 2 ? undefined : 'c2' }),
          flag: (items) => ({ items, pageInfo: { hasNextPage: items.length < 3, endCursor: 'c' } }),
          total: (items) => ({ items, total: 3 }),
          limited: (items) => ({ items }),
        }
        for (const [name, shape] of Object.entries(pages)) {
          server.tools[name] = tool({ limit: NUMBER }, () =>
            shape(tickets.map((one) => ({ ...one, id: `${name}-${one.id}` }))),
          )
        }
        const id = await register(
          ...Object.keys(pages).map((name) => ({ tool: name, arguments: { limit: 1 }, complete: true })),
        )
        await sources.pull(id)
        tickets = [3].map(ticket)
        await pullTwice(id)
        expect(await ids()).toHaveLength(12)
      })

      it('after a second result without them, and not if they came back', async () => {
        let tickets = [1, 2, 3].map(ticket)
        server.tools.list = tool({ cursor: TEXT, limit: NUMBER }, () => ({ items: tickets, has_more: false }))
        const id = await register({ tool: 'list', arguments: { limit: 50 }, complete: true })
        await sources.pull(id)
        tickets = []
        await sources.pull(id)
        tickets = [2, 3].map(ticket)
        await sources.pull(id)
        expect(await ids()).toEqual(['t-2', 't-3'])
        tickets = []
        await pullTwice(id)
        expect(await ids()).toEqual([])
      })

      it('not from a list of the newest, and not if another call returns them', async () => {
        let tickets = [1, 2, 3].map(ticket)
        server.tools.newest = tool({}, () => tickets)
        const id = await register({ tool: 'newest' })
        await sources.pull(id)
        tickets = [2, 3, 4].map(ticket)
        await pullTwice(id)
        expect(await ids()).toEqual(['t-1', 't-2', 't-3', 't-4'])
        tickets = [2, 3].map(ticket)
        server.tools.other = tool({}, () => [4].map(ticket))
        await sources.patch(id, { ingest_tool_calls: [{ tool: 'newest' }, { tool: 'other' }] })
        await pullTwice(id)
        expect(await ids()).toContain('t-4')
      })

      it('not if the tool failed, and not if the answer is prose or an object about an error', async () => {
        server.tools.list = tool({}, () => [1, 2].map(ticket))
        const map = { records: 'items[]', external_id: 'id', title: 'title' }
        server.tools.mapped = tool({}, () => ({ items: [3, 4].map(ticket) }))
        const id = await register({ tool: 'list' }, { tool: 'mapped', map })
        await sources.pull(id)
        const all = ['t-1', 't-2', 't-3', 't-4']
        const failures = [
          () => toolError('rate limit exceeded'),
          () => ({ content: [{ type: 'text' as const, text: 'Please try again later.' }] }),
          () => jsonText({ message: 'rate limit exceeded' }),
          () => jsonText({ items: [], errors: [{ message: 'the index is not ready' }] }),
        ]
        for (const failure of failures) {
          server.tools.list!.call = failure
          server.tools.mapped!.call = failure
          await sources.pull(id)
          expect(await ids()).toEqual(expect.arrayContaining(all))
        }
        server.tools.list!.call = () => jsonText([])
        server.tools.mapped!.call = () => jsonText({ items: [] })
        await pullTwice(id)
        expect((await ids()).filter((one) => one.startsWith('t-'))).toEqual([])
      })

      it('also if the pull reads again what it has read before', async () => {
        let tickets = [1, 2].map(ticket)
        server.tools.list = tool({}, () => tickets)
        const id = await register({ tool: 'list' })
        await sources.pull(id)
        tickets = [2].map(ticket)
        const again = await sources.pull(id, { since: '2026-01-01T00:00:00Z' })
        expect(again.result).toMatchObject({ received: 1, removed: 0 })
        expect((await sources.pull(id)).result).toMatchObject({ removed: 1 })
        expect(await ids()).toEqual(['t-2'])
      })
    })

    describe('a tool that the server does not list', () => {
      it('is shown at the source, and the others are called', async () => {
        server.tools.list = tool({}, () => [1].map(ticket))
        server.tools.gone = tool({}, () => [2].map(ticket))
        const calls = [{ tool: 'gone' }, { tool: 'list' }]
        const body = { base_url: server.url, allowed_tools: ['list', 'gone', 'never'], ingest_tool_calls: calls }
        const { body: made } = await sources.register(body)
        expect(made).toMatchObject({ status: 'active', health_error: null })
        const id = made.data_source_id
        expect((await sources.source(id)).adapter_config.missing_tools).toEqual(['never'])
        await sources.pull(id)
        const { gone, list } = server.tools
        server.tools = { list: { ...list!, call: () => jsonText([1, 3].map(ticket)) } }
        expect((await sources.pull(id)).status).toBe('completed')
        expect(await ids()).toEqual(['t-1', 't-2', 't-3'])
        const shown = await sources.source(id)
        expect([shown.status, shown.adapter_config.missing_tools.sort()]).toEqual(['active', ['gone', 'never']])
        expect(
          (await sources.call('POST', `${sources.sandbox.storage}/sources/${id}/user-mcp/test`)).body,
        ).toMatchObject({
          status: 'active',
          health_error: null,
        })
        server.tools = { list: list!, gone: gone!, never: tool({}, () => []) }
        await sources.pull(id)
        expect((await sources.source(id)).adapter_config.missing_tools).toBeUndefined()
        expect((await sources.source(id)).adapter_config.disabled_tools).toBeUndefined()
      })

      it('is an error if no other remains', async () => {
        server.tools.list = tool({}, () => [1].map(ticket))
        const id = await register({ tool: 'list' })
        await sources.pull(id)
        server.tools = { other: tool({}, () => []) }
        expect((await sources.pull(id)).status).toBe('failed')
        expect(await sources.source(id)).toMatchObject({ last_error: 'not_found' })
        const { body } = await sources.call('POST', `${sources.sandbox.storage}/sources/${id}/user-mcp/test`)
        expect(body).toMatchObject({ status: 'error', health_error: 'allowed_tool_missing' })
        expect(await ids()).toEqual(['t-1'])
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
