import { sha256 } from '../../../base/digest.ts'
import { stoppedBy, timeoutSignal } from '../../../base/timeout-signal.ts'
import type { McpServer, McpTool } from '../connector.ts'
import { list, pick, text } from '../pick.ts'
import { type McpPort, type McpSession, withMcpSession } from './mcp-session.ts'
import { McpFailure } from './mcp-transport.ts'

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

/** What a result says as JSON: its structured part, or its texts that are JSON; undefined when it is prose. */
export function jsonOf(result: McpResult): unknown {
  if (result.structured !== undefined) return result.structured
  const texts = textsOf(result)
  if (texts.length === 0) return undefined
  try {
    // Several blocks are a list, one by one, or one text in pieces.
    return texts.length === 1 ? JSON.parse(texts[0]!) : texts.map((one) => JSON.parse(one) as unknown)
  } catch {
    return undefined
  }
}

/** How long a whole check may take. */
const CHECK_MS_MAX = 10_000

/**
 * Checks a server once: opens a session and lists its tools. Throws a McpFailure, `allowed_tool_missing` when one of
 * the needed names is not among them.
 */
export async function checkServer(
  server: McpServer,
  { fetch, signal }: McpPort,
  needed: readonly string[],
): Promise<McpTool[]> {
  const stop = stoppedBy(signal, timeoutSignal(CHECK_MS_MAX))
  try {
    const tools = await withMcpSession(server, { fetch, signal: stop.signal }, listTools)
    const names = new Set(tools.map(({ name }) => name))
    if (!needed.every((name) => names.has(name))) throw new McpFailure('allowed_tool_missing')
    return tools
  } finally {
    stop.abort()
  }
}
