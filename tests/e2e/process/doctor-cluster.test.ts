import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withClient } from '../../../packages/server/src/db/engine.ts'
import { openEngine, sqlOn } from '../../../packages/server/src/db/open.ts'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { compile } from '../../../scripts/build.mjs'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { freePort } from '../../harness/free-port.mjs'
import { BUCKET, type ObjectStore, openObjectStore } from '../../harness/object-store.ts'
import { newDatabase } from '../../harness/postgres.ts'

const KEY = newApiKey()
const WAIT = { interval: 200 }

interface Found {
  about: string
  is_good: boolean
  sentence: string
}

let folder: string
let store: ObjectStore
let database: string
let nodes: { url: string; child: Child }[]
let shared: Record<string, string>

beforeAll(async () => {
  compile()
  folder = mkdtempSync(join(tmpdir(), 'cairn-doctors-'))
  store = await openObjectStore()
  database = ((await newDatabase('postgres')).target as { url: string }).url
  shared = {
    DATABASE_URL: database,
    STORAGE_URL: `s3://${BUCKET}/doctor`,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
    CAIRN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    CAIRN_METRICS_KEY: 'a-key-for-the-metrics-alone',
    CAIRN_BOOTSTRAP_API_KEY: KEY,
  }
  nodes = []
  for (const at of [0, 1]) {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const own = { CAIRN_DATA: join(folder, `node-${at}`), CAIRN_PORT: String(port), CAIRN_NODE_URL: url }
    const child = startProgram([], { ...shared, ...own })
    await addressOf(child)
    nodes.push({ url, child })
  }
})
afterAll(async () => {
  for (const { child } of nodes) child.process.kill('SIGKILL')
  await Promise.all(nodes.map(({ child }) => child.ended))
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function look(settings: Record<string, string> = {}): Promise<Found[]> {
  const own = { CAIRN_DATA: join(folder, 'mine'), ...shared, ...settings }
  const { code, stdout, stderr } = await runCommand(CLI_BIN, ['doctor', '--cluster', '--json'], folder, own)
  const found: Found[] = JSON.parse(stdout)
  expect([code, stderr]).toEqual([found.every(({ is_good }) => is_good) ? 0 : 1, ''])
  return found
}
const wrongs = async (settings?: Record<string, string>) =>
  (await look(settings)).filter(({ is_good }) => !is_good).map(({ about, sentence }) => `${about}: ${sentence}`)

/** Changes rows of an account, or rows without an account. */
async function change(text: string, userId: string | null = null): Promise<void> {
  const engine = await openEngine({ url: database })
  if (userId === null) await withClient(engine, (client) => client.query(text, []))
  else await sqlOn(engine).transact(userId, (tx) => sql.raw(text).execute(tx))
  await engine.close()
}

it('cairn doctor --cluster reports each process, the leases, the waiting work and shared resources', async () => {
  const found = await look()
  const report = found.map(({ about, sentence }) => `${about}: ${sentence}`).join('\n')
  expect(found.filter(({ is_good }) => !is_good)).toEqual([])
  for (const { url } of nodes) {
    expect(report).toMatch(
      new RegExp(`nodes: ${url} is ready \\(\\d+ ms\\), last heartbeat [0-4]\\.\\d s ago, \\d+ % of its memory`),
    )
    expect(report).toMatch(
      new RegExp(`graphs: ${url} holds 0 graphs in 0 of \\d+ MiB, 0 of them with another home node`),
    )
  }
  expect(report).toMatch(/migrations: \d+ migrations have run, all that this version needs/)
  expect(report).toMatch(/version: All processes run version \d+\.\d+\.\d+/)
  expect(report).toMatch(/waiting: 0 records wait/)
  expect(report).toMatch(/database: \d+ of \d+ connections to PostgreSQL are in use/)
  expect(report).toMatch(/store: The bucket answers a listing in \d+ ms/)
  expect(report).toMatch(/clock: This machine's clock is 0\.\d s from the database's/)
  // Without the key it reports what it could not check.
  const closed = await look({ CAIRN_METRICS_KEY: '' })
  const [node] = closed.filter(({ about }) => about === 'nodes')
  // Metrics need no key from loopback.
  expect(node?.is_good).toBe(true)
})

it('reports each problem and how to fix it', async () => {
  expect(await wrongs({ DATABASE_URL: '', STORAGE_URL: '' })).toEqual([
    expect.stringMatching(/DATABASE_URL is not set/),
  ])
  const nowhere = new URL(database)
  nowhere.port = '9'
  expect(await wrongs({ DATABASE_URL: nowhere.href })).toEqual([
    expect.stringMatching(/^database: The database cannot be queried .*: start it, or correct DATABASE_URL/),
  ])
  expect(await wrongs({ S3_ENDPOINT: 'http://127.0.0.1:9' })).toEqual([
    expect.stringMatching(/^store: The bucket does not answer: check STORAGE_URL/),
  ])
  expect(await wrongs({ AWS_ACCESS_KEY_ID: 'another' })).toEqual([
    expect.stringMatching(/^store: The bucket answers 403: check STORAGE_URL/),
  ])

  await change(`insert into migration (number, name, checksum, applied_at) values (9999, '9999-x.sql', '', now())`)
  expect(await wrongs()).toEqual([expect.stringMatching(/^migrations: .* this program knows \d+: run the newer one/)])
  await change('delete from migration where number = 9999')
  const first = 'select checksum from migration where number = 1'
  await change(`create table kept as ${first}; update migration set checksum = 'x' where number = 1`)
  expect(await wrongs()).toEqual([expect.stringMatching(/^migrations: 0001-accounts.sql was changed after it ran/)])
  await change('update migration set checksum = (select checksum from kept) where number = 1; drop table kept')
  expect(await wrongs()).toEqual([])

  const asGate = (text: string) =>
    change(`begin; set local role cairn_gate; set local app.worker = 'on'; ${text}; commit`)
  await asGate(
    `insert into node (id, url, beat_until, role)
     select 'another-process', url, now() + interval '1 hour', role from node where url = '${nodes[0]!.url}'`,
  )
  expect(await wrongs()).toEqual([
    expect.stringMatching(
      /^nodes: 2 processes \(.*another-.*\) report the same address http.*give each its own CAIRN_NODE/,
    ),
  ])
  await asGate("delete from node where id = 'another-process'")

  // Simulates a lease of an unknown process and a batch that was given up.
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Examined', owner_id: 'one' })
  const made = await fetch(`${nodes[0]!.url}/api/v1/storage/sandboxes`, { method: 'POST', headers, body })
  expect(made.status).toBe(201)
  const { user_id: userId } = (await made.json()) as { user_id: string }
  const waits = (attempts: number) =>
    `insert into inbox (user_id, sandbox_id, kind, payload, record_count, attempts, received_at)
     select user_id, id, 'records', '{}', 3, ${attempts}, now() - interval '5 minutes' from sandbox`
  const lease = (owner: string, until: string) =>
    `update sandbox_head set lease_owner = ${owner}, lease_until = ${until}`
  await change(lease("'a-process-that-was'", "now() + interval '1 hour'"), userId)
  await change(waits(0), userId)
  await change(waits(5), userId)
  expect(await wrongs()).toEqual([
    expect.stringMatching(/^leases: process a-proces holds 1: it sends no heartbeat; leases expire within 15 seconds/),
    expect.stringMatching(/^waiting: 3 records wait, the oldest for 3\d\d s: look for `apply failed` in the logs/),
    expect.stringMatching(/^given up: 3 records could not be applied after five attempts: they are still stored/),
  ])
  await change('delete from inbox', userId)
  await change(lease('null', 'null'), userId)
  expect(await wrongs()).toEqual([])

  // A node that does not reply, before and after it counts as dead. The other one is stopped too, so that nobody takes
  // over meanwhile.
  const [dies, stays] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  stays.child.process.kill('SIGSTOP')
  dies.child.process.kill('SIGKILL')
  await dies.child.ended
  await expect
    .poll(wrongs, WAIT)
    .toEqual(
      expect.arrayContaining([expect.stringMatching(`^nodes: ${dies.url} is dead, last heartbeat [0-9.]+ s ago: .*`)]),
    )
  stays.child.process.kill('SIGCONT')
  await expect.poll(wrongs, WAIT).toEqual([])
  expect((await look()).filter(({ about }) => about === 'nodes')).toHaveLength(1)
})
