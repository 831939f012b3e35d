import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Cairn, openCairn } from '../../../packages/server/src/app.ts'
import { systemClock } from '../../../packages/server/src/base/clock.ts'
import { openLog } from '../../../packages/server/src/base/log.ts'
import { toConfig } from '../../../packages/server/src/config/config.ts'
import { readSecrets } from '../../../packages/server/src/config/secrets.ts'
import { newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { TEST_MASTER_KEY } from '../../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const HOUR_MS = 60 * 60 * 1000
const JUMPS = [
  ['ahead by a day and an hour', 25 * HOUR_MS],
  ['back by an hour', -HOUR_MS],
] as const

// An embedded database uses the clock of its process.
describe.runIf(RUN_ON.includes('postgres'))('a process whose time jumps while its database’s does not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-clock-'))
  let cairn: Cairn
  let key: string
  beforeAll(async () => {
    const { target } = await newDatabase('postgres')
    if (!('url' in target)) throw new Error('There is no server.')
    const env = { CAIRN_DATA: folder, DATABASE_URL: target.url, CAIRN_MASTER_KEY: TEST_MASTER_KEY }
    const config = toConfig(env)
    cairn = await openCairn(config, readSecrets(env, config), { log: openLog('silent', systemClock, () => undefined) })
    key = (await cairn.bootstrap())!
  })
  afterAll(async () => {
    vi.useRealTimers()
    await cairn?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const call = async (method: 'GET' | 'POST', url: string, body?: object, headers: Record<string, string> = {}) => {
    const payload = body && JSON.stringify(body)
    const own = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
    const reply = await cairn.http.inject({ method, url, headers: own, ...(payload && { payload }) })
    return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(reply.payload) }
  }

  it.each(JUMPS)('%s: repeats, limits and pages work as before', async (name, jumpMs) => {
    const create = () =>
      call('POST', SANDBOXES, { name, owner_id: name }, { 'idempotency-key': name.replaceAll(' ', '-') })
    const first = await create()
    expect(first.status).toBe(201)
    for (const other of ['b', 'c']) await call('POST', SANDBOXES, { name: other, owner_id: name })
    const usage = async () => (await call('GET', `${SANDBOXES}/${first.body.sandbox_id}/usage`)).body
    const query = `/api/v1/query/sandboxes/${first.body.sandbox_id}/discover`
    expect((await call('POST', query, { query: 'Which?' })).status).toBe(200)
    const used = await usage()
    const page = (await call('GET', `${SANDBOXES}?owner_id=${encodeURIComponent(name)}&limit=1`)).body
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + jumpMs)
    const again = await create()
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
    expect(again.body.sandbox_id).toBe(first.body.sandbox_id)
    expect(await usage()).toEqual(used)
    const made = await call('POST', SANDBOXES, { name: 'later', owner_id: name })
    const gapMs = Math.abs(Date.parse(made.body.created_at) - Date.parse(first.body.created_at))
    expect(gapMs).toBeLessThan(HOUR_MS / 2)
    const rest = await call('GET', `${SANDBOXES}?owner_id=${encodeURIComponent(name)}&cursor=${page.next_cursor}`)
    expect(rest.body.sandboxes).toHaveLength(2)
    vi.useRealTimers()
  })
})
