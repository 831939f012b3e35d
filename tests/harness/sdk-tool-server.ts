import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CallToolResult, createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

/** A tool with the schema of its arguments. Arguments outside the schema are refused. */
export interface SdkTool {
  description?: string
  /** JSON Schemas of the arguments, by name. */
  arguments: Record<string, object>
  required?: readonly string[]
  /** Default: true. */
  isReadOnly?: boolean
  call(given: Record<string, unknown>): CallToolResult
}

/** An MCP server on loopback, built with the official SDK. */
export interface SdkToolServer {
  readonly url: string
  tools: Record<string, SdkTool>
  resources: { uri: string; name: string; text: string }[]
  /** Every tool call, in order. */
  readonly calls: { tool: string; given: Record<string, unknown> }[]
  /** Runs before a tool call. */
  before: (tool: string, given: Record<string, unknown>) => void | Promise<void>
  /** Returns an HTTP status in place of a reply to a tool call. */
  refuse: (tool: string, given: Record<string, unknown>) => number | undefined
  close(): Promise<void>
}

/** Returns a result with JSON in one text block. */
export function jsonText(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

/** Returns a result that reports a failure. */
export function toolError(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** Starts a server without tools on a free port. */
export async function openSdkToolServer(): Promise<SdkToolServer> {
  const open = () => {
    const sdk = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {}, resources: {} } })
    sdk.setRequestHandler('tools/list', () => ({
      tools: Object.entries(server.tools).map(([name, tool]) => ({
        name,
        description: tool.description ?? name,
        inputSchema: {
          type: 'object',
          properties: tool.arguments,
          required: tool.required ?? [],
        } as Tool['inputSchema'],
        annotations: { readOnlyHint: tool.isReadOnly ?? true },
      })),
    }))
    sdk.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      await server.before(name, given)
      server.calls.push({ tool: name, given })
      const tool = server.tools[name]
      if (!tool) return toolError(`unknown tool ${name}`)
      const unknown = Object.keys(given).filter((one) => !(one in tool.arguments))
      const missing = (tool.required ?? []).filter((one) => given[one] === undefined)
      const wrong = Object.entries(given).filter(([one, value]) => !isOfType(tool.arguments[one], value))
      if (unknown.length + missing.length + wrong.length > 0)
        return toolError(`invalid arguments: ${[...unknown, ...missing, ...wrong.map(([one]) => one)]}`)
      return tool.call(given)
    })
    sdk.setRequestHandler('resources/list', () => ({
      resources: server.resources.map(({ uri, name }) => ({ uri, name })),
    }))
    sdk.setRequestHandler('resources/read', ({ params: { uri } }) => ({
      contents: server.resources.filter((one) => one.uri === uri).map(({ text }) => ({ uri, text })),
    }))
    return sdk
  }
  const handler = createMcpHandler(open, { maxSubscriptions: 0, keepAliveMs: 0 })
  const http = createServer((request, response) => {
    void toRequest(request, server.url).then(async (asked) => {
      const message = asked.method === 'POST' ? JSON.parse(await asked.clone().text()) : {}
      const { name, arguments: given = {} } = message.params ?? {}
      const status = message.method === 'tools/call' ? server.refuse(name, given) : undefined
      if (status) return void response.writeHead(status).end()
      const answer = await handler.fetch(asked)
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
  })
  const server: SdkToolServer = {
    url: '',
    tools: {},
    resources: [],
    calls: [],
    before: () => {},
    refuse: () => undefined,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` })
}

function isOfType(schema: object | undefined, value: unknown): boolean {
  const { type, enum: allowed } = (schema ?? {}) as { type?: string; enum?: unknown[] }
  if (allowed && !allowed.includes(value)) return false
  if (type === 'number' || type === 'integer') return typeof value === 'number'
  return type === undefined || type === 'object' || type === 'array' || typeof value === type
}

async function toRequest(request: IncomingMessage, url: string): Promise<Request> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
  const body = request.method === 'POST' ? Buffer.concat(parts) : undefined
  return new Request(url, { method: request.method ?? 'GET', headers, ...(body && { body }) })
}
