import { Client, type StandardSchemaV1, type Tool } from '@modelcontextprotocol/client'
import { sha256 } from '../../../base/digest.ts'
import { stoppedBy, timeoutSignal } from '../../../base/timeout-signal.ts'
import { parseExactly } from '../../../documents/exact-json.ts'
import type { McpServer, McpTool } from '../connector.ts'
import { list, pick, text } from '../pick.ts'
import { McpFailure, toMcpFailure, watchTransport } from './mcp-transport.ts'

/** What a session needs beside the server. */
export interface McpPort {
  /** A guarded `fetch` that gives bodies as they arrive, with its own bounds for each answer. */
  readonly fetch: typeof globalThis.fetch
  /** Aborts the calls that are under way. */
  readonly signal: AbortSignal
  /** Maximum duration of one answer and of a whole check, in milliseconds. Default: `ANSWER_MS_MAX`. */
  readonly answerMs?: number
}

/** An open session with a tool server. Calls are made one after another; each throws a McpFailure. */
export interface McpSession {
  /** Whether the server says that it has this. */
  has(part: 'tools' | 'resources'): boolean
  /** Asks, and gives back the answer as it came: nothing about its shape is known. */
  ask(method: string, params: Record<string, unknown>): Promise<unknown>
  /** Calls a tool; what its input schema says belongs into headers is put there too. */
  call(name: string, inputSchema: Record<string, unknown>, parameters: Record<string, unknown>): Promise<unknown>
  /** Ends the session; it never throws. */
  close(): Promise<void>
}

/** The longest that one answer may take, also of a server that keeps saying that it is at work. */
export const ANSWER_MS_MAX = 10_000
/** The largest answer, decoded. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const CLOSE_MS = 2_000
const CLIENT = { name: 'cairn', version: '1' }

/** Takes anything: what a server's schema would have checked is read with care instead. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'cairn', validate: (value) => ({ value }) },
}

/**
 * Opens a session in whichever version of the protocol the server speaks. Nothing that a server sends is compiled or
 * followed: schemas are data, patterns never run, and references are not fetched.
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
    ask: (method, params) => guarded(() => client.request({ method, params }, ANYTHING, bounds)),
    call: (name, inputSchema, parameters) => {
      const toolDefinition = { name, inputSchema: inputSchema as Tool['inputSchema'] }
      return guarded(() => client.callTool({ name, arguments: parameters }, { ...bounds, toolDefinition }))
    },
    close,
  }
}

/** Works in a session of its own, once more from the beginning when the server breaks off. */
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

/** What calling a tool gave. */
export interface McpResult {
  /** The server calls it a failure; the texts say why. */
  readonly isError: boolean
  readonly content: readonly unknown[]
  readonly structured: unknown
}

const PAGES_MAX = 16
const TOOLS_MAX = 512
const LIST_CHARS_MAX = 4 * 1024 * 1024
const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const DIGEST_CHARS = 32

/**
 * The tools that a server lists: those with a plain name, the first of each name. Throws a McpFailure for more tools
 * than are taken, and for a list without end.
 */
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

/** Every entry of a list that comes in pages, of so many pages and characters at most. */
async function* listAll(session: McpSession, method: string, field: string): AsyncGenerator<unknown> {
  let cursor: string | undefined
  let chars = 0
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await session.ask(method, cursor === undefined ? {} : { cursor })
    const entries = pick(answer, field)
    if (!Array.isArray(entries)) throw new McpFailure('protocol_error')
    chars += JSON.stringify(answer).length
    if (chars > LIST_CHARS_MAX) throw new McpFailure('response_too_large')
    yield* entries
    cursor = text(answer, 'nextCursor')
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
    isReading: pick(entry, 'annotations', 'readOnlyHint') === true,
    digest: sha256(canonical([name, description ?? '', inputSchema]))
      .toString('hex')
      .slice(0, DIGEST_CHARS),
  }
}

/** As JSON with sorted keys, so that a server that writes them in another order has changed nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Calls a tool. Throws a McpFailure; a failure of the tool itself is in the result. */
export async function callTool(
  session: McpSession,
  { name, inputSchema }: McpTool,
  parameters: Readonly<Record<string, unknown>>,
): Promise<McpResult> {
  const answer = await session.call(name, inputSchema, parameters)
  const content = pick(answer, 'content')
  const structured = pick(answer, 'structuredContent')
  if (!Array.isArray(content) && structured === undefined) throw new McpFailure('protocol_error')
  return { isError: pick(answer, 'isError') === true, content: list(answer, 'content'), structured }
}

/** The texts of a result, as one. */
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
    // Several blocks are a list, one by one, or one text in pieces.
    return texts.length === 1 ? parseExactly(texts[0]!) : texts.map((each) => parseExactly(each))
  } catch {
    return undefined
  }
}

/**
 * Checks a server once: opens a session and lists its tools. Throws a McpFailure, `allowed_tool_missing` when one of
 * the needed names is not among them.
 */
export async function checkServer(
  server: McpServer,
  { fetch, signal, answerMs = ANSWER_MS_MAX }: McpPort,
  needed: readonly string[],
): Promise<McpTool[]> {
  const stop = stoppedBy(signal, timeoutSignal(answerMs))
  try {
    const tools = await withMcpSession(server, { fetch, signal: stop.signal, answerMs }, listTools)
    const names = new Set(tools.map(({ name }) => name))
    if (!needed.every((name) => names.has(name))) throw new McpFailure('allowed_tool_missing')
    return tools
  } finally {
    stop.abort()
  }
}
