import { afterEach } from 'vitest'
import { openSafeFetch, type SafeFetchOptions } from '../../packages/server/src/base/safe-fetch.ts'
import type { McpAuth, McpTool } from '../../packages/server/src/sources/connectors/connector.ts'
import type { McpPort } from '../../packages/server/src/sources/connectors/mcp/mcp-session.ts'
import { checkServer } from '../../packages/server/src/sources/connectors/mcp/mcp-session.ts'
import { openToolServer, type ToolServer } from './tool-server.ts'

/** Tools for a suite about MCP servers. Everything it opens is closed after each test. */
export interface ToolServerSuite {
  open(options?: Parameters<typeof openToolServer>[0]): Promise<ToolServer>
  portWith(options?: Partial<SafeFetchOptions>): McpPort
  check(server: { url: string }, needed?: string[], port?: McpPort): Promise<McpTool[]>
  /** Calls this after the test. */
  closeAfter(close: () => unknown): void
}

/** No credential. */
export const NO_AUTH: McpAuth = { kind: 'none' }
/** Fields of every list reply of the newest protocol version, in addition to its entries. */
export const LISTED = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
/** Timeout that is never reached, even on a slow machine, in milliseconds. */
const PATIENT_MS = 3_600_000
/** Bytes per mebibyte. */
export const MIB = 1024 * 1024

/** Prepares a suite. */
export function toolServerSuite(): ToolServerSuite {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  const portWith: ToolServerSuite['portWith'] = ({ totalMs = PATIENT_MS, ...options } = {}) => {
    const safe = openSafeFetch({ allowLoopback: true, ...options })
    closers.push(() => safe.close())
    const fetch = safe.streaming({ bytesMax: 4 * MIB, totalMs })
    return { fetch, signal: new AbortController().signal, answerMs: PATIENT_MS }
  }
  return {
    open: async (options) => {
      const server = await openToolServer(options)
      closers.push(() => server.close())
      return server
    },
    portWith,
    check: (server, needed = [], port = portWith()) => checkServer({ url: server.url, auth: NO_AUTH }, port, needed),
    closeAfter: (close) => void closers.push(close),
  }
}
