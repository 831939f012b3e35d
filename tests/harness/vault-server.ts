import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../packages/server/src/base/clock.ts'

/** A fake Vault on loopback with version 2 of the key-value engine, mounted at `secret`. */
export interface VaultServer {
  readonly url: string
  /** Versions by path; null if destroyed. */
  readonly held: Map<string, Version[]>
  /** Behavior: healthy, sealed, slow, or a replica that lags by this many reads. */
  mood: 'well' | 'sealed' | 'slow' | { missedReads: number }
  /** Number of requests with a wrong token. */
  refused: number
  close(): Promise<void>
}

interface Version {
  value: unknown
  createdAt: Date
  isDestroyed: boolean
}

/** Token that the Vault accepts. */
export const VAULT_TOKEN = 'hvs.of-the-tests'
const SLOW_MS = 30_000

/** Starts a Vault on a free port. */
export async function openVaultServer(clock: Clock): Promise<VaultServer> {
  const closing = new AbortController()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    if (request.headers['x-vault-token'] !== VAULT_TOKEN) {
      vault.refused += 1
      return send(response, 403, { errors: ['permission denied'] })
    }
    if (vault.mood === 'sealed') return send(response, 503, { errors: ['Vault is sealed'] })
    if (vault.mood === 'slow') await sleep(SLOW_MS, undefined, { signal: closing.signal }).catch(() => undefined)
    const url = new URL(request.url ?? '/', 'http://vault')
    const [, engine = '', path = ''] = /^\/v1\/secret\/(\w+)\/(.*)$/.exec(url.pathname) ?? []
    answer(vault, clock, response, { method: request.method ?? '', engine, path, url, body: text })
  })
  const vault: VaultServer = {
    url: '',
    held: new Map(),
    mood: 'well',
    refused: 0,
    close: () =>
      new Promise((resolve) => {
        closing.abort()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(vault, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

interface VaultRequest {
  method: string
  engine: string
  path: string
  url: URL
  body: string
}

function answer(vault: VaultServer, clock: Clock, response: ServerResponse, asked: VaultRequest): void {
  const { method, engine, path, url } = asked
  const versions = vault.held.get(path)
  if (engine === 'data' && method === 'POST') {
    const all = versions ?? []
    all.push({ value: JSON.parse(asked.body).data, createdAt: clock.now(), isDestroyed: false })
    vault.held.set(path, all)
    send(response, 200, { data: { version: all.length, created_time: clock.now().toISOString(), destroyed: false } })
  } else if (engine === 'data' && method === 'GET') {
    sendVersion(vault, response, versions, Number(url.searchParams.get('version') ?? versions?.length))
  } else if (engine === 'metadata' && method === 'GET' && url.searchParams.get('list') === 'true') {
    sendNames(response, [...vault.held.keys()], path)
  } else if (engine === 'metadata' && method === 'GET' && versions) {
    const entries = versions.map(({ createdAt, isDestroyed }, at) => [
      at + 1,
      { created_time: createdAt.toISOString(), deletion_time: '', destroyed: isDestroyed },
    ])
    send(response, 200, { data: { current_version: versions.length, versions: Object.fromEntries(entries) } })
  } else if (engine === 'metadata' && method === 'DELETE') {
    vault.held.delete(path)
    send(response, 204)
  } else if (engine === 'destroy' && method === 'PUT' && versions) {
    for (const version of JSON.parse(asked.body).versions as number[])
      Object.assign(versions[version - 1] ?? {}, { value: null, isDestroyed: true })
    send(response, 204)
  } else send(response, 404, { errors: [] })
}

function sendVersion(vault: VaultServer, response: ServerResponse, all: Version[] | undefined, version: number): void {
  const held = all?.[version - 1]
  const isBehind = typeof vault.mood === 'object' && vault.mood.missedReads > 0
  if (typeof vault.mood === 'object') vault.mood.missedReads -= 1
  if (held && !isBehind) {
    const metadata = { version, created_time: held.createdAt.toISOString(), destroyed: held.isDestroyed }
    send(response, held.isDestroyed ? 404 : 200, { data: { data: held.value, metadata } })
  } else send(response, 404, { errors: [] })
}

function sendNames(response: ServerResponse, paths: string[], folder: string): void {
  const under = paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length))
  const names = under.map((rest) => (rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : rest))
  if (names.length === 0) send(response, 404, { errors: [] })
  else send(response, 200, { data: { keys: [...new Set(names)].sort() } })
}

function send(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
