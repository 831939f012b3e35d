import { Agent, request } from 'node:http'
import { compile } from '../../scripts/build.mjs'
import type { Call } from './test-app.ts'

/** A process of the built server with its own data folder. */
export interface RealProcess {
  readonly folder: string
  url: string
  apiKey: string
  pid: number
  /** Returns the current and peak resident memory in bytes. */
  memory(): { now: number; peak: number }
  stop(options?: { keep?: boolean }): Promise<void>
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
}

/** A raw reply. */
export interface WireReply {
  status: number
  headers: Record<string, string>
  payload: string
}

/** Sends one request as the process's first account, or as the operator if requested. */
export type Send = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: unknown,
) => Promise<WireReply>

const ADMIN_KEY = 'an-admin-key-of-the-tests'
const BENCH = new URL('../../bench/cairn-process.mjs', import.meta.url).href

/** Compiles outdated files and starts the server, optionally on the folder of an earlier process. */
export async function startProcess(
  env: Record<string, string>,
  before: { folder?: string; apiKey?: string } = {},
): Promise<RealProcess> {
  // Compile only and never install, because other suites run concurrently.
  compile()
  const { startCairn } = (await import(BENCH)) as {
    startCairn(options: { env: Record<string, string>; folder?: string; apiKey?: string }): Promise<RealProcess>
  }
  return startCairn({ ...before, env: { CAIRN_ADMIN_KEY: ADMIN_KEY, ...env } })
}

/** Returns a sender with this number of keep-alive connections. */
export function openSender({ url, apiKey }: RealProcess, connections: number): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(url)
  const send: Send = (method, path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const all = {
        authorization: `Bearer ${path.startsWith('/api/v1/admin/') ? ADMIN_KEY : apiKey}`,
        ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
        ...headers,
      }
      const sent = request({ agent, hostname, port, method, path, headers: all }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
        reply.once('end', () => {
          const status = reply.statusCode ?? 0
          resolve({ status, headers: reply.headers as Record<string, string>, payload: String(Buffer.concat(chunks)) })
        })
      })
      sent.once('error', reject)
      sent.end(payload)
    })
  return { send, close: () => agent.destroy() }
}

/** Adapts a sender to the `Call` signature of the suites. */
export function callOver(send: Send): Call {
  return async (method, path, body, headers) => {
    const reply = await send(method, path, headers, body)
    const isJson = reply.headers['content-type']?.startsWith('application/json')
    return { ...reply, body: isJson ? JSON.parse(reply.payload) : reply.payload }
  }
}
