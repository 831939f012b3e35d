import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, expect, it } from 'vitest'
import { chanceFrom } from '../../harness/chance.ts'
import { type GithubServer, issueOf, openGithubServer } from '../../harness/github-server.ts'
import { issue } from '../../harness/hook.ts'
import { type LinearToolServer, openLinearToolServer } from '../../harness/linear-tool-server.ts'
import { newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Answer, type Call, newSandbox, TEST_MASTER_KEY } from '../../harness/test-app.ts'
import { openToolServer, type ToolServer } from '../../harness/tool-server.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 4)
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(performance.timeOrigin % 1_000_000))
const LIFE_MS = { least: 300, most: 3_000 }
const SENDERS = 4
/**
 * Polling interval. A lease lasts a minute, and with a database server only expiry releases the lease of a killed
 * process.
 */
const SETTLE = { interval: 500 }
const REPOSITORIES = ['acme/ferries', 'acme/quays']

/**
 * External products that keep running while the service dies. At the end the service must have everything they hold.
 */
interface Products {
  host: GithubServer
  tools: ToolServer
  tracker: LinearToolServer
  /** Content of each product: external ids and titles. */
  held: Map<string, string>
  /** Adds something new to each product. */
  advance(): void
  close(): Promise<unknown>
}

async function openProducts(): Promise<Products> {
  const [host, tools, tracker] = await Promise.all([openGithubServer(), openToolServer(), openLinearToolServer()])
  // Delay long enough that some kills happen between a request and its reply.
  host.delayMs = 40
  for (const name of REPOSITORIES) host.repositories.set(name, { issues: [], comments: [], commits: [] })
  const deploys: object[] = []
  tools.tools = [{ name: 'list_deploys', inputSchema: { type: 'object' } }]
  tools.call = () => ({ content: [{ type: 'text', text: JSON.stringify(deploys) }] })
  tracker.teams = [{ id: 'team-1', name: 'Harbour', updatedAt: '2026-01-01T00:00:00.000Z' }]
  const held = new Map<string, string>()
  let n = 0
  const advance = () => {
    n += 1
    for (const repository of REPOSITORIES) {
      const title = `Ferry ${n}`
      host.repositories.get(repository)?.issues.push(issueOf(repository, n, new Date(), { title }))
      held.set(`issue/${repository}#${n}`, title)
    }
    deploys.push({ id: `deploy-${n}`, title: `Deploy ${n}` })
    held.set(`deploy-${n}`, `Deploy ${n}`)
    const at = new Date().toISOString()
    const id = `HRB-${n}`
    tracker.issues.push({ id, uuid: `uuid-${n}`, title: `Quay ${n}`, createdAt: at, updatedAt: at, teamId: 'team-1' })
    held.set(`issue/uuid-${n}`, `Quay ${n}`)
  }
  return {
    host,
    tools,
    tracker,
    held,
    advance,
    close: () => Promise.all([host.close(), tools.close(), tracker.close()]),
  }
}

const opened: { products?: Products; cairn?: RealProcess; folder?: string } = {}
afterEach(async () => {
  await opened.cairn?.kill()
  await opened.products?.close()
  if (opened.folder) rmSync(opened.folder, { recursive: true, force: true })
})

it.each(RUN_ON)('on %s, killed processes lose and duplicate nothing that sources sent or hold', async (kind) => {
  const chance = chanceFrom(SEED)
  console.log(`${KILLS} kills, seed ${SEED}`)
  const products = await openProducts()
  opened.products = products
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sources-'))
  opened.folder = folder
  const database = kind === 'postgres' && (await newDatabase(kind)).target
  const url = database && 'url' in database ? database.url : undefined
  const env = {
    CAIRN_ALLOW_LOOPBACK: 'on',
    CAIRN_MASTER_KEY: TEST_MASTER_KEY,
    CAIRN_LINEAR_MCP_URL: products.tracker.url,
    ...(url && { DATABASE_URL: url }),
  }
  let apiKey: string | undefined
  const start = async () => {
    const cairn = await startProcess(env, { folder, ...(apiKey && { apiKey }) })
    apiKey = cairn.apiKey
    opened.cairn = cairn
    const { send, close } = openSender(cairn, 16)
    return { cairn, call: callOver(send) as Call, close }
  }
  const first = await start()
  const sandbox = await newSandbox(first.call)
  const sources = await register(first.call, sandbox.storage, products)
  const { hook, pulled } = sources
  const post = (call: Call, n: number) =>
    call('POST', new URL(hook.webhook_url).pathname, issue(n, `Rotate key ${n}`), {
      authorization: `Bearer ${hook.webhook_signing_secret}`,
      'x-github-event': 'issues',
      'x-github-delivery': `delivery-${n}`,
    })

  const acknowledged = new Map<number, number[]>()
  const unknown: number[] = []
  let sent = 0
  /** Sends events as a provider does: an event without a reply is sent again with its id. */
  const deliver = async (call: Call, isOver: () => boolean) => {
    while (!isOver()) {
      const n = unknown.shift() ?? ++sent
      const reply = await post(call, n).catch(() => undefined)
      if (reply && [200, 204].includes(reply.status))
        acknowledged.set(n, [...(acknowledged.get(n) ?? []), reply.status])
      else unknown.push(n)
    }
  }
  const pull = async (call: Call, isOver: () => boolean) => {
    while (!isOver()) {
      products.advance()
      for (const id of pulled) await call('POST', `${sandbox.storage}/sources/${id}/pull`).catch(() => undefined)
      await sleep(100)
    }
  }

  let life = first
  for (let kill = 1; kill <= KILLS; kill += 1) {
    let isOver = false
    const over = () => isOver
    const work = [...Array.from({ length: SENDERS }, () => deliver(life.call, over)), pull(life.call, over)]
    await sleep(LIFE_MS.least + chance() * (LIFE_MS.most - LIFE_MS.least))
    await life.cairn.kill()
    isOver = true
    await Promise.all(work)
    life.close()
    // With a database server, every other restart finds expired leases of the dead process. The last one has to wait.
    if (url && kill % 2 === 1) await letLeasesRunOut(url)
    life = await start()
  }

  const { call } = life
  while (unknown.length > 0) await deliver(call, () => unknown.length === 0)
  for (const statuses of acknowledged.values()) {
    expect(statuses.filter((status) => status === 204).length).toBeLessThanOrEqual(1)
  }
  const runsOf = async (id: string): Promise<Answer['body'][]> =>
    (await call('GET', `${sandbox.storage}/sources/${id}/runs`)).body.runs
  const sourceOf = async (id: string) => (await call('GET', `${sandbox.storage}/sources/${id}`)).body
  const pullToEnd = async (id: string) => {
    const { body } = await call('POST', `${sandbox.storage}/sources/${id}/pull`)
    const status = async () => (await runsOf(id)).find((run) => run.job_id === body.job_id)?.status
    await expect.poll(status, SETTLE).toBe('completed')
  }
  await Promise.all(pulled.map(pullToEnd))
  // Pull once more for items created while interrupted work was finished.
  await Promise.all(pulled.map(pullToEnd))
  const wanted = new Map(products.held)
  for (const n of acknowledged.keys()) wanted.set(`issue/acme/api#${n}`, `Rotate key ${n}`)
  const exported = async () => {
    const { body } = await call('GET', `${sandbox.storage}/export`)
    const records = String(body)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter((line) => line.kind === 'record')
    expect(new Set(records.map((record) => record.external_id)).size).toBe(records.length)
    return new Map<string, string>(records.map((record) => [record.external_id, record.title]))
  }
  await expect
    .poll(async () => {
      const there = await exported()
      return [...wanted].filter(([id, title]) => there.get(id) !== title)
    }, SETTLE)
    .toEqual([])
  const received = (runs: Answer['body'][]) => runs.reduce((sum, run) => sum + run.counts.received, 0)
  await expect.poll(async () => received(await runsOf(hook.data_source_id)), SETTLE).toBe(acknowledged.size)
  for (const id of pulled) {
    const { status, last_error: lastError } = await sourceOf(id)
    expect({ status, lastError }).toEqual({ status: 'active', lastError: undefined })
    const runs = await runsOf(id)
    expect(runs.filter((run) => !['completed', 'failed'].includes(run.status))).toEqual([])
    // No run repeated writes of another run, because cursor and records are stored together.
    const own = [...products.held.keys()].filter((key) => sources.isOf(id, key)).length
    expect(runs.reduce((sum, run) => sum + run.counts.written, 0)).toBe(own + sources.more(id))
  }
  life.close()
})

/** Registers one source of each ingestion kind. */
async function register(call: Call, storage: string, products: Products) {
  const made = async (path: string, body: object) => {
    const reply = await call('POST', `${storage}/sources${path}`, body)
    expect(reply.status).toBe(201)
    return reply.body
  }
  const hook = await made('', { provider: 'github', name: 'Hook', ingestion_mode: 'realtime' })
  const repositories = { base_url: products.host.url, repositories: REPOSITORIES }
  const code = await made('', {
    provider: 'github',
    name: 'Code',
    ingestion_mode: 'polling',
    poll_interval_seconds: 60,
    adapter_config: repositories,
  })
  const tools = await made('/user-mcp', {
    name: 'Tools',
    base_url: products.tools.url,
    auth_kind: 'none',
    rate_cap_per_minute: 600,
    ingest_tool_calls: [{ tool: 'list_deploys' }],
  })
  const tracker = await made('/linear', { api_key: 'lin_api_test', rate_cap_per_minute: 600 })
  const [codeId, toolsId, trackerId] = [code.data_source_id, tools.data_source_id, tracker.data_source_id] as string[]
  return {
    hook,
    pulled: [codeId!, toolsId!, trackerId!],
    isOf: (id: string, key: string) =>
      id === (key.startsWith('deploy') ? toolsId : key.startsWith('issue/uuid') ? trackerId : codeId),
    /** Returns the number of records not counted in `held`: the tracker's team. */
    more: (id: string) => (id === trackerId ? 1 : 0),
  }
}

/** Simulates that a minute has passed since the process was killed. */
async function letLeasesRunOut(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("update source set poll_until = now() - interval '1 second' where poll_until is not null")
  await client.query("update sandbox_head set lease_until = now() - interval '1 second' where lease_until is not null")
  await client.end()
}
