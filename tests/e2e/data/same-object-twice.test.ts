import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openLinearToolServer } from '../../harness/linear-tool-server.ts'
import { type Answer, type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

const WAIT = { interval: 100 }
const AT = '2026-05-04T10:00:00.000Z'

const tracker = await openLinearToolServer()
afterAll(() => tracker.close())

/** An object described in two ways is one entity, in either order. */
onEachApp(
  (app) => {
    let call: Call
    let sandbox: TestSandbox
    beforeEach(async () => {
      call = (await app().newAccount()).call
      sandbox = await newSandbox(call)
    })

    const hook = async (provider: string) => {
      const registered = { provider, name: provider, ingestion_mode: 'realtime' }
      const { body } = await call('POST', `${sandbox.storage}/sources`, registered)
      const authorization = `Bearer ${body.webhook_signing_secret}`
      const path = new URL(body.webhook_url).pathname
      return async (payload: object, headers: Record<string, string> = {}) => {
        const { status } = await app().anonymous('POST', path, payload, { authorization, ...headers })
        expect(status).toBe(204)
      }
    }
    const entities = async (type: string): Promise<Answer['body'][]> =>
      (await call('GET', `${sandbox.storage}/entities?type=${type}`)).body.entities
    const only = async (type: string, records: number) => {
      await expect.poll(async () => (await entities(type)).map((one) => one.record_count), WAIT).toEqual([records])
      const [{ canonical_id: id }] = await entities(type)
      return (await call('GET', `${sandbox.storage}/entities/${id}`)).body
    }

    describe('Linear', () => {
      const uuid = '8c5ef3c6-2e6f-4d3b-9a3a-0d5ad4a2a111'
      const url = 'https://linear.app/harbour/issue/HAR-3/sail'
      const deliver = async () =>
        (await hook('linear'))({ type: 'Issue', action: 'update', data: issueData, url, createdAt: AT })
      const issueData = { id: uuid, identifier: 'HAR-3', title: 'Sail', url, createdAt: AT, updatedAt: AT }
      const react = async () => {
        const issue = { id: uuid, title: 'Sail' }
        const data = { id: 'r-1', emoji: 'tada', issue, user: { id: 'u-1', name: 'Ana Sol' }, createdAt: AT }
        await (await hook('linear'))({ type: 'Reaction', action: 'create', data, createdAt: AT })
      }
      const poll = async () => {
        tracker.issues = [{ id: 'HAR-3', title: 'Sail', url, updatedAt: AT }]
        const body = { api_key: 'lin_api_test', include: ['issues'], rate_cap_per_minute: 600 }
        const { body: made } = await call('POST', `${sandbox.storage}/sources/linear`, body)
        const { body: job } = await call('POST', `${sandbox.storage}/sources/${made.data_source_id}/pull`)
        const ended = async () => (await call('GET', `${sandbox.storage}/ingest/${job.job_id}`)).body.status
        await expect.poll(ended, WAIT).toBe('completed')
      }

      it.each([
        ['delivered, then polled', [deliver, poll]],
        ['polled, then delivered', [poll, deliver]],
        ['mentioned, polled, then delivered', [react, poll, deliver]],
        ['polled, mentioned, then delivered', [poll, react, deliver]],
        ['mentioned, delivered, then polled', [react, deliver, poll]],
      ])('an issue that is %s is one', async (_, steps) => {
        for (const step of steps) await step()
        const issue = await only('issue', steps.length)
        expect(issue.names).toEqual(expect.arrayContaining(['Sail', 'HAR-3']))
        expect(JSON.stringify(issue.identifiers)).toContain(uuid)
        expect(JSON.stringify(issue.identifiers)).toContain('HAR-3')
      })
    })

    describe('GitHub', () => {
      const repository = (owner: string, name: string, at = AT) => ({
        id: 77,
        name,
        full_name: `${owner}/${name}`,
        html_url: `https://github.com/${owner}/${name}`,
        owner: { login: owner, type: 'Organization' },
        updated_at: at,
      })
      const issues = (repo: ReturnType<typeof repository>, number: number) => ({
        action: 'opened',
        repository: repo,
        issue: {
          id: 1000 + number,
          number,
          title: `Task ${number}`,
          html_url: `${repo.html_url}/issues/${number}`,
          created_at: AT,
          updated_at: AT,
        },
      })

      it('a repository that is renamed and transferred stays one, found by all its names', async () => {
        const send = await hook('github')
        const as = (event: string) => ({ 'x-github-event': event })
        await send(issues(repository('acme', 'api'), 1), as('issues'))
        const before = await only('repository', 1)
        const renamed = { repository: { name: { from: 'api' } } }
        const core = repository('acme', 'core', '2026-05-05T10:00:00Z')
        await send({ action: 'renamed', changes: renamed, repository: core }, as('repository'))
        await send(issues(core, 2), as('issues'))
        const now = await only('repository', 3)
        expect([now.canonical_id, now.name]).toEqual([before.canonical_id, 'acme/core'])
        expect(now.names).toContain('acme/api')
        const given = { owner: { from: { organization: { login: 'acme' } } } }
        const other = repository('harbour', 'core', '2026-05-06T10:00:00Z')
        await send({ action: 'transferred', changes: given, repository: other }, as('repository'))
        await expect.poll(async () => (await only('repository', 3)).name, WAIT).toBe('harbour/core')
        const last = await only('repository', 3)
        expect(last.canonical_id).toBe(before.canonical_id)
        expect(last.names).toEqual(expect.arrayContaining(['acme/api', 'acme/core']))
        for (const q of ['acme/api', 'harbour/core']) {
          const { body } = await call('GET', `${sandbox.storage}/entities/search?q=${encodeURIComponent(q)}`)
          expect(body.results[0]).toMatchObject({ canonical_id: before.canonical_id, name: 'harbour/core' })
        }
      })
    })

    it.each([
      ['GitHub', 'github', 'issue'],
      ['GitLab', 'gitlab', 'issue'],
    ])('%s: an issue stays one when its repository is renamed', async (_, provider, type) => {
      const send = await hook(provider)
      const renamedEvent = (name: string, at: string) => {
        const url = `https://${provider}.com/acme/${name}`
        const item = { id: 1001, title: 'Sail', created_at: AT, updated_at: at }
        return provider === 'github'
          ? {
              action: 'edited',
              repository: { id: 77, name, full_name: `acme/${name}`, html_url: url },
              issue: { ...item, number: 1, html_url: `${url}/issues/1` },
            }
          : {
              object_kind: 'issue',
              project: { id: 77, name, path_with_namespace: `acme/${name}`, web_url: url },
              object_attributes: { ...item, iid: 1, url: `${url}/-/issues/1`, action: 'update' },
            }
      }
      const as = { 'x-github-event': 'issues' }
      await send(renamedEvent('api', AT), as)
      const before = await only(type, 1)
      await send(renamedEvent('core', '2026-05-05T10:00:00Z'), as)
      const now = await only(type, 2)
      expect(now.canonical_id).toBe(before.canonical_id)
      expect(now.names).toEqual(expect.arrayContaining(['acme/api#1', 'acme/core#1', 'Sail']))
    })

    describe('Jira', () => {
      const jiraIssue = (id: string, key: string, summary: string) => ({
        webhookEvent: 'jira:issue_created',
        timestamp: Date.parse(AT),
        issue: {
          id,
          key,
          self: `https://harbour.atlassian.example/rest/api/2/issue/${id}`,
          // A project with the same number as an issue is not that issue.
          fields: { summary, project: { id: '10001', key: 'HRB', name: 'Harbour' }, created: AT, updated: AT },
        },
      })
      const link = (event: string, timestamp: number) => ({
        webhookEvent: event,
        timestamp,
        issueLink: {
          id: 5,
          sourceIssueId: 10001,
          destinationIssueId: 10002,
          issueLinkType: { id: 1, name: 'Blocks', outwardName: 'blocks', inwardName: 'is blocked by' },
        },
      })
      const sendIssues = async (send: (payload: object) => Promise<void>) => {
        await send(jiraIssue('10001', 'HRB-1', 'Order the HSM'))
        await send(jiraIssue('10002', 'HRB-2', 'Rotate the keys'))
      }

      it.each(['before', 'after'])('a link delivered %s its issues relates them until it is removed', async (when) => {
        const send = await hook('jira')
        const linked = () => send(link('issuelink_created', Date.parse(AT)))
        if (when === 'before') await linked()
        await sendIssues(send)
        if (when === 'after') await linked()
        const blocking = async () => {
          const found = (await entities('issue')).find(({ name }) => name.includes('HSM'))
          if (!found) return undefined
          const { body } = await call('GET', `${sandbox.storage}/entities/${found.canonical_id}`)
          return body.relations.find(({ predicate }: { predicate: string }) => predicate === 'blocks')
        }
        await expect.poll(async () => JSON.stringify(await blocking()) ?? '', WAIT).toMatch(/Rotate the keys|HRB-2/)
        const names = (await entities('issue')).map(({ name }) => name)
        expect(names.sort()).toEqual(['Order the HSM', 'Rotate the keys'])
        expect((await entities('project')).map(({ name }) => name)).toEqual(['Harbour'])
        await send(link('issuelink_deleted', Date.parse(AT) + 1_000))
        await expect.poll(blocking, WAIT).toBeUndefined()
      })
    })

    describe('Slack', () => {
      it('a channel and a person known only by id are named once their names arrive', async () => {
        const send = await hook('slack')
        const event = (held: object, id: string) =>
          send({ type: 'event_callback', team_id: 'T1', event_id: id, event: held })
        const said = {
          type: 'message',
          channel: 'C024BE91L',
          user: 'U0123456789',
          text: 'Ship it.',
          ts: '1777888800.000100',
        }
        await event(said, 'Ev1')
        expect((await only('channel', 1)).name).toBe('C024BE91L')
        await event(
          { type: 'channel_rename', channel: { id: 'C024BE91L', name: 'launch', created: 1777888800 } },
          'Ev2',
        )
        const profile = { real_name: 'Ana Sol', email: 'ana@harbour.example' }
        await event({ type: 'user_change', user: { id: 'U0123456789', name: 'ana', profile } }, 'Ev3')
        const channel = await only('channel', 2)
        expect(channel.names).toEqual(['#launch', 'C024BE91L'])
        expect((await only('person', 2)).name).toBe('Ana Sol')
      })
    })
  },
  { CAIRN_LINEAR_MCP_URL: tracker.url },
)
