import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.mjs'

/** A running third-party MCP server. */
export interface RealToolServer {
  readonly url: string
  close(): Promise<void>
}

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
const MEMORY = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'))
const START_MS_MAX = 600_000
const POLL_MS = 100

/** Starts the MCP project's "everything" server, which supports HTTP. */
export async function startEverythingServer(): Promise<RealToolServer> {
  const port = await freePort()
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/mcp`
  const until = performance.now() + START_MS_MAX
  while (!(await fetch(url).catch(() => undefined))) {
    if (performance.now() > until) throw new Error('the server of everything does not answer')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return { url, close: () => end(child) }
}

/** Starts the MCP project's memory server behind an HTTP bridge, because it supports only standard input and output. */
export async function startMemoryServer(memoryFile: string): Promise<RealToolServer> {
  const child = spawn(process.execPath, [MEMORY], {
    env: { ...process.env, MEMORY_FILE_PATH: memoryFile },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (message: object) => void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number }
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  let latest = 0
  const ask = (message: { id?: unknown }): Promise<object> | undefined => {
    if (message.id === undefined) {
      child.stdin!.write(`${JSON.stringify(message)}\n`)
      return undefined
    }
    latest += 1
    const id = latest
    const answer = new Promise<object>((resolve) => waiting.set(id, resolve))
    child.stdin!.write(`${JSON.stringify({ ...message, id })}\n`)
    return answer.then((reply) => ({ ...reply, id: message.id }))
  }
  const bridge = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    void readBody(request).then(async (body) => {
      const answer = ask(JSON.parse(body) as { id?: unknown })
      if (!answer) return response.writeHead(202).end()
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answer))
    })
  })
  await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(bridge.address() as AddressInfo).port}/mcp`,
    close: async () => {
      bridge.closeAllConnections()
      await new Promise((resolve) => bridge.close(resolve))
      await end(child)
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  return body
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
}
