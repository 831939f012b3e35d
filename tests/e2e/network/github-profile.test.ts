import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FindProfile } from '../../../packages/server/src/sources/connectors/mcp/profile-for.ts'
import {
  type GithubToolServer,
  type HostedRepository,
  hostedItem,
  openGithubToolServer,
  profileAt,
} from '../../harness/github-tool-server.ts'
import { type McpSources, openMcpSources } from '../../harness/mcp-source.ts'
import { toolError } from '../../harness/sdk-tool-server.ts'
import { onEachApp } from '../../harness/test-app.ts'

const ADDRESS = 'https://api.githubcopilot.com/mcp/readonly'
const DAY_MS = 24 * 60 * 60 * 1000
const PLACES = ['ferries', 'quays'].map((repo) => ({ owner: 'acme', repo }))

let find: FindProfile = () => undefined

onEachApp(
  (app) => {
    let server: GithubToolServer
    let sources: McpSources
    beforeEach(async () => {
      server = await openGithubToolServer()
      find = profileAt(server, ADDRESS)
      sources = await openMcpSources(app())
      for (const { owner, repo } of PLACES) {
        server.repositories.set(`${owner}/${repo}`, { issues: [], pulls: [], commits: [], releases: [] })
      }
    })
    afterEach(() => server.close())

    const repository = (name = 'acme/ferries') => server.repositories.get(name) as HostedRepository
    /** Returns a time before the test clock. */
    const ago = (minutes: number) => new Date(app().clock.now().getTime() - minutes * 60_000).toISOString()
    const register = async (change: object = {}): Promise<string> => {
      const { body } = await sources.register({ base_url: server.url, profile_parameters: PLACES, ...change })
      return body.data_source_id
    }
    const ids = async (type?: string) =>
      [...(await sources.exported()).values()]
        .filter((one) => type === undefined || one.type === type)
        .map((one) => one.external_id)
        .sort()

    describe('a source with the profile of GitHub', () => {
      it('needs its parameters to import, and is otherwise read like other servers', async () => {
        const body = { base_url: server.url }
        for (const [change, error] of [
          [{ server_profile: 'auto' }, 'profile_parameters_required'],
          [{ profile_parameters: [{ owner: 'acme' }] }, 'profile_parameters_required'],
          [{ profile_parameters: [{ owner: 'acme', repo: 'a/b' }] }, 'invalid_profile_parameters'],
          [{ profile_parameters: 'acme/ferries' }, 'invalid_profile_parameters'],
          [{ server_profile: 'sometimes' }, 'invalid_server_profile'],
          [{ base_url: 'https://tools.invalid/mcp', server_profile: 'auto' }, 'profile_not_found'],
        ] as const) {
          const refused = await sources.register({ ...body, ...change })
          expect([refused.status, refused.body.error], JSON.stringify(change)).toEqual([400, error])
        }
        const { body: made } = await sources.register(body)
        expect(made).toMatchObject({ status: 'active', ingestion_mode: 'manual' })
        const id = made.data_source_id
        expect((await sources.source(id)).adapter_config).not.toHaveProperty('server_profile')
        await sources.patch(id, { profile_parameters: [PLACES[0]] })
        expect(await sources.source(id)).toMatchObject({
          ingestion_mode: 'polling',
          adapter_config: { server_profile: 'github', profile_parameters: [PLACES[0]] },
        })
        await sources.patch(id, { server_profile: 'none' })
        expect(await sources.source(id)).toMatchObject({ ingestion_mode: 'manual' })
        expect((await sources.source(id)).adapter_config).not.toHaveProperty('server_profile')
        const { body: listed } = await sources.call('GET', `${sources.sandbox.storage}/providers`)
        const profiles = listed.providers.flatMap((one: { profiles?: object[] }) => one.profiles ?? [])
        expect(profiles).toMatchObject([
          {
            profile: 'github',
            parameters: { required: ['owner', 'repo'] },
            imports: expect.arrayContaining(['comment']),
          },
          { profile: 'google_drive', parameters: { required: [] }, imports: ['document'] },
        ])
      })

      it('imports all pages of two repositories whose numbers are equal, with the comments', async () => {
        const sizes = [
          { repo: 'ferries', issues: 101, pulls: 51, comments: 101 },
          { repo: 'quays', issues: 8, pulls: 2, comments: 2 },
        ]
        for (const { repo, ...size } of sizes) {
          const { issues, pulls, commits, releases } = repository(`acme/${repo}`)
          for (let n = 1; n <= size.issues; n += 1) {
            issues.push(hostedItem(n, ago(10_000 - n), { title: `${repo} issue ${n}` }))
          }
          issues[6]!.comments = Array.from({ length: size.comments }, (_, at) => ({ id: at, body: `Remark ${at}.` }))
          for (let n = 201; n <= 200 + size.pulls; n += 1) pulls.push(hostedItem(n, ago(9_000 - n)))
          pulls[0]!.comments = [{ id: 7_000, body: 'Looks good.' }]
          commits.push({ sha: 'a'.repeat(40), message: 'Fix the ramp', date: ago(5_000) })
          releases.push({ id: 1, name: 'v1', body: 'The first release.', at: ago(4_000) })
        }
        server.resources = [{ uri: 'ui://get-me', name: 'screen', text: 'A screen.' }]
        const id = await register()
        expect(await sources.source(id)).toMatchObject({
          ingestion_mode: 'polling',
          adapter_config: { server_profile: 'github', profile_parameters: PLACES },
        })
        const job = await sources.pull(id)
        expect([job.status, job.result.failed]).toEqual(['completed', 0])
        const records = await sources.exported()
        const count = (type: string) => [...records.values()].filter((one) => one.type === type).length
        const types = ['issue', 'pull_request', 'comment', 'commit', 'release', 'document']
        expect(types.map(count)).toEqual([109, 53, 105, 2, 2, 0])
        expect(records.get('issue/acme/quays#7')).toMatchObject({
          title: 'quays issue 7',
          text: 'Text of 7.',
          url: 'https://github.com/acme/quays/issues/7',
          author: { name: 'mei', identifiers: { login: 'mei' } },
          properties: { number: 7, state: 'open', labels: 'ferry' },
        })
        expect(records.get('comment/acme/ferries/100')).toMatchObject({
          title: 'ferries issue 7',
          text: 'Remark 100.',
          properties: { on: 'acme/ferries#7' },
        })
        expect(server.count('create_issue')).toBe(0)
        expect(server.count('list_issues')).toBe(4)
      })

      it('asks only for changes afterwards, and for the comments of changed items', async () => {
        const { issues, pulls } = repository()
        for (let n = 1; n <= 60; n += 1)
          issues.push(hostedItem(n, ago(10_000 - n), { comments: [{ id: n, body: 'One.' }] }))
        for (let n = 101; n <= 160; n += 1) pulls.push(hostedItem(n, ago(10_000 - n)))
        const id = await register({ profile_parameters: [PLACES[0]] })
        await sources.pull(id)
        server.calls.splice(0)
        app().clock.advance(60 * 60_000)
        issues[3] = hostedItem(4, ago(1), {
          title: 'Changed',
          comments: [
            { id: 4, body: 'One.' },
            { id: 99, body: 'Two.' },
          ],
        })
        pulls[3] = hostedItem(104, ago(1), { title: 'Changed as well' })
        const job = await sources.pull(id)
        expect(job.result).toMatchObject({ received: 4, written: 4, removed: 0 })
        const given = (tool: string) => server.calls.filter((one) => one.tool === tool).map((one) => one.given)
        expect(given('list_issues')).toMatchObject([{ since: issues[59]!.updated_at.replace('.000', '') }])
        expect(given('issue_read')).toMatchObject([{ issue_number: 4 }])
        expect(given('list_pull_requests')).toHaveLength(1)
        expect(given('pull_request_read')).toMatchObject([{ pullNumber: 104 }])
        expect((await sources.exported()).get('issue/acme/ferries#4').title).toBe('Changed')
        expect(await ids('issue')).toHaveLength(60)
        server.calls.splice(0)
        expect((await sources.pull(id)).result).toMatchObject({ received: 0 })
        expect(server.count('issue_read') + server.count('pull_request_read')).toBe(0)
      })

      it('deletes an item once two reads of the whole list lack it, and a comment at once', async () => {
        const { issues } = repository()
        for (let n = 1; n <= 4; n += 1)
          issues.push(hostedItem(n, ago(10_000 - n), { comments: [{ id: n, body: 'One.' }] }))
        const id = await register({ profile_parameters: [PLACES[0]] })
        await sources.pull(id)
        issues.splice(1, 1)
        issues[0]!.comments = []
        issues[0]!.updated_at = ago(1)
        expect((await sources.pull(id)).result).toMatchObject({ removed: 1 })
        expect(await ids('comment')).toEqual([2, 3, 4].map((n) => `comment/acme/ferries/${n}`))
        app().clock.advance(7 * DAY_MS)
        expect((await sources.pull(id)).result).toMatchObject({ removed: 0 })
        expect((await sources.pull(id)).result).toMatchObject({ removed: 2 })
        expect(await ids('issue')).toEqual([1, 3, 4].map((n) => `issue/acme/ferries#${n}`))
        issues.push(hostedItem(2, ago(30_000)))
        app().clock.advance(7 * DAY_MS)
        await sources.pull(id)
        expect(await ids('issue')).toEqual([1, 2, 3, 4].map((n) => `issue/acme/ferries#${n}`))
        expect(await ids('comment')).toEqual([3, 4].map((n) => `comment/acme/ferries/${n}`))
      })

      it('continues where it was interrupted, and deletes nothing when a page fails', async () => {
        const { issues } = repository()
        for (let n = 1; n <= 160; n += 1)
          issues.push(hostedItem(n, ago(10_000 - n), { comments: [{ id: n, body: 'One.' }] }))
        const id = await register({ profile_parameters: [PLACES[0]], rate_cap_per_minute: 600 })
        server.refuse = (tool, given) => (tool === 'list_issues' && given.after === 'cursor-100' ? 500 : undefined)
        expect((await sources.pull(id)).status).toBe('failed')
        await expect.poll(() => ids('issue')).toHaveLength(100)
        server.calls.splice(0)
        server.refuse = () => undefined
        expect((await sources.pull(id)).status).toBe('completed')
        expect(server.calls.find(({ tool }) => tool === 'list_issues')?.given.after).toBe('cursor-100')
        expect([await ids('issue'), server.count('issue_read')]).toEqual([expect.objectContaining({ length: 160 }), 60])
        app().clock.advance(8 * DAY_MS)
        const list = server.tools.list_issues!
        server.tools.list_issues = { ...list, call: (given) => (given.after ? toolError('no') : list.call(given)) }
        for (const _ of [1, 2, 3]) expect((await sources.pull(id)).status).toBe('failed')
        expect(await ids('issue')).toHaveLength(160)
      })

      it('keeps what it has when a page repeats or has another shape, and reads the other lists', async () => {
        const { issues, releases } = repository()
        for (let n = 1; n <= 60; n += 1) issues.push(hostedItem(n, ago(10_000 - n)))
        releases.push({ id: 1, name: 'v1', body: 'The first release.', at: ago(4_000) })
        const id = await register({ profile_parameters: [PLACES[0]] })
        const list = server.tools.list_issues!
        server.tools.list_issues = { ...list, call: ({ after: _, ...given }) => list.call(given) }
        const job = await sources.pull(id)
        expect(job.status).toBe('failed')
        await expect.poll(() => ids()).toHaveLength(51)
        expect(await ids('release')).toEqual(['release/acme/ferries/1'])
        server.tools.list_issues = { ...list, call: () => ({ content: [{ type: 'text', text: 'No issues.' }] }) }
        expect((await sources.pull(id)).status).toBe('failed')
        expect(await ids('issue')).toHaveLength(50)
        const { since: _, ...others } = list.arguments
        server.tools.list_issues = { ...list, arguments: others }
        await sources.patch(id, {})
        expect((await sources.pull(id)).error_message).toContain('profile')
      })

      it('calls only tools that are listed, read-only and allowed, and leaves named calls as they are', async () => {
        repository().issues.push(hostedItem(1, ago(100)))
        repository().releases.push({ id: 1, name: 'v1', body: 'The first release.', at: ago(90) })
        const { list_issues: list, pull_request_read: _, ...others } = server.tools
        server.tools = { ...others, list_issues: { ...list!, isReadOnly: false } }
        const id = await register({ profile_parameters: [PLACES[0]] })
        expect((await sources.source(id)).adapter_config.missing_tools).toEqual(['pull_request_read'])
        expect((await sources.pull(id)).status).toBe('failed')
        await expect.poll(() => ids()).toEqual(['release/acme/ferries/1'])
        expect(server.count('list_issues')).toBe(0)
        server.tools = { ...others, list_issues: list! }
        server.calls.splice(0)
        const own = { tool: 'list_issues', arguments: { owner: 'acme', repo: 'ferries', state: 'OPEN' } }
        await sources.patch(id, { ingest_tool_calls: [own], allowed_tools: ['list_issues', 'list_commits'] })
        expect((await sources.pull(id)).status).toBe('completed')
        expect(server.calls.map(({ tool }) => tool)).toEqual(['list_issues', 'list_commits'])
        expect(server.calls[0]?.given).toEqual(own.arguments)
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
  { findProfile: (url) => find(url) },
)
