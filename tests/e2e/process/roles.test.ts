import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { CLI_BIN, runCommand } from '../../harness/command.ts'
import { freePort } from '../../harness/free-port.mjs'
import { withKey } from '../../harness/keyed.ts'
import { BUCKET, type ObjectStore, openObjectStore } from '../../harness/object-store.ts'
import { newDatabase } from '../../harness/postgres.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, putRecords } from '../../harness/test-app.ts'

/** Polling interval while waiting for a killed process to be detected. */
const SOON = { interval: 200 }
const note = (id: string) => ({ external_id: id, type: 'note', text: `Harbour and ${id} launch on 17 August.` })

interface Running {
  process: RealProcess
  call: Call
  close(): void
}

let store: ObjectStore
let sql: Sql
let shared: Record<string, string>
let running: Running[]

const start = async (role: 'api' | 'worker'): Promise<Running> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const own = { CAIRN_ROLE: role, CAIRN_PORT: String(port), CAIRN_NODE_URL: url }
  const process = await startProcess({ ...shared, ...own }, { apiKey: shared.KEY ?? '' })
  const { send, close } = openSender(process, 8)
  const one = { process, call: callOver(send), close }
  running.push(one)
  return one
}
const kill = async (one: Running) => {
  one.close()
  running = running.filter((other) => other !== one)
  await one.process.kill()
}
/** Returns the sum of a metric of a process over all labels. */
const counted = async ({ call }: Running, name: string): Promise<number> => {
  const { body } = await call('GET', '/metrics')
  const lines = String(body)
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
const leaseOf = async (sandboxId: string) => {
  const rows = await sql.transact({ worker: true }, (tx) =>
    tx.selectFrom('sandbox_head').select('lease_until').where('sandbox_id', '=', sandboxId).execute(),
  )
  return rows[0]?.lease_until
}

beforeEach(async () => {
  running = []
  store = await openObjectStore()
  const { target } = (await newDatabase('postgres')) as { target: { url: string } }
  sql = await openSql(target)
  shared = {
    KEY: newApiKey(),
    CAIRN_ENCODER: 'off',
    CAIRN_LOG_LEVEL: 'silent',
    CAIRN_METRICS_OPEN: 'on',
    CAIRN_MASTER_KEY: randomBytes(32).toString('base64'),
    DATABASE_URL: target.url,
    STORAGE_URL: `s3://${BUCKET}/k`,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
})
afterEach(async () => {
  for (const { process, close } of running) {
    close()
    await process.stop()
  }
  await sql.close()
  await store.close()
})

it('one process serves and the other works, and neither waits for the other’s lease', async () => {
  const api = await start('api')
  const worker = await start('worker')
  await expect.poll(() => counted(api, 'cairn_workers'), SOON).toBe(1)
  const { call } = api
  const sandbox = await newSandbox(call, 'Split')
  await putRecords(call, sandbox, [note('one'), note('two')])
  const asked = () => call('POST', `${sandbox.query}/discover`, { query: 'When does Harbour launch?' })
  expect((await asked()).body.count).toBe(2)
  await expect.poll(() => counted(worker, 'cairn_records_total'), SOON).toBe(2)
  expect(await counted(api, 'cairn_records_total')).toBe(0)
  await expect.poll(() => leaseOf(sandbox.id), SOON).toBeNull()

  const { body: list } = await call('GET', `${sandbox.storage}/records`)
  const gone = await call('DELETE', `${sandbox.storage}/records/${list.records[0].record_id}`)
  expect(gone.status).toBe(200)
  expect((await asked()).body.count).toBe(1)
  expect((await call('POST', `${sandbox.storage}/sources/${sandbox.source}/purge`, {})).status).toBeLessThan(300)
  await expect.poll(async () => (await asked()).body.count, SOON).toBe(0)

  const refused = await worker.call('POST', `${sandbox.query}/discover`, { query: 'x' })
  expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('CAIRN_ROLE=worker') } })
  const forged = await worker.call('POST', `${sandbox.query}/discover`, { query: 'x' }, { 'cairn-node': 'x' })
  expect(forged.status).toBe(503)
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await worker.call('GET', path)).status).toBe(200)
})

it('encrypted content is processed by the process that has the key', async () => {
  const api = await start('api')
  const worker = await start('worker')
  await expect.poll(() => counted(api, 'cairn_workers'), SOON).toBe(1)
  const keyed = withKey(api.call, randomBytes(32))
  const sandbox = await newSandbox(keyed, 'Keyed')
  await putRecords(keyed, sandbox, [note('sealed')])
  expect((await keyed('POST', `${sandbox.query}/discover`, { query: 'Harbour' })).body.count).toBe(1)
  await expect.poll(() => counted(api, 'cairn_records_total'), SOON).toBe(1)
  expect(await counted(worker, 'cairn_records_total')).toBe(0)
})

it('without a worker everything is accepted and nothing applied, and this is reported', async () => {
  const api = await start('api')
  const worker = await start('worker')
  await expect.poll(() => counted(api, 'cairn_workers'), SOON).toBe(1)
  const { call } = api
  const doctor = () =>
    runCommand(CLI_BIN, ['doctor'], '/', { CAIRN_URL: api.process.url, CAIRN_API_KEY: shared.KEY ?? '' })
  const sandbox = await newSandbox(call, 'Left')
  await putRecords(call, sandbox, [note('before')])
  expect((await call('GET', '/readyz')).body).toEqual({ status: 'ok' })
  await kill(worker)
  await expect.poll(() => counted(api, 'cairn_workers'), SOON).toBe(0)
  const waiting = await call('POST', sandbox.records, { records: [note('after')] }, { prefer: 'wait=2' })
  expect(waiting.status).toBe(202)
  expect((await call('GET', '/readyz')).body).toMatchObject({
    status: 'ok',
    warnings: [expect.stringContaining('No process on this database does background work')],
  })
  expect((await doctor()).stdout).toContain('No process on this database does background work')
  expect((await call('POST', `${sandbox.query}/discover`, { query: 'Harbour' })).body.count).toBe(1)
  await start('worker')
  await expect
    .poll(async () => (await call('POST', `${sandbox.query}/discover`, { query: 'Harbour' })).body.count, SOON)
    .toBe(2)
})
