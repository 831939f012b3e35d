import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { issue } from '../../harness/hook.ts'
import { newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { mountSmallDisk, type SmallDisk } from '../../harness/small-disk.ts'
import { type Call, newSandbox, TEST_MASTER_KEY } from '../../harness/test-app.ts'

const MIB = 2 ** 20
const DISK_BYTES = 320 * MIB
const KEPT_BACK_MIB = 16
/** Number of deliveries to a full disk. It takes longer than a chunk needs to use up its retries. */
const FULL_DELIVERIES = 70
const WAIT = { interval: 250 }
const QUESTION = { query: 'What about the keys?' }

const probe = mountSmallDisk(MIB)
probe?.remove()

describe.runIf(probe !== undefined).each(RUN_ON)('on %s, with the data folder on a disk of its own', (kind) => {
  const opened: { disk?: SmallDisk; cairn?: RealProcess; close?: () => void } = {}
  afterEach(async () => {
    opened.close?.()
    await opened.cairn?.kill()
    opened.disk?.remove()
  })

  async function start(keptBackMib: number) {
    const disk = mountSmallDisk(DISK_BYTES) as SmallDisk
    opened.disk = disk
    const database = kind === 'postgres' && (await newDatabase(kind)).target
    const cairn = await startProcess({
      CAIRN_DATA: join(disk.path, 'data'),
      CAIRN_DISK_RESERVE_MIB: String(keptBackMib),
      CAIRN_MASTER_KEY: TEST_MASTER_KEY,
      ...(database && 'url' in database && { DATABASE_URL: database.url }),
    })
    opened.cairn = cairn
    const { send, close } = openSender(cairn, 16)
    opened.close = close
    const call = callOver(send) as Call
    const sandbox = await newSandbox(call)
    const source = { provider: 'github', name: 'Hook', ingestion_mode: 'realtime' }
    const { body: hook } = await call('POST', `${sandbox.storage}/sources`, source)
    const deliver = (n: number) =>
      call('POST', new URL(hook.webhook_url).pathname, issue(n, `Rotate key ${n}`), {
        authorization: `Bearer ${hook.webhook_signing_secret}`,
        'x-github-event': 'issues',
      })
    const importing = async (text: string, type = 'application/x-ndjson') => {
      const headers = { authorization: `Bearer ${cairn.apiKey}`, 'content-type': type }
      const path = `${cairn.url}${sandbox.storage}/import`
      const reply = await fetch(path, { method: 'POST', headers, body: text })
      return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.json() }
    }
    const exported = async () => {
      const { body } = await call('GET', `${sandbox.storage}/export`)
      const lines = String(body).split('\n').filter(Boolean)
      const records = lines.map((line) => JSON.parse(line)).filter(({ kind: each }) => each === 'record')
      return records.map(({ external_id: id }) => String(id)).sort()
    }
    return { disk, call, sandbox, deliver, importing, exported }
  }

  it('nearly full it rejects imports and serves everything else, and accepts them when there is space', async () => {
    const { disk, call, sandbox, deliver, importing, exported } = await start(KEPT_BACK_MIB)
    for (let n = 1; n <= 5; n += 1) expect((await deliver(n)).status).toBe(204)
    await expect.poll(async () => (await exported()).length, WAIT).toBe(5)
    const copy = (await call('GET', `${sandbox.storage}/export`)).body
    disk.fill((KEPT_BACK_MIB / 2) * MIB)
    await sleep(1_100)
    const note = { records: [{ external_id: 'n', type: 'note', text: 'Kept out.' }] }
    const refused = [
      await deliver(6),
      await call('POST', sandbox.records, note),
      await call('POST', `${sandbox.storage}/ingest`, { text: 'Kept out.' }),
      await importing(copy),
    ]
    for (const { status, body, headers } of refused) {
      expect({ status, ...body }).toMatchObject({ status: 503, error: 'unavailable', reason: 'disk_full' })
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(2)
    }
    expect((await call('POST', `${sandbox.query}/discover`, QUESTION)).body.count).toBeGreaterThan(0)
    expect((await call('POST', `${sandbox.query}/search`, QUESTION)).status).toBe(200)
    expect((await call('DELETE', `${sandbox.storage}/sources/${sandbox.source}`)).status).toBe(200)
    disk.empty()
    await expect.poll(async () => (await deliver(6)).status, WAIT).toBe(204)
    await expect.poll(async () => (await exported()).length, WAIT).toBe(6)
  })

  it('completely full, acknowledged content waits for space, and is then applied once', async () => {
    const { disk, call, sandbox, deliver, importing, exported } = await start(0)
    const kept = new Set<string>()
    const statuses = new Set<number>()
    const keep = async (n: number) => {
      const { status } = await deliver(n)
      statuses.add(status)
      if (status === 204) kept.add(`issue/acme/api#${n}`)
    }
    await keep(1)
    await expect.poll(async () => (await exported()).length, WAIT).toBe(1)
    const text = 'The keys are two years old. '.repeat(2_000)
    const bulk = Array.from({ length: 40 }, (_, n) => ({ external_id: `bulk${n}`, type: 'note', text }))
    disk.fill(12 * MIB)
    const jobs = await Promise.all(
      bulk.map(async (record) => {
        const reply = await call('POST', sandbox.records, { records: [record] })
        statuses.add(reply.status)
        if (reply.status !== 202) return []
        kept.add(record.external_id)
        // The first bulk record is stored: concurrent and later ones find the disk full.
        if (kept.size === 2) disk.fill(0)
        return [reply.body.job_id as string]
      }),
    )
    disk.fill(0)
    for (let n = 2; n < FULL_DELIVERIES; n += 1) {
      await keep(n)
      disk.fill(0)
      await sleep(200)
    }
    expect([...statuses].filter((status) => ![202, 204, 503].includes(status))).toEqual([])
    expect(await importing('PK'.repeat(MIB), 'application/zip')).toMatchObject({
      status: 503,
      body: { error: 'unavailable', reason: 'disk_full' },
    })
    disk.empty()
    await expect.poll(async () => (await deliver(1_000)).status, WAIT).toBe(204)
    kept.add('issue/acme/api#1000')
    await expect
      .poll(async () => {
        const there = new Set(await exported())
        return [...kept].filter((id) => !there.has(id))
      }, WAIT)
      .toEqual([])
    const there = await exported()
    expect(new Set(there).size).toBe(there.length)
    for (const id of jobs.flat()) {
      await expect
        .poll(async () => (await call('GET', `${sandbox.storage}/ingest/${id}`)).body.status, WAIT)
        .toBe('completed')
    }
  })
})
