import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { SUPERUSER, startPostgres } from '../../../bench/postgres-server.mjs'
import { openSql } from '../../../packages/server/src/db/open.ts'
import { issue, newHook, records } from '../../harness/hook.ts'
import { type Answer, onEachApp, openTestApp } from '../../harness/test-app.ts'

const RUN_MS_MAX = 300_000
const EVENT = { 'x-github-event': 'issues' }
/** More than the connections of one process. */
const HOLDERS = 24

function expectUnavailable({ status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>) {
  expect({ status, error: body.error }).toEqual({ status: 503, error: 'unavailable' })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(2)
}

onEachApp((app) => {
  it(
    'with every connection in use a delivery is 503 and not stored, and its repeat is stored',
    async () => {
      const hook = await newHook(app(), 'github')
      const { sql } = app().cairn.app
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const holders = Array.from({ length: HOLDERS }, () => sql.transact(null, () => held).catch(() => undefined))
      await sleep(200)
      const sent = await hook.send(issue(1, 'Held up'), EVENT)
      release()
      await Promise.all(holders)
      expectUnavailable(sent)
      const rows = await sql.transact(hook.account.userId, (tx) => tx.selectFrom('delivery').selectAll().execute())
      expect(rows).toEqual([])
      await expect.poll(async () => (await hook.send(issue(1, 'Held up'), EVENT)).status).toBe(204)
      expect(await records(app(), hook, 1)).toMatchObject([{ title: 'Held up' }])
    },
    RUN_MS_MAX,
  )
})

it('with the database down a delivery is 503', async () => {
  const server = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-down-'))
  const sql = await openSql({ url: server.url(SUPERUSER, 'postgres') })
  const app = await openTestApp(sql, 'postgres', { CAIRN_DATA: folder })
  try {
    const hook = await newHook(app, 'github')
    expect((await hook.send(issue(1, 'Before'), EVENT)).status).toBe(204)
    await server.stop()
    for (let n = 2; n < 5; n += 1) {
      expectUnavailable(await hook.send(issue(n, 'While it is down'), EVENT))
      await sleep(500)
    }
  } finally {
    await app.cairn.close().catch(() => undefined)
    await sql.close().catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  }
})
