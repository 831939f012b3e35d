import { expect } from 'vitest'
import type { Answer, Call } from './test-app.ts'

/** Bytes of UTF-8 that count as one token. */
const BYTES_PER_TOKEN = 4

/** A result of a tool, as it came. */
export interface ToolResult {
  isError?: boolean
  content: { type: string; text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came, and fails when it is not there.
  structuredContent?: any
}

/** An agent at one address, which speaks the protocol of 2025 without a handshake. */
export interface Agent {
  /** Sends a message and gives the reply as it came. */
  send(method: string, params?: object, headers?: Record<string, string>): Promise<Answer>
  /** Calls a tool; what is no result of a tool fails the test. */
  run(name: string, args?: object, headers?: Record<string, string>): Promise<ToolResult>
  /** The same, for a tool that succeeds: its text. */
  text(name: string, args?: object, headers?: Record<string, string>): Promise<string>
  /** The names of the tools that it is offered. */
  tools(headers?: Record<string, string>): Promise<string[]>
}

/** An agent that calls with a credential's `call`. */
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

/** What a value of the protocol takes of a model's attention, in tokens. */
export function tokensOf(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_PER_TOKEN)
}
