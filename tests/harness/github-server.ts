import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sha256 } from '../../packages/server/src/base/digest.ts'

/** Failure modes of a fake code host: no reply, rate limit, server error, interrupted reply, truncated JSON. */
export type HostFault = 'hangs' | 'asks to wait' | 'breaks' | 'breaks off' | 'tears'

/** A fake GitHub REST API on loopback. Repositories are created on first access. */
export interface GithubServer {
  readonly url: string
  readonly repositories: Map<string, Repository>
  /** Every requested path with its query and reply status. */
  readonly asked: { path: string; status: number; authorization: string | undefined }[]
  /** Delay of each reply in milliseconds. */
  delayMs: number
  /** Returns the failure mode of the next reply for a repository. */
  fault: (repository: string) => HostFault | undefined
  /** Maximum number of concurrent requests seen for one repository. */
  overlap: number
  close(): Promise<void>
}

/** Content of a repository. */
export interface Repository {
  issues: Item[]
  comments: Item[]
  commits: Item[]
}

/** An item with the time of its last change. */
export interface Item {
  updated_at: string
  [field: string]: unknown
}

const RETRY_AFTER_SECONDS = '120'

/** Starts a code host on a free port. */
export async function openGithubServer(): Promise<GithubServer> {
  const open = new Map<string, number>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host')
    const [, owner, name] = /^\/repos\/([^/]+)\/([^/]+)/.exec(url.pathname) ?? []
    const key = `${owner}/${name}`
    open.set(key, (open.get(key) ?? 0) + 1)
    host.overlap = Math.max(host.overlap, open.get(key) ?? 0)
    response.once('close', () => {
      open.set(key, (open.get(key) ?? 1) - 1)
      const { authorization } = request.headers
      host.asked.push({ path: `${url.pathname}${url.search}`, status: response.statusCode, authorization })
    })
    const fault = host.fault(key)
    if (fault) failAs(response, fault)
    else setTimeout(() => answer(request, response, url, key, host.repositories.get(key)), host.delayMs)
  })
  const host: GithubServer = {
    url: '',
    repositories: new Map(),
    asked: [],
    delayMs: 0,
    fault: () => undefined,
    overlap: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(host, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Sends a failing reply. `hangs` sends nothing. */
export function failAs(response: ServerResponse, fault: HostFault): void {
  if (fault === 'hangs') return
  if (fault === 'asks to wait') send(response, 429, { message: 'Slow down' }, { 'retry-after': RETRY_AFTER_SECONDS })
  else if (fault === 'breaks') send(response, 500, { message: 'Server Error' })
  else if (fault === 'tears') response.writeHead(200, { 'content-type': 'application/json' }).end('[{"number": 1, "ti')
  else {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('[{"number": 1', () => response.destroy())
  }
}

function answer(request: IncomingMessage, response: ServerResponse, url: URL, key: string, held?: Repository): void {
  if (held) answerFrom(request, response, url, key, held)
  else send(response, 404, { message: 'Not Found' })
}

function answerFrom(request: IncomingMessage, response: ServerResponse, url: URL, key: string, held: Repository): void {
  const rest = url.pathname.replace(`/repos/${key}`, '')
  const full = { id: 7, name: key.split('/')[1], full_name: key, html_url: `https://github.com/${key}` }
  if (rest === '') send(response, 200, full)
  else if (rest.startsWith('/pulls/') && rest !== '/pulls/comments') {
    const found = held.issues.find((one) => String(one.number) === rest.slice('/pulls/'.length))
    send(response, found ? 200 : 404, { ...found, head: { ref: 'branch' }, merged_at: null })
  } else sendListing(request, response, url, rest, held)
}

function sendListing(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  rest: string,
  held: Repository,
): void {
  const isRising = url.searchParams.get('direction') === 'asc'
  const listed = { '/issues': held.issues, '/issues/comments': held.comments, '/commits': held.commits }[rest] ?? []
  const since = Date.parse(url.searchParams.get('since') ?? '1970-01-01T00:00:00Z')
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const first = (Number(url.searchParams.get('page') ?? 1) - 1) * size
  const items = listed
    .filter((one) => Date.parse(one.updated_at) >= since)
    .sort((one, other) => (isRising ? 1 : -1) * (Date.parse(one.updated_at) - Date.parse(other.updated_at)))
    .slice(first, first + size)
  const etag = `"${sha256(JSON.stringify(items)).toString('hex')}"`
  if (request.headers['if-none-match'] === etag) send(response, 304)
  else send(response, 200, items, { etag })
}

function send(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Returns an issue as the API lists it. */
export function issueOf(repository: string, number: number, updatedAt: Date, more: object = {}): Item {
  return {
    id: number,
    number,
    title: `Issue ${number}`,
    body: `What issue ${number} says.`,
    state: 'open',
    html_url: `https://github.com/${repository}/issues/${number}`,
    user: { login: 'praman', id: 1, type: 'User', html_url: 'https://github.com/praman' },
    created_at: '2026-01-01T00:00:00Z',
    updated_at: updatedAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    ...more,
  }
}
