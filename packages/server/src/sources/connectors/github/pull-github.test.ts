import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GithubServer, issueOf, openGithubServer } from '../../../../../../tests/harness/github-server.ts'
import { openSafeFetch, type SafeFetch } from '../../../base/safe-fetch.ts'
import type { PullCursor, PulledPage } from '../connector.ts'
import { pullGithub } from './pull-github.ts'

const REPOSITORY = 'acme/api'
const minute = (count: number) => new Date(Date.UTC(2026, 4, 4, 10, count))

describe('pulling from GitHub', () => {
  let host: GithubServer
  let safe: SafeFetch
  let hasty: SafeFetch
  beforeAll(async () => {
    host = await openGithubServer()
    safe = openSafeFetch({ allowLoopback: true, totalMs: 60_000 })
    hasty = openSafeFetch({ allowLoopback: true, totalMs: 500 })
  })
  afterAll(async () => {
    await safe.close()
    await hasty.close()
    await host.close()
  })
  beforeEach(() => {
    host.fault = () => undefined
    host.asked.length = 0
    host.repositories.set(REPOSITORY, { issues: [], comments: [], commits: [] })
  })
  const held = () => host.repositories.get(REPOSITORY)!
  const pull = async (cursor?: PullCursor, since?: Date, { fetch } = safe) => {
    const pages: PulledPage[] = []
    const settings = { config: { base_url: host.url, repositories: [REPOSITORY] }, accountId: null }
    const signal = new AbortController().signal
    const request = { settings, credential: 'ghp_x', cursor, since, now: minute(0), fetch, signal }
    for await (const page of pullGithub(request)) pages.push(page)
    const ids = pages.flatMap(({ records }) => records.map((record) => record.external_id))
    return { pages, ids, cursor: pages.at(-1)?.cursor ?? cursor }
  }

  it('pulled issues, pull requests, comments and commits become the same records as their events', async () => {
    const html_url = `https://github.com/${REPOSITORY}/pull/2`
    held().issues = [
      issueOf(REPOSITORY, 1, minute(1)),
      issueOf(REPOSITORY, 2, minute(2), { html_url, pull_request: { url: 'x' } }),
    ]
    const user = { login: 'ytanabe', type: 'User' }
    const issue_url = `https://api.github.com/repos/${REPOSITORY}/issues/2`
    const comment = { id: 5, body: 'Nice.', user, html_url: `${html_url}#issuecomment-5`, issue_url }
    held().comments = [{ ...comment, created_at: '2026-05-04T10:03:00Z', updated_at: '2026-05-04T10:03:00Z' }]
    const person = { name: 'Yuki Tanabe', email: 'yuki@acme.example', date: '2026-05-04T09:00:00Z' }
    const commit = { message: 'Rotate\n\nCloses #1', author: person, committer: person }
    held().commits = [
      { sha: 'f'.repeat(40), commit, author: user, updated_at: person.date, html_url: 'https://x.example' },
    ]
    const { ids, pages } = await pull()
    expect(ids).toEqual([
      `issue/${REPOSITORY}#1`,
      `pull/${REPOSITORY}#2`,
      `comment/${REPOSITORY}/5`,
      `commit/${REPOSITORY}@${'f'.repeat(40)}`,
    ])
    const records = pages.flatMap((page) => page.records)
    expect(records[1]).toMatchObject({ type: 'pull_request', properties: { branch: 'branch' } })
    expect(records[2]?.entities?.[0]).toMatchObject({ type: 'pull_request', name: `${REPOSITORY}#2` })
    expect(records[3]?.author).toMatchObject({ identifiers: { email: 'yuki@acme.example', login: 'ytanabe' } })
    expect(new Set(host.asked.map(({ authorization }) => authorization))).toEqual(new Set(['token ghp_x']))
  })

  it('a pull continues after the last page, and one without changes gets 304', async () => {
    held().issues = Array.from({ length: 120 }, (_, at) => issueOf(REPOSITORY, at + 1, minute(Math.floor(at / 4))))
    const first = await pull()
    expect(new Set(first.ids).size).toBe(120)
    const [page] = first.pages
    const rest = await pull(page?.cursor)
    expect(new Set([...page!.records.map((one) => one.external_id), ...rest.ids]).size).toBe(120)
    expect(rest.ids.length).toBeLessThan(80)
    const quiet = await pull(first.cursor)
    host.asked.length = 0
    expect((await pull(quiet.cursor)).ids).toEqual([])
    expect(host.asked.filter(({ path }) => path.includes('/issues?')).map(({ status }) => status)).toEqual([304])
    held().issues[3]!.updated_at = minute(90).toISOString()
    expect((await pull(quiet.cursor)).ids).toContain(`issue/${REPOSITORY}#4`)
  })

  it('all changes within one second are read, also if they exceed a page', async () => {
    held().issues = Array.from({ length: 130 }, (_, at) => issueOf(REPOSITORY, at + 1, minute(5)))
    const all = await pull()
    expect(new Set(all.ids).size).toBe(130)
  })

  it('`since` reads again from that time, and a later value skips nothing', async () => {
    held().issues = [1, 2, 3].map((number) => issueOf(REPOSITORY, number, minute(number)))
    const { cursor } = await pull()
    expect((await pull(cursor, minute(2))).ids).toEqual([2, 3].map((number) => `issue/${REPOSITORY}#${number}`))
    held().issues.push(issueOf(REPOSITORY, 4, minute(4)))
    expect((await pull(cursor, minute(9))).ids).toContain(`issue/${REPOSITORY}#4`)
  })

  it('every failure has its reason', async () => {
    const failure = async (fault: Parameters<typeof Object>[0], patience = safe) => {
      host.fault = () => fault
      return pull(undefined, undefined, patience).catch((error: unknown) => error)
    }
    expect(await failure('asks to wait')).toMatchObject({ reason: 'rate_limited', retryAfterMs: 120_000 })
    expect(await failure('breaks')).toMatchObject({ reason: 'provider_failed' })
    expect(await failure('breaks off')).toMatchObject({ reason: 'unreachable' })
    expect(await failure('tears')).toMatchObject({ reason: 'unreadable' })
    expect(await failure('hangs', hasty)).toMatchObject({ reason: 'timeout' })
    host.repositories.delete(REPOSITORY)
    expect(await failure(undefined)).toMatchObject({ reason: 'not_found' })
  })
})
