import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../packages/server/src/base/clock.ts'
import { pickHomeNode } from '../../../packages/server/src/store/cluster/pick-home-node.ts'
import { acquainted, type Node, openNode, sandboxesAt, until } from '../../harness/nodes.ts'
import { newDatabase } from '../../harness/postgres.ts'
import { newSandbox, putRecords, type TestAccount, type TestSandbox } from '../../harness/test-app.ts'

const RUN_MS_MAX = 120_000
const SANDBOXES = 8
/** More records than the buffer for a forwarded body holds. */
const LONG_RECORDS = 2_000

describe("two processes on one PostgreSQL that know each other's address", () => {
  let folder: string
  let nodes: Node[]
  let account: TestAccount
  let sandboxes: TestSandbox[]

  const clusterOf = ({ app }: Node) => app.cairn.app.cluster
  const send = (node: Node, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(node.url + path, {
      method,
      headers: {
        authorization: `Bearer ${account.key}`,
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  /** Returns the log lines of a process for a route. */
  const requestsAt = ({ app }: Node, route: string) =>
    app.logged.map((line) => JSON.parse(line)).filter((line) => line.event === 'request' && line.route?.endsWith(route))
  /** Returns the number of requests that both processes handled: one forwarded them to the other. */
  const sentOn = (route: string) => {
    const [one, other] = nodes.map((node) => requestsAt(node, route).map(({ requestId }) => requestId))
    return one!.filter((id) => other!.includes(id)).length
  }
  /** Returns a sandbox whose home node is this process. */
  const placedAt = (node: Node) => sandboxesAt(node, nodes, sandboxes)[0]!

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-placement-'))
    const { target } = (await newDatabase('postgres')) as { target: { url: string } }
    nodes = [await openNode(target, folder), await openNode(target, folder)]
    await acquainted(nodes)
    account = await nodes[0]!.app.newAccount()
    sandboxes = []
    for (let at = 0; at < SANDBOXES; at += 1) sandboxes.push(await newSandbox(account.call, `Sandbox ${at}`))
    for (const { app } of nodes) app.logged.length = 0
  })
  afterEach(async () => {
    for (const { app } of nodes) await app.cairn.close()
    for (const { sql } of nodes) await sql.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('serve a sandbox in one of them, whichever is asked', async () => {
    const [here, there] = nodes as [Node, Node]
    for (const sandbox of sandboxes) {
      const records = [{ external_id: 'one', type: 'note', text: 'Harbour launches on 17 August.' }]
      expect((await send(here, 'POST', sandbox.records, { records }, { prefer: 'wait=30' })).status).toBe(200)
      const found = await send(there, 'POST', `${sandbox.query}/discover`, { query: 'Harbour' })
      expect(((await found.json()) as { count: number }).count).toBe(1)
    }
    // Each sandbox has one home node, so exactly one of the two requests is forwarded.
    expect(sentOn('/records') + sentOn('/discover')).toBe(SANDBOXES)
  })

  it('check access where the request is answered, and count it once', async () => {
    const [here, there] = nodes as [Node, Node]
    const sandbox = placedAt(there)
    const path = `${sandbox.query}/discover`
    const refused = await send(here, 'POST', path, { query: 'x' }, { authorization: 'Bearer cairn_no-such-key' })
    expect(refused.status).toBe(401)
    const stranger = await here.app.newAccount()
    const unreached = await send(here, 'POST', path, { query: 'x' }, { authorization: `Bearer ${stranger.key}` })
    expect(unreached.status).toBe(404)
    expect((await send(here, 'POST', path, { query: 'x' })).status).toBe(200)
    const used = await here.sql.transact(account.userId, (tx) => tx.selectFrom('usage').select('queries').execute())
    expect(used).toEqual([{ queries: 1 }])
    expect(sentOn('/discover')).toBe(3)
  })

  it('do not trust anybody else who claims that a request was forwarded', async () => {
    const [here, there] = nodes as [Node, Node]
    const sandbox = placedAt(there)
    const forged = `1 ${Date.parse('2026-07-31T12:00:00Z')} https 203.0.113.9 ${Buffer.alloc(32).toString('base64url')}`
    const reply = await send(here, 'POST', `${sandbox.query}/discover`, { query: 'x' }, { 'cairn-node': forged })
    expect(reply.status).toBe(200)
    // The request is forwarded like any other and counts as plain HTTP, so clients cannot spoof the forwarding headers.
    expect(sentOn('/discover')).toBe(1)
    expect(reply.headers.get('strict-transport-security')).toBeNull()
    const unknown = await send(
      here,
      'POST',
      `${sandbox.query}/discover`,
      { query: 'x' },
      { 'cairn-node': forged, authorization: '' },
    )
    expect(unknown.status).toBe(401)
    expect(sentOn('/discover')).toBe(2)
  })

  it('stream forwarded bodies and replies', async () => {
    const [here, there] = nodes as [Node, Node]
    const sandbox = placedAt(there)
    const lines = Array.from({ length: LONG_RECORDS }, (_, at) =>
      JSON.stringify({ external_id: `r${at}`, type: 'note', text: `Note ${at} ${'about the harbour '.repeat(3)}` }),
    )
    const job = await send(here, 'POST', sandbox.records, `${lines.join('\n')}\n`, { prefer: 'wait=60' })
    expect(await job.json()).toMatchObject({ status: 'completed' })
    const [one, other] = await Promise.all(
      nodes.map(async (node) => (await send(node, 'GET', `${sandbox.storage}/export`)).text()),
    )
    expect(one).toBe(other)
    expect(one!.split('\n').filter((line) => line.includes('"record"'))).toHaveLength(LONG_RECORDS)
    const reply = await send(
      here,
      'POST',
      `${sandbox.query}/search`,
      { query: 'harbour' },
      { accept: 'text/event-stream' },
    )
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
    expect(await reply.text()).toContain('event: result')
    expect([sentOn('/records'), sentOn('/export'), sentOn('/search')]).toEqual([1, 1, 1])
  })

  it('do not forward in a loop if an address leads to another process', async () => {
    const [here, there] = nodes as [Node, Node]
    const url = there.url.replace('127.0.0.1', 'localhost')
    await here.sql.transact({ worker: true }, (tx) =>
      tx
        .insertInto('node')
        .values({ id: 'misled', url, role: 'all', beat_until: new Date(systemClock.now().getTime() + RUN_MS_MAX) })
        .execute(),
    )
    await until(() => nodes.every((node) => clusterOf(node).count() === 3))
    const urls = [url, ...nodes.map((node) => node.url)].map((each) => ({ id: each, url: each }))
    const isLost = ({ id }: TestSandbox) => pickHomeNode(id, urls)?.url === url
    let lost = sandboxes.find(isLost)
    for (let at = 0; !lost; at += 1) lost = [await newSandbox(account.call, `More ${at}`)].find(isLost)
    for (const { app } of nodes) app.logged.length = 0
    expect((await send(here, 'POST', `${lost.query}/discover`, { query: 'x' })).status).toBe(200)
    expect(nodes.map((node) => requestsAt(node, '/discover').length)).toEqual([1, 1])
  })

  it('do not mark each other as failed because a caller disconnects', async () => {
    const [here, there] = nodes as [Node, Node]
    const sandbox = placedAt(there)
    const line = `${JSON.stringify({ external_id: 'one', type: 'note', text: 'Harbour launches.' })}\n`
    const { hostname, port } = new URL(here.url)
    const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/x-ndjson' }
    const cut = request({ hostname, port, method: 'POST', path: sandbox.records, headers })
    const ended = new Promise((resolve) => cut.once('error', resolve))
    cut.write(line)
    // Wait until the line has been forwarded.
    await sleep(500)
    cut.destroy()
    await ended
    await sleep(500)
    expect((await send(here, 'POST', `${sandbox.query}/discover`, { query: 'x' })).status).toBe(200)
    expect(sentOn('/discover')).toBe(1)
  })

  it('keep a customer-managed key where it arrived', async () => {
    const [here, there] = nodes as [Node, Node]
    const sandbox = placedAt(there)
    const key = Buffer.alloc(32, 'k').toString('base64')
    await send(here, 'POST', `${sandbox.query}/discover`, { query: 'x' }, { 'x-encryption-key': key })
    expect(requestsAt(there, '/discover')).toHaveLength(0)
  })

  it('take over when one dies, and move only its sandboxes', async () => {
    const [here, there] = nodes as [Node, Node]
    const [own, moved] = [placedAt(here), placedAt(there)]
    await putRecords(account.call, moved, [{ external_id: 'one', type: 'note', text: 'Harbour launches.' }])
    // The process no longer sends heartbeats or replies.
    const { cluster } = there.app.cairn.app
    await there.app.cairn.http.close(0)
    const found = await send(here, 'POST', `${moved.query}/discover`, { query: 'Harbour' })
    expect(((await found.json()) as { count: number }).count).toBe(1)
    expect(
      here.app.logged.filter((line) => line.includes('forwarding a request to the home node failed')),
    ).toHaveLength(1)
    await cluster.stop()
    await until(() => clusterOf(here).count() === 1)
    expect(clusterOf(here).isLocal(moved.id)).toBe(true)
    expect(clusterOf(here).isLocal(own.id)).toBe(true)
  })

  it('release their home nodes before they stop', async () => {
    const [here, there] = nodes as [Node, Node]
    const moved = placedAt(there)
    await putRecords(account.call, moved, [{ external_id: 'one', type: 'note', text: 'Harbour launches.' }])
    const draining = there.app.cairn.drain()
    await until(() => clusterOf(here).homeNodeOf(moved.id) === undefined)
    const headers = { prefer: 'wait=30' }
    const records = [{ external_id: 'two', type: 'note', text: 'Harbour is delayed.' }]
    const fromMs = performance.now()
    expect((await send(here, 'POST', moved.records, { records }, headers)).status).toBe(200)
    expect(performance.now() - fromMs).toBeLessThan(5_000)
    await draining
  })
})
