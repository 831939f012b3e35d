import { expect } from 'vitest'
import type { Answer, Call } from './test-app.ts'

/** Estimated bytes of UTF-8 per token. */
const BYTES_PER_TOKEN = 4

/** Raw result of a tool call. */
export interface ToolResult {
  isError?: boolean
  content: { type: string; text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came, and fails when it is not there.
  structuredContent?: any
}

/** An MCP client at one address. It uses the 2025 protocol version without a handshake. */
export interface Agent {
  /** Sends a message and returns the raw reply. */
  send(method: string, params?: object, headers?: Record<string, string>): Promise<Answer>
  /** Calls a tool and returns its result. Fails the test on a protocol error. */
  run(name: string, args?: object, headers?: Record<string, string>): Promise<ToolResult>
  /** Calls a tool that must succeed and returns its text. */
  text(name: string, args?: object, headers?: Record<string, string>): Promise<string>
  /** Returns the names of the listed tools. */
  tools(headers?: Record<string, string>): Promise<string[]>
}

/** Returns an agent that sends requests with `call` and its credential. */
export function agentAt(call: Call, path: string): Agent {
  const send: Agent['send'] = (method, params = {}, headers) =>
    call('POST', path, { jsonrpc: '2.0', id: 1, method, params }, headers)
  const run: Agent['run'] = async (name, args = {}, headers) => {
    const { status, body } = await send('tools/call', { name, arguments: args }, headers)
    expect([status, body.error], JSON.stringify(body)).toEqual([200, undefined])
    return body.result
  }
  return {
    send,
    run,
    text: async (name, args, headers) => {
      const { isError, content } = await run(name, args, headers)
      expect(isError, content[0]?.text).toBeUndefined()
      return content[0]!.text
    },
    tools: async (headers) => {
      const { status, body } = await send('tools/list', {}, headers)
      expect(status).toBe(200)
      return body.result.tools.map(({ name }: { name: string }) => name)
    },
  }
}

/** Estimates the number of tokens of a JSON value. */
export function tokensOf(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_PER_TOKEN)
}
