import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { takeLease } from '../../../packages/server/src/store/lease.ts'
import type { SandboxRef } from '../../../packages/server/src/tenancy/sandboxes/assert-writable.ts'
import { newDatabase } from '../../harness/postgres.ts'
import {
  newSandbox,
  openTestApp,
  putRecords,
  type TestAccount,
  type TestApp,
  type TestSandbox,
} from '../../harness/test-app.ts'

const SANDBOXES = 4
/** Longer than the idle time before compaction, in milliseconds. */
const REST_MS = 8_000
const COUNTED_MS = 4_000

/** Wraps the database and counts the transactions of single accounts; leases are taken in these. */
function counting(sql: Sql): { sql: Sql; count: () => number } {
  let count = 0
  const transact: Sql['transact'] = (scope, work, options) => {
    if (typeof scope === 'string') count += 1
    return sql.transact(scope, work, options)
  }
  return { sql: { ...sql, transact }, count: () => count }
}

describe('two processes on one PostgreSQL', () => {
  let folder: string
  let databases: Sql[]
  let apps: TestApp[]
  let counts: (() => number)[]

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-leases-'))
    const { target } = await newDatabase('postgres')
    databases = [await openSql(target), await openSql(target)]
    const counted = databases.map(counting)
    counts = counted.map(({ count }) => count)
    apps = []
    for (const { sql } of counted) apps.push(await openTestApp(sql, 'postgres', { CAIRN_DATA: folder }))
  })
  afterEach(async () => {
    for (const app of apps) await app.cairn.close()
    for (const sql of databases) await sql.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const record = (name: string) => ({ external_id: name, type: 'note', text: `About ${name}.` })
  const refOf = (account: TestAccount, sandbox: TestSandbox): SandboxRef => ({
    userId: account.userId,
    sandboxId: sandbox.id,
  })
  it('request no lease for a sandbox with an empty inbox', async () => {
    const [here, there] = apps as [TestApp, TestApp]
    const account = await here.newAccount()
    const sandboxes: TestSandbox[] = []
    for (let at = 0; at < SANDBOXES; at += 1) sandboxes.push(await newSandbox(account.call, `Sandbox ${at}`))
    for (const sandbox of sandboxes) await putRecords(account.call, sandbox, [record('first')])
    for (const sandbox of sandboxes) there.cairn.app.applier.wake(refOf(account, sandbox))
    await sleep(REST_MS)
    const before = counts.map((count) => count())
    await sleep(COUNTED_MS)
    expect(counts.map((count, at) => count() - before[at]!)).toEqual([0, 0])
  })

  it('hold no lease after they stop', async () => {
    const [here, there] = apps as [TestApp, TestApp]
    const account = await here.newAccount()
    const sandbox = await newSandbox(account.call)
    await putRecords(account.call, sandbox, [record('first')])
    await here.cairn.close()
    apps = [there]
    const ref = refOf(account, sandbox)
    const take = databases[1]!.transact(account.userId, (tx) => takeLease(tx, ref, there.cairn.app))
    expect(await take).toBeDefined()
  })

  it('take over at once what a killed process of their data folder had leased', async () => {
    const [, there] = apps as [TestApp, TestApp]
    const account = await there.newAccount()
    const sandbox = await newSandbox(account.call)
    await putRecords(account.call, sandbox, [record('first')])
    // The process cannot release its leases, and its successor on the same folder starts at once.
    const { sql } = counting(databases[0]!)
    const next = await openTestApp(sql, 'postgres', { CAIRN_DATA: folder })
    apps.push(next)
    const lease = await sql.transact(account.userId, (tx) => takeLease(tx, refOf(account, sandbox), next.cairn.app))
    // Even if it were still alive, its writes would be rejected, because the lease has a new epoch.
    expect(lease?.epoch).toBe(2)
  })

  it('keep a lease while work under it continues', async () => {
    const [here, there] = apps as [TestApp, TestApp]
    const account = await here.newAccount()
    const sandbox = await newSandbox(account.call)
    const ref = refOf(account, sandbox)
    const take = (app: TestApp) => databases[0]!.transact(account.userId, (tx) => takeLease(tx, ref, app.cairn.app))
    await here.cairn.app.applier.runExclusive(ref.sandboxId, async () => {
      expect(await take(here)).toBeDefined()
      await sleep((here.cairn.app.leaseSeconds + 2) * 1_000)
      expect(await take(there)).toBeUndefined()
    })
    await sleep((here.cairn.app.leaseSeconds + 1) * 1_000)
    expect(await take(there)).toBeDefined()
  })
})
