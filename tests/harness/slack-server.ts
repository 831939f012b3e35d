import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failAs, type HostFault } from './github-server.ts'

/** A fake Slack Web API on loopback. Workspaces are created on first access. */
export interface SlackServer {
  /** Returns the base URL of a workspace's API. */
  urlOf(team: string): string
  readonly workspaces: Map<string, Workspace>
  /** Returns the failure mode of the next reply for a workspace. */
  fault: (team: string) => HostFault | undefined
  /** Maximum number of concurrent requests seen for one workspace. */
  overlap: number
  close(): Promise<void>
}

/** A workspace with one channel, `C1`, that the token's owner is a member of. */
export interface Workspace {
  messages: SlackMessage[]
  /** Replies by the message that they answer. */
  replies: Map<string, SlackMessage[]>
}

/** A message with its Slack timestamp in seconds. */
export interface SlackMessage {
  ts: string
  [field: string]: unknown
}

/** Starts a chat server on a free port. */
export async function openSlackServer(): Promise<SlackServer> {
  const open = new Map<string, number>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const [, team = '', , method = ''] = (request.url ?? '').split('/')
    open.set(team, (open.get(team) ?? 0) + 1)
    host.overlap = Math.max(host.overlap, open.get(team) ?? 0)
    response.once('close', () => open.set(team, (open.get(team) ?? 1) - 1))
    const fault = host.fault(team)
    if (fault) return failAs(response, fault)
    const body = answer(team, method, new URLSearchParams(text), host.workspaces.get(team))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const host: SlackServer = {
    urlOf: (team) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${team}/api/`,
    workspaces: new Map(),
    fault: () => undefined,
    overlap: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return host
}

function answer(team: string, method: string, given: URLSearchParams, held: Workspace | undefined): object {
  if (!held) return { ok: false, error: 'invalid_auth' }
  if (method === 'auth.test') return { ok: true, team_id: team }
  if (method === 'users.list') {
    return { ok: true, members: [{ id: 'U1', team_id: team, name: 'praman', real_name: 'Priya Raman' }] }
  }
  if (method === 'conversations.list') {
    const channels = [{ id: 'C1', name: 'general', is_member: true }]
    return { ok: true, channels, response_metadata: { next_cursor: '' } }
  }
  const parent = given.get('ts') ?? ''
  const all =
    method === 'conversations.history' ? held.messages.map((one) => withAnswers(one, held)) : held.replies.get(parent)
  const oldest = Number(given.get('oldest') ?? 0)
  const latest = Number(given.get('latest') ?? Number.POSITIVE_INFINITY)
  const found = (all ?? [])
    .filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest)
    .sort((one, other) => Number(other.ts) - Number(one.ts))
  const size = Number(given.get('limit') ?? 100)
  return { ok: true, messages: found.slice(0, size), has_more: found.length > size }
}

function withAnswers(one: SlackMessage, { replies }: Workspace): SlackMessage {
  const answers = replies.get(one.ts)
  if (!answers) return one
  return { ...one, thread_ts: one.ts, reply_count: answers.length, latest_reply: answers.at(-1)?.ts }
}
