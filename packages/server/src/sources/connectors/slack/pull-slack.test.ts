import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSafeFetch, type SafeFetch } from '../../../base/safe-fetch.ts'
import type { PullCursor, PulledPage } from '../connector.ts'
import { pullSlack } from './pull-slack.ts'

interface Message {
  ts: string
  [field: string]: unknown
}

const T0 = Date.UTC(2026, 4, 4) / 1000
const at = (seconds: number) => `${T0 + seconds}.000100`
const say = (seconds: number, text: string, more: object = {}): Message => ({
  type: 'message',
  user: 'U1',
  team: 'T1',
  ts: at(seconds),
  text,
  ...more,
})
const id = (seconds: number) => `message/T1/C1/${at(seconds)}`

/** Slack's Web API with one channel that the caller is a member of, and one that it is not. */
const workspace = {
  messages: [] as Message[],
  replies: new Map<string, Message[]>(),
  asked: [] as string[],
  fault: undefined as { status: number; body: object; headers?: Record<string, string> } | undefined,
}

function answer(method: string, given: URLSearchParams): object {
  const oldest = Number(given.get('oldest') ?? 0)
  const latest = Number(given.get('latest') ?? Number.POSITIVE_INFINITY)
  const size = Number(given.get('limit') ?? 100)
  if (method === 'auth.test') return { team_id: 'T1' }
  if (method === 'users.list')
    return { members: [{ id: 'U1', team_id: 'T1', name: 'praman', real_name: 'Priya Raman' }] }
  if (method === 'conversations.list') {
    if (!given.get('cursor')) {
      const general = { id: 'C1', name: 'general', is_member: true }
      return { channels: [general], response_metadata: { next_cursor: 'more' } }
    }
    return { channels: [{ id: 'C2', name: 'closed', is_member: false }], response_metadata: { next_cursor: '' } }
  }
  const all = method === 'conversations.history' ? workspace.messages : (workspace.replies.get(given.get('ts')!) ?? [])
  const found = all
    .filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest)
    .sort((one, other) => Number(other.ts) - Number(one.ts))
  return { messages: found.slice(0, size), has_more: found.length > size }
}

describe('pulling from Slack', () => {
  let base = ''
  let safe: SafeFetch
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const method = request.url?.split('/').at(-1) ?? ''
    workspace.asked.push(method)
    const { fault } = workspace
    response.writeHead(fault?.status ?? 200, { 'content-type': 'application/json', ...fault?.headers })
    const body = fault?.body ?? answer(method, new URLSearchParams(text))
    response.end(JSON.stringify({ ok: true, ...body }))
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
    safe = openSafeFetch({ allowLoopback: true })
  })
  afterAll(async () => {
    await safe.close()
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    Object.assign(workspace, { messages: [], replies: new Map(), asked: [], fault: undefined })
  })
  const pull = async (cursor?: PullCursor, more: { since?: Date; seconds?: number; credential?: string } = {}) => {
    const pages: PulledPage[] = []
    const settings = { config: { base_url: base }, accountId: null }
    const signal = new AbortController().signal
    const now = new Date((T0 + (more.seconds ?? 1_000_000)) * 1000)
    const own = { credential: more.credential ?? 'xoxb-1', since: more.since, now }
    for await (const page of pullSlack({ ...own, settings, cursor, fetch: safe.fetch, signal })) pages.push(page)
    const records = pages.flatMap((page) => page.records)
    const ids = records.map((record) => record.external_id)
    return {
      pages,
      records,
      messages: ids.filter((one) => one.startsWith('message/')),
      ids,
      cursor: pages.at(-1)?.cursor,
    }
  }

  it('people, channels, messages and replies become records', async () => {
    workspace.messages = [
      say(1, 'The ferry sails at noon.', { reply_count: 1, latest_reply: at(3), thread_ts: at(1) }),
      say(2, 'And back at six.'),
    ]
    workspace.replies.set(at(1), [say(3, 'Thanks!', { thread_ts: at(1) })])
    const { ids, records } = await pull()
    expect(ids.sort()).toEqual(['channel/T1/C1', 'channel/T1/C2', 'user/T1/U1', id(1), id(2), id(3)].sort())
    const reply = records.find((record) => record.external_id === id(3))
    expect(reply).toMatchObject({ properties: { channel: '#general', reply_to: id(1), thread: id(1) } })
  })

  it('the next pull returns only messages, edits and replies since the last one', async () => {
    workspace.messages = [say(1, 'One'), say(2, 'Two'), say(3, 'Three')]
    const { cursor } = await pull()
    expect((await pull(cursor)).messages).toEqual([])
    workspace.messages[0] = say(1, 'One, edited', { edited: { ts: at(50) } })
    workspace.messages[1] = say(2, 'Two', { reply_count: 1, latest_reply: at(60), thread_ts: at(2) })
    workspace.replies.set(at(2), [say(60, 'An answer', { thread_ts: at(2) })])
    workspace.messages.push(say(70, 'Four'))
    const next = await pull(cursor)
    expect(next.messages.sort()).toEqual([id(1), id(60), id(70)].sort())
    expect((await pull(next.cursor)).messages).toEqual([])
  })

  it('a reply newer than the channel page does not hide a message', async () => {
    const answered = { reply_count: 1, latest_reply: at(100), thread_ts: at(1) }
    workspace.messages = [say(1, 'One', answered)]
    workspace.replies.set(at(1), [say(100, 'An answer', { thread_ts: at(1) })])
    const { cursor } = await pull(undefined, { seconds: 90 })
    workspace.messages.push(say(95, 'Said between the two questions'))
    expect((await pull(cursor)).messages).toContain(id(95))
  })

  it('an interrupted pull continues backwards, and the next one starts with newer messages', async () => {
    workspace.messages = Array.from({ length: 450 }, (_, n) => say(n + 1, `Number ${n}`))
    const whole = await pull()
    expect(new Set(whole.messages).size).toBe(450)
    const firstPage = whole.pages.find(({ records }) => records.some((one) => one.type === 'message'))
    workspace.messages.push(say(500, 'Meanwhile'))
    const rest = await pull(firstPage?.cursor)
    expect(new Set([...firstPage!.records.map((one) => one.external_id), ...rest.messages]).size).toBe(450)
    expect((await pull(rest.cursor)).messages).toEqual([id(500)])
  })

  it('`since` reads a channel again from that time', async () => {
    workspace.messages = [say(1, 'One'), say(20, 'Two'), say(30, 'Three')]
    const { cursor } = await pull()
    const again = await pull(cursor, { since: new Date((T0 + 10) * 1000) })
    expect(again.messages.sort()).toEqual([id(20), id(30)])
  })

  it('every failure has its reason', async () => {
    const failure = (status: number, body: object = {}, headers: Record<string, string> = {}) => {
      workspace.fault = { status, body, headers }
      return pull().catch((error: unknown) => error)
    }
    const limited = await failure(429, {}, { 'retry-after': '30' })
    expect(limited).toMatchObject({ reason: 'rate_limited', retryAfterMs: 30_000 })
    expect(await failure(200, { ok: false, error: 'invalid_auth' })).toMatchObject({ reason: 'credential_refused' })
    expect(await failure(200, { ok: false, error: 'missing_scope' })).toMatchObject({ reason: 'forbidden' })
    expect(await failure(503)).toMatchObject({ reason: 'provider_failed' })
    expect(await pull(undefined, { credential: '' }).catch((error: unknown) => error)).toMatchObject({
      reason: 'credential_missing',
    })
  })
})
