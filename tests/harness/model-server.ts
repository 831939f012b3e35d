import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Fields of a chat completion, rerank or embeddings request that tests read. */
export interface ChatRequest {
  model: string
  query?: string
  documents?: string[]
  input?: string[]
  dimensions?: number
  stream?: boolean
  max_tokens?: number
  tools?: OfferedTool[]
  response_format?: { type: string }
  messages: ChatTurn[]
  /** Form fields other than the model name. */
  form?: Record<string, string>
}

/** A turn of a chat: a message, the tool calls that a model requests, or the result of one. */
export interface ChatTurn {
  role: string
  content: string
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

/** A tool call requested by a model. Its arguments are JSON text, possibly malformed. */
export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A tool definition in a chat request. */
export interface OfferedTool {
  type: 'function'
  function: { name: string; description: string; parameters: object }
}

/** Reply of the server to one request. */
export interface ChatAnswer {
  /** Text of the reply; when streaming, each entry is one chunk. */
  pieces?: string[]
  /** Tool calls requested instead of a text, always in one chunk. */
  toolCalls?: readonly ToolCall['function'][]
  status?: number
  /** Raw body that replaces everything else. */
  body?: string
  headers?: Record<string, string>
  /** Awaited before the reply and, when streaming, before the last chunk. */
  before?: Promise<unknown>
  /** Number of filler bytes after the reply. */
  flood?: number
  /** True if the connection is cut before the last chunk. */
  breaksOff?: boolean
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null
}

/**
 * A fake model server on loopback. It implements OpenAI chat completions, with and without streaming. Other endpoints
 * reply with whole bodies.
 */
export interface ModelServer {
  readonly baseUrl: string
  /** Every request received, with its credential. */
  readonly asked: (ChatRequest & { authorization: string | undefined })[]
  /** Returns the reply to a request. Can be replaced at any time. */
  answer: (request: ChatRequest) => ChatAnswer | Promise<ChatAnswer>
  close(): Promise<void>
}

/** Returns the output of a model that answers with these elements. */
export function elements(...list: unknown[]): ChatAnswer {
  return { pieces: ['{"elements":[', ...list.map((each, at) => `${at > 0 ? ',' : ''}${JSON.stringify(each)}`), ']}'] }
}

const USAGE = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 }
const FLOOD = Buffer.alloc(64 * 1024, ' ')

/** Starts a model server that answers with no elements. */
export async function startModel(): Promise<ModelServer> {
  const http = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const type = request.headers['content-type'] ?? ''
    const body = Buffer.concat(parts)
    const asked = type.startsWith('multipart/') ? await ofForm(body, type) : JSON.parse(body.toString('utf8'))
    server.asked.push({ ...asked, authorization: request.headers.authorization })
    const answer = await server.answer(asked)
    if (asked.stream && answer.body === undefined && (answer.status ?? 200) === 200) await stream(response, answer)
    else await whole(response, answer)
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const server: ModelServer = {
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    asked: [],
    answer: () => elements(),
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return server
}

/** Parses a multipart request. A file becomes its name and content. */
async function ofForm(body: Buffer, type: string): Promise<ChatRequest> {
  const form: Record<string, string> = {}
  for (const [name, value] of await new Response(body, { headers: { 'content-type': type } }).formData()) {
    form[name] = typeof value === 'string' ? value : `${value.name}: ${Buffer.from(await value.arrayBuffer())}`
  }
  return { model: form.model ?? '', form, messages: [] }
}

async function whole(response: ServerResponse, answer: ChatAnswer): Promise<void> {
  await answer.before
  const content = (answer.pieces ?? []).join('')
  const calls = answer.toolCalls?.map((call, at): ToolCall => ({ id: `call_${at}`, type: 'function', function: call }))
  const message = calls ? { content: null, tool_calls: calls } : { content }
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: calls ? 'tool_calls' : 'stop' }],
    ...(answer.usage !== null && { usage: answer.usage ?? USAGE }),
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
  await flood(response, answer.flood ?? 0)
  if (answer.breaksOff) response.destroy()
  else response.end(answer.body ?? JSON.stringify(completion))
}

async function stream(response: ServerResponse, answer: ChatAnswer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...answer.headers })
  const send = (choices: unknown[], more: object = {}) => {
    const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  await flood(response, answer.flood ?? 0)
  const pieces = answer.pieces ?? []
  for (const [at, content] of pieces.entries()) {
    if (at === pieces.length - 1) await answer.before
    if (at === pieces.length - 1 && answer.breaksOff) return void response.destroy()
    send([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }])
  }
  if (pieces.length === 0) await answer.before
  send([{ index: 0, delta: {}, finish_reason: 'stop' }])
  if (answer.usage !== null) send([], { usage: answer.usage ?? USAGE })
  response.end('data: [DONE]\n\n')
}

/** Writes this many filler bytes, until the client disconnects. */
async function flood(response: ServerResponse, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && !response.destroyed; sent += FLOOD.length) {
    response.write(FLOOD)
    while (response.writableNeedDrain && !response.destroyed) await new Promise((resolve) => setImmediate(resolve))
  }
}
