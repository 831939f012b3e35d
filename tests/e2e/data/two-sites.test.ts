import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

const WAIT = { interval: 100 }
const AT = '2026-05-04T10:00:00.000Z'

interface Delivery {
  payload: object
  headers?: Record<string, string>
}

/** Two sites of a product that use the same numbers, logins and keys. `of` names the expected site of each. */
interface Product {
  provider: string
  sites: [string, string]
  deliveriesOf(site: string, of: 'Ana' | 'Bo'): Delivery[]
  /** Types that both sites number alike, and how many of each exist. */
  types: string[]
}

const gitlab: Product = {
  provider: 'gitlab',
  sites: ['gitlab.com', 'git.acme.example'],
  types: ['person', 'repository', 'issue', 'milestone'],
  deliveriesOf: (site, of) => {
    const url = `https://${site}/acme/api`
    const project = { id: 7, name: 'api', path_with_namespace: 'acme/api', web_url: url }
    const user = { id: 42, name: `${of} Sol`, username: 'dev', email: '[REDACTED]' }
    const milestone = { id: 3, title: `${of} goal` }
    const item = { id: 1001, iid: 1, title: `Task of ${of}`, url: `${url}/-/issues/1`, action: 'update', author_id: 42 }
    const times = { created_at: AT, updated_at: AT }
    return [
      { payload: { object_kind: 'issue', user, project, milestone, object_attributes: { ...item, ...times } } },
      { payload: { event_name: 'user_create', user_id: 42, name: user.name, username: 'dev', updated_at: AT } },
    ].map((delivery) => ({ ...delivery, headers: { 'x-gitlab-instance': `https://${site}` } }))
  },
}

const github: Product = {
  provider: 'github',
  sites: ['github.com', 'github.acme.example'],
  types: ['person', 'repository', 'issue'],
  deliveriesOf: (site, of) => {
    const url = `https://${site}/acme/api`
    const user = { login: 'dev', id: 42, html_url: `https://${site}/dev`, type: 'User', name: `${of} Sol` }
    const repository = { id: 7, name: 'api', full_name: 'acme/api', html_url: url }
    const issue = {
      number: 1,
      title: `Task of ${of}`,
      html_url: `${url}/issues/1`,
      user,
      created_at: AT,
      updated_at: AT,
    }
    const comment = { id: 1001, body: 'As @dev said.', user, html_url: `${url}/issues/1#c`, created_at: AT }
    return [
      { payload: { action: 'opened', repository, issue }, headers: { 'x-github-event': 'issues' } },
      { payload: { action: 'created', repository, issue, comment }, headers: { 'x-github-event': 'issue_comment' } },
    ]
  },
}

const jira: Product = {
  provider: 'jira',
  sites: ['acme.atlassian.example', 'jira.acme.example'],
  types: ['person', 'project', 'issue', 'cycle'],
  deliveriesOf: (site, of) => {
    const self = (path: string) => `https://${site}/rest/api/2/${path}`
    const person = { name: 'dev', displayName: `${of} Sol`, self: self('user?username=dev') }
    const project = { id: '7', key: 'ENG', name: `${of} project`, self: self('project/7') }
    const times = { created: AT, updated: AT }
    const fields = { summary: `Task of ${of}`, project, reporter: person, ...times }
    const issue = { id: '1001', key: 'ENG-1', self: self('issue/1001'), fields }
    const sprint = { id: 3, name: `${of} sprint`, state: 'active', self: self('sprint/3') }
    const timestamp = Date.parse(AT)
    return [
      { payload: { webhookEvent: 'jira:issue_created', timestamp, issue } },
      { payload: { webhookEvent: 'sprint_started', timestamp, sprint } },
    ]
  },
}

const slack: Product = {
  provider: 'slack',
  sites: ['T0000000A', 'T0000000B'],
  types: ['person', 'channel'],
  deliveriesOf: (site, of) => {
    const event = (id: string, held: object): Delivery => ({
      payload: { type: 'event_callback', team_id: site, event_id: `${id} of ${site}`, event: held },
    })
    return [
      event('Ev1', {
        type: 'message',
        channel: 'C1',
        user: 'U1',
        text: `Says ${of === 'Ana' ? 'one' : 'another'}.`,
        ts: '1777888800.000100',
      }),
      event('Ev2', { type: 'user_change', user: { id: 'U1', name: 'dev', profile: { real_name: `${of} Sol` } } }),
      event('Ev3', { type: 'channel_rename', channel: { id: 'C1', name: `talk-${of}`, created: 1777888800 } }),
    ]
  },
}

const linear: Product = {
  provider: 'linear',
  sites: ['linear.app/one', 'linear.app/other'],
  types: ['issue'],
  deliveriesOf: (site, of) => {
    const url = `https://${site}/issue/ENG-12/task`
    const id = `8c5ef3c6-2e6f-4d3b-9a3a-0d5ad4a2a1${of === 'Ana' ? '11' : '22'}`
    const data = { id, identifier: 'ENG-12', title: `Task of ${of}`, createdAt: AT, updatedAt: AT }
    const comment = {
      id: `${id.slice(0, -2)}99`,
      body: `Says ${of}.`,
      issue: { id, identifier: 'ENG-12', title: data.title },
    }
    return [
      { payload: { type: 'Issue', action: 'create', data, url, createdAt: AT } },
      { payload: { type: 'Comment', action: 'create', data: comment, url: `${url}#c`, createdAt: AT } },
    ]
  },
}

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  beforeEach(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
  })

  const hook = async (provider: string, name: string, config: object = {}) => {
    const registered = { provider, name, ingestion_mode: 'realtime', adapter_config: config }
    const { body } = await call('POST', `${sandbox.storage}/sources`, registered)
    const authorization = `Bearer ${body.webhook_signing_secret}`
    const path = new URL(body.webhook_url).pathname
    return async ({ payload, headers = {} }: Delivery) => {
      const { status } = await app().anonymous('POST', path, payload, { authorization, ...headers })
      expect([200, 204]).toContain(status)
    }
  }
  const entities = async (type: string): Promise<Answer['body'][]> =>
    (await call('GET', `${sandbox.storage}/entities?type=${type}`)).body.entities
  const settled = async () => {
    const waits = async () => {
      const { body } = await call('GET', `${sandbox.storage}/sources`)
      const runs = body.sources.map(({ data_source_id: id }: Answer['body']) =>
        call('GET', `${sandbox.storage}/sources/${id}/runs`),
      )
      return (await Promise.all(runs)).flatMap((run) => run.body.runs).filter((run) => run.status !== 'completed')
        .length
    }
    await expect.poll(waits, WAIT).toBe(0)
  }

  describe.each([gitlab, github, jira, slack, linear])('two sites of $provider in one sandbox', (product) => {
    const { provider, sites, deliveriesOf: tell, types } = product

    it('stay separate for equal numbers, however often they are delivered', async () => {
      const [one, other] = [await hook(provider, 'One'), await hook(provider, 'Other')]
      const ids = new Map<string, string[]>()
      for (const round of [1, 2]) {
        for (const delivery of tell(sites[0], 'Ana'))
          await one({ payload: { ...delivery.payload, round }, headers: delivery.headers ?? {} })
        for (const delivery of tell(sites[1], 'Bo'))
          await other({ payload: { ...delivery.payload, round }, headers: delivery.headers ?? {} })
        for (const type of types) {
          const found = async () => (await entities(type)).map(({ name, canonical_id: id }) => ({ name, id }))
          await expect.poll(async () => (await found()).length, { ...WAIT, message: type }).toBe(2)
          const now = (await found()).map(({ id }) => id).sort()
          expect(ids.get(type) ?? now).toEqual(now)
          ids.set(type, now)
        }
      }
      await settled()
      for (const type of types) expect((await entities(type)).map(({ record_count: n }) => n)).not.toContain(0)
    })
  })

  it('two sites that send to one source replace nothing of each other', async () => {
    const send = await hook('jira', 'Both')
    for (const delivery of jira.deliveriesOf(jira.sites[0], 'Ana')) await send(delivery)
    for (const delivery of jira.deliveriesOf(jira.sites[1], 'Bo')) await send(delivery)
    await expect.poll(async () => (await entities('issue')).length, WAIT).toBe(2)
    const records = (
      await Promise.all(
        (await entities('issue')).map(({ canonical_id: id }) => call('GET', `${sandbox.storage}/entities/${id}`)),
      )
    ).flatMap(({ body }) => body.records.map(({ external_id: id, title }: Answer['body']) => [id, title]))
    expect(records.sort()).toEqual([
      ['issue/1001', 'Task of Ana'],
      ['issue/1001@jira.acme.example', 'Task of Bo'],
    ])
  })

  it('a link without its site belongs to the site of its source', async () => {
    const issueLink = {
      id: 5,
      sourceIssueId: 1001,
      destinationIssueId: 1002,
      issueLinkType: { id: 1, name: 'Blocks', outwardName: 'blocks' },
    }
    for (const [at, of] of [
      [0, 'Ana'],
      [1, 'Bo'],
    ] as const) {
      const site = jira.sites[at]
      const send = await hook('jira', site, { site })
      for (const delivery of jira.deliveriesOf(site, of)) await send(delivery)
      if (of === 'Bo')
        await send({ payload: { webhookEvent: 'issuelink_created', timestamp: Date.parse(AT), issueLink } })
    }
    const blocks = async (name: string) => {
      const found = (await entities('issue')).find((one) => one.name === name)
      if (!found) return undefined
      const { body } = await call('GET', `${sandbox.storage}/entities/${found.canonical_id}`)
      return body.relations.filter(({ predicate }: Answer['body']) => predicate === 'blocks').length
    }
    await expect.poll(() => blocks('Task of Bo'), WAIT).toBe(1)
    expect(await blocks('Task of Ana')).toBe(0)
  })
})
