import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSafeFetch, type SafeFetch } from '../../packages/server/src/base/safe-fetch.ts'
import type { Tx } from '../../packages/server/src/db/open.ts'
import { chanceFrom } from '../harness/chance.ts'
import { type GithubServer, openGithubServer } from '../harness/github-server.ts'
import { onEachEngine } from '../harness/postgres.ts'
import { openSlackServer, type SlackServer } from '../harness/slack-server.ts'
import { newSandbox, openTestApp, type TestAccount } from '../harness/test-app.ts'
import { TestClock } from '../harness/test-clock.ts'
import { passTime } from './simulated-day.ts'

const SOURCES = Number(process.env.POLLING_SOURCES ?? 200)
const HOURS = 24
/** Hours without failures; enough to retry everything that failed. */
const CALM_HOURS = 3
const SEED = Number(process.env.POLLING_SEED ?? process.pid)
const SOURCES_PER_SANDBOX = 20
const INTERVAL_SECONDS = 3_600
/** Timeout for a hanging host, in milliseconds. */
const ANSWER_MS_MAX = 300
const PATIENT_MS_MAX = 10_000

/** A polling source with its expected content. */
interface Followed {
  sourceId: string
  storage: string
  /** Returns the expected text of every record by external id. */
  truth(): Map<string, unknown>
}

onEachEngine((sql, kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-day-'))
  let github: GithubServer
  let slack: SlackServer
  let hasty: SafeFetch
  let patient: SafeFetch
  beforeAll(async () => {
    github = await openGithubServer()
    slack = await openSlackServer()
    hasty = openSafeFetch({ allowLoopback: true, totalMs: ANSWER_MS_MAX })
    patient = openSafeFetch({ allowLoopback: true, totalMs: PATIENT_MS_MAX })
  })
  afterAll(async () => {
    await Promise.all([hasty.close(), patient.close(), github.close(), slack.close()])
    rmSync(folder, { recursive: true, force: true })
  })

  const openApp = () => openTestApp(sql(), kind, { CAIRN_DATA: folder })
  const register = async ({ call }: TestAccount, storage: string, at: number): Promise<Followed> => {
    const isGithub = at % 2 === 0
    const name = isGithub ? `acme/day${at}` : `T${at}`
    if (isGithub) github.repositories.set(name, { issues: [], comments: [], commits: [] })
    else slack.workspaces.set(name, { messages: [], replies: new Map() })
    const config = isGithub ? { base_url: github.url, repositories: [name] } : { base_url: slack.urlOf(name) }
    const provider = isGithub ? 'github' : 'slack'
    const { status, body } = await call('POST', `${storage}/sources`, { provider, name, adapter_config: config })
    expect(status).toBe(201)
    const truth = () => (isGithub ? issuesOf(name) : messagesOf(name))
    return { sourceId: body.data_source_id, storage, truth }
  }
  const issuesOf = (name: string) =>
    new Map(github.repositories.get(name)!.issues.map((issue) => [`issue/${name}#${issue.number}`, issue.body]))
  const messagesOf = (team: string) => {
    const { messages, replies } = slack.workspaces.get(team)!
    const all = [...messages, ...[...replies.values()].flat()]
    return new Map(all.map((said) => [`message/${team}/C1/${said.ts}`, said.text]))
  }

  it(`a simulated day of ${SOURCES} sources with failing hosts and processes loses nothing`, async () => {
    console.info(`seed ${SEED}`)
    const opened = await openApp()
    const account = await opened.newAccount()
    const own = <T>(work: (tx: Tx) => Promise<T>) => sql().transact(account.userId, work)
    const followed: Followed[] = []
    for (let at = 0; at < SOURCES; at += SOURCES_PER_SANDBOX) {
      const { storage } = await newSandbox(account.call, `Day ${at}`)
      for (let n = at; n < Math.min(SOURCES, at + SOURCES_PER_SANDBOX); n += 1)
        followed.push(await register(account, storage, n))
    }
    await opened.cairn.close()
    const ids = followed.map(({ sourceId }) => sourceId)
    const setMode = (ingestion_mode: 'polling' | 'manual', poll_interval_seconds: number | null) =>
      own((tx) =>
        tx.updateTable('source').set({ ingestion_mode, poll_interval_seconds }).where('id', 'in', ids).execute(),
      )
    await setMode('polling', INTERVAL_SECONDS)

    const clock = new TestClock('2026-07-31T12:00:00Z')
    const world = { sql: sql(), clock, userId: account.userId, chance: chanceFrom(SEED), github, slack }
    const day = await passTime({ ...world, fetch: hasty.fetch }, HOURS, true)
    const calm = await passTime({ ...world, fetch: patient.fetch }, CALM_HOURS, false)
    console.info(JSON.stringify({ ...day, outcomes: Object.fromEntries(day.outcomes) }))
    expect(day.faults).toBeGreaterThan(SOURCES / 2)
    expect(day.kills).toBeGreaterThan(3)
    expect(day.outcomes.get('failed')).toBeGreaterThan(SOURCES / 10)
    expect([day.impatient, calm.impatient]).toEqual([0, 0])
    expect([github.overlap, slack.overlap]).toEqual([1, 1])

    const nextBy = new Date(clock.now().getTime() + 1.1 * INTERVAL_SECONDS * 1000)
    const sources = await own((tx) => tx.selectFrom('source').selectAll().where('id', 'in', ids).execute())
    for (const source of sources) {
      const healthy = { status: 'active', last_error: null, poll_failures: 0, poll_owner: null, poll_job_id: null }
      expect(source).toMatchObject(healthy)
      expect(source.next_poll_at!.getTime()).toBeLessThanOrEqual(nextBy.getTime())
    }
    const jobs = await own((tx) => tx.selectFrom('job').selectAll().where('source_id', 'in', ids).execute())
    for (const id of ids) {
      const done = jobs.filter((job) => job.source_id === id && job.status !== 'failed')
      expect(done.length).toBeGreaterThan(HOURS * 0.8)
    }
    expect(jobs.filter(({ result }) => (result as { open?: boolean }).open)).toEqual([])

    await setMode('manual', null)
    const again = await openApp()
    const waiting = () => own((tx) => tx.selectFrom('inbox').select('id').limit(1).execute())
    await expect.poll(waiting, { interval: 200 }).toEqual([])
    const exported = new Map<string, Record<string, unknown>[]>()
    for (const storage of new Set(followed.map((one) => one.storage))) {
      const { body } = await again.anonymous('GET', `${storage}/export`, undefined, {
        authorization: `Bearer ${account.key}`,
      })
      for (const line of String(body).split('\n').filter(Boolean)) {
        const { kind: what, source_id: id, ...rest } = JSON.parse(line)
        if (what === 'record') exported.set(id, [...(exported.get(id) ?? []), rest])
      }
    }
    for (const { sourceId, truth } of followed) {
      const said = (exported.get(sourceId) ?? []).filter(({ type }) => type === 'issue' || type === 'message')
      const ids = said.map((record) => record.external_id as string)
      expect(new Set(ids).size).toBe(ids.length)
      expect(new Map(said.map((record) => [record.external_id as string, record.text]))).toEqual(truth())
    }
    await again.cairn.close()
  })
})
