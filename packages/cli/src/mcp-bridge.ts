import { UnexpectedReplyError } from '@cairnstore/client'
import { operations } from '@cairnstore/contract'
import { call, sandboxOf } from './call.ts'
import type { OperationInput, Options, ParsedArguments } from './inputs.ts'
import { Failure, print, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { readSettings, type Settings } from './settings.ts'

const { sendMcpMessage: mcp } = operations

/** Command that connects MCP hosts, which start one program per server, to a sandbox. */
export const MCP: OwnCommand = {
  words: ['mcp'],
  operands: '',
  summary: 'Speak the Model Context Protocol on standard input and output',
  about:
    'For hosts that only support local servers, such as Claude Desktop. Forwards each message to the endpoint of the ' +
    'sandbox and returns the reply. Failures are protocol errors. Exits at the end of the input.',
  access: mcp.access,
  given: {},
  options: {
    project: { form: 'TEXT', meaning: 'Only records of this project.' },
    tools: { form: 'TEXT', meaning: '`read`: only tools that read. `live`: also the tools of connected tool servers.' },
  },
  isInside: true,
  examples: ['mcp', 'mcp --sandbox Acme --tools read'],
  run: bridge,
}

/** Fields of a JSON-RPC 2.0 message that the bridge reads. */
interface Message {
  jsonrpc?: unknown
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; requestId?: string | number; _meta?: Record<string, unknown> }
}

/** Error codes of JSON-RPC that the bridge itself returns. */
const CODES = { unreadable: -32700, invalid: -32600, failed: -32603 } as const
/** Maximum number of concurrent messages; later ones wait in the pipe. */
const IN_FLIGHT_MAX = 16
/** Maximum line length in bytes. It is more than the service accepts for one message. */
const LINE_BYTES_MAX = 32 * 1024 * 1024
const NEW_LINE = 0x0a

interface Endpoint {
  readonly settings: Settings
  /** Path and query parameters sent with each message. */
  readonly parameters: OperationInput
}

async function bridge({ operands, options }: ParsedArguments): Promise<number> {
  if (operands[0] !== undefined)
    throw usageFailure(`Unexpected operand "${operands[0]}". This command takes no operands.`)
  const findEndpoint = openEndpoint(options)
  let printed = Promise.resolve()
  const reply = (message: object) => {
    printed = printed.then(() => print(`${JSON.stringify(message)}\n`))
  }
  const inFlight = new Map<Promise<void>, { id: Message['id']; gone: AbortController }>()
  for await (const line of linesIn(process.stdin)) {
    const message = toMessage(line)
    if ('error' in message) {
      reply(message)
      continue
    }
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      for (const each of inFlight.values()) if (each.id === id) each.gone.abort()
      continue
    }
    const controller = new AbortController()
    const work = forward(message, findEndpoint, controller.signal).then((answer) => {
      inFlight.delete(work)
      // The host expects no reply to a canceled request.
      if (answer && !controller.signal.aborted) reply(answer)
    })
    inFlight.set(work, { id: message.id, gone: controller })
    if (inFlight.size >= IN_FLIGHT_MAX) await Promise.race(inFlight.keys())
  }
  await Promise.all(inFlight.keys())
  await printed
  return 0
}

/** Returns a function that resolves the endpoint once. After a failure, the next message tries again. */
function openEndpoint(options: Options): () => Promise<Endpoint> {
  let endpoint: Promise<Endpoint> | undefined
  const { project, tools } = options
  const open = async () => {
    const settings = readSettings(mcp.access, options)
    return { settings, parameters: { sandbox_id: await sandboxOf(settings), project, tools } }
  }
  return () => {
    endpoint ??= open().catch((error) => {
      endpoint = undefined
      throw error
    })
    return endpoint
  }
}

/** Forwards one message and returns its reply; undefined for a notification. */
async function forward(
  message: Message,
  findEndpoint: () => Promise<Endpoint>,
  signal: AbortSignal,
): Promise<object | undefined> {
  const isRequest = message.id !== undefined
  try {
    const { settings, parameters } = await findEndpoint()
    const reply = await call(mcp, { ...message, ...parameters }, settings, { headers: headersOf(message), signal })
    return isRequest ? (reply as object) : undefined
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof Failure)) throw error
    // A protocol error has an error status but is a JSON-RPC reply, so pass it on.
    const protocolError = error.cause instanceof UnexpectedReplyError ? parsed(error.cause.text) : undefined
    if (isRequest && protocolError?.jsonrpc === '2.0') return protocolError
    return isRequest ? failure(message.id, CODES.failed, error.message, error.body) : undefined
  }
}

const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'

/** Returns the headers that repeat message fields, required from protocol version 2026-07-28 on. */
function headersOf({ id, method = '', params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION_FIELD]
  if (id === undefined || typeof version !== 'string') return {}
  const name = method === 'resources/read' ? params?.uri : params?.name
  const isNamed = ['tools/call', 'prompts/get', 'resources/read'].includes(method) && typeof name === 'string'
  return {
    'mcp-protocol-version': inHeader(version),
    'mcp-method': inHeader(method),
    ...(isNamed && { 'mcp-name': inHeader(name) }),
  }
}

/** Encodes a text as an MCP header value: unchanged, or as base64 if a header cannot hold it. */
function inHeader(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** Parses a line into a message, or returns the error to send back. */
function toMessage(line: string): Message | { error: object } {
  const message: unknown = parsed(line)
  if (message === undefined) return failure(null, CODES.unreadable, 'A line must be one message in JSON.')
  const isOne = typeof message === 'object' && message !== null && !Array.isArray(message)
  return isOne ? (message as Message) : failure(null, CODES.invalid, 'A line must be one message of JSON-RPC 2.0.')
}

function failure(id: unknown, code: number, message: string, data?: object) {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }
}

// biome-ignore lint/suspicious/noExplicitAny: the value is unknown, and each caller checks the part that it reads.
function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Yields the lines that are not blank. A line that is too long is cut, so it is invalid JSON. */
async function* linesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = []
  let bytes = 0
  for await (let chunk of stream) {
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE)) {
      const line = Buffer.concat([...held, chunk.subarray(0, end)]).toString()
      if (line.trim() !== '') yield line
      held = []
      bytes = 0
      chunk = chunk.subarray(end + 1)
    }
    if (bytes < LINE_BYTES_MAX) held.push(chunk)
    bytes += chunk.length
  }
  const last = Buffer.concat(held).toString()
  if (last.trim() !== '') yield last
}
