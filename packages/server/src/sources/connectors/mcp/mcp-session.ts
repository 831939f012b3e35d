import { Client, type StandardSchemaV1, type Tool } from '@modelcontextprotocol/client'
import { sha256 } from '../../../base/digest.ts'
import { abortedBy, timeoutSignal } from '../../../base/timeout-signal.ts'
import { parseExactly } from '../../../documents/exact-json.ts'
import type { McpServer, McpTool } from '../connector.ts'
import { list, pick, text } from '../pick.ts'
import { McpFailure, toMcpFailure, watchTransport } from './mcp-transport.ts'

/** Network access and limits of a session. */
export interface McpPort {
  /** A guarded `fetch` that returns bodies as streams, with its own limits for each response. */
  readonly fetch: typeof globalThis.fetch
  /** Aborts the calls in progress. */
  readonly signal: AbortSignal
  /** Maximum duration of one response and of a whole check, in milliseconds. Default: `ANSWER_MS_MAX`. */
  readonly answerMs?: number
}

/** An open session with an MCP server. Calls are made sequentially; each throws a McpFailure on error. */
export interface McpSession {
  /** Returns true if the server declares the capability. */
  has(part: 'tools' | 'resources'): boolean
  /** Sends a request and returns the unvalidated result. */
  request(method: string, params: Record<string, unknown>): Promise<unknown>
  /** Calls a tool. Parameters that its input schema assigns to headers are also sent there. */
  call(name: string, inputSchema: Record<string, unknown>, parameters: Record<string, unknown>): Promise<unknown>
  /** Ends the session. Never throws. */
  close(): Promise<void>
}

/** Maximum duration of one response in milliseconds, even if the server keeps sending progress notifications. */
export const ANSWER_MS_MAX = 10_000
/** Maximum size of a decoded response, in bytes. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const CLOSE_MS = 2_000
const CLIENT = { name: 'cairn', version: '1' }

/** A schema that accepts any value. Results are read defensively instead of being validated. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'cairn', validate: (value) => ({ value }) },
}

/**
 * Opens a session in the protocol version that the server speaks. Server data is never compiled or followed: schemas
 * are not executed, regular expressions do not run, and references are not fetched.
 */
export async function openMcpSession(
  server: McpServer,
  { fetch, signal, answerMs = ANSWER_MS_MAX }: McpPort,
): Promise<McpSession> {
  const { transport, failure, broken, end } = watchTransport(server, fetch)
  const client = new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: answerMs } },
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    inputRequired: { autoFulfill: false },
  })
  const bounds = { timeout: answerMs, maxTotalTimeout: answerMs, signal }
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      signal.throwIfAborted()
      return await Promise.race([work(), broken])
    } catch (cause) {
      const known = failure()
      if (known) throw known
      throw signal.aborted ? toMcpFailure(new McpFailure('timeout', { cause: signal.reason })) : toMcpFailure(cause)
    }
  }
  const close = async () => {
    await Promise.race([end(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    await client.close().catch(() => undefined)
  }
  try {
    await guarded(() => client.connect(transport, bounds))
  } catch (cause) {
    await client.close().catch(() => undefined)
    throw cause
  }
  return {
    has: (part) => client.getServerCapabilities()?.[part] !== undefined,
    request: (method, params) => guarded(() => client.request({ method, params }, ANYTHING, bounds)),
    call: (name, inputSchema, parameters) => {
      const toolDefinition = { name, inputSchema: inputSchema as Tool['inputSchema'] }
      return guarded(() => client.callTool({ name, arguments: parameters }, { ...bounds, toolDefinition }))
    },
    close,
  }
}

/** Runs work in its own session. If the connection breaks, repeats the work once from the beginning. */
export async function withMcpSession<T>(
  server: McpServer,
  port: McpPort,
  work: (session: McpSession) => Promise<T>,
  isRepeatable = true,
): Promise<T> {
  try {
    return await workOnce(server, port, work)
  } catch (cause) {
    if (!(isRepeatable && cause instanceof McpFailure && cause.isBrokenOff) || port.signal.aborted) throw cause
    return workOnce(server, port, work)
  }
}

async function workOnce<T>(server: McpServer, port: McpPort, work: (session: McpSession) => Promise<T>): Promise<T> {
  const session = await openMcpSession(server, port)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

/** Result of a tool call. */
export interface McpResult {
  /** True if the server reports a failure; the content has the reason. */
  readonly isError: boolean
  readonly content: readonly unknown[]
  readonly structured: unknown
}

const PAGES_MAX = 16
const TOOLS_MAX = 512
const LIST_CHARS_MAX = 4 * 1024 * 1024
const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const DIGEST_CHARS = 32

/** Returns the tools that a server lists, with valid and unique names. Throws a McpFailure if there are too many. */
export async function listTools(session: McpSession): Promise<McpTool[]> {
  if (!session.has('tools')) return []
  const tools = new Map<string, McpTool>()
  let listed = 0
  for await (const entry of listAll(session, 'tools/list', 'tools')) {
    listed += 1
    if (listed > TOOLS_MAX) throw new McpFailure('too_many_tools')
    const tool = toTool(entry)
    if (tool && !tools.has(tool.name)) tools.set(tool.name, tool)
  }
  return [...tools.values()]
}

/** Yields every entry of a paginated list, up to `PAGES_MAX` pages and `LIST_CHARS_MAX` characters. */
async function* listAll(session: McpSession, method: string, field: string): AsyncGenerator<unknown> {
  let cursor: string | undefined
  let chars = 0
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const response = await session.request(method, cursor === undefined ? {} : { cursor })
    const entries = pick(response, field)
    if (!Array.isArray(entries)) throw new McpFailure('protocol_error')
    chars += JSON.stringify(response).length
    if (chars > LIST_CHARS_MAX) throw new McpFailure('response_too_large')
    yield* entries
    cursor = text(response, 'nextCursor')
    if (cursor === undefined) return
  }
  throw new McpFailure('protocol_error')
}

function toTool(entry: unknown): McpTool | undefined {
  const name = text(entry, 'name')
  const inputSchema = pick(entry, 'inputSchema')
  if (!name || !NAME.test(name) || inputSchema === null || typeof inputSchema !== 'object') return undefined
  const description = text(entry, 'description')
  return {
    name,
    description,
    inputSchema: inputSchema as Record<string, unknown>,
    isReadOnly: pick(entry, 'annotations', 'readOnlyHint') === true,
    digest: sha256(canonical([name, description ?? '', inputSchema]))
      .toString('hex')
      .slice(0, DIGEST_CHARS),
  }
}

/** Serializes a value as JSON with sorted keys, so that the key order does not change the digest. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Calls a tool. Throws a McpFailure if the call fails; an error of the tool itself is in the result. */
export async function callTool(
  session: McpSession,
  { name, inputSchema }: McpTool,
  parameters: Readonly<Record<string, unknown>>,
): Promise<McpResult> {
  const response = await session.call(name, inputSchema, parameters)
  const content = pick(response, 'content')
  const structured = pick(response, 'structuredContent')
  if (!Array.isArray(content) && structured === undefined) throw new McpFailure('protocol_error')
  return { isError: pick(response, 'isError') === true, content: list(response, 'content'), structured }
}

/** Returns the texts of a result, joined by line breaks. */
export function textOf(result: McpResult): string {
  return textsOf(result).join('\n')
}

function textsOf({ content }: McpResult): string[] {
  return content.flatMap((block) => (pick(block, 'type') === 'text' ? (text(block, 'text') ?? []) : []))
}

/** Returns a result as JSON: its structured part, or its texts; undefined for prose and for values nested too deep. */
export function jsonOf(result: McpResult): unknown {
  if (result.structured !== undefined) return result.structured
  const texts = textsOf(result)
  if (texts.length === 0) return undefined
  try {
    // Several blocks are the entries of a list, or parts of one text.
    return texts.length === 1 ? parseExactly(texts[0]!) : texts.map((each) => parseExactly(each))
  } catch {
    return undefined
  }
}

/** Opens a session and lists the tools. Throws a McpFailure, also if all needed tools are missing. */
export async function checkServer(
  server: McpServer,
  { fetch, signal, answerMs = ANSWER_MS_MAX }: McpPort,
  needed: readonly string[],
): Promise<McpTool[]> {
  const stop = abortedBy(signal, timeoutSignal(answerMs))
  try {
    const tools = await withMcpSession(server, { fetch, signal: stop.signal, answerMs }, listTools)
    const names = new Set(tools.map(({ name }) => name))
    if (needed.length > 0 && !needed.some((name) => names.has(name))) throw new McpFailure('allowed_tool_missing')
    return tools
  } finally {
    stop.abort()
  }
}
