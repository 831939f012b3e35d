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

    describe('a pull deletes the records that are missing from a result', () => {
      it('not if the result is one page of several, however it says so', async () => {
        let tickets = [1, 2, 3].map(ticket)
        const pages: Record<string, [Record<string, object>, (items: object[]) => unknown]> = {
          cursor: [{ cursor: TEXT }, (items) => ({ items, nextCursor: items.length > 2 ? undefined : 'c2' })],
          flag: [{ after: TEXT }, (items) => ({ items, pageInfo: { hasNextPage: items.length < 3, endCursor: 'c' } })],
          total: [{ offset: NUMBER }, (items) => ({ items, total: 3 })],
          silent: [{ page: NUMBER, perPage: NUMBER }, (items) => items],
          limited: [{ limit: NUMBER }, (items) => ({ items })],
        }
        for (const [name, [properties, shape]] of Object.entries(pages)) {
          server.tools[name] = tool(properties, () =>
            shape(tickets.map((one) => ({ ...one, id: `${name}-${one.id}` }))),
          )
        }
        const id = await register(...Object.keys(pages).map((name) => ({ tool: name })))
        expect((await sources.pull(id)).status).toBe('completed')
        expect(await ids()).toHaveLength(15)
        tickets = [3].map(ticket)
        expect((await sources.pull(id)).status).toBe('completed')
        expect(await ids()).toHaveLength(15)
      })

      it('if the result says that it is the last page', async () => {
        let tickets = [1, 2, 3].map(ticket)
        server.tools.list = tool({ cursor: TEXT, limit: NUMBER }, () => ({ items: tickets, has_more: false }))
        const id = await register({ tool: 'list', arguments: { limit: 50 } })
        await sources.pull(id)
        tickets = [2, 3].map(ticket)
        await sources.pull(id)
        expect(await ids()).toEqual(['t-2', 't-3'])
        tickets = []
        await sources.pull(id)
        expect(await ids()).toEqual([])
      })

      it('not if the arguments filter by time, and a changed filter continues the same list', async () => {
        const properties = { project: TEXT, since: TEXT, query: TEXT }
        server.tools.list = tool(properties, ({ since = '' }) =>
          [1, 2, 3].map(ticket).filter((one) => one.updated_at > String(since)),
        )
        const call = (since?: string) => ({ tool: 'list', arguments: { project: 'quay', ...(since && { since }) } })
        const id = await register(call('2026-11-01T00:00:00Z'))
        expect((await sources.pull(id)).result).toMatchObject({ received: 2 })
        await sources.patch(id, { ingest_tool_calls: [call('2026-11-02T00:00:00Z')] })
        expect((await sources.pull(id)).result).toMatchObject({ received: 0 })
        expect(await ids()).toEqual(['t-2', 't-3'])
        await sources.patch(id, { ingest_tool_calls: [{ tool: 'list', arguments: { query: 'updated > -7d' } }] })
        await sources.pull(id)
        server.tools.list = tool(properties, () => [])
        await sources.pull(id)
        expect(await ids()).toEqual(['t-1', 't-2', 't-3'])
        await sources.patch(id, { ingest_tool_calls: [call()] })
        await sources.pull(id)
        expect(await ids()).toEqual(['t-1'])
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
        await sources.pull(id)
        expect((await ids()).filter((one) => one.startsWith('t-'))).toEqual([])
      })

      it('also if the pull reads again what it has read before', async () => {
        let tickets = [1, 2].map(ticket)
        server.tools.list = tool({}, () => tickets)
        const id = await register({ tool: 'list' })
        await sources.pull(id)
        tickets = [2].map(ticket)
        const again = await sources.pull(id, { since: '2026-01-01T00:00:00Z' })
        expect(again.result).toMatchObject({ received: 2, removed: 1 })
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
