import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type GithubServer, issueOf, openGithubServer } from '../../../../../tests/harness/github-server.ts'
import { onEachEngine } from '../../../../../tests/harness/postgres.ts'
import { TestClock } from '../../../../../tests/harness/test-clock.ts'
import { openDiskSpaceGuard } from '../../base/disk-space-guard.ts'
import { newId } from '../../base/id.ts'
import { openLog } from '../../base/log.ts'
import { unobserved } from '../../base/observe.ts'
import { openSafeFetch, type SafeFetch } from '../../base/safe-fetch.ts'
import type { Tx } from '../../db/open.ts'
import type { Chunk, noCounts } from '../../ingest/inbox.ts'
import { singleNodeCluster } from '../../store/cluster/cluster.ts'
import { insertAccount } from '../../tenancy/accounts/store.ts'
import { createHeldKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import { leaseEnd } from './due.ts'
import { type PullPlanes, type SourceRef, updateSourceOf } from './pull-run.ts'
import { type PullPort, runPull } from './run-pull.ts'

const INTERVAL_SECONDS = 900
/** A third of a lease. */
const RENEWED_MS = 20_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

onEachEngine((sql) => {
  let host: GithubServer
  let safe: SafeFetch
  beforeAll(async () => {
    host = await openGithubServer()
    safe = openSafeFetch({ allowLoopback: true, totalMs: 60_000 })
  })
  afterAll(async () => {
    await safe.close()
    await host.close()
  })

  const userId = 'acct_polling'
  const makeSources = async (clock: TestClock, count: number, prefix: string) => {
    const sandboxId = newId('sandbox', clock)
    const place = { user_id: userId, sandbox_id: sandboxId }
    const times = { created_at: clock.now(), updated_at: clock.now() }
    const refs = Array.from({ length: count }, () => ({ userId, sandboxId, sourceId: newId('source', clock) }))
    await sql().transact(userId, async (tx) => {
      const known = await tx.selectFrom('account').select('user_id').executeTakeFirst()
      if (!known) await insertAccount(tx, userId, 'Polling', clock.now())
      const owned = { owner_id: 'o', name: prefix, tier: 'pro' as const, storage_provider_type: 'platform_s3' as const }
      await tx
        .insertInto('sandbox')
        .values({ user_id: userId, id: sandboxId, ...owned, key_fingerprint: null, ...times })
        .execute()
      for (const [at, ref] of refs.entries()) {
        const repository = `acme/${prefix}${at}`
        host.repositories.set(repository, { issues: [], comments: [], commits: [] })
        const config = { base_url: host.url, repositories: [repository] }
        const read = { ingestion_mode: 'polling' as const, poll_interval_seconds: INTERVAL_SECONDS }
        await tx
          .insertInto('source')
          .values({
            ...place,
            id: ref.sourceId,
            provider: 'github',
            name: 'n',
            adapter_config: config,
            ...read,
            ...times,
          })
          .execute()
      }
    })
    return refs
  }
  const processOn = (clock: TestClock, ownerId: string, diskSpace = openDiskSpaceGuard('', 0)): PullPlanes => {
    const log = openLog('silent', clock, () => undefined)
    return {
      sql: sql(),
      clock,
      cluster: singleNodeCluster(),
      observe: unobserved,
      ownerId,
      diskSpace,
      log,
      seals: createHeldKeys(),
    }
  }
  const portWith = (chance: () => number): PullPort => ({
    applier: { wake: () => undefined },
    fetch: safe.fetch,
    openCredential: async () => undefined,
    chance,
    takeRecords: async () => 0,
  })
  const rowsOf = <T>(work: (tx: Tx) => Promise<T>) => sql().transact(userId, work)
  const sourceOf = ({ sourceId }: SourceRef) =>
    rowsOf((tx) => tx.selectFrom('source').selectAll().where('id', '=', sourceId).executeTakeFirstOrThrow())
  const jobsOf = ({ sourceId }: SourceRef) =>
    rowsOf((tx) => tx.selectFrom('job').selectAll().where('source_id', '=', sourceId).orderBy('created_at').execute())
  const keptOf = async ({ sourceId }: SourceRef) => {
    const rows = await rowsOf((tx) =>
      tx.selectFrom('inbox').selectAll().where('source_id', '=', sourceId).orderBy('id').execute(),
    )
    return rows.flatMap((row) => (JSON.parse(row.payload) as Chunk).records.map((record) => record.content))
  }
  const never = new AbortController().signal

  it('a source that was polled while a clock was ahead is polled again when the clock is correct', async () => {
    const clock = new TestClock()
    const [ref] = await makeSources(clock, 1, 'jumped')
    host.fault = () => undefined
    const planes = processOn(clock, 'jumped')
    const port = portWith(() => 1)
    const pull = () => runPull(planes, port, ref!, never)
    expect(await pull()).toBe('done')
    expect(await pull()).toBe('not_due')
    clock.advance(DAY_MS)
    expect(await pull()).toBe('done')
    clock.advance(-DAY_MS)
    expect(await pull()).toBe('done')
    // A process that died during the hour that the clock was ahead holds a lease that ends in it.
    const lease = { poll_owner: 'dead', poll_until: leaseEnd(new Date(clock.now().getTime() + HOUR_MS)) }
    await rowsOf((tx) =>
      updateSourceOf(tx, ref!)
        .set({ ...lease, next_poll_at: null })
        .execute(),
    )
    expect(await pull()).toBe('done')
    expect(await pull()).toBe('not_due')
  })

  it('only one of two processes polls a source, and the one that lost the lease writes nothing', async () => {
    const clock = new TestClock()
    const [ref] = await makeSources(clock, 1, 'fenced')
    const { issues } = host.repositories.get('acme/fenced0')!
    issues.push(issueOf('acme/fenced0', 1, clock.now()))
    host.fault = () => undefined
    const [slow, quick] = [processOn(clock, 'slow'), processOn(clock, 'quick')]
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slowly: PullPort = { ...portWith(() => 0), openCredential: () => held.then(() => undefined) }
    const zombie = runPull(slow, slowly, ref!, never)
    await expect.poll(async () => (await sourceOf(ref!)).poll_owner).toBe('slow')
    expect(
      await runPull(
        quick,
        portWith(() => 0),
        ref!,
        never,
      ),
    ).toBe('not_due')
    clock.advance(10 * 60_000)
    expect(
      await runPull(
        quick,
        portWith(() => 0),
        ref!,
        never,
      ),
    ).toBe('done')
    release()
    await zombie
    expect(await keptOf(ref!)).toHaveLength(1)
    const jobs = await jobsOf(ref!)
    expect(jobs).toHaveLength(1)
    expect(jobs[0]).toMatchObject({ retry_count: 1, type: 'data_source_pull' })
    expect((jobs[0]!.result as typeof noCounts extends () => infer R ? R : never).received).toBe(1)
  })

  it('a pull longer than its interval keeps its lease, and is followed by only one pull', async () => {
    const clock = new TestClock()
    const [ref] = await makeSources(clock, 1, 'overdue')
    host.repositories.get('acme/overdue0')!.issues.push(issueOf('acme/overdue0', 1, clock.now()))
    host.fault = () => undefined
    const [slow, quick] = [processOn(clock, 'slow'), processOn(clock, 'quick')]
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const port = portWith(() => 0)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const reading = runPull(slow, { ...port, openCredential: () => held.then(() => undefined) }, ref!, never)
    const leasedMs = async () => (await sourceOf(ref!)).poll_until!.getTime() - clock.now().getTime()
    await expect.poll(async () => (await sourceOf(ref!)).poll_owner).toBe('slow')
    // More than three of its polling intervals.
    for (let ms = 0; ms < 3.5 * INTERVAL_SECONDS * 1000; ms += RENEWED_MS) {
      clock.advance(RENEWED_MS)
      vi.advanceTimersByTime(RENEWED_MS)
      await expect.poll(leasedMs).toBeGreaterThan(RENEWED_MS)
      expect(await runPull(quick, port, ref!, never)).toBe('not_due')
    }
    vi.useRealTimers()
    release()
    expect(await reading).toBe('done')
    expect(await jobsOf(ref!)).toHaveLength(1)
    for (const one of [slow, quick]) expect(await runPull(one, port, ref!, never)).toBe('not_due')
    clock.advance(INTERVAL_SECONDS * 1000)
    expect(await runPull(quick, port, ref!, never)).toBe('done')
    expect(await runPull(slow, port, ref!, never)).toBe('not_due')
    expect(await jobsOf(ref!)).toHaveLength(2)
  })

  it('a full disk is not a failure of the source: the pull waits and continues as the same job', async () => {
    const clock = new TestClock()
    const [ref] = await makeSources(clock, 1, 'roomless')
    host.repositories.get('acme/roomless0')!.issues.push(issueOf('acme/roomless0', 1, clock.now()))
    host.fault = () => undefined
    // More bytes than any disk has.
    const full = processOn(clock, 'full', openDiskSpaceGuard('/', Number.MAX_SAFE_INTEGER))
    const port = portWith(() => 0)
    for (let turn = 0; turn < 6; turn += 1) {
      expect(await runPull(full, port, ref!, never)).toBe('unfinished')
      clock.advance(60_000)
    }
    expect(await sourceOf(ref!)).toMatchObject({ status: 'active', poll_failures: 0, last_error: null })
    expect(await keptOf(ref!)).toEqual([])
    expect(await runPull(processOn(clock, 'roomy'), port, ref!, never)).toBe('done')
    expect(await keptOf(ref!)).toHaveLength(1)
    expect(await jobsOf(ref!)).toMatchObject([{ retry_count: 0 }])
  })

  it('Retry-After is respected, and a source whose host keeps failing has status error until it recovers', async () => {
    const clock = new TestClock()
    const [ref] = await makeSources(clock, 1, 'failing')
    const one = processOn(clock, 'one')
    const turn = () =>
      runPull(
        one,
        portWith(() => 0),
        ref!,
        never,
      )
    const waitMs = async () => (await sourceOf(ref!)).next_poll_at!.getTime() - clock.now().getTime()
    host.fault = () => 'asks to wait'
    expect(await turn()).toBe('failed')
    expect(await sourceOf(ref!)).toMatchObject({ status: 'active', last_error: 'rate_limited', poll_failures: 0 })
    expect(await waitMs()).toBe(120_000)
    host.fault = () => 'breaks'
    for (const status of ['active', 'active', 'error']) {
      clock.advance(3_600_000)
      expect(await turn()).toBe('failed')
      expect(await sourceOf(ref!)).toMatchObject({ status, last_error: 'provider_failed' })
    }
    expect((await jobsOf(ref!)).map((job) => job.status)).toEqual(['failed', 'failed', 'failed', 'failed'])
    expect((await jobsOf(ref!)).at(-1)?.error_message).toBe('The provider failed.')
    host.fault = () => undefined
    clock.advance(3_600_000)
    expect(await turn()).toBe('done')
    expect(await sourceOf(ref!)).toMatchObject({ status: 'active', last_error: null, poll_failures: 0 })
    expect(await waitMs()).toBe(INTERVAL_SECONDS * 1000)
    expect(await turn()).toBe('not_due')
  })

  it('a process that stops releases its pull, and the next process continues the same job', async () => {
    const clock = new TestClock()
    const [ref] = await makeSources(clock, 1, 'stopped')
    const { issues } = host.repositories.get('acme/stopped0')!
    for (let n = 1; n <= 120; n += 1)
      issues.push(issueOf('acme/stopped0', n, new Date(clock.now().getTime() + n * 1000)))
    const stopping = new AbortController()
    let asked = 0
    host.fault = () => {
      asked += 1
      if (asked === 3) stopping.abort()
      return undefined
    }
    expect(
      await runPull(
        processOn(clock, 'one'),
        portWith(() => 0),
        ref!,
        stopping.signal,
      ),
    ).toBe('unfinished')
    const before = (await keptOf(ref!)).length
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(120)
    expect(
      await runPull(
        processOn(clock, 'two'),
        portWith(() => 0),
        ref!,
        never,
      ),
    ).toBe('done')
    expect(new Set((await keptOf(ref!)).map((content) => content.external_id)).size).toBe(120)
    expect(await jobsOf(ref!)).toMatchObject([{ retry_count: 0 }])
  })
})
