import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type GithubServer,
  type HostFault,
  issueOf,
  openGithubServer,
} from '../../../../../tests/harness/github-server.ts'
import { onEachEngine } from '../../../../../tests/harness/postgres.ts'
import { TestClock } from '../../../../../tests/harness/test-clock.ts'
import { newId } from '../../base/id.ts'
import { openLog } from '../../base/log.ts'
import { openSafeFetch, type SafeFetch } from '../../connectors/safe-fetch.ts'
import type { Tx } from '../../db/open.ts'
import { insertAccount } from '../accounts/store.ts'
import type { Planes } from '../handler.ts'
import type { Chunk, noCounts } from '../ingest/inbox.ts'
import { listDue, type SourceRef } from './pull-run.ts'
import { type PullOutcome, type PullPort, runPull } from './run-pull.ts'

const SOURCES = 4
const HOURS = 24
const STEP_MS = 10 * 60_000
const INTERVAL_SECONDS = 900
const SEED = Number(process.pid)
const FAULTS: HostFault[] = ['hangs', 'asks to wait', 'breaks', 'breaks off', 'tears']

/** Chance that a failure can be repeated with: a linear congruential generator. */
function chanceFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

onEachEngine((sql) => {
  let host: GithubServer
  let safe: SafeFetch
  beforeAll(async () => {
    host = await openGithubServer()
    safe = openSafeFetch({ allowLoopback: true, totalMs: 150 })
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
  const processOn = (clock: TestClock, ownerId: string) =>
    ({ sql: sql(), clock, ownerId, log: openLog('silent', clock, () => undefined) }) as unknown as Planes
  const portWith = (chance: () => number): PullPort => ({
    applier: { wake: () => undefined },
    fetch: safe.fetch,
    openCredential: async () => undefined,
    chance,
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

  it('W9 W13 a day of failing hosts and dying processes loses nothing and leaves no source behind', async () => {
    console.info(`seed ${SEED}`)
    const chance = chanceFrom(SEED)
    const clock = new TestClock('2026-05-04T00:00:00Z')
    const refs = await makeSources(clock, SOURCES, 'day')
    const names = new Map(refs.map((ref, at) => [ref.sourceId, `acme/day${at}`]))
    const outcomes = new Map<PullOutcome, number>()
    let processes = ['one', 'two'].map((name) => processOn(clock, name))
    host.overlap = 0
    host.fault = () => (chance() < 0.05 ? FAULTS[Math.floor(chance() * FAULTS.length)] : undefined)
    let written = 0
    const said = () => {
      written += 1
      return { body: `Said ${written}` }
    }
    for (let ms = 0; ms < HOURS * 3_600_000; ms += STEP_MS) {
      clock.advance(STEP_MS)
      for (const name of names.values()) {
        const { issues } = host.repositories.get(name)!
        if (chance() < 0.05) issues.push(issueOf(name, issues.length + 1, clock.now(), said()))
        const changed = issues[Math.floor(chance() * issues.length)]
        if (changed && chance() < 0.02) {
          Object.assign(changed, issueOf(name, Number(changed.number), clock.now(), said()))
        }
      }
      const isDying = chance() < 0.03
      const dying = new AbortController()
      const due = await listDue(processes[0]!, SOURCES)
      // Every process tries every source, and one of them may be killed: it writes nothing any more.
      const turns = processes.flatMap((planes, at) => {
        const isDead = isDying && at === 0
        const mortal = isDead ? { ...planes, sql: dyingSql(planes.sql, dying.signal) } : planes
        return due.map((ref) => runPull(mortal, portWith(chance), ref, never).catch(() => 'lost' as const))
      })
      if (isDying) setTimeout(() => dying.abort(), chance() * 20)
      for (const outcome of await Promise.all(turns)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (isDying) processes = [processOn(clock, `reborn ${ms}`), processes[1]!]
    }
    expect(outcomes.get('failed'), JSON.stringify([...outcomes])).toBeGreaterThan(3)
    host.fault = () => undefined
    for (let round = 0; round < 4; round += 1) {
      clock.advance(3_600_000)
      for (const ref of await listDue(processes[0]!, SOURCES))
        await runPull(processes[0]!, portWith(chance), ref, never)
    }
    expect(host.overlap).toBe(1)
    for (const ref of refs) {
      const source = await sourceOf(ref)
      expect(source).toMatchObject({ status: 'active', last_error: null, poll_failures: 0, poll_owner: null })
      const kept = new Map((await keptOf(ref)).map((content) => [content.external_id, content.text]))
      const { issues } = host.repositories.get(names.get(ref.sourceId)!)!
      expect(kept.size).toBe(issues.length)
      for (const issue of issues) expect(kept.get(`issue/${names.get(ref.sourceId)}#${issue.number}`)).toBe(issue.body)
      for (const job of await jobsOf(ref)) expect(['completed', 'failed', 'processing']).toContain(job.status)
      expect((await jobsOf(ref)).filter(({ result }) => (result as { open?: boolean })?.open)).toEqual([])
    }
  }, 300_000)

  it('W13 of two processes one reads a source, and who lost the lease writes nothing', async () => {
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

  it('a host that asks for a pause gets it, and one that keeps failing means error until it recovers', async () => {
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

  it('a process that stops gives its pull back, and the next one goes on with the same job', async () => {
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

/** A database that answers no more once its process is killed. */
function dyingSql(real: Planes['sql'], dead: AbortSignal): Planes['sql'] {
  const transact: Planes['sql']['transact'] = async (scope, work, options) => {
    if (dead.aborted) throw new Error('killed')
    return real.transact(scope, work, options)
  }
  return { ...real, transact }
}
