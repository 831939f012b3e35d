import { UnexpectedReplyError } from '@cairnstore/client'
import { operations } from '@cairnstore/contract'
import { call, sandboxOf } from './call.ts'
import type { OperationInput, Options, Typed } from './inputs.ts'
import { Failure, print, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { readSettings, type Settings } from './settings.ts'

const { sendMcpMessage: mcp } = operations

/** The command by which hosts that start a program for each server reach a sandbox. */
export const MCP: OwnCommand = {
  words: ['mcp'],
  operands: '',
  summary: 'Speak the Model Context Protocol on standard input and output',
  about:
    'For hosts that know no other way to a server, such as Claude Desktop: each message goes to the endpoint of the ' +
    'sandbox, and its reply comes back. What fails is an error of the protocol. It ends with its input.',
  access: mcp.access,
  given: {},
  options: {
    project: { form: 'TEXT', meaning: 'Only what is in this project.' },
    tools: { form: 'TEXT', meaning: '`read`: only tools that read. `live`: also those of servers of tools.' },
  },
  isInside: true,
  examples: ['mcp', 'mcp --sandbox Acme --tools read'],
  run: bridge,
}

/** A message of JSON-RPC 2.0, as far as a bridge looks into it. */
interface Message {
  jsonrpc?: unknown
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; requestId?: string | number; _meta?: Record<string, unknown> }
}

/** What goes back beside replies of the service: its numbers are those of JSON-RPC. */
const CODES = { unreadable: -32700, invalid: -32600, failed: -32603 } as const
/** Messages that are under way at once; further ones wait in the pipe. */
const UNDER_WAY_MAX = 16
/** The longest line that is read, in bytes: more than the service takes of one message. */
const LINE_BYTES_MAX = 32 * 1024 * 1024
const NEW_LINE = 0x0a

interface Door {
  readonly settings: Settings
  /** The query values that go with each message. */
  readonly beside: OperationInput
}

async function bridge({ operands, options }: Typed): Promise<number> {
  if (operands[0] !== undefined) throw usageFailure(`"${operands[0]}" is one too many. This takes no operands.`)
  const findDoor = openDoor(options)
  let printed = Promise.resolve()
  const reply = (message: object) => {
    printed = printed.then(() => print(`${JSON.stringify(message)}\n`))
  }
  const underWay = new Map<Promise<void>, { id: Message['id']; gone: AbortController }>()
  for await (const line of linesIn(process.stdin)) {
    const message = toMessage(line)
    if ('error' in message) {
      reply(message)
      continue
    }
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      for (const each of underWay.values()) if (each.id === id) each.gone.abort()
      continue
    }
    const gone = new AbortController()
    const work = passOn(message, findDoor, gone.signal).then((answer) => {
      underWay.delete(work)
      // Nobody waits for the reply to what was cancelled.
      if (answer && !gone.signal.aborted) reply(answer)
    })
    underWay.set(work, { id: message.id, gone })
    if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay.keys())
  }
  await Promise.all(underWay.keys())
  await printed
  return 0
}

/** Finds the endpoint once; where that fails it is tried again with the next message, since it may be put right. */
function openDoor(options: Options): () => Promise<Door> {
  let door: Promise<Door> | undefined
  const { project, tools } = options
  const open = async () => {
    const settings = readSettings(mcp.access, options)
    return { settings, beside: { sandbox_id: await sandboxOf(settings), project, tools } }
  }
  return () => {
    door ??= open().catch((error) => {
      door = undefined
      throw error
    })
    return door
  }
}

/** Sends one message on; gives what goes back for it, which for a notification is nothing. */
async function passOn(
  message: Message,
  findDoor: () => Promise<Door>,
  signal: AbortSignal,
): Promise<object | undefined> {
  const isRequest = message.id !== undefined
  try {
    const { settings, beside } = await findDoor()
    const reply = await call(mcp, { ...message, ...beside }, settings, { headers: headersOf(message), signal })
    return isRequest ? (reply as object) : undefined
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof Failure)) throw error
    // What the protocol itself refuses has a status of its own and is a reply like any.
    const told = error.cause instanceof UnexpectedReplyError ? parsed(error.cause.text) : undefined
    if (isRequest && told?.jsonrpc === '2.0') return told
    return isRequest ? failure(message.id, CODES.failed, error.message, error.body) : undefined
  }
}

const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'

/** What the protocol says of a message in headers too, from 2026-07-28 on. */
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

/** A text as the protocol writes it in a header: as it is, or in base64 where a header could not hold it. */
function inHeader(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** The message of a line, or what goes back for a line that is none. */
function toMessage(line: string): Message | { error: object } {
  const message: unknown = parsed(line)
  if (message === undefined) return failure(null, CODES.unreadable, 'A line must be one message in JSON.')
  const isOne = typeof message === 'object' && message !== null && !Array.isArray(message)
  return isOne ? (message as Message) : failure(null, CODES.invalid, 'A line must be one message of JSON-RPC 2.0.')
}

function failure(id: unknown, code: number, message: string, data?: object) {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever came, of which each user looks at its own part.
function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The lines of a stream that are not blank. They end with a new line alone: other signs that end lines elsewhere may
 * stand within JSON. A line that is too long ends in one that is no message.
 */
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
