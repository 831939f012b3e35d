import type { McpMessage } from '@cairnstore/contract'
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { reply } from '../tenancy/handler.ts'
import type { Ctx } from './context.ts'

/** Stands for this server: nothing is decided by the address here, which the request was routed by already. */
const ADDRESS = 'http://cairn.invalid/mcp'
const OK = 200
const ACCEPTED = 'application/json, text/event-stream'

/** Answers one message by a server that is opened for it, in the era of the protocol that the message is of. */
export async function answerMessage(
  ctx: Pick<Ctx, 'log' | 'requestId' | 'signal'>,
  headers: Readonly<Record<string, string | undefined>>,
  message: McpMessage,
  openServer: () => Server,
) {
  const request = new Request(ADDRESS, {
    method: 'POST',
    headers: { ...named(headers), 'content-type': 'application/json', accept: ACCEPTED },
    signal: ctx.signal,
  })
  const onerror = (error: Error) => ctx.log.debug('mcp message refused', { requestId: ctx.requestId, error })
  const isLegacy = await isLegacyRequest(request, message)
  // Clients of 2026-07-28 go on asking whether somebody is there, though that version has no such method.
  if (!isLegacy && message.method === 'ping' && message.id !== undefined) return answerPing(message.id)
  const response = isLegacy
    ? await answerLegacy(request, message, openServer())
    : await createMcpHandler(openServer, { onerror, legacy: 'reject', maxSubscriptions: 0, keepAliveMs: 0 }).fetch(
        request,
        { parsedBody: message },
      )
  const body = Buffer.from(await response.arrayBuffer())
  return reply(response.status, body.length === 0 ? undefined : body)
}

function answerPing(id: string | number) {
  return reply(OK, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete' } })))
}

/** A message of 2025: without a session, and in one piece, which its clients take as they take a stream. */
async function answerLegacy(request: Request, message: McpMessage, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: message })
  const body = await response.arrayBuffer()
  await server.close()
  return new Response(body.byteLength === 0 ? null : body, { status: response.status })
}

/** The headers of the protocol that came. */
function named(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
