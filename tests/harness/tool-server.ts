import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A tool as a server lists it, possibly a hostile one. */
export interface ListedTool {
  name: unknown
  description?: string
  inputSchema?: unknown
  outputSchema?: unknown
  annotations?: Record<string, unknown>
}

/** A readable resource of a server. */
export interface ListedResource {
  uri: string
  name?: string
  title?: string
  mimeType?: string
  text?: string
  blob?: string
  annotations?: Record<string, unknown>
}

/** A received request. */
export interface ToolServerRequest {
  method: string
  id: unknown
  params: Record<string, unknown>
  headers: IncomingMessage['headers']
}

/** Handles a request instead of the default; returns false to use the default. */
export type TakeOver = (asked: ToolServerRequest, response: ServerResponse) => boolean

/** An MCP server on loopback. It speaks one or both protocol versions and can be made hostile. */
export interface ToolServer {
  readonly url: string
  /** Every request received, in order. */
  readonly asked: ToolServerRequest[]
  tools: ListedTool[]
  resources: ListedResource[]
  /** Returns the result of a tool call. */
  call: (name: string, parameters: Record<string, unknown>) => unknown
  takeOver: TakeOver
  /** Handles a request before everything else; resolves to true if it did. */
  guard: (request: IncomingMessage, response: ServerResponse, message: unknown) => Promise<boolean>
  /** Value that `Authorization` or another header must have. */
  needs: { header: string; value: string } | undefined
  /** Number of tools or resources per page. */
  pageSize: number
  /** Returns the number of requests for a method. */
  count(method: string): number
  close(): Promise<void>
}

const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const UNKNOWN_METHOD = -32601
const EVENTS = { 'content-type': 'text/event-stream' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** Starts an MCP server on a free port. With `isStreaming` it replies with server-sent events. */
export async function openToolServer(
  options: { era?: '2025' | '2026' | 'both'; isStreaming?: boolean } = {},
): Promise<ToolServer> {
  const { era = 'both', isStreaming = false } = options
  const http = createServer((request, response) => {
    void readJson(request).then(async (message) => {
      if (!(await server.guard(request, response, message))) receive(message, request, response)
    })
  })
  const server: ToolServer = {
    url: '',
    asked: [],
    tools: [{ name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } }],
    resources: [],
    call: (_, parameters) => ({ content: [{ type: 'text', text: JSON.stringify(parameters) }] }),
    takeOver: () => false,
    guard: async () => false,
    needs: undefined,
    pageSize: 100,
    count: (method) => server.asked.filter((one) => one.method === method).length,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }

  function receive(message: unknown, request: IncomingMessage, response: ServerResponse): void {
    const { method = request.method ?? '', id, params = {} } = (message ?? {}) as Partial<ToolServerRequest>
    const asked = { method, id, params, headers: request.headers }
    server.asked.push(asked)
    if (request.method === 'DELETE') return void response.writeHead(200).end()
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { needs } = server
    if (needs && request.headers[needs.header] !== needs.value) {
      const body = '{"error":"invalid_token","error_description":"Invalid access token"}'
      return void response.writeHead(401, JSON_TYPE).end(body)
    }
    if (server.takeOver(asked, response)) return
    if (id === undefined) return void response.writeHead(202).end()
    const result = answerTo(method, params)
    const reply = result === undefined ? { error: { code: UNKNOWN_METHOD, message: 'Unknown method' } } : { result }
    sendMessage(response, { jsonrpc: '2.0', id, ...reply }, isStreaming)
  }

  function answerTo(method: string, params: Record<string, unknown>): object | undefined {
    const capabilities = { tools: {}, ...(server.resources.length > 0 && { resources: {} }) }
    if (method === 'server/discover' && era !== '2025') {
      return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', supportedVersions: [MODERN], capabilities }
    }
    if (method === 'initialize' && era !== '2026') {
      return { protocolVersion: LEGACY, capabilities, serverInfo: { name: 'harness', version: '1' } }
    }
    const listed = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    if (method === 'tools/list') return { ...listed, ...pageOf('tools', server.tools, params) }
    if (method === 'resources/list') return { ...listed, ...pageOf('resources', server.resources, params) }
    if (method === 'resources/read') {
      const found = server.resources.find(({ uri }) => uri === params.uri)
      return { ...listed, contents: found ? [{ mimeType: 'text/plain', ...found }] : [] }
    }
    if (method !== 'tools/call') return undefined
    const result = server.call(String(params.name), (params.arguments ?? {}) as Record<string, unknown>)
    return { resultType: 'complete', ...(result as object) }
  }

  function pageOf(field: string, entries: readonly object[], { cursor }: Record<string, unknown>) {
    const from = Number(cursor ?? 0)
    const to = from + server.pageSize
    return { [field]: entries.slice(from, to), ...(to < entries.length && { nextCursor: String(to) }) }
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` })
}

/** Sends a message as a JSON body or as one server-sent event. */
export function sendMessage(response: ServerResponse, message: object, isStreaming: boolean): void {
  if (isStreaming) response.writeHead(200, EVENTS).end(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  else response.writeHead(200, JSON_TYPE).end(JSON.stringify(message))
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  return body === '' ? undefined : JSON.parse(body)
}
