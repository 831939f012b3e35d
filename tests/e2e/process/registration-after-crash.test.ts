import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { type LinearToolServer, openLinearToolServer } from '../../harness/linear-tool-server.ts'
import { newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, TEST_MASTER_KEY } from '../../harness/test-app.ts'

const RUN_MS_MAX = 600_000
/** Polling interval; the idempotency key of a dead process expires after a minute. */
const SETTLE = { interval: 500 }
/**
 * Milliseconds between the tracker's reply and the kill: from before the row is written to after the service's reply.
 */
const KILLED_AFTER_MS = [0, 8, 40]

const opened: { tracker?: LinearToolServer; cairn?: RealProcess; folder?: string } = {}
afterEach(async () => {
  await opened.cairn?.kill()
  await opened.tracker?.close()
  if (opened.folder) rmSync(opened.folder, { recursive: true, force: true })
})

it.each(RUN_ON)(
  'on %s, a killed registration is complete or absent, and exists once after its repeat',
  async (kind) => {
    const tracker = await openLinearToolServer()
    tracker.teams = [{ id: 't-1', name: 'Harbour', updatedAt: '2026-01-01T00:00:00.000Z' }]
    opened.tracker = tracker
    const folder = mkdtempSync(join(tmpdir(), 'cairn-registering-'))
    opened.folder = folder
    const database = kind === 'postgres' && (await newDatabase(kind)).target
    const env = {
      CAIRN_MASTER_KEY: TEST_MASTER_KEY,
      CAIRN_LINEAR_MCP_URL: tracker.url,
      ...(database && 'url' in database && { DATABASE_URL: database.url }),
    }
    let apiKey: string | undefined
    const start = async () => {
      const cairn = await startProcess(env, { folder, ...(apiKey && { apiKey }) })
      apiKey = cairn.apiKey
      opened.cairn = cairn
      const { send, close } = openSender(cairn, 4)
      return { cairn, call: callOver(send) as Call, close }
    }
    let life = await start()
    const sandbox = await newSandbox(life.call)
    const register = (key: string) =>
      life.call(
        'POST',
        `${sandbox.storage}/sources/linear`,
        { api_key: 'lin_api_test', name: key },
        {
          'idempotency-key': key,
        },
      )
    const named = async (name: string) => {
      const { body } = await life.call('GET', `${sandbox.storage}/sources?provider=linear`)
      return body.sources.filter((source: { name: string }) => source.name === name)
    }
    const dieWith = async (registering: Promise<unknown>) => {
      await life.cairn.kill()
      await registering
      life.close()
      life = await start()
    }

    // Nothing is stored while the tracker request is pending.
    tracker.takeOver = ({ method }) => method === 'tools/list'
    const asked = register('held').catch(() => undefined)
    await expect.poll(() => tracker.count('tools/list'), SETTLE).toBeGreaterThan(0)
    await dieWith(asked)
    expect(await named('held')).toEqual([])
    tracker.takeOver = () => false
    for (const [at, ms] of KILLED_AFTER_MS.entries()) {
      const before = tracker.count('tools/list')
      const registering = register(`killed-${at}`).catch(() => undefined)
      await expect.poll(() => tracker.count('tools/list'), { ...SETTLE, interval: 1 }).toBeGreaterThan(before)
      await sleep(ms)
      await dieWith(registering)
    }
    for (const key of ['held', ...KILLED_AFTER_MS.map((_, at) => `killed-${at}`)]) {
      await expect.poll(async () => (await register(key)).status, SETTLE).toBe(201)
      const [source, ...others] = await named(key)
      expect([source.status, others]).toEqual(['active', []])
      // The secret is stored too, because the tracker can be read with it.
      const { body } = await life.call('POST', `${sandbox.storage}/sources/${source.data_source_id}/pull`)
      const job = async () => (await life.call('GET', `${sandbox.storage}/ingest/${body.job_id}`)).body.status
      await expect.poll(job, SETTLE).toBe('completed')
    }
    life.close()
  },
  RUN_MS_MAX,
)
