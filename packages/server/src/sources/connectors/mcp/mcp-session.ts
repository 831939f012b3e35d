import { Client, type StandardSchemaV1, type Tool } from '@modelcontextprotocol/client'
import type { McpServer } from '../connector.ts'
import { McpFailure, toMcpFailure, watchTransport } from './mcp-transport.ts'

/** What a session needs beside the server. */
export interface McpPort {
  /** A guarded `fetch` that gives bodies as they arrive, with its own bounds for each answer. */
  readonly fetch: typeof globalThis.fetch
  /** Aborts the calls that are under way. */
  readonly signal: AbortSignal
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
export async function openMcpSession(server: McpServer, { fetch, signal }: McpPort): Promise<McpSession> {
  const { transport, failure, broken, end } = watchTransport(server, fetch)
  const client = new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: ANSWER_MS_MAX } },
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    inputRequired: { autoFulfill: false },
  })
  const bounds = { timeout: ANSWER_MS_MAX, maxTotalTimeout: ANSWER_MS_MAX, signal }
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
